#pragma once
// The links of a cluster and the route of every transfer.
//
//   Fabric fabric(cluster);
//   Route route = fabric.route(fabric.placeOf(n1gpu0), fabric.placeOf(n7gpu3));
//   // n001:gpu0:host.up  n001:nic.up  leaf1>spine2  spine2>leaf4  n007:nic.down  n007:gpu3:host.down
//
// A link carries one transfer per channel: a group of `count` NICs or uplinks is one link with `count`
// channels, and one transfer uses one of them at its full rate, as one flow does under ECMP. Links with no
// described bandwidth are not here: they cost nothing.
#include "model/Cluster.h"
#include "support/ShortVector.h"

namespace streammap {

using LinkId = Id<struct LinkTag>;

struct Link {
  std::string name;
  BytesPerSecond bandwidth; ///< of one channel
  unsigned channels = 1;
};

/// Where data is: on a device, or in the host memory of a node.
struct Place {
  NodeId node;
  std::optional<DeviceId> device;
  bool operator==(const Place &) const = default;
};

struct Route {
  ShortVector<LinkId, 12> links; ///< source first
  Seconds latency;
  BytesPerSecond bandwidth = unlimitedBandwidth; ///< of the narrowest link
  Seconds time(Bytes size) const { return latency + size / bandwidth; }
};

class Fabric {
public:
  explicit Fabric(const Cluster &cluster);

  Place placeOf(DeviceId device) const { return {cluster_->devices[device].node, device}; }
  static Place hostOf(NodeId node) { return {node, std::nullopt}; }

  const IndexedVector<LinkId, Link> &links() const { return links_; }
  bool contended() const { return cluster_->network.model == NetworkModel::contended; }

  /// O(links of the route). Between leaves, the spine is chosen by the destination node's number, as
  /// destination-modulo-k routing does (Gomez et al., "Deterministic versus Adaptive Routing in Fat-Trees",
  /// IPDPS 2007): a shortest-path search would send everything over the first spine.
  Route route(const Place &from, const Place &to) const;

private:
  struct GpuLinks {
    LinkId hostUp, hostDown, peerOut, peerIn; ///< invalid: not described
  };
  struct NodeLinks {
    LinkId nicUp, nicDown; ///< all NICs as one link of several channels
    std::vector<std::pair<LinkId, LinkId>>
        nics; ///< each NIC up and down, where they hang on leaves of their own
  };
  struct SwitchHop {
    SwitchId to;
    LinkId up, down;
  };
  /// What is above a switch, itself included.
  struct Ascent {
    std::vector<std::pair<SwitchId, std::vector<SwitchHop>>> ways; ///< each switch, and the way there
    std::vector<std::pair<SwitchId, std::size_t>> positions;       ///< in `ways`, by switch
    /// Nothing when the switch is not above.
    const std::vector<SwitchHop> *wayTo(SwitchId above) const;
  };

  LinkId add(std::string name, BytesPerSecond bandwidth, unsigned channels);
  void addNode(NodeId node, DeviceId firstDevice);
  void addSwitches();
  Ascent ascentFrom(SwitchId leaf) const;
  void pass(Route &route, LinkId link, Seconds latency) const;
  bool passPeer(Route &route, DeviceId from, DeviceId to) const;
  void passHostLink(Route &route, const Place &place, bool up) const;
  void passNic(Route &route, const Place &place, bool up) const;
  std::size_t nicOf(const Place &place) const;
  std::optional<SwitchId> leafOf(const Place &place) const;
  void passSwitches(Route &route, const Place &from, const Place &to) const;
  void passOver(Route &route, const std::vector<SwitchHop> &up, const std::vector<SwitchHop> &down) const;
  const NodeType &typeOf(NodeId node) const { return cluster_->nodeTypes[cluster_->nodes[node].type]; }

  const Cluster *cluster_;
  IndexedVector<LinkId, Link> links_;
  IndexedVector<DeviceId, GpuLinks> gpuLinks_;
  IndexedVector<NodeId, NodeLinks> nodeLinks_;
  IndexedVector<NodeId, DeviceId> firstDevice_;
  IndexedVector<NodeId, std::vector<std::pair<LinkId, LinkId>>>
      pairLinks_; ///< by GpuPairLink: a to b, b to a
  IndexedVector<SwitchId, std::vector<SwitchHop>> hops_;
  IndexedVector<SwitchId, Ascent> ascents_;
};

} // namespace streammap
