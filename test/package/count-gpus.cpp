// Uses the model library as an installed package: how many GPUs does a cluster file describe?
#include "model/ClusterJson.h"
#include "support/Files.h"
#include <cstdio>

int main(int argc, char *argv[]) {
  using namespace streammap;
  const Expected<std::string> text = readFile(argc > 1 ? argv[1] : "-");
  if (!text)
    return 4;
  Diagnostics diagnostics;
  const std::optional<Cluster> cluster = readCluster(*text, "cluster.json", diagnostics);
  if (!cluster)
    return 1;
  int gpus = 0;
  for (const Device &device : cluster->devices)
    gpus += device.gpu.has_value();
  std::printf("%d GPUs\n", gpus);
  return 0;
}
