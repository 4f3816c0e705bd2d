// How long it takes from the text of a large source to a written cluster file, against one second, which is
// what a person does not mind, and against the least possible: walking the text's lines once.
//
//   ninja bench-discover && bin/bench-discover [FILE...]
//
// Without files: a three-level topology.conf of 10,000 nodes, a fabric of 40 switches and 480 four-rail nodes
// as ibnetdiscover prints it, and `scontrol show node -d` of 10,000 nodes of 8 GPUs.
#include "discover/Merge.h"
#include "discover/Scan.h"
#include "discover/Sources.h"
#include "model/ClusterJson.h"
#include "support/Files.h"
#include <chrono>
#include <cstdio>

using namespace streammap;

namespace {

using Clock = std::chrono::steady_clock;

double millisecondsSince(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

std::string padded(unsigned number, int width) {
  char text[16];
  std::snprintf(text, sizeof text, "%0*u", width, number);
  return text;
}

std::string topology() {
  std::string text;
  for (unsigned leaf = 0; leaf < 500; ++leaf)
    text += "SwitchName=leaf" + padded(leaf, 3) + " Nodes=n[" + padded(leaf * 20, 5) + "-" +
            padded(leaf * 20 + 19, 5) + "]\n";
  for (unsigned spine = 0; spine < 25; ++spine)
    text += "SwitchName=spine" + padded(spine, 2) + " Switches=leaf[" + padded(spine * 20, 3) + "-" +
            padded(spine * 20 + 19, 3) + "]\n";
  return text + "SwitchName=core Switches=spine[00-24]\n";
}

/// 32 leaves in 8 groups of 4 rails, 60 nodes a group; 8 spines, 4 cables from each leaf to each.
std::string fabric() {
  std::string text, adapters;
  for (unsigned leaf = 0; leaf < 32; ++leaf) {
    text += "switchguid=0x" + padded(leaf, 4) + "\nSwitch\t65 \"S-" + padded(leaf, 4) + "\"\t# \"MF0;LEAF-" +
            padded(leaf, 2) + ":MQM9701/U1\" enhanced\n";
    for (unsigned host = 0; host < 60; ++host) {
      const std::string node = padded(leaf / 4 * 60 + host, 3), rail = std::to_string(leaf % 4);
      text += "[" + std::to_string(host + 1) + "]\t\"H-" + node + rail + "\"[1](1)\t# \"n" + node + " mlx5_" +
              rail + "\" lid 9 4xNDR\n";
      adapters += "Ca\t1 \"H-" + node + rail + "\"\t# \"n" + node + " mlx5_" + rail + "\"\n[1](1)\t\"S-" +
                  padded(leaf, 4) + "\"[" + std::to_string(host + 1) +
                  "]\t# lid 9 lmc 0 \"LEAF\" lid 1 4xNDR\n";
    }
    for (unsigned spine = 0; spine < 8; ++spine)
      for (unsigned cable = 0; cable < 4; ++cable)
        text += "[" + std::to_string(61 + spine * 4 + cable) + "]\t\"S-1" + padded(spine, 3) + "\"[" +
                std::to_string(leaf * 4 + cable + 1) + "]\t# \"MF0;SPINE-" + padded(spine, 2) +
                ":MQM9701/U1\" lid 3 4xNDR\n";
  }
  for (unsigned spine = 0; spine < 8; ++spine) {
    text += "switchguid=0x1" + padded(spine, 3) + "\nSwitch\t129 \"S-1" + padded(spine, 3) +
            "\"\t# \"MF0;SPINE-" + padded(spine, 2) + ":MQM9701/U1\" enhanced\n";
    for (unsigned leaf = 0; leaf < 32; ++leaf)
      for (unsigned cable = 0; cable < 4; ++cable)
        text += "[" + std::to_string(leaf * 4 + cable + 1) + "]\t\"S-" + padded(leaf, 4) + "\"[" +
                std::to_string(61 + spine * 4 + cable) + "]\t# \"MF0;LEAF-" + padded(leaf, 2) +
                ":MQM9701/U1\" lid 1 4xNDR\n";
  }
  return text + adapters;
}

std::string nodes() {
  std::string text;
  for (unsigned node = 0; node < 10000; ++node)
    text += "NodeName=n" + padded(node, 5) +
            " Arch=x86_64 CoresPerSocket=56\n   CPUAlloc=0 CPUEfctv=112 CPUTot=112 CPULoad=0.10\n"
            "   Gres=gpu:h100:8(S:0-1)\n   GresUsed=gpu:h100:" +
            std::to_string(node % 9) +
            "(IDX:" + (node % 9 == 0 ? "N/A" : "0-" + std::to_string(node % 9 - 1)) +
            ")\n   RealMemory=2000000 AllocMem=0 FreeMem=1900000 Sockets=2 Boards=1\n   State=" +
            (node % 50 == 7 ? "IDLE+DRAIN" : "MIXED") +
            " ThreadsPerCore=1 TmpDisk=0 Weight=1\n   Reason=maintenance [root@2026-12-01T01:44:50]\n\n";
  return text;
}

int measure(const std::string &name, const std::string &text) {
  MergeOptions options;
  options.assumedGpus = AssumedGpus{8, "H100-SXM5-80GB"};
  Clock::time_point begin = Clock::now();
  std::size_t lines = 0;
  for (LineScanner scanner(text); scanner.next();)
    lines += !scanner.line().empty();
  const double walking = millisecondsSince(begin);
  begin = Clock::now();
  Diagnostics diagnostics;
  const std::optional<Findings> found = readSource(text, name, nullptr, diagnostics);
  const double reading = millisecondsSince(begin);
  begin = Clock::now();
  const std::optional<Discovery> cluster =
      found ? merge(std::span(&*found, 1), options, diagnostics) : std::optional<Discovery>();
  const double merging = millisecondsSince(begin);
  if (!cluster) {
    std::fprintf(stderr, "%s", toText(diagnostics).c_str());
    return 1;
  }
  begin = Clock::now();
  const std::string written = writeCluster(cluster->cluster);
  const double writing = millisecondsSince(begin);
  const double total = reading + merging + writing;
  std::printf("%-34s %8zu %6zu %8zu %9.2f %9.1f %9.1f %9.1f %9.1f %8.1f %%\n",
              name.substr(name.rfind('/') + 1).c_str(), lines, cluster->cluster.nodes.size(),
              cluster->cluster.network.switches.size(), walking, reading, merging, writing, total,
              total / 10);
  return 0;
}

} // namespace

int main(int argc, char *argv[]) {
  std::printf("%-34s %8s %6s %8s %9s %9s %9s %9s %9s %10s\n", "source", "lines", "nodes", "switches",
              "walk ms", "read ms", "merge ms", "write ms", "total ms", "of 1 s");
  int failed = 0;
  if (argc == 1)
    return measure("topology.conf", topology()) + measure("ibnetdiscover", fabric()) +
           measure("scontrol show node -d", nodes());
  for (int i = 1; i < argc; ++i) {
    const Expected<std::string> text = readFile(argv[i]);
    if (!text)
      std::fprintf(stderr, "%s\n", text.error().message.c_str());
    failed += text ? measure(argv[i], *text) : 1;
  }
  return failed;
}
