// Paths change the JSON of the file before it is read, so that the reader judges every new value as it judges
// the file's own. What no single value of the file says is changed in the cluster that was read.
#include "whatif/ClusterEdit.h"
#include "mapper/Levers.h"
#include "model/ClusterJson.h"
#include "model/Hostlist.h"
#include "support/Text.h"
#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <set>

namespace streammap {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t mostNodes = 1'000'000;

constexpr std::string_view specialPaths[] = {"nodes", "nodes.count", "network.oversubscription", "fail"};
constexpr std::string_view typePaths[] = {"cpu_cores",           "memory",
                                          "gpus.model",          "gpus.count",
                                          "gpu_links.bandwidth", "gpu_links.latency",
                                          "host_link.bandwidth", "host_link.latency",
                                          "nics.count",          "nics.bandwidth",
                                          "nics.latency",        "power_limit"};
constexpr std::string_view networkPaths[] = {"network.latency", "network.model"};

/// The other spelling of a quantity's key.
constexpr std::pair<std::string_view, std::string_view> spellings[] = {
    {"bandwidth", "bandwidth_bytes_per_second"},
    {"latency", "latency_seconds"},
    {"memory", "memory_bytes"},
    {"power_limit", "power_limit_watts"}};

bool isSpecial(const std::string &path) {
  return std::ranges::find(specialPaths, path) != std::end(specialPaths);
}

/// What a path calls an element of a list.
std::string nameOf(const Json &element, std::size_t index) {
  for (const char *key : {"name", "to", "names"})
    if (element.is_object() && element.contains(key) && element[key].is_string())
      return element[key].get<std::string>();
  return std::to_string(index);
}

void collectPaths(const Json &json, const std::string &prefix, std::vector<std::string> &paths) {
  if (json.is_object()) {
    for (const auto &[key, value] : json.items())
      collectPaths(value, prefix.empty() ? key : prefix + "." + key, paths);
  } else if (json.is_array()) {
    for (std::size_t i = 0; i < json.size(); ++i)
      collectPaths(json[i], prefix + "." + nameOf(json[i], i), paths);
    for (const Json &element : json)
      collectPaths(element, prefix + ".*", paths);
  } else {
    paths.push_back(prefix);
  }
}

/// The values a path stands for: each part a key, an element's name or number, or * for all. Keys may hold
/// dots.
class Resolver {
public:
  explicit Resolver(std::string_view path) : parts_(split(path, '.')) {}

  std::vector<Json *> resolve(Json &root) {
    visit(root, 0);
    return std::move(found_);
  }

private:
  std::string joined(std::size_t begin, std::size_t end) const {
    return join(std::span(parts_).subspan(begin, end - begin), ".");
  }

  void visit(Json &json, std::size_t at) {
    if (at == parts_.size()) {
      if (!json.is_structured())
        found_.push_back(&json);
      return;
    }
    for (std::size_t end = at + 1; end <= parts_.size(); ++end) {
      const std::string part = joined(at, end);
      if (json.is_object()) {
        for (auto &[key, value] : json.items())
          if (key == part || (part == "*" && end == at + 1))
            visit(value, end);
      } else if (json.is_array()) {
        for (std::size_t i = 0; i < json.size(); ++i)
          if (nameOf(json[i], i) == part || std::to_string(i) == part || (part == "*" && end == at + 1))
            visit(json[i], end);
      }
    }
  }

  std::vector<std::string_view> parts_;
  std::vector<Json *> found_;
};

/// A number as such, everything else as text.
Json valueOf(const std::string &text) {
  const Json parsed = Json::parse(text, nullptr, false);
  return parsed.is_number() ? parsed : Json(text);
}

/// "node_types.TYPE.nics.bandwidth" where the file leaves it out: makes the objects on the way.
bool addOptional(Json &root, const Setting &setting) {
  auto put = [&](Json &object, std::string_view rest) {
    Json *at = &object;
    const std::vector<std::string_view> parts = split(rest, '.');
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
      at = &(*at)[std::string(parts[i])];
      if (!at->is_object() && !at->is_null())
        return false; // a list of GPUs or of links: its elements have paths of their own
    }
    if (at->is_null())
      *at = Json::object();
    if (!at->is_object())
      return false;
    const std::string key(parts.back());
    for (const auto &[plain, unit] : spellings)
      if (key == plain)
        at->erase(std::string(unit));
    (*at)[key] = valueOf(setting.value);
    return true;
  };
  if (std::ranges::find(networkPaths, setting.path) != std::end(networkPaths))
    return put(root, setting.path);
  bool done = false;
  if (root.contains("node_types") && root["node_types"].is_object())
    for (auto &[type, object] : root["node_types"].items())
      for (std::string_view rest : typePaths)
        if (setting.path == "node_types." + type + "." + std::string(rest) ||
            setting.path == "node_types.*." + std::string(rest))
          done |= put(object, rest);
  return done;
}

void setPath(Json &root, const Setting &setting, const std::string &file, Diagnostics &diagnostics) {
  const std::vector<Json *> found = Resolver(setting.path).resolve(root);
  for (Json *value : found)
    *value = valueOf(setting.value);
  if (!found.empty() || addOptional(root, setting))
    return;
  diagnostics.error(
      {file, 0, 0, ""},
      "--set " + setting.text() + ": no value has the path '" + abbreviated(setting.path) + "'" +
          didYouMean(setting.path, knownPaths(root.dump(-1, ' ', false, Json::error_handler_t::replace))),
      "unknown-path");
}

// --- what no single value says ---

void dropLastNodes(Cluster &cluster, std::size_t count) {
  const std::size_t left = cluster.nodes.size() - count;
  IndexedVector<NodeId, Node> nodes;
  for (NodeId node : cluster.nodes.ids())
    if (node.index() < left)
      nodes.push(cluster.nodes[node]);
  IndexedVector<DeviceId, Device> devices;
  for (const Device &device : cluster.devices)
    if (device.node.index() < left)
      devices.push(device);
  cluster.nodes = std::move(nodes);
  cluster.devices = std::move(devices);
}

std::optional<std::string> setNodes(Cluster &cluster, const std::string &value) {
  const bool relative = value.starts_with('+') || value.starts_with('-');
  std::size_t number = 0;
  const char *begin = value.data() + relative, *end = value.data() + value.size();
  if (const auto [at, error] = std::from_chars(begin, end, number); error != std::errc() || at != end)
    return "expected a number of nodes, or how many more or fewer: 16, +4, -4";
  const std::size_t now = cluster.nodes.size();
  if (value.starts_with('-') ? number >= now : !relative && number == 0)
    return "at least one of the " + std::to_string(now) + " nodes must be left";
  const std::size_t wanted = value.starts_with('-') ? now - number : relative ? now + number : number;
  if (wanted > mostNodes)
    return "at most " + std::to_string(mostNodes) + " nodes";
  if (wanted < now)
    dropLastNodes(cluster, now - wanted);
  else
    cluster = withMoreNodes(cluster, cluster.nodes.back().type, wanted - now);
  return std::nullopt;
}

std::optional<std::string> setOversubscription(Cluster &cluster, const std::string &value) {
  double ratio = 0;
  const auto [at, error] = std::from_chars(value.data(), value.data() + value.size(), ratio);
  if (error != std::errc() || at != value.data() + value.size() || !(ratio > 0) || !std::isfinite(ratio))
    return "expected a number above 0, the NICs' bandwidth below a leaf over its uplinks'";
  bool any = false;
  for (SwitchId leaf : cluster.network.switches.ids()) {
    BytesPerSecond below, above;
    for (const Node &node : cluster.nodes)
      if (const NodeType &type = cluster.nodeTypes[node.type]; node.leaf == leaf && type.nicCount != 0)
        below = below + type.nic.bandwidth * type.nicCount;
    std::vector<Uplink> &uplinks = cluster.network.switches[leaf].uplinks;
    for (const Uplink &uplink : uplinks)
      above = above + uplink.bandwidth * uplink.count;
    if (!(below > BytesPerSecond()) || !(above > BytesPerSecond()) || !std::isfinite(below.value()) ||
        !std::isfinite(above.value()))
      continue;
    any = true;
    for (Uplink &uplink : uplinks)
      uplink.bandwidth = uplink.bandwidth * (below / above / ratio);
  }
  if (!any)
    return "no leaf switch has nodes with NICs below it and uplinks above it whose bandwidths are known";
  return std::nullopt;
}

std::optional<std::string> fail(Cluster &cluster, const std::string &value) {
  if (value == "none")
    return std::nullopt;
  std::vector<std::string> known;
  for (DeviceId device : cluster.devices.ids()) {
    known.push_back(deviceName(cluster, device));
    if (known.back() == value) {
      cluster.devices[device].state = State::down;
      cluster.devices[device].reason = "what if it failed";
      return std::nullopt;
    }
  }
  const Expected<std::vector<std::string>> names = expandHostlist(value);
  if (!names)
    return names.error().message;
  for (const Node &node : cluster.nodes)
    known.push_back(node.name);
  for (const std::string &name : *names) {
    const auto found = std::ranges::find(cluster.nodes, name, &Node::name);
    if (found == cluster.nodes.end())
      return "unknown node '" + abbreviated(name) + "'" + didYouMean(name, known);
    cluster = withoutNode(cluster, NodeId(static_cast<std::size_t>(found - cluster.nodes.begin())));
  }
  return std::nullopt;
}

} // namespace

Expected<Axis> parseAxis(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0)
    return failure("expected PATH=VALUE[,VALUE...], found '" + abbreviated(text) + "'");
  Axis axis{std::string(trim(text.substr(0, equals))), {}};
  std::string value;
  int depth = 0;
  for (char c : text.substr(equals + 1)) {
    depth += c == '[';
    depth -= c == ']';
    if (c == ',' && depth == 0)
      axis.values.push_back(std::exchange(value, ""));
    else
      value += c;
  }
  axis.values.push_back(value);
  for (std::string &one : axis.values) {
    one = std::string(trim(one));
    if (one.empty())
      return failure("'" + abbreviated(text) + "' has an empty value");
  }
  return axis;
}

std::vector<std::string> knownPaths(std::string_view clusterText) {
  const Json root = Json::parse(clusterText, nullptr, false);
  std::vector<std::string> paths(std::begin(specialPaths), std::end(specialPaths));
  paths.insert(paths.end(), std::begin(networkPaths), std::end(networkPaths));
  if (!root.is_object())
    return paths;
  if (root.contains("node_types") && root["node_types"].is_object())
    for (const auto &[type, object] : root["node_types"].items())
      for (std::string_view rest : typePaths)
        paths.push_back("node_types." + type + "." + std::string(rest));
  for (std::string_view rest : typePaths)
    paths.push_back("node_types.*." + std::string(rest));
  collectPaths(root, "", paths);
  std::set<std::string> seen;
  std::erase_if(paths,
                [&](const std::string &path) { return path == "schema" || !seen.insert(path).second; });
  return paths;
}

std::optional<Cluster> editedCluster(std::string_view clusterText, const std::string &file,
                                     std::span<const Setting> settings, Diagnostics &diagnostics) {
  const std::size_t errorsBefore = diagnostics.errorCount();
  Json root = Json::parse(clusterText, nullptr, false);
  std::vector<std::string> texts;
  for (const Setting &setting : settings) {
    texts.push_back(setting.text());
    if (!isSpecial(setting.path) && root.is_object())
      setPath(root, setting, file, diagnostics);
  }
  if (diagnostics.errorCount() != errorsBefore)
    return std::nullopt;
  const std::string name = texts.empty() ? file : file + " with " + join(texts, " ");
  std::optional<Cluster> cluster = readCluster(texts.empty() || root.is_discarded()
                                                   ? std::string(clusterText)
                                                   : root.dump(1, ' ', false, Json::error_handler_t::replace),
                                               name, diagnostics);
  if (!cluster)
    return std::nullopt;
  for (std::string_view path : specialPaths)
    for (const Setting &setting : settings) {
      if (setting.path != path)
        continue;
      const std::optional<std::string> mistake = path == "fail" ? fail(*cluster, setting.value)
                                                 : path == "network.oversubscription"
                                                     ? setOversubscription(*cluster, setting.value)
                                                     : setNodes(*cluster, setting.value);
      if (mistake)
        diagnostics.error({file, 0, 0, ""}, "--set " + setting.text() + ": " + *mistake, "bad-value");
    }
  return diagnostics.errorCount() == errorsBefore ? std::move(cluster) : std::nullopt;
}

} // namespace streammap
