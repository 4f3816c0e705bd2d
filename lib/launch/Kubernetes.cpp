// A JobSet (jobset.x-k8s.io) with one pod per node of the plan, each bound to its node by name. The pod of
// rank 0 starts the others' ranks with mpirun over ssh; when it ends, the set has ended.
//
// An Indexed Job would be shorter, but all of its pods share one template, so which index comes to which node
// would be the scheduler's choice, and a placement is exactly that choice. All ranks of a node are in one
// pod, which has all GPUs of the node and its own /dev/shm: CUDA IPC works between them.
#include "launch/LaunchFiles.h"
#include "launch/Yaml.h"
#include <algorithm>

namespace streammap {
namespace {

using Json = nlohmann::ordered_json;

// Pods are new hosts each time; whoever holds the secret's key is trusted.
constexpr const char *sshOptions = "-o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null";

/// A DNS label: what names of sets and pods must be.
std::string dnsLabel(const std::string &name) {
  std::string label;
  for (char c : name) {
    const char lower = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    const bool allowed = (lower >= 'a' && lower <= 'z') || (lower >= '0' && lower <= '9');
    if (allowed || !label.empty())
      label += allowed ? lower : '-';
  }
  label.resize(std::min<std::size_t>(label.size(), 40)); // "-node-1234-0-0" must fit into 63 characters
  while (!label.empty() && label.back() == '-')
    label.pop_back();
  return label.empty() ? "app" : label;
}

/// As JobSet names them: set, replicated job, index of the job, index of the pod; the subdomain is the set's.
std::string hostName(const std::string &set, std::size_t node) {
  return set + "-node-" + std::to_string(node) + "-0-0." + set;
}

/// The pod of rank 0 waits until ssh reaches all others, which may take a while to start.
std::string launchScript(const LaunchPlan &plan, const LaunchOptions &options, const std::string &set) {
  Environment common = commonEnvironment(plan, options.placement);
  common.erase("STREAMMAP_CHECK_NODES"); // pods have names of their own, and the scheduler has bound them
  std::vector<std::string> hosts;
  std::size_t node = 0;
  for (std::size_t i = 0; i < plan.ranks.size(); ++i) {
    node += i > 0 && plan.ranks[i].node != plan.ranks[i - 1].node;
    hosts.push_back(hostName(set, node));
  }
  return "mkdir -p /run/sshd && /usr/sbin/sshd\n"
         "for node in $(seq 0 " +
         std::to_string(node) +
         "); do\n"
         "  for try in $(seq 60); do ssh " +
         sshOptions + " " + set + "-node-$node-0-0." + set +
         " true && break; sleep 2; done\n"
         "done\n"
         "exec mpirun --allow-run-as-root --bind-to none --mca plm_rsh_args '" +
         sshOptions + "' \\\n" + openMpiRanks(plan, hosts, common, options.program);
}

Json container(const LaunchPlan &plan, const LaunchOptions &options, std::size_t node) {
  const Rank &rank = *std::ranges::find(plan.ranks, plan.nodes[node], &Rank::node);
  const std::string script =
      node == 0 ? "exec sh /etc/streammap/launch.sh" : "mkdir -p /run/sshd && exec /usr/sbin/sshd -D -e";
  Json result{{"name", "ranks"},
              {"image", options.image},
              {"workingDir", options.workingDirectory},
              {"command", Json::array({"sh", "-c", script})}};
  if (rank.nodeGpus > 0)
    result["resources"] = {{"limits", {{"nvidia.com/gpu", rank.nodeGpus}}}};
  result["volumeMounts"] = Json::array({{{"name", "launch"}, {"mountPath", "/etc/streammap"}},
                                        {{"name", "ssh"}, {"mountPath", "/root/.ssh"}},
                                        {{"name", "shm"}, {"mountPath", "/dev/shm"}}});
  return result;
}

Json pod(const LaunchPlan &plan, const LaunchOptions &options, const std::string &set, std::size_t node) {
  const Json term{{"matchExpressions", Json::array({{{"key", "kubernetes.io/hostname"},
                                                     {"operator", "In"},
                                                     {"values", Json::array({plan.nodes[node]})}}})}};
  const Json affinity{
      {"nodeAffinity",
       {{"requiredDuringSchedulingIgnoredDuringExecution", {{"nodeSelectorTerms", Json::array({term})}}}}}};
  const Json volumes =
      Json::array({{{"name", "launch"}, {"configMap", {{"name", set + "-launch"}}}},
                   {{"name", "ssh"}, {"secret", {{"secretName", set + "-ssh"}, {"defaultMode", 0600}}}},
                   {{"name", "shm"}, {"emptyDir", {{"medium", "Memory"}}}}});
  return {{"restartPolicy", "Never"},
          {"affinity", affinity},
          {"volumes", volumes},
          {"containers", Json::array({container(plan, options, node)})}};
}

Json jobSet(const LaunchPlan &plan, const LaunchOptions &options, const std::string &set) {
  Json jobs = Json::array();
  for (std::size_t node = 0; node < plan.nodes.size(); ++node) {
    const Json job{{"completionMode", "Indexed"},
                   {"completions", 1},
                   {"parallelism", 1},
                   {"backoffLimit", 0},
                   {"template", {{"spec", pod(plan, options, set, node)}}}};
    jobs.push_back(
        {{"name", "node-" + std::to_string(node)}, {"replicas", 1}, {"template", {{"spec", job}}}});
  }
  return {{"apiVersion", "jobset.x-k8s.io/v1alpha2"},
          {"kind", "JobSet"},
          {"metadata", {{"name", set}}},
          {"spec",
           {{"network", {{"enableDNSHostnames", true}, {"subdomain", set}}},
            {"successPolicy", {{"operator", "All"}, {"targetReplicatedJobs", Json::array({"node-0"})}}},
            {"failurePolicy", {{"maxRestarts", 0}}},
            {"replicatedJobs", jobs}}}};
}

} // namespace

std::vector<LaunchFile> kubernetesFiles(const LaunchPlan &plan, const LaunchOptions &options) {
  const std::string set = dnsLabel(options.jobName);
  const Json configMap{{"apiVersion", "v1"},
                       {"kind", "ConfigMap"},
                       {"metadata", {{"name", set + "-launch"}}},
                       {"data", {{"launch.sh", launchScript(plan, options, set)}}}};
  return {{"kubernetes.yaml", toYaml(configMap) + "---\n" + toYaml(jobSet(plan, options, set))}};
}

} // namespace streammap
