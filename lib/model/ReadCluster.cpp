// Reads streammap.cluster/1: models, then node types, switches, nodes, and last the state of each part. What
// is not described costs nothing and is listed in Cluster::takenAsFree.
#include "model/ClusterJson.h"
#include "model/GpuCatalogue.h"
#include "model/Hostlist.h"
#include "model/ReadGpuModels.h"
#include "support/Json.h"
#include "support/Text.h"
#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>
#include <unordered_map>

namespace streammap {
namespace {

constexpr JsonKey fileKeys[] = {
    {"schema"},  {"name"}, {"gpu_models"}, {"node_types", Need::required}, {"nodes", Need::required},
    {"network"}, {"state"}};
constexpr JsonKey typeKeys[] = {
    {"cpu_cores"}, {"cpu"},       {"memory"}, {"memory_bytes"}, {"gpus"},
    {"gpu_links"}, {"host_link"}, {"nics"},   {"power_limit"},  {"power_limit_watts"}};
constexpr JsonKey gpusKeys[] = {{"model", Need::required}, {"count"}, {"numa"}};
constexpr JsonKey linkKeys[] = {
    {"bandwidth"}, {"bandwidth_bytes_per_second"}, {"latency"}, {"latency_seconds"}};
constexpr JsonKey gpuLinkKeys[] = {
    {"kind"}, {"bandwidth"}, {"bandwidth_bytes_per_second"}, {"latency"}, {"latency_seconds"}};
constexpr JsonKey pairKeys[] = {{"between", Need::required},    {"kind"},    {"bandwidth"},
                                {"bandwidth_bytes_per_second"}, {"latency"}, {"latency_seconds"}};
constexpr JsonKey nicKeys[] = {
    {"count"}, {"bandwidth"}, {"bandwidth_bytes_per_second"}, {"latency"}, {"latency_seconds"}};
constexpr JsonKey listedNicKeys[] = {{"name"},    {"bandwidth"},       {"bandwidth_bytes_per_second"},
                                     {"latency"}, {"latency_seconds"}, {"numa"},
                                     {"gpus"}};
constexpr JsonKey nodeKeys[] = {
    {"names", Need::required}, {"type", Need::required}, {"switch"}, {"switches"}, {"rack"}};
constexpr JsonKey networkKeys[] = {{"latency"}, {"latency_seconds"}, {"model"}, {"switches"}};
constexpr JsonKey switchKeys[] = {{"name", Need::required}, {"uplinks"}};
constexpr JsonKey uplinkKeys[] = {
    {"to", Need::required}, {"count"}, {"bandwidth"}, {"bandwidth_bytes_per_second"}};
constexpr JsonKey nodeStateKeys[] = {{"state"}, {"reason"}, {"gpus"}};
constexpr JsonKey gpuStateKeys[] = {
    {"state", Need::required}, {"reason"}, {"memory_used"}, {"memory_used_bytes"},
    {"temperature_celsius"},   {"power"},  {"power_watts"}, {"throttle"},
    {"uncorrectable_errors"}};

constexpr std::string_view linkKinds[] = {"none", "nvswitch", "nvlink", "pcie"};
constexpr std::string_view stateNames[] = {"up", "drained", "down", "busy", "reserved"};
constexpr std::string_view networkModels[] = {"contended", "uncontended"};

constexpr unsigned mostGpusPerNode = 1024;
constexpr WholeRange mostNuma{0, 4095};

LinkSpeed readSpeed(const JsonObject &object) {
  LinkSpeed speed;
  speed.bandwidth = object.bandwidth("bandwidth").value_or(unlimitedBandwidth);
  speed.latency = object.time("latency").value_or(Seconds());
  if (speed.bandwidth.value() == 0)
    object.error("bandwidth", "a link without bandwidth carries nothing; leave it out if it does not exist");
  return speed;
}

/// The node types, switches or nodes of the file by name.
template <class IdType>
class Names {
public:
  Names(std::string kind, std::string where) : kind_(std::move(kind)), where_(std::move(where)) {}
  bool declare(const std::string &name, IdType id) {
    names_.push_back(name);
    return ids_.try_emplace(name, id).second;
  }
  std::optional<IdType> find(const std::string &name) const {
    auto found = ids_.find(name);
    return found == ids_.end() ? std::nullopt : std::optional(found->second);
  }
  std::optional<IdType> resolve(const JsonObject &object, std::string_view key) const {
    std::optional<std::string> name = object.text(key);
    if (!name)
      return std::nullopt;
    return resolve(object, key, *name);
  }
  std::optional<IdType> resolve(const JsonObject &object, std::string_view key,
                                const std::string &name) const {
    std::optional<IdType> id = find(name);
    if (!id)
      object.error(key, unknown(name), "unknown-" + kind_);
    return id;
  }
  std::string unknown(const std::string &name) const {
    return "unknown " + kind_ + " '" + abbreviated(name) + "'" +
           (names_.empty() ? "; " + where_ + " lists none" : didYouMean(name, names_));
  }

private:
  std::string kind_, where_;
  std::unordered_map<std::string, IdType> ids_;
  std::vector<std::string> names_;
};

class Reader {
public:
  Reader(JsonValue root, Diagnostics &diagnostics)
      : diagnostics_(diagnostics), file_(root, fileKeys, diagnostics),
        models_(file_.members("gpu_models"), diagnostics) {}

  Cluster read() {
    cluster_.name = file_.text("name").value_or("");
    for (JsonValue type : file_.members("node_types"))
      readType(type);
    if (std::optional<JsonValue> network = file_.find("network"))
      readNetwork(*network);
    for (JsonValue nodes : file_.array("nodes"))
      readNodes(nodes);
    if (cluster_.nodes.empty() && file_.has("nodes") && !diagnostics_.hasErrors())
      file_.error("nodes", "expected at least one node");
    for (JsonValue state : file_.members("state"))
      readNodeState(state);
    for (Device &device : cluster_.devices)
      inheritState(device);
    if (!diagnostics_.hasErrors())
      listFreeNetwork();
    return std::move(cluster_);
  }

private:
  // --- node types ---

  void readType(JsonValue value) {
    JsonObject object(value, typeKeys, diagnostics_);
    NodeType type;
    type.name = std::string(value.key());
    type.cpuCores = static_cast<unsigned>(object.wholeNumber("cpu_cores", {0, 1000000}).value_or(0));
    type.memory = object.sizeOf("memory").value_or(Bytes());
    type.powerLimit = object.power("power_limit");
    if (std::optional<JsonValue> gpus = object.find("gpus"))
      readGpus(*gpus, type);
    if (std::optional<JsonValue> links = object.find("gpu_links"))
      readGpuLinks(*links, type);
    if (std::optional<JsonValue> link = object.find("host_link"))
      type.hostLink = readSpeed(JsonObject(*link, linkKeys, diagnostics_));
    if (std::optional<JsonValue> nics = object.find("nics"))
      readNics(*nics, type);
    readCpu(object, type);
    if (type.gpus.empty() && !type.cpu)
      object.error("",
                   "node type '" + type.name + "' has neither 'gpus' nor 'cpu_cores': nothing can run on it");
    listFreeParts(type);
    types_.declare(type.name, NodeTypeId(cluster_.nodeTypes.size()));
    cluster_.nodeTypes.push(std::move(type));
  }

  /// {"model", "count"}, or a list of these in the order of the GPUs' indices.
  void readGpus(JsonValue value, NodeType &type) {
    std::vector<JsonValue> groups{value};
    bool hasNuma = false;
    if (value.kind() == JsonKind::array)
      groups = value.children();
    for (JsonValue group : groups) {
      JsonObject object(group, gpusKeys, diagnostics_);
      std::optional<std::string> name = object.text("model");
      std::uint64_t count = object.wholeNumber("count", {0, mostGpusPerNode}).value_or(1);
      if (!name)
        continue;
      if (std::optional<GpuModel> model = models_.find(*name, object.locationOf("model"), diagnostics_))
        type.gpus.insert(type.gpus.end(), count, modelId(*model));
      const std::optional<std::uint64_t> numa = object.wholeNumber("numa", mostNuma);
      hasNuma = hasNuma || numa;
      type.gpuNuma.resize(type.gpus.size(), numa);
    }
    if (!hasNuma)
      type.gpuNuma.clear();
    if (type.gpus.size() > mostGpusPerNode)
      diagnostics_.error(value.location(),
                         "more than " + std::to_string(mostGpusPerNode) + " GPUs in a node");
  }

  /// One description of a switched or all-to-all node, or a list of connected pairs.
  void readGpuLinks(JsonValue value, NodeType &type) {
    if (value.kind() == JsonKind::array) {
      for (JsonValue pair : value.children())
        readPair(pair, type);
      return;
    }
    JsonObject object(value, gpuLinkKeys, diagnostics_);
    type.gpuLinkKind = static_cast<GpuLinkKind>(object.oneOf("kind", linkKinds).value_or(2));
    type.gpuLink = readSpeed(object);
  }

  void readPair(JsonValue value, NodeType &type) {
    JsonObject object(value, pairKeys, diagnostics_);
    GpuPairLink link;
    link.kind = static_cast<GpuLinkKind>(object.oneOf("kind", linkKinds).value_or(2));
    link.speed = readSpeed(object);
    std::vector<JsonValue> ends = object.array("between");
    if (ends.size() != 2) {
      if (object.has("between"))
        object.error("between",
                     "expected the indices of two GPUs, found " + std::to_string(ends.size()) + " elements");
      return;
    }
    const WholeRange range{0, type.gpus.empty() ? 0 : type.gpus.size() - 1};
    std::optional<std::uint64_t> a = readWholeNumber(ends[0], diagnostics_, range),
                                 b = readWholeNumber(ends[1], diagnostics_, range);
    if (!a || !b)
      return;
    if (*a == *b)
      object.error("between", "a link needs two different GPUs");
    link.a = static_cast<unsigned>(std::min(*a, *b));
    link.b = static_cast<unsigned>(std::max(*a, *b));
    for (const GpuPairLink &other : type.gpuPairs)
      if (other.a == link.a && other.b == link.b)
        object.error("between", "GPUs " + std::to_string(link.a) + " and " + std::to_string(link.b) +
                                    " are linked twice; add their bandwidths up in one link");
    type.gpuPairs.push_back(link);
  }

  /// {"count", "bandwidth", "latency"}, or a list of adapters one by one.
  void readNics(JsonValue value, NodeType &type) {
    if (value.kind() == JsonKind::array) {
      for (JsonValue element : value.children())
        readNic(element, type);
      type.nicCount = static_cast<unsigned>(type.nics.size());
      return;
    }
    JsonObject object(value, nicKeys, diagnostics_);
    type.nicCount = static_cast<unsigned>(object.wholeNumber("count", {1, 1024}).value_or(1));
    type.nic = readSpeed(object);
  }

  void readNic(JsonValue value, NodeType &type) {
    JsonObject object(value, listedNicKeys, diagnostics_);
    Nic nic;
    nic.name = object.text("name").value_or("");
    nic.speed = readSpeed(object);
    if (const std::optional<std::uint64_t> numa = object.wholeNumber("numa", mostNuma))
      nic.numa = static_cast<unsigned>(*numa);
    for (JsonValue gpu : object.array("gpus"))
      if (const std::optional<std::uint64_t> index = readWholeNumber(gpu, diagnostics_)) {
        if (*index >= type.gpus.size())
          diagnostics_.error(gpu.location(),
                             "the node type has " + std::to_string(type.gpus.size()) + " GPUs, no GPU " +
                                 std::to_string(*index),
                             "unknown-gpu");
        else
          nic.gpus.push_back(static_cast<unsigned>(*index));
      }
    const bool isFirst = type.nics.empty();
    type.nic.bandwidth = isFirst ? nic.speed.bandwidth : std::max(type.nic.bandwidth, nic.speed.bandwidth);
    type.nic.latency = isFirst ? nic.speed.latency : std::min(type.nic.latency, nic.speed.latency);
    type.nics.push_back(std::move(nic));
  }

  /// Tasks may run on the host's cores when the file says how many there are or which model they are.
  void readCpu(const JsonObject &object, NodeType &type) {
    std::optional<std::string> name = object.text("cpu");
    if (!name && type.cpuCores == 0)
      return;
    std::string wanted = name.value_or("cpu");
    if (wanted == "cpu" && !models_.isDefinedInFile("cpu")) {
      type.cpu = modelId(catalogueCpu(std::max(1u, type.cpuCores), type.memory));
      return;
    }
    std::optional<GpuModel> model = models_.find(wanted, object.locationOf("cpu"), diagnostics_);
    if (model && !model->isCpu())
      object.error("cpu",
                   "'" + wanted + "' is a GPU; a model of host cores is called \"cpu\" or \"cpu-...\"");
    else if (model)
      type.cpu = modelId(*model);
  }

  /// The cluster's number for `model`. Host cores of different nodes may share a name and differ in figures.
  GpuModelId modelId(const GpuModel &model) {
    for (GpuModelId id : cluster_.models.ids())
      if (cluster_.models[id] == model)
        return id;
    return cluster_.models.push(model);
  }

  void listFreeParts(const NodeType &type) {
    const std::string prefix = "node_types." + type.name + ".";
    auto free = [&](const std::string &part) { cluster_.takenAsFree.push_back(prefix + part); };
    const bool hasGpuLinks = type.gpuLinkKind != GpuLinkKind::none || !type.gpuPairs.empty();
    if (!type.gpus.empty() && std::isinf(type.hostLink.bandwidth.value()))
      free("host_link: not described, taken as free");
    if (hasGpuLinks && type.gpuPairs.empty() && std::isinf(type.gpuLink.bandwidth.value()))
      free("gpu_links.bandwidth: not described, taken as free");
    for (const GpuPairLink &pair : type.gpuPairs)
      if (std::isinf(pair.speed.bandwidth.value()))
        free("gpu_links: the bandwidth between GPUs " + std::to_string(pair.a) + " and " +
             std::to_string(pair.b) + " is not described, taken as free");
    for (std::size_t gpu = 0; gpu < type.gpus.size(); ++gpu) {
      const GpuModel &model = cluster_.models[type.gpus[gpu]];
      if (model.memory.value() == 0 && (gpu == 0 || type.gpus[gpu] != type.gpus[gpu - 1]))
        free("gpus: the memory of '" + model.name + "' is not described, taken as unlimited");
    }
  }

  // --- network ---

  void readNetwork(JsonValue value) {
    JsonObject object(value, networkKeys, diagnostics_);
    cluster_.network.latency = object.time("latency").value_or(Seconds());
    cluster_.network.model = static_cast<NetworkModel>(object.oneOf("model", networkModels).value_or(0));
    std::vector<JsonObject> switches;
    for (JsonValue element : object.array("switches")) {
      switches.emplace_back(element, switchKeys, diagnostics_);
      std::string name = switches.back().text("name").value_or("");
      if (!name.empty() && !switches_.declare(name, SwitchId(cluster_.network.switches.size())))
        switches.back().error("name", "the switch '" + name + "' is listed twice", "duplicate-id");
      cluster_.network.switches.push({name, {}});
    }
    for (std::size_t i = 0; i < switches.size(); ++i)
      readUplinks(switches[i], SwitchId(i));
    reportUplinkCircle(object);
  }

  void readUplinks(const JsonObject &object, SwitchId from) {
    for (JsonValue element : object.array("uplinks")) {
      JsonObject uplink(element, uplinkKeys, diagnostics_);
      std::optional<SwitchId> to = switches_.resolve(uplink, "to");
      Uplink link;
      link.count = static_cast<unsigned>(uplink.wholeNumber("count", {1, 1000000}).value_or(1));
      link.bandwidth = uplink.bandwidth("bandwidth").value_or(unlimitedBandwidth);
      if (link.bandwidth.value() == 0)
        uplink.error("bandwidth",
                     "a link without bandwidth carries nothing; leave it out if it does not exist");
      if (!to)
        continue;
      link.to = *to;
      if (std::ranges::find(uplinksOf(from), *to, &Uplink::to) != uplinksOf(from).end())
        uplink.error("to", "a second uplink to '" + nameOf(*to) + "'; raise 'count' instead");
      uplinksOf(from).push_back(link);
    }
  }

  std::vector<Uplink> &uplinksOf(SwitchId id) { return cluster_.network.switches[id].uplinks; }
  const std::string &nameOf(SwitchId id) { return cluster_.network.switches[id].name; }

  /// Up is up: from no switch may one come back to it by uplinks alone.
  void reportUplinkCircle(const JsonObject &network) {
    enum class Mark { fresh, open, done };
    IndexedVector<SwitchId, Mark> marks(cluster_.network.switches.size(), Mark::fresh);
    struct Step {
      SwitchId at;
      std::size_t next;
    };
    for (SwitchId start : cluster_.network.switches.ids()) {
      std::vector<Step> path;
      if (marks[start] == Mark::fresh)
        path.push_back({start, 0});
      while (!path.empty()) {
        Step &step = path.back();
        marks[step.at] = Mark::open;
        if (step.next == uplinksOf(step.at).size()) {
          marks[step.at] = Mark::done;
          path.pop_back();
          continue;
        }
        SwitchId to = uplinksOf(step.at)[step.next++].to;
        if (marks[to] == Mark::open) {
          std::string circle;
          for (auto from = std::ranges::find(path, to, &Step::at); from != path.end(); ++from)
            circle += nameOf(from->at) + " -> ";
          network.error("switches", "uplinks form a circle: " + circle + nameOf(to), "cycle");
          return;
        }
        if (marks[to] == Mark::fresh)
          path.push_back({to, 0});
      }
    }
  }

  // --- nodes ---

  void readNodes(JsonValue value) {
    JsonObject object(value, nodeKeys, diagnostics_);
    std::optional<NodeTypeId> type = types_.resolve(object, "type");
    std::optional<SwitchId> leaf = switches_.resolve(object, "switch");
    std::string rack = object.text("rack").value_or("");
    const std::vector<SwitchId> nicLeaves = readNicLeaves(object, type);
    if (!nicLeaves.empty())
      leaf = nicLeaves.front();
    std::optional<std::string> list = object.text("names");
    if (!list)
      return;
    Expected<std::vector<std::string>> names = expandHostlist(*list);
    if (!names) {
      object.error("names", "hostlist '" + abbreviated(*list) + "': " + names.error().message,
                   "bad-hostlist");
      return;
    }
    for (const std::string &name : *names) {
      if (!nodes_.declare(name, NodeId(cluster_.nodes.size())))
        object.error("names", "node '" + name + "' is listed twice", "duplicate-id");
      else
        addNode(name, type.value_or(NodeTypeId()), leaf, nicLeaves, rack);
    }
  }

  /// "switches": the leaf of each NIC, in the order of the node type's.
  std::vector<SwitchId> readNicLeaves(const JsonObject &object, std::optional<NodeTypeId> type) {
    std::vector<SwitchId> leaves;
    for (const std::string &name : object.textArray("switches"))
      leaves.push_back(switches_.resolve(object, "switches", name).value_or(SwitchId()));
    if (object.has("switches") && object.has("switch"))
      object.error("switches", "give either 'switch' or 'switches'");
    if (type && object.has("switches") && leaves.size() != cluster_.nodeTypes[*type].nics.size())
      object.error("switches", "expected the switch of each of the " +
                                   std::to_string(cluster_.nodeTypes[*type].nics.size()) +
                                   " NICs listed by '" + cluster_.nodeTypes[*type].name + "', found " +
                                   std::to_string(leaves.size()));
    return leaves;
  }

  void addNode(const std::string &name, NodeTypeId typeId, std::optional<SwitchId> leaf,
               const std::vector<SwitchId> &nicLeaves, const std::string &rack) {
    NodeId node = cluster_.nodes.push({name, typeId, leaf, nicLeaves, rack, State::up, {}});
    firstDevice_.push_back(cluster_.devices.size());
    if (!typeId.valid())
      return;
    const NodeType &type = cluster_.nodeTypes[typeId];
    for (unsigned gpu = 0; gpu < type.gpus.size(); ++gpu)
      cluster_.devices.push({node, gpu, type.gpus[gpu], State::up, {}, {}});
    if (type.cpu)
      cluster_.devices.push({node, std::nullopt, *type.cpu, State::up, {}, {}});
  }

  // --- state ---

  /// One node or a hostlist of them.
  void readNodeState(JsonValue value) {
    JsonObject object(value, nodeStateKeys, diagnostics_);
    std::string list(value.key());
    Expected<std::vector<std::string>> names = expandHostlist(list);
    if (!names) {
      object.error("", "hostlist '" + abbreviated(list) + "': " + names.error().message, "bad-hostlist");
      return;
    }
    State state = static_cast<State>(object.oneOf("state", stateNames).value_or(0));
    std::string reason = object.text("reason").value_or("");
    for (const std::string &name : *names) {
      std::optional<NodeId> node = nodes_.find(name);
      if (!node) {
        object.error("", nodes_.unknown(name), "unknown-node");
        continue;
      }
      cluster_.nodes[*node].state = state;
      cluster_.nodes[*node].reason = reason;
      for (JsonValue gpu : object.members("gpus"))
        readGpuState(gpu, *node);
    }
  }

  void readGpuState(JsonValue value, NodeId node) {
    JsonObject object(value, gpuStateKeys, diagnostics_);
    const Node &place = cluster_.nodes[node];
    if (!place.type.valid())
      return;
    std::size_t gpus = cluster_.nodeTypes[place.type].gpus.size();
    std::string_view key = value.key();
    std::size_t gpu = 0;
    auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), gpu);
    if (error != std::errc() || end != key.data() + key.size() || gpu >= gpus) {
      object.error("",
                   "node '" + place.name + "' has no GPU '" + abbreviated(key) + "'; " +
                       (gpus == 0 ? "it has none" : "its GPUs are 0 to " + std::to_string(gpus - 1)),
                   "unknown-gpu");
      return;
    }
    Device &device = cluster_.devices[DeviceId(firstDevice_[node.index()] + gpu)];
    device.state = static_cast<State>(object.oneOf("state", stateNames).value_or(0));
    device.reason = object.text("reason").value_or("");
    device.readings.memoryUsed = object.sizeOf("memory_used");
    device.readings.temperatureCelsius = object.number("temperature_celsius", {-273.15, 1000});
    device.readings.powerDraw = object.power("power");
    device.readings.throttle = object.text("throttle").value_or("");
    device.readings.uncorrectableErrors = object.wholeNumber("uncorrectable_errors");
  }

  void inheritState(Device &device) {
    const Node &node = cluster_.nodes[device.node];
    if (node.state == State::up)
      return;
    if (device.state == State::up || device.reason.empty())
      device.reason = node.reason;
    if (device.state == State::up)
      device.state = node.state;
  }

  /// The switch itself and all that are above it.
  std::set<SwitchId> reachedFrom(SwitchId leaf) const {
    std::set<SwitchId> reached{leaf};
    std::vector<SwitchId> open{leaf};
    while (!open.empty()) {
      const SwitchId next = open.back();
      open.pop_back();
      for (const Uplink &uplink : cluster_.network.switches[next].uplinks)
        if (reached.insert(uplink.to).second)
          open.push_back(uplink.to);
    }
    return reached;
  }

  /// Leaves that no switch above both joins: a route goes up and down again. Those that share a switch with
  /// the first leaf are joined with each other where fabrics are trees or better, so each is held against the
  /// first alone.
  void listMissingPaths(auto &free) {
    std::set<SwitchId> leaves;
    for (const Node &node : cluster_.nodes)
      if (node.leaf)
        leaves.insert(*node.leaf);
    if (leaves.size() < 2)
      return;
    const std::set<SwitchId> first = reachedFrom(*leaves.begin());
    for (const SwitchId leaf : leaves) {
      const std::set<SwitchId> other = reachedFrom(leaf);
      if (std::ranges::none_of(other, [&](SwitchId id) { return first.contains(id); }))
        free("network.switches: no path from " + nameOf(*leaves.begin()) + " to " + nameOf(leaf) +
             ", the way between them is taken as free");
    }
  }

  void listFreeNetwork() {
    if (cluster_.nodes.size() < 2)
      return;
    auto free = [&](const std::string &text) { cluster_.takenAsFree.push_back(text); };
    for (NodeTypeId id : cluster_.nodeTypes.ids()) {
      const NodeType &type = cluster_.nodeTypes[id];
      bool used = std::ranges::any_of(cluster_.nodes, [id](const Node &node) { return node.type == id; });
      if (used && (type.nicCount == 0 || std::isinf(type.nic.bandwidth.value())))
        free("node_types." + type.name + ".nics: not described, taken as free");
    }
    std::vector<std::string> loose;
    for (const Node &node : cluster_.nodes)
      if (!node.leaf)
        loose.push_back(node.name);
    if (!loose.empty() && !cluster_.network.switches.empty())
      free("nodes: " + compressHostlist(loose) + " at no switch, the way to them is taken as free");
    if (cluster_.network.switches.empty())
      free("network.switches: not described, taken as free");
    if (cluster_.network.latency.value() == 0)
      free("network.latency: not described, taken as free");
    listMissingPaths(free);
    for (const Switch &from : cluster_.network.switches)
      for (const Uplink &uplink : from.uplinks)
        if (std::isinf(uplink.bandwidth.value()))
          free("network.switches." + from.name + ": the bandwidth to " + nameOf(uplink.to) +
               " is not described, taken as free");
  }

  Diagnostics &diagnostics_;
  JsonObject file_;
  GpuModels models_;
  Cluster cluster_;
  Names<NodeTypeId> types_{"node type", "node_types"};
  Names<SwitchId> switches_{"switch", "network.switches"};
  Names<NodeId> nodes_{"node", "nodes"};
  std::vector<std::size_t> firstDevice_; ///< by node
};

} // namespace

std::optional<Cluster> readCluster(std::string_view text, const std::string &file, Diagnostics &diagnostics) {
  // Judged apart, so that earlier errors in other files do not stop this one.
  Diagnostics own;
  std::optional<Cluster> cluster;
  std::optional<JsonDocument> document = JsonDocument::parse(text, file, own);
  if (document && hasSchema(document->root(), "streammap.cluster/1", own))
    cluster = Reader(document->root(), own).read();
  for (const Diagnostic &diagnostic : own.all())
    diagnostics.report(diagnostic);
  return own.hasErrors() ? std::nullopt : std::move(cluster);
}

} // namespace streammap
