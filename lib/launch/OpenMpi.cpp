// Open MPI. openmpi.sh holds a whole command; rankfile and application contexts are for those who bring their
// own. Contexts split at blanks and know no quotes, so there are none for a program with blanks in its
// arguments.
//
//   openmpi.appfile     -n 1 --host n001 -x CUDA_VISIBLE_DEVICES=0,1 ./app 8 32
//   openmpi.rankfile    rank 0=n001 slot=0-63
#include "launch/LaunchFiles.h"
#include "launch/Shell.h"
#include "support/Text.h"
#include <algorithm>

namespace streammap {
namespace {

/// Slots are cores; a rank gets all of its node, or its share where several ranks are on it. Without the
/// number of cores there is nothing to write.
std::string rankfile(const LaunchPlan &plan) {
  std::map<std::string, unsigned> ranksOn;
  for (const Rank &rank : plan.ranks)
    ++ranksOn[rank.node];
  std::string text;
  for (std::size_t i = 0; i < plan.ranks.size(); ++i) {
    const Rank &rank = plan.ranks[i];
    const unsigned share = rank.cores / ranksOn[rank.node];
    if (share == 0)
      return {};
    const unsigned first = rank.localRank * share;
    text += "rank " + std::to_string(i) + "=" + rank.node + " slot=" + std::to_string(first) +
            (share > 1 ? "-" + std::to_string(first + share - 1) : "") + "\n";
  }
  return text;
}

std::vector<std::string> contextOf(const LaunchPlan &plan, std::size_t rank, const std::string &host,
                                   const Environment &common, const std::vector<std::string> &program) {
  Environment environment = rankEnvironment(plan, rank);
  environment.insert(common.begin(), common.end());
  std::vector<std::string> words{"-n", "1", "--host", host};
  for (const auto &[name, value] : environment)
    words.insert(words.end(), {"-x", name + "=" + value});
  words.insert(words.end(), program.begin(), program.end());
  return words;
}

bool hasBlanks(const std::vector<std::string> &words) {
  return std::ranges::any_of(words, [](const std::string &word) {
    return word.empty() || word.find_first_of(" \t\n") != word.npos;
  });
}

/// Empty where a word has a blank in it.
std::string appfile(const LaunchPlan &plan, const Environment &common, const LaunchOptions &options) {
  std::string text;
  for (std::size_t i = 0; i < plan.ranks.size(); ++i) {
    const auto words = contextOf(plan, i, plan.ranks[i].node, common, options.program);
    if (hasBlanks(words))
      return {};
    text += join(words, " ") + "\n";
  }
  return text;
}

} // namespace

std::string openMpiRanks(const LaunchPlan &plan, const std::vector<std::string> &hosts,
                         const Environment &common, const std::vector<std::string> &program) {
  std::string text;
  for (std::size_t i = 0; i < plan.ranks.size(); ++i)
    text += (i ? " : \\\n  " : "  ") + shellCommand(contextOf(plan, i, hosts[i], common, program));
  return text + "\n";
}

std::vector<LaunchFile> openMpiFiles(const LaunchPlan &plan, const LaunchOptions &options) {
  const Environment common = commonEnvironment(plan, options.placement);
  std::vector<std::string> hosts;
  for (const Rank &rank : plan.ranks)
    hosts.push_back(rank.node);
  std::vector<LaunchFile> files{
      {"openmpi.sh",
       "#!/bin/sh\n"
       "# Rank 0 first. Unbound: a rank's threads and devices want all cores of their node. Add\n"
       "# --mca btl_tcp_if_include IF --mca oob_tcp_if_include IF where nodes have several "
       "networks.\n"
       "exec mpirun --bind-to none \"$@\" \\\n" +
           openMpiRanks(plan, hosts, common, options.program)}};
  if (std::string text = appfile(plan, common, options); !text.empty())
    files.push_back({"openmpi.appfile", std::move(text)});
  if (std::string text = rankfile(plan); !text.empty())
    files.push_back({"openmpi.rankfile", std::move(text)});
  return files;
}

} // namespace streammap
