#include "discover/CheckCluster.h"
#include "discover/LinkRates.h"
#include "model/Hostlist.h"
#include "support/Text.h"
#include <algorithm>
#include <map>
#include <set>

namespace streammap {
namespace {

/// How much above the datasheet a figure may be before it is called impossible: rounding, and measured rates
/// with a little luck.
constexpr double slack = 1.05;

/// RFC 6901: '~' and '/' of a key are written ~0 and ~1.
std::string escaped(std::string_view key) {
  std::string text;
  for (char letter : key)
    text += letter == '~' ? "~0" : letter == '/' ? "~1" : std::string(1, letter);
  return text;
}

bool isDescribed(BytesPerSecond bandwidth) {
  return bandwidth < unlimitedBandwidth;
}

class Checker {
public:
  Checker(const Cluster &cluster, const std::string &file, Diagnostics &diagnostics)
      : cluster_(cluster), file_(file), diagnostics_(diagnostics) {}

  void run() {
    for (const NodeType &type : cluster_.nodeTypes)
      checkType(type);
    checkModels();
    checkUplinks();
    checkPaths();
    checkIdleSwitches();
    reportOversubscription();
  }

private:
  void warn(const std::string &pointer, std::string message, std::string code) {
    diagnostics_.warning({file_, 0, 0, pointer}, std::move(message), std::move(code));
  }

  // --- inside a node ---

  void checkType(const NodeType &type) {
    const std::string at = "/node_types/" + escaped(type.name);
    if (isDescribed(type.hostLink.bandwidth) && type.hostLink.bandwidth > fastestHostLink * slack)
      warn(at + "/host_link",
           toText(type.hostLink.bandwidth) + " per GPU: no PCIe or NVLink-C2C is faster than " +
               toText(fastestHostLink),
           "impossible-rate");
    if (isDescribed(type.nic.bandwidth) && type.nic.bandwidth > fastestPort * slack)
      warn(at + "/nics",
           toText(type.nic.bandwidth) + " per NIC: no port is faster than " + toText(fastestPort) +
               "; is it in bits per second ('Gb/s')?",
           "impossible-rate");
    checkGpuLinks(type, at + "/gpu_links");
    checkNuma(type, at + "/nics");
  }

  void checkGpuLinks(const NodeType &type, const std::string &at) {
    if (type.gpuPairs.empty()) {
      if (type.gpuLinkKind != GpuLinkKind::none)
        checkLink(type, type.gpuLinkKind, type.gpuLink.bandwidth, "between its GPUs", at);
      return;
    }
    for (std::size_t i = 0; i < type.gpuPairs.size(); ++i) {
      const GpuPairLink &pair = type.gpuPairs[i];
      checkLink(type, pair.kind, pair.speed.bandwidth,
                "between GPUs " + std::to_string(pair.a) + " and " + std::to_string(pair.b),
                at + "/" + std::to_string(i));
    }
    checkOddGpus(type, at);
  }

  void checkLink(const NodeType &type, GpuLinkKind kind, BytesPerSecond bandwidth, const std::string &where,
                 const std::string &at) {
    if (!isDescribed(bandwidth) || type.gpus.empty())
      return;
    BytesPerSecond most = fastestGpuLink;
    if (const auto generation = nvlinkOf(cluster_.models[type.gpus.front()].capability);
        generation && kind != GpuLinkKind::pcie)
      most = generation->perLink * generation->links;
    if (kind == GpuLinkKind::pcie)
      most = fastestHostLink;
    if (bandwidth > most * slack)
      warn(at,
           toText(bandwidth) + " " + where + ": the links of one " + cluster_.models[type.gpus.front()].name +
               " carry at most " + toText(most) + " per direction; is it the sum of both directions?",
           "impossible-rate");
    if (isDescribed(type.hostLink.bandwidth) && bandwidth < type.hostLink.bandwidth)
      warn(at,
           "the direct link " + where + " has " + toText(bandwidth) + ", the way through the host " +
               toText(type.hostLink.bandwidth) + ": a direct link slower than none",
           "slow-direct-link");
  }

  /// A GPU whose fastest link is far below what the others have with each other, or that has no link where
  /// all others have: its row was taken for another device's.
  void checkOddGpus(const NodeType &type, const std::string &at) {
    const std::size_t gpus = type.gpus.size();
    if (gpus < 3)
      return;
    // The two fastest links of each, so that a GPU can be left out of the others' view.
    struct Best {
      BytesPerSecond first, second;
      unsigned firstPartner = 0;
      std::size_t links = 0;
      BytesPerSecond without(unsigned gpu) const { return firstPartner == gpu ? second : first; }
    };
    std::vector<Best> best(gpus);
    auto take = [&](unsigned gpu, unsigned partner, BytesPerSecond bandwidth) {
      Best &own = best[gpu];
      ++own.links;
      if (bandwidth > own.first) {
        own.second = own.first;
        own.first = bandwidth;
        own.firstPartner = partner;
      } else {
        own.second = std::max(own.second, bandwidth);
      }
    };
    for (const GpuPairLink &pair : type.gpuPairs) {
      take(pair.a, pair.b, pair.speed.bandwidth);
      take(pair.b, pair.a, pair.speed.bandwidth);
    }
    for (unsigned gpu = 0; gpu < gpus; ++gpu) {
      BytesPerSecond slowestOther = unlimitedBandwidth;
      for (unsigned other = 0; other < gpus; ++other)
        if (other != gpu)
          slowestOther = std::min(slowestOther, best[other].without(gpu));
      if (slowestOther.value() == 0)
        continue; // another has no link either
      if (best[gpu].links == 0)
        warn(at, "GPU " + std::to_string(gpu) + " is linked to no other, all others are: a wrong link table?",
             "odd-gpu");
      else if (isDescribed(slowestOther) && best[gpu].first * 3 <= slowestOther)
        warn(at,
             "GPU " + std::to_string(gpu) + " is linked at " + toText(best[gpu].first) +
                 ", the others to each other at " + toText(slowestOther) + ": a wrong link table?",
             "odd-gpu");
    }
  }

  void checkNuma(const NodeType &type, const std::string &at) {
    std::vector<bool> isNear(type.gpus.size(), false);
    for (std::size_t i = 0; i < type.nics.size(); ++i)
      for (unsigned gpu : type.nics[i].gpus) {
        isNear[gpu] = true;
        const std::optional<unsigned> numa = gpu < type.gpuNuma.size() ? type.gpuNuma[gpu] : std::nullopt;
        if (numa && type.nics[i].numa && *numa != *type.nics[i].numa)
          warn(at + "/" + std::to_string(i),
               "near GPU " + std::to_string(gpu) + " of NUMA node " + std::to_string(*numa) +
                   ", but itself at NUMA node " + std::to_string(*type.nics[i].numa),
               "numa-mismatch");
      }
    if (std::ranges::find(isNear, true) == isNear.end())
      return;
    for (std::size_t gpu = 0; gpu < isNear.size(); ++gpu)
      if (!isNear[gpu])
        warn(at, "GPU " + std::to_string(gpu) + " is near no NIC, others are; it takes one of another's",
             "numa-mismatch");
  }

  void checkModels() {
    std::set<std::size_t> reported;
    for (const NodeType &type : cluster_.nodeTypes)
      for (GpuModelId id : type.gpus) {
        const GpuModel &model = cluster_.models[id];
        const bool hasRates =
            std::ranges::any_of(model.peak, [](FlopsPerSecond rate) { return rate.value() > 0; });
        if (!hasRates && reported.insert(id.index()).second)
          warn("/gpu_models/" + escaped(model.name),
               "no rates are known of '" + model.name + "': only tasks that give seconds can be timed on it",
               "model-without-rates");
      }
  }

  // --- the network ---

  const std::string &nameOf(SwitchId id) const { return cluster_.network.switches[id].name; }

  void checkUplinks() {
    for (SwitchId id : cluster_.network.switches.ids())
      for (std::size_t i = 0; i < cluster_.network.switches[id].uplinks.size(); ++i)
        if (const Uplink &uplink = cluster_.network.switches[id].uplinks[i];
            isDescribed(uplink.bandwidth) && uplink.bandwidth > fastestPort * slack)
          warn("/network/switches/" + std::to_string(id.index()) + "/uplinks/" + std::to_string(i),
               toText(uplink.bandwidth) + " per uplink: no port is faster than " + toText(fastestPort) +
                   "; several uplinks are 'count', and bits are 'Gb/s'",
               "impossible-rate");
  }

  std::set<SwitchId> leavesInUse() const {
    std::set<SwitchId> leaves;
    for (const Node &node : cluster_.nodes) {
      leaves.insert(node.nicLeaves.begin(), node.nicLeaves.end());
      if (node.leaf)
        leaves.insert(*node.leaf);
    }
    return leaves;
  }

  /// The topmost switches above each; two leaves have a common switch exactly if they share one of these.
  IndexedVector<SwitchId, std::set<SwitchId>> tops() const {
    const auto &switches = cluster_.network.switches;
    IndexedVector<SwitchId, std::set<SwitchId>> above(switches.size());
    IndexedVector<SwitchId, char> done(switches.size(), 0);
    for (SwitchId start : switches.ids()) {
      std::vector<SwitchId> path{start}; // depth first without recursion: a chain of switches may be long
      while (!path.empty()) {
        const SwitchId at = path.back();
        bool ready = true;
        for (const Uplink &uplink : switches[at].uplinks)
          if (!done[uplink.to]) {
            path.push_back(uplink.to);
            ready = false;
            break;
          }
        if (!ready)
          continue;
        path.pop_back();
        if (done[at])
          continue;
        done[at] = 1;
        if (switches[at].uplinks.empty())
          above[at] = {at};
        for (const Uplink &uplink : switches[at].uplinks)
          above[at].insert(above[uplink.to].begin(), above[uplink.to].end());
      }
    }
    return above;
  }

  /// One warning that names two leaves; the others follow from the same gap.
  void checkPaths() {
    const std::set<SwitchId> leaves = leavesInUse();
    const IndexedVector<SwitchId, std::set<SwitchId>> above = tops();
    for (SwitchId leaf : leaves)
      if (std::ranges::none_of(above[leaf],
                               [&](SwitchId top) { return above[*leaves.begin()].contains(top); }))
        return warn("/network/switches/" + std::to_string(leaf.index()),
                    "no way from '" + nameOf(leaf) + "' to '" + nameOf(*leaves.begin()) +
                        "': no switch is above both, so transfers between them are taken as free",
                    "no-path");
  }

  void checkIdleSwitches() {
    std::set<SwitchId> used = leavesInUse();
    for (const Switch &from : cluster_.network.switches)
      for (const Uplink &uplink : from.uplinks)
        used.insert(uplink.to);
    std::vector<std::string> idle;
    for (SwitchId id : cluster_.network.switches.ids())
      if (!used.contains(id))
        idle.push_back(nameOf(id));
    if (!idle.empty())
      warn("/network/switches",
           compressHostlist(idle) + ": no node and no switch hangs on " + (idle.size() == 1 ? "it" : "them"),
           "idle-switch");
  }

  /// Bandwidth of the nodes below a leaf against that of its uplinks, alike leaves together.
  void reportOversubscription() {
    IndexedVector<SwitchId, BytesPerSecond> below(cluster_.network.switches.size());
    for (const Node &node : cluster_.nodes) {
      const NodeType &type = cluster_.nodeTypes[node.type];
      if (!node.nicLeaves.empty() && type.nics.size() == node.nicLeaves.size())
        for (std::size_t i = 0; i < node.nicLeaves.size(); ++i)
          below[node.nicLeaves[i]] += type.nics[i].speed.bandwidth;
      else if (node.leaf)
        below[*node.leaf] += type.nicCount == 0 ? unlimitedBandwidth : type.nic.bandwidth * type.nicCount;
    }
    std::map<std::pair<double, double>, std::vector<std::string>> alike;
    for (SwitchId id : cluster_.network.switches.ids()) {
      BytesPerSecond up;
      for (const Uplink &uplink : cluster_.network.switches[id].uplinks)
        up += uplink.bandwidth * uplink.count;
      if (below[id].value() > 0 && isDescribed(below[id]) && up.value() > 0 && isDescribed(up))
        alike[{below[id].value(), up.value()}].push_back(nameOf(id));
    }
    for (const auto &[bandwidths, names] : alike) {
      const auto [down, up] = bandwidths;
      if (down <= up)
        continue;
      Diagnostic note;
      note.severity = Severity::note;
      note.location = {file_, 0, 0, "/network/switches"};
      note.message = compressHostlist(names) + ": " + toText(bytesPerSecond(down)) + " of NICs below, " +
                     toText(bytesPerSecond(up)) + " of uplinks: oversubscribed " +
                     shortest(std::round(down / up * 100) / 100) + " to 1";
      note.code = "oversubscribed";
      diagnostics_.report(std::move(note));
    }
  }

  const Cluster &cluster_;
  const std::string &file_;
  Diagnostics &diagnostics_;
};

} // namespace

void checkCluster(const Cluster &cluster, const std::string &file, Diagnostics &diagnostics) {
  Checker(cluster, file, diagnostics).run();
}

} // namespace streammap
