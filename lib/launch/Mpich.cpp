// MPICH's Hydra (also Intel MPI's and MVAPICH's mpiexec).
//
//   mpich.hosts        n001:1
//   mpich.sh           mpiexec -f mpich.hosts -n 1 -env CUDA_VISIBLE_DEVICES 0,1 ./app 8 32 : ...
#include "launch/LaunchFiles.h"
#include "launch/Shell.h"

namespace streammap {

std::vector<LaunchFile> mpichFiles(const LaunchPlan &plan, const LaunchOptions &options) {
  const Environment common = commonEnvironment(plan, options.placement);
  // Hydra fills hosts in their order: as many ranks as the number after the colon, then the next.
  std::string hosts, ranks;
  for (std::size_t i = 0; i < plan.ranks.size();) {
    std::size_t end = i;
    while (end < plan.ranks.size() && plan.ranks[end].node == plan.ranks[i].node)
      ++end;
    hosts += plan.ranks[i].node + ":" + std::to_string(end - i) + "\n";
    i = end;
  }
  for (std::size_t i = 0; i < plan.ranks.size(); ++i) {
    Environment environment = rankEnvironment(plan, i);
    environment.insert(common.begin(), common.end());
    std::vector<std::string> words{"-n", "1"};
    for (const auto &[name, value] : environment)
      words.insert(words.end(), {"-env", name, value});
    words.insert(words.end(), options.program.begin(), options.program.end());
    ranks += (i ? " : \\\n  " : "  ") + shellCommand(words);
  }
  return {{"mpich.hosts", hosts},
          {"mpich.sh", "#!/bin/sh\n"
                       "# Rank 0 first. Add -iface IF where nodes have several networks.\n"
                       "here=$(dirname \"$0\")\n"
                       "exec mpiexec -f \"$here/mpich.hosts\" \"$@\" \\\n" +
                           ranks + "\n"}};
}

} // namespace streammap
