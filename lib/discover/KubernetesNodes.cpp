// `kubectl get nodes -o json` (a List or a NodeList), one Node, or a bare map of labels; with pods in the
// same list (`kubectl get nodes,pods -A -o json`), also how many GPUs of each node are in use.
#include "discover/JsonFields.h"
#include "discover/Kubernetes.h"
#include "discover/Scan.h"
#include "discover/Sources.h"
#include "support/Text.h"
#include <algorithm>
#include <map>

namespace streammap {
namespace {

kubernetes::Labels labelsOf(std::optional<JsonValue> object) {
  kubernetes::Labels labels;
  if (object)
    for (JsonValue label : object->children())
      if (label.kind() == JsonKind::text)
        labels[std::string(label.key())] = std::string(label.text());
  return labels;
}

class Reader {
public:
  explicit Reader(Diagnostics &diagnostics) : diagnostics_(diagnostics) {}

  Findings read(JsonValue root) {
    const std::optional<JsonValue> items = member(root, "items");
    const std::string kind = textMember(root, "kind");
    if (items && items->kind() == JsonKind::array) {
      for (JsonValue item : items->children())
        readItem(item, kind == "NodeList" ? "Node" : kind == "PodList" ? "Pod" : "");
    } else if (kind == "Node" || kind == "Pod") {
      readItem(root, "");
    } else if (labelsOf(root).contains("nvidia.com/gpu.count")) {
      readLabels(root);
    } else {
      diagnostics_.error(root.location(), "expected a list of nodes of 'kubectl get nodes -o json'",
                         "bad-source");
    }
    addUse();
    return std::move(findings_);
  }

private:
  void readItem(JsonValue item, const std::string &listKind) {
    const std::string kind = listKind.empty() ? textMember(item, "kind") : listKind;
    if (kind == "Node")
      readNode(item);
    else if (kind == "Pod")
      readPod(item);
  }

  void readLabels(JsonValue root) {
    NodeFindings node;
    node.where = root.location();
    const kubernetes::Labels labels = labelsOf(root);
    if (const auto name = labels.find("kubernetes.io/hostname"); name != labels.end())
      node.name = name->second;
    kubernetes::applyLabels(node, findings_, labels, {}, node.where, diagnostics_);
    findings_.nodes.push_back(std::move(node));
  }

  void readNode(JsonValue value) {
    NodeFindings node;
    node.where = value.location();
    const std::optional<JsonValue> metadata = member(value, "metadata");
    node.name = metadata ? textMember(*metadata, "name") : "";
    if (node.name.empty())
      return diagnostics_.error(node.where, "a Node without metadata.name", "bad-source");
    const std::optional<JsonValue> capacity = memberAt(value, {"status", "capacity"});
    std::map<std::string, unsigned> mig;
    if (capacity)
      readCapacity(*capacity, node, mig);
    const std::optional<JsonValue> labels = memberAt(value, {"metadata", "labels"});
    kubernetes::applyLabels(node, findings_, labelsOf(labels), mig, labels ? labels->location() : node.where,
                            diagnostics_);
    if (!node.gpuCount && capacity)
      addUnlabelledGpus(*capacity, node);
    node.state = kubernetes::stateOf(isReady(value), isCordoned(value), taintOf(value), node.where);
    findings_.nodes.push_back(std::move(node));
  }

  void readCapacity(JsonValue capacity, NodeFindings &node, std::map<std::string, unsigned> &mig) {
    const SourceLocation where = capacity.location();
    if (const std::optional<double> cpus = kubernetes::quantity(textMember(capacity, "cpu"));
        cpus && *cpus >= 1 && *cpus <= 1e6)
      node.cores = {static_cast<unsigned>(*cpus), where};
    if (const std::optional<double> memory = kubernetes::quantity(textMember(capacity, "memory"));
        memory && *memory > 0)
      node.memory = {bytes(*memory), where};
    for (JsonValue resource : capacity.children())
      if (resource.key().starts_with("nvidia.com/mig-") && resource.kind() == JsonKind::text)
        if (const std::optional<unsigned> count = wholeNumber(resource.text()); count && *count > 0)
          mig[std::string(resource.key().substr(15))] = *count;
  }

  /// Without feature discovery there is only their number.
  void addUnlabelledGpus(JsonValue capacity, NodeFindings &node) {
    const std::optional<double> count = kubernetes::quantity(textMember(capacity, "nvidia.com/gpu"));
    if (!member(capacity, "nvidia.com/gpu") || !count || *count > 1024)
      return;
    node.gpus.assign(static_cast<std::size_t>(*count), {});
    node.gpuCount = {static_cast<unsigned>(*count), capacity.location()};
  }

  static bool isReady(JsonValue node) {
    const std::optional<JsonValue> conditions = memberAt(node, {"status", "conditions"});
    if (!conditions)
      return true;
    for (JsonValue condition : conditions->children())
      if (textMember(condition, "type") == "Ready")
        return textMember(condition, "status") == "True";
    return false;
  }

  static bool isCordoned(JsonValue node) {
    const std::optional<JsonValue> flag = memberAt(node, {"spec", "unschedulable"});
    return flag && flag->kind() == JsonKind::boolean && flag->boolean();
  }

  static std::string taintOf(JsonValue node) {
    const std::optional<JsonValue> taints = memberAt(node, {"spec", "taints"});
    if (taints)
      for (JsonValue taint : taints->children())
        if (const std::string key = textMember(taint, "key");
            kubernetes::keepsJobsAway(key, textMember(taint, "effect")))
          return key;
    return "";
  }

  /// What a pod that has not ended asks for.
  void readPod(JsonValue pod) {
    const std::optional<JsonValue> spec = member(pod, "spec");
    const std::optional<JsonValue> status = member(pod, "status");
    const std::string phase = status ? textMember(*status, "phase") : "";
    if (!spec || phase == "Succeeded" || phase == "Failed")
      return;
    const std::string node = textMember(*spec, "nodeName");
    const std::optional<JsonValue> containers = member(*spec, "containers");
    sawPods_ = true;
    if (node.empty() || !containers)
      return;
    for (JsonValue container : containers->children())
      if (const std::optional<JsonValue> limits = memberAt(container, {"resources", "limits"}))
        if (const std::optional<double> gpus = kubernetes::quantity(textMember(*limits, "nvidia.com/gpu"));
            gpus && *gpus <= 1024)
          inUse_[node] += static_cast<unsigned>(*gpus);
  }

  void addUse() {
    for (NodeFindings &node : findings_.nodes) {
      if (!sawPods_ || !node.gpuCount)
        continue;
      const unsigned used = inUse_[node.name];
      if (used == 0 || used >= node.gpuCount->value)
        for (GpuFindings &gpu : node.gpus)
          gpu.state = StateFinding{used == 0 ? State::up : State::busy,
                                   used == 0 ? "" : "allocated by Kubernetes", node.where};
      else
        node.gpusInUse = {used, node.where};
    }
  }

  Diagnostics &diagnostics_;
  Findings findings_;
  std::map<std::string, unsigned> inUse_;
  bool sawPods_ = false;
};

} // namespace

Findings readKubernetesNodes(std::string_view text, const std::string &file, Diagnostics &diagnostics) {
  const std::optional<JsonDocument> document = JsonDocument::parse(text, file, diagnostics);
  return document ? Reader(diagnostics).read(document->root()) : Findings();
}

} // namespace streammap
