#include "discover/Merge.h"
#include "discover/GpuNames.h"
#include "model/ClusterJson.h"
#include "model/GpuCatalogue.h"
#include "model/Hostlist.h"
#include "support/Text.h"
#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

namespace streammap {
namespace {

/// A node and everything that is said of it.
struct Known {
  std::string name;
  std::vector<NodeSource> sources;
};

class Merge {
public:
  Merge(std::span<const Findings> sources, const MergeOptions &options, Diagnostics &diagnostics)
      : sources_(sources), options_(options), diagnostics_(diagnostics) {}

  std::optional<Discovery> run() {
    collectNamed();
    assignUnnamed();
    if (own_.hasErrors())
      return finish();
    chooseFabric();
    for (Known &node : nodes_)
      addNode(node);
    if (cluster_.nodes.empty() && !own_.hasErrors())
      own_.error({},
                 sources_.empty() ? "no source given"
                                  : "no source says what the nodes hold; add one that does (nvidia-smi -L, "
                                    "scontrol show node, kubectl get nodes -o json), or say it with --gpus",
                 "nothing-found");
    return finish();
  }

private:
  // --- which source speaks of which node ---

  void collectNamed() {
    for (const Findings &source : sources_)
      for (const NodeFindings &node : source.nodes)
        if (!node.name.empty())
          addSource(node.name, {&node, source.authority, true, source.kind == "ibnetdiscover"});
  }

  void addSource(const std::string &name, const NodeSource &source) {
    if (name.find_first_of("[], \t\r\n") != std::string::npos) // what a hostlist is made of
      return own_.error(source.node->where, "'" + abbreviated(name) + "' is no name of a node", "bad-source");
    const auto [found, fresh] = index_.try_emplace(name, nodes_.size());
    if (fresh)
      nodes_.push_back({name, {}});
    nodes_[found->second].sources.push_back(source);
  }

  void assignUnnamed() {
    const std::size_t named = nodes_.size();
    // Judged before any is assigned, so that the order of the sources does not matter.
    std::vector<std::pair<std::vector<std::size_t>, NodeSource>> assignments;
    for (const Findings &source : sources_)
      for (const NodeFindings &node : source.nodes) {
        if (!node.name.empty())
          continue;
        if (named == 0) {
          addSource(options_.nodeName, {&node, source.authority, true, false});
          continue;
        }
        std::vector<std::size_t> alike = nodesLike(node, named);
        if (alike.empty())
          own_.error(node.where,
                     "describes a node with " + std::to_string(node.gpuCount ? node.gpuCount->value : 0) +
                         " GPUs without naming it, and no node is known to have such; say which it is of: "
                         "--input NODES=FILE",
                     "unnamed-node");
        else
          reportTaken(node, alike);
        const bool isOne = alike.size() == 1;
        assignments.emplace_back(std::move(alike), NodeSource{&node, source.authority, isOne, false});
      }
    for (const auto &[alike, source] : assignments)
      for (std::size_t i : alike)
        nodes_[i].sources.push_back(source);
  }

  /// Nodes with as many GPUs that can be of the same model; where no source counts GPUs, all of them.
  std::vector<std::size_t> nodesLike(const NodeFindings &wanted, std::size_t named) const {
    std::vector<std::size_t> alike, uncounted;
    for (std::size_t i = 0; i < named; ++i) {
      const NodeFindings *counted = nullptr;
      for (const NodeSource &source : nodes_[i].sources)
        if (source.node->gpuCount && counted == nullptr)
          counted = source.node;
      if (counted == nullptr)
        uncounted.push_back(i);
      else if (wanted.gpuCount && counted->gpuCount->value == wanted.gpuCount->value &&
               canBeSameModel(*counted, wanted))
        alike.push_back(i);
    }
    return alike.empty() ? uncounted : alike;
  }

  static bool canBeSameModel(const NodeFindings &a, const NodeFindings &b) {
    if (a.gpus.empty() || b.gpus.empty() || !a.gpus[0].product || !b.gpus[0].product)
      return true;
    const std::vector<std::string> ofA = catalogueCandidates(a.gpus[0].product->value, {}),
                                   ofB = catalogueCandidates(b.gpus[0].product->value, {});
    return ofA.empty() || ofB.empty() || std::ranges::any_of(ofA, [&](const std::string &name) {
             return std::ranges::find(ofB, name) != ofB.end();
           });
  }

  void reportTaken(const NodeFindings &node, const std::vector<std::size_t> &alike) {
    for (std::size_t i : alike)
      remarks_.assumed.add(toText(SourceLocation{node.where.file, 0, 0, {}}) +
                               " names no node; taken for all that have " +
                               (node.gpuCount ? std::to_string(node.gpuCount->value) + " such GPUs" : "GPUs"),
                           nodes_[i].name);
  }

  // --- switches ---

  /// The fabric of the source that knows it best; the others' leaves are compared with it.
  void chooseFabric() {
    for (const Findings &source : sources_)
      if (!source.switches.empty() && (fabric_ == nullptr || (source.authority == Authority::hardware &&
                                                              fabric_->authority != source.authority)))
        fabric_ = &source;
    if (fabric_ == nullptr)
      return;
    for (const SwitchFindings &found : fabric_->switches)
      switchIds_[found.name] = cluster_.network.switches.push({found.name, {}});
    bool isBandwidthUnknown = false;
    for (const SwitchFindings &found : fabric_->switches)
      for (const UplinkFinding &uplink : found.uplinks) {
        const auto to = switchIds_.find(uplink.to);
        if (to == switchIds_.end())
          continue; // the parser has reported it
        const BytesPerSecond bandwidth = uplink.bandwidth ? uplink.bandwidth->value : unlimitedBandwidth;
        isBandwidthUnknown = isBandwidthUnknown || !uplink.bandwidth;
        cluster_.network.switches[switchIds_[found.name]].uplinks.push_back(
            {to->second, std::max(1U, uplink.count), bandwidth});
      }
    if (isBandwidthUnknown)
      general_.push_back("the number and bandwidth of uplinks: " + fabric_->file +
                         " does not say (ask 'ibnetdiscover')");
  }

  /// The leaf by the chosen fabric; by another source only compared: two nodes that one puts under one leaf
  /// and the other does not.
  void placeNode(Node &node, const Known &known, const NodeInside &inside) {
    const Fact<std::string> *said = nullptr;
    for (const NodeSource &source : known.sources)
      if (source.node->leaf && switchIds_.contains(source.node->leaf->value) && said == nullptr &&
          source.node->leaf->where.file == fabric_->file)
        said = &*source.node->leaf;
    if (said != nullptr)
      node.leaf = switchIds_[said->value];
    if (!inside.nicLeaves.empty()) {
      std::vector<SwitchId> leaves;
      for (const std::string &leaf : inside.nicLeaves)
        if (const auto found = switchIds_.find(leaf); found != switchIds_.end())
          leaves.push_back(found->second);
      const bool same = std::ranges::all_of(leaves, [&](SwitchId leaf) { return leaf == leaves.front(); });
      if (leaves.size() == inside.nicLeaves.size()) {
        node.leaf = leaves.front();
        if (!same)
          node.nicLeaves = leaves;
      }
    }
    if (!node.leaf && fabric_ != nullptr)
      remarks_.unknown.add("the switch it hangs on: " + fabric_->file + " does not have it", node.name);
    for (const NodeSource &source : known.sources)
      if (source.node->leaf && node.leaf && source.node->leaf->where.file != fabric_->file &&
          node.nicLeaves.empty())
        compareLeaf(node, *source.node->leaf);
  }

  void compareLeaf(const Node &node, const Fact<std::string> &other) {
    const std::string key = other.where.file + "\n" + other.value;
    const auto [found, fresh] = leafOf_.try_emplace(key, *node.leaf, node.name);
    if (!fresh && found->second.first != *node.leaf)
      remarks_.conflicts.add(toText(other.where) + " has it under the leaf of " + found->second.second +
                                 " ('" + other.value + "'), " + fabric_->file +
                                 " under another; taken: " + fabric_->file,
                             node.name);
  }

  // --- nodes ---

  void addNode(Known &known) {
    std::ranges::stable_sort(known.sources, [](const NodeSource &a, const NodeSource &b) {
      return a.authority == Authority::hardware && b.authority != Authority::hardware;
    });
    MergeRemarks own;
    NodeInside inside = mergeInside(known.name, known.sources, knowsInside(known) ? remarks_ : own);
    if (!inside.isKnown || (inside.gpus.empty() && inside.type.cpuCores == 0)) {
      if (!options_.assumedGpus)
        return remarks_.unknown.add("what it holds: no source says; left out of the cluster", known.name);
      assumeGpus(inside, known.name);
    }
    Node node;
    node.name = known.name;
    node.type = typeOf(inside);
    if (fabric_ != nullptr)
      placeNode(node, known, inside);
    StateFinding state;
    for (const NodeSource &source : known.sources) {
      if (source.node->rack && node.rack.empty())
        node.rack = source.node->rack->value;
      if (source.isOfThisNode && source.node->state && isWorse(source.node->state->state, state.state))
        state = *source.node->state;
    }
    node.state = state.state;
    node.reason = state.reason;
    addDevices(cluster_.nodes.push(node), inside);
  }

  static bool knowsInside(const Known &known) {
    return std::ranges::any_of(
        known.sources, [](const NodeSource &source) { return source.node->gpuCount || source.node->cores; });
  }

  void assumeGpus(NodeInside &inside, const std::string &name) {
    inside.gpus.assign(options_.assumedGpus->count, *catalogueModel(options_.assumedGpus->model));
    inside.gpuStates.assign(inside.gpus.size(), {});
    inside.gpuReadings.assign(inside.gpus.size(), {});
    remarks_.assumed.add(std::to_string(inside.gpus.size()) + " x " + inside.gpus.front().name +
                             " (--gpus): no source says what it holds",
                         name);
  }

  GpuModelId modelId(const GpuModel &model) {
    for (GpuModelId id : cluster_.models.ids())
      if (cluster_.models[id] == model)
        return id;
    // Two boards of one product may report a megabyte more or less.
    for (GpuModelId id : cluster_.models.ids())
      if (const GpuModel &known = cluster_.models[id];
          known.name == model.name && known.peak == model.peak && known.capability == model.capability &&
          !model.isCpu() &&
          std::abs(known.memory.value() - model.memory.value()) < 0.02 * known.memory.value())
        return id;
    GpuModel named = model;
    // One name, one set of figures: GPUs that share a product and differ in memory get a number.
    for (unsigned number = 2; !model.isCpu() && std::ranges::any_of(cluster_.models,
                                                                    [&](const GpuModel &other) {
                                                                      return other.name == named.name;
                                                                    });
         ++number) {
      named.name = model.name + "-" + std::to_string(number);
      for (GpuModelId id : cluster_.models.ids())
        if (cluster_.models[id] == named)
          return id;
    }
    return cluster_.models.push(named);
  }

  /// Nodes that are alike share a type, named after their GPUs.
  NodeTypeId typeOf(const NodeInside &inside) {
    NodeType type = inside.type;
    for (const GpuModel &model : inside.gpus)
      type.gpus.push_back(modelId(model));
    if (type.cpuCores != 0)
      type.cpu = modelId(catalogueCpu(type.cpuCores, type.memory));
    for (NodeTypeId id : cluster_.nodeTypes.ids()) {
      type.name = cluster_.nodeTypes[id].name;
      if (isSame(type, cluster_.nodeTypes[id]))
        return id;
    }
    const std::string base = nameOf(inside);
    type.name = base;
    for (unsigned number = 2; std::ranges::any_of(
             cluster_.nodeTypes, [&](const NodeType &other) { return other.name == type.name; });
         ++number)
      type.name = base + "-" + std::to_string(number);
    return cluster_.nodeTypes.push(type);
  }

  static bool isSame(const NodeType &a, const NodeType &b) {
    const auto sameSpeed = [](const LinkSpeed &x, const LinkSpeed &y) {
      return x.bandwidth == y.bandwidth && x.latency == y.latency;
    };
    const auto samePair = [&](const GpuPairLink &x, const GpuPairLink &y) {
      return x.a == y.a && x.b == y.b && x.kind == y.kind && sameSpeed(x.speed, y.speed);
    };
    const auto sameNic = [&](const Nic &x, const Nic &y) {
      return x.name == y.name && sameSpeed(x.speed, y.speed) && x.numa == y.numa && x.gpus == y.gpus;
    };
    return a.cpuCores == b.cpuCores && a.memory == b.memory && a.gpus == b.gpus &&
           a.gpuLinkKind == b.gpuLinkKind && sameSpeed(a.gpuLink, b.gpuLink) &&
           std::ranges::equal(a.gpuPairs, b.gpuPairs, samePair) && sameSpeed(a.hostLink, b.hostLink) &&
           std::ranges::equal(a.nics, b.nics, sameNic) && a.gpuNuma == b.gpuNuma;
  }

  /// "8x-h100-sxm5-80gb", "cpu-64".
  static std::string nameOf(const NodeInside &inside) {
    if (inside.gpus.empty())
      return "cpu-" + std::to_string(inside.type.cpuCores);
    std::string name = std::to_string(inside.gpus.size()) + "x-" + inside.gpus.front().name;
    const bool mixed = std::ranges::any_of(
        inside.gpus, [&](const GpuModel &model) { return model.name != inside.gpus.front().name; });
    if (mixed)
      name += "-and-others";
    std::ranges::transform(name, name.begin(), [](char letter) {
      return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
    });
    return name;
  }

  /// The state of a device whose node is not up follows when the file is read back (finish()).
  void addDevices(NodeId id, const NodeInside &inside) {
    const NodeType &type = cluster_.nodeTypes[cluster_.nodes[id].type];
    for (unsigned gpu = 0; gpu < type.gpus.size(); ++gpu) {
      const StateFinding &state = inside.gpuStates[gpu];
      cluster_.devices.push({id, gpu, type.gpus[gpu], state.state, state.reason, inside.gpuReadings[gpu]});
    }
    if (type.cpu)
      cluster_.devices.push({id, std::nullopt, *type.cpu, State::up, {}, {}});
  }

  /// The cluster as its own file would be read back: what the file format cannot hold is found out here.
  std::optional<Discovery> finish() {
    Discovery discovery;
    if (!own_.hasErrors()) {
      cluster_.name = options_.clusterName;
      if (std::optional<Cluster> read =
              readCluster(writeCluster(cluster_), "the cluster that was found", own_))
        discovery.cluster = std::move(*read);
    }
    for (const Diagnostic &diagnostic : own_.all())
      diagnostics_.report(diagnostic);
    if (own_.hasErrors())
      return std::nullopt;
    discovery.conflicts = remarks_.conflicts.texts();
    discovery.unknown = remarks_.unknown.texts();
    discovery.unknown.insert(discovery.unknown.end(), general_.begin(), general_.end());
    for (const Findings &source : sources_)
      for (const Fact<std::string> &remark : source.remarks)
        discovery.unknown.push_back(toText(remark.where) + ": " + remark.value);
    discovery.assumed = remarks_.assumed.texts();
    return discovery;
  }

  std::span<const Findings> sources_;
  const MergeOptions &options_;
  Diagnostics &diagnostics_;
  Diagnostics own_;
  std::vector<Known> nodes_; ///< in the order of first mention
  std::unordered_map<std::string, std::size_t> index_;
  const Findings *fabric_ = nullptr;
  std::unordered_map<std::string, SwitchId> switchIds_;
  std::unordered_map<std::string, std::pair<SwitchId, std::string>>
      leafOf_; ///< by other source's leaf: ours, and of which node
  MergeRemarks remarks_;
  std::vector<std::string> general_;
  Cluster cluster_;
};

} // namespace

void NodeRemarks::add(const std::string &remark, const std::string &node) {
  // Few remarks, many nodes: a search from the latest finds most at once.
  auto found = std::ranges::find(remarks_.rbegin(), remarks_.rend(), remark,
                                 &std::pair<std::string, std::vector<std::string>>::first);
  if (found == remarks_.rend()) {
    remarks_.push_back({remark, {}});
    found = remarks_.rbegin();
  }
  if (found->second.empty() || found->second.back() != node)
    found->second.push_back(node);
}

std::vector<std::string> NodeRemarks::texts() const {
  std::vector<std::string> texts;
  for (const auto &[remark, nodes] : remarks_)
    texts.push_back(compressHostlist(nodes) + ": " + remark);
  return texts;
}

void nameNodes(Findings &findings, std::span<const std::string> names) {
  std::vector<NodeFindings> named;
  for (NodeFindings &node : findings.nodes) {
    for (const std::string &name : names) {
      named.push_back(node);
      named.back().name = name;
    }
  }
  findings.nodes = std::move(named);
}

std::optional<Discovery> merge(std::span<const Findings> sources, const MergeOptions &options,
                               Diagnostics &diagnostics) {
  return Merge(sources, options, diagnostics).run();
}

} // namespace streammap
