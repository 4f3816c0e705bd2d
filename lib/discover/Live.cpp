#include "discover/Live.h"
#include "discover/HostReport.h"
#include "discover/Scan.h"
#include "model/Hostlist.h"
#include "support/Text.h"
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <thread>

namespace streammap {
namespace {

constexpr unsigned hostsAtOnce = 16;

std::string lastLine(std::string_view text) {
  std::string last;
  for (LineScanner lines(text); lines.next();)
    if (!trim(lines.line()).empty())
      last = trim(lines.line());
  return last;
}

/// The command's output; an exit code other than 0 is a failure with what it said last.
Expected<std::string> outputOf(const Asking &asking, std::vector<std::string> arguments,
                               std::string input = {}) {
  const std::string name = join(arguments, " ");
  const Expected<CommandResult> result =
      asking.runner.run({std::move(arguments), std::move(input), asking.limit});
  if (!result)
    return std::unexpected(result.error());
  if (result->exitCode != 0)
    return failure("'" + abbreviated(name) + "' ended with " + std::to_string(result->exitCode) +
                   (result->errors.empty() ? "" : ": " + lastLine(result->errors)));
  return result->output;
}

unsigned toolSeconds(const Asking &asking) {
  return static_cast<unsigned>(std::max(1.0, asking.limit.value() / 3)); // of nvidia-smi, which runs twice
}

/// The only failure when nothing came, else nothing but the names of who failed.
Collected collectedOr(std::vector<CollectedText> texts, const std::vector<std::string> &failed) {
  if (texts.empty())
    return failure("no host answered: " +
                   (failed.empty() ? std::string("none was given") : join(failed, "; ")));
  return texts;
}

} // namespace

std::string SystemEnvironment::variable(const std::string &name) const {
  const char *value = std::getenv(name.c_str());
  return value == nullptr ? std::string() : std::string(value);
}

bool SystemEnvironment::isFile(const std::string &path) const {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored);
}

Collected collectThisMachine(const Asking &asking) {
  const Expected<std::string> report = outputOf(asking, {"sh", "-c", hostReportScript(toolSeconds(asking))});
  if (!report)
    return std::unexpected(report.error());
  return std::vector<CollectedText>{{"this machine", *report, ""}};
}

Collected collectOverSsh(const Asking &asking, std::span<const std::string> hosts,
                         std::vector<std::string> &failed) {
  std::vector<Expected<std::string>> reports(hosts.size(), failure("not asked"));
  std::atomic<std::size_t> next = 0;
  const std::string script = hostReportScript(toolSeconds(asking));
  const std::string connect =
      "ConnectTimeout=" + std::to_string(std::max(1U, static_cast<unsigned>(asking.limit.value() / 2)));
  {
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < std::min<std::size_t>(hostsAtOnce, hosts.size()); ++i)
      threads.emplace_back([&] {
        for (std::size_t host = next++; host < hosts.size(); host = next++)
          reports[host] = outputOf(
              asking, {"ssh", "-o", "BatchMode=yes", "-o", connect, "--", hosts[host], "sh", "-s"}, script);
      });
  }
  std::vector<CollectedText> texts;
  for (std::size_t host = 0; host < hosts.size(); ++host)
    if (reports[host])
      texts.push_back({"ssh " + hosts[host], *reports[host], hosts[host]});
    else
      failed.push_back(hosts[host] + ": " + reports[host].error().message);
  return collectedOr(std::move(texts), failed);
}

Collected collectOverSrun(const Asking &asking, std::span<const std::string> hosts,
                          std::vector<std::string> &failed) {
  // One task a node; --label tells whose line is whose, and the report names its host.
  const Expected<std::string> output = outputOf(
      asking, {"srun", "--nodelist=" + compressHostlist(hosts), "--nodes=" + std::to_string(hosts.size()),
               "--ntasks-per-node=1", "--label",
               "--immediate=" + std::to_string(std::max(1U, static_cast<unsigned>(asking.limit.value()))),
               "sh", "-c", "echo \"srun-node $SLURMD_NODENAME\"\n" + hostReportScript(toolSeconds(asking))});
  if (!output)
    return std::unexpected(output.error());
  std::map<unsigned, CollectedText> byTask;
  for (LineScanner lines(*output); lines.next();) {
    const std::size_t colon = lines.line().find(':');
    const std::optional<unsigned> task =
        colon == std::string_view::npos ? std::nullopt : wholeNumber(trim(lines.line().substr(0, colon)));
    if (!task)
      continue;
    const std::string_view line = lines.line().substr(std::min(colon + 2, lines.line().size()));
    if (line.starts_with("srun-node "))
      byTask[*task].nodeName = line.substr(10);
    else
      byTask[*task].text += std::string(line) + "\n";
  }
  std::map<std::string, CollectedText> byNode;
  for (auto &[task, text] : byTask) {
    text.name = "srun on " + text.nodeName;
    byNode[text.nodeName] = std::move(text);
  }
  std::vector<CollectedText> texts;
  for (const std::string &host : hosts)
    if (const auto found = byNode.find(host); found != byNode.end())
      texts.push_back(std::move(found->second));
    else
      failed.push_back(host + ": no report from its task");
  return collectedOr(std::move(texts), failed);
}

Collected collectSlurm(const Asking &asking) {
  const std::string named = asking.environment.variable("SLURM_CONF");
  static constexpr std::array<const char *, 5> usual{
      "/etc/slurm/slurm.conf", "/etc/slurm-llnl/slurm.conf", "/run/slurm/conf/slurm.conf",
      "/usr/local/etc/slurm.conf", "/opt/slurm/etc/slurm.conf"};
  if (!named.empty() && !asking.environment.isFile(named))
    return failure("SLURM_CONF names " + named + ", which is not there");
  if (named.empty() &&
      std::ranges::none_of(usual, [&](const char *path) { return asking.environment.isFile(path); }))
    return failure("no slurm.conf in its usual places; set SLURM_CONF to where it is");
  const Expected<std::string> nodes = outputOf(asking, {"scontrol", "show", "node", "-d"});
  if (!nodes)
    return std::unexpected(nodes.error());
  std::vector<CollectedText> texts{{"scontrol show node -d", *nodes, ""}};
  // Without a topology plugin there is nothing to see, and old versions say so with an error.
  if (const Expected<std::string> topology = outputOf(asking, {"scontrol", "show", "topology"});
      topology && !trim(*topology).empty())
    texts.push_back({"scontrol show topology", *topology, ""});
  return texts;
}

Collected collectKubernetes(const Asking &asking) {
  const std::string named = asking.environment.variable("KUBECONFIG");
  const std::string home = asking.environment.variable("HOME") + "/.kube/config";
  const bool inside = !asking.environment.variable("KUBERNETES_SERVICE_HOST").empty();
  if (named.empty() && !inside && !asking.environment.isFile(home))
    return failure("no Kubernetes configuration: KUBECONFIG is not set and " + home + " is not there");
  const std::string limit =
      "--request-timeout=" + std::to_string(std::max(1, static_cast<int>(asking.limit.value() / 2))) + "s";
  Expected<std::string> list =
      outputOf(asking, {"kubectl", "get", "nodes,pods", "--all-namespaces", "-o", "json", limit});
  if (list)
    return std::vector<CollectedText>{{"kubectl get nodes,pods", *list, ""}};
  // Many may see nodes and not everybody's pods.
  list = outputOf(asking, {"kubectl", "get", "nodes", "-o", "json", limit});
  if (!list)
    return std::unexpected(list.error());
  return std::vector<CollectedText>{{"kubectl get nodes", *list, ""}};
}

} // namespace streammap
