// Slurm batch scripts.
//
//   #SBATCH --nodelist=n[001-004]
//   ...
//   srun --mpi=pmix --kill-on-bad-exit=1 --gpu-bind=none --distribution=arbitrary --ntasks=4 ./app 8 32
#include "launch/Slurm.h"
#include "launch/LaunchFiles.h"
#include "launch/Shell.h"
#include "model/Hostlist.h"
#include "support/Text.h"
#include <algorithm>

namespace streammap {
namespace {

/// Variables on which all ranks agree go into `common`; for the others a shell array with a value per rank,
/// from which each rank picks its own.
struct RankVariables {
  Environment common;
  std::string script; ///< of `bash -c`; empty: no variable differs
};

RankVariables splitVariables(const LaunchPlan &plan) {
  std::vector<Environment> ranks;
  Environment names;
  for (std::size_t i = 0; i < plan.ranks.size(); ++i) {
    ranks.push_back(rankEnvironment(plan, i));
    // One rank per node with all its GPUs: Slurm's own numbering is right, ours may not be inside a cgroup.
    if (plan.ranksPer == RanksPer::node)
      ranks.back().erase("CUDA_VISIBLE_DEVICES");
    names.insert(ranks.back().begin(), ranks.back().end());
  }
  RankVariables result;
  for (const auto &[name, value] : names) {
    const auto valueOf = [&](const Environment &rank) {
      const auto found = rank.find(name);
      return found == rank.end() ? std::string() : found->second;
    };
    if (std::ranges::all_of(ranks, [&](const Environment &rank) { return valueOf(rank) == value; })) {
      result.common[name] = value;
      continue;
    }
    result.script += "values=(";
    for (std::size_t i = 0; i < ranks.size(); ++i)
      result.script += (i ? " " : "") + ('"' + valueOf(ranks[i]) + '"');
    result.script += "); export " + name + "=${values[$SLURM_PROCID]}; ";
  }
  if (!result.script.empty())
    result.script += "exec \"$@\"";
  return result;
}

std::string header(const LaunchOptions &options, const std::vector<SlurmComponent> &components) {
  std::string text = "#!/bin/bash\n";
  for (std::size_t i = 0; i < components.size(); ++i) {
    if (i > 0)
      text += "#SBATCH hetjob\n";
    if (i == 0)
      text += "#SBATCH --job-name=" + options.jobName + "\n#SBATCH --output=" + options.jobName + ".%j.out\n";
    for (const std::string &option : slurmRequest(components[i]))
      text += "#SBATCH " + option + "\n";
    for (const std::string &option : options.slurmOptions)
      text += "#SBATCH " + option + "\n";
  }
  return text;
}

/// The program of one component, through a shell that picks the rank's variables where there are any.
std::string program(const LaunchOptions &options, const std::string &script) {
  std::vector<std::string> words;
  if (!script.empty())
    words = {"bash", "-c", script, "rank"};
  words.insert(words.end(), options.program.begin(), options.program.end());
  return shellCommand(words);
}

} // namespace

std::vector<SlurmComponent> slurmComponents(const LaunchPlan &plan) {
  const bool uniform = std::ranges::all_of(
      plan.ranks, [&](const Rank &rank) { return rank.nodeGpus == plan.ranks.front().nodeGpus; });
  std::vector<SlurmComponent> components;
  for (std::size_t i = 0; i < plan.ranks.size(); ++i) {
    const Rank &rank = plan.ranks[i];
    const bool sameNode = i > 0 && plan.ranks[i - 1].node == rank.node;
    const bool continues =
        i > 0 &&
        (uniform || sameNode ||
         (plan.ranks[i - 1].nodeGpus == rank.nodeGpus && naturallyBefore(plan.ranks[i - 1].node, rank.node)));
    if (!continues)
      components.push_back({i, 0, {}, rank.nodeGpus});
    ++components.back().ranks;
    if (!sameNode)
      components.back().nodes.push_back(rank.node);
  }
  return components;
}

std::string slurmHostfile(const LaunchPlan &plan) {
  std::string text;
  for (const Rank &rank : plan.ranks)
    text += rank.node + "\n";
  return text;
}

std::vector<std::string> srunOptions(const std::string &mpi) {
  return {"--mpi=" + mpi, "--kill-on-bad-exit=1", "--gpu-bind=none"};
}

std::vector<std::string> slurmRequest(const SlurmComponent &component) {
  std::vector<std::string> names = component.nodes;
  std::ranges::sort(names, naturallyBefore);
  std::vector<std::string> options{"--nodes=" + std::to_string(component.nodes.size()),
                                   "--ntasks=" + std::to_string(component.ranks),
                                   "--nodelist=" + compressHostlist(names), "--exclusive"};
  if (component.gpusPerNode > 0)
    options.push_back("--gres=gpu:" + std::to_string(component.gpusPerNode));
  return options;
}

std::vector<UnusableNode> unusableNodes(std::string_view sinfo) {
  std::vector<UnusableNode> unusable;
  for (std::string_view line : split(sinfo, '\n')) {
    const std::vector<std::string_view> fields = split(line, '|');
    if (fields.size() < 3)
      continue;
    // Suffixes are marks: "down*" does not answer, "idle~" is powered down and comes up on demand.
    const std::string_view state =
        fields[1].substr(0, fields[1].find_first_not_of("abcdefghijklmnopqrstuvwxyz_"));
    constexpr std::string_view usable[] = {"idle", "mixed", "allocated", "completing", "planned"};
    const UnusableNode node{std::string(fields[0]), std::string(state), std::string(fields[2])};
    if (std::ranges::find(usable, state) == std::end(usable) &&
        std::ranges::find(unusable, node) == unusable.end())
      unusable.push_back(node);
  }
  return unusable;
}

std::vector<LaunchFile> slurmFiles(const LaunchPlan &plan, const LaunchOptions &options) {
  const std::vector<SlurmComponent> components = slurmComponents(plan);
  RankVariables variables = splitVariables(plan);
  variables.common.merge(commonEnvironment(plan, options.placement));
  std::string text = header(options, components) + "set -eu\n";
  for (const auto &[name, value] : variables.common)
    text += "export " + name + "=" + shellQuoted(value) + "\n";

  const std::string common = shellCommand(srunOptions(options.slurmMpi));
  if (components.size() == 1) {
    text += "# The node of each rank. Slurm sorts a node list, so the order needs a file.\n"
            "SLURM_HOSTFILE=$(mktemp)\nexport SLURM_HOSTFILE\n"
            "trap 'rm -f \"$SLURM_HOSTFILE\"' EXIT\n"
            "cat >\"$SLURM_HOSTFILE\" <<'NODES'\n" +
            slurmHostfile(plan) + "NODES\n";
    text += "srun " + common + " --distribution=arbitrary --ntasks=" + std::to_string(plan.ranks.size()) +
            " " + program(options, variables.script) + "\n";
  } else {
    text += "srun";
    for (std::size_t i = 0; i < components.size(); ++i)
      text += std::string(i > 0 ? " :" : "") + " \\\n  " + common + " --het-group=" + std::to_string(i) +
              " --ntasks=" + std::to_string(components[i].ranks) + " " + program(options, variables.script);
    text += "\n";
  }
  return {{"slurm.sbatch", text}};
}

} // namespace streammap
