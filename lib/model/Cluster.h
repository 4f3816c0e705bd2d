#pragma once
// The machine: GPU models, node types, nodes, the network and the state of each part; the content of
// `streammap.cluster/1`. What the file leaves out costs nothing and is listed in `takenAsFree`.
#include "model/TaskGraph.h"
#include <limits>

namespace streammap {

using GpuModelId = Id<struct GpuModelTag>;
using NodeTypeId = Id<struct NodeTypeTag>;
using NodeId = Id<struct NodeTag>;
using DeviceId = Id<struct DeviceTag>;
using SwitchId = Id<struct SwitchTag>;

/// One model of device, GPU or CPU. Rates are the vendor's dense peaks; 0 means unknown.
struct GpuModel {
  std::string name;       ///< "H100-SXM5-80GB"; "cpu" for the host's cores
  std::string capability; ///< "9.0"; empty for cpu
  Bytes memory;           ///< 0: unlimited
  BytesPerSecond memoryBandwidth;
  std::array<FlopsPerSecond, flopTypeCount> peak{};
  Bytes l2;
  unsigned multiprocessors = 0;
  Watts power;        ///< board power limit
  std::string source; ///< datasheet the figures come from
  bool operator==(const GpuModel &) const = default;
  bool isCpu() const { return name == "cpu" || name.starts_with("cpu-"); }
};

/// Whether a task that asks for `wanted` may run on `model`: its whole name or its first words, upper and
/// lower case alike. "H100" is every H100; "A10" is no A100.
bool isModel(const GpuModel &model, std::string_view wanted);

/// Whether `model` has at least compute capability `wanted` ("8.0"); host cores have none.
bool hasCapability(const GpuModel &model, std::string_view wanted);

/// A point-to-point or switched connection. Infinite bandwidth and zero latency: not described.
struct LinkSpeed {
  BytesPerSecond bandwidth = unlimitedBandwidth;
  Seconds latency;
};

enum class GpuLinkKind { none, nvswitch, nvlink, pcie };

struct GpuPairLink {
  unsigned a = 0, b = 0; ///< indices of the GPUs in the node
  GpuLinkKind kind = GpuLinkKind::nvlink;
  LinkSpeed speed;
};

/// One network adapter, where the file lists them one by one.
struct Nic {
  std::string name; ///< as its driver calls it, "mlx5_0": what UCX_NET_DEVICES and NCCL_IB_HCA want
  LinkSpeed speed;
  std::optional<unsigned> numa;
  std::vector<unsigned> gpus; ///< those behind the same PCIe switch
};

struct NodeType {
  std::string name;
  unsigned cpuCores = 0;
  Bytes memory; ///< 0: unlimited
  std::vector<GpuModelId> gpus;
  GpuLinkKind gpuLinkKind = GpuLinkKind::none;  ///< of a switched or all-to-all node
  LinkSpeed gpuLink;                            ///< per GPU and direction
  std::vector<GpuPairLink> gpuPairs;            ///< where the file lists pairs instead
  LinkSpeed hostLink;                           ///< per GPU and direction (PCIe, C2C)
  unsigned nicCount = 0;                        ///< 0: not described
  LinkSpeed nic;                                ///< each; of the fastest where they are listed
  std::vector<Nic> nics;                        ///< empty, or nicCount of them
  std::vector<std::optional<unsigned>> gpuNuma; ///< NUMA node of each GPU; empty: not described
  std::optional<Watts> powerLimit;
  std::optional<GpuModelId> cpu; ///< set when tasks may run on the host's cores
};

/// up: may be used. Every other state keeps the part out of new placements, with its reason.
enum class State { up, drained, down, busy, reserved };
std::string_view toText(State state);

/// What a GPU last said of itself. Empty: not asked, or not supported.
struct GpuReadings {
  std::optional<Bytes> memoryUsed;
  std::optional<double> temperatureCelsius;
  std::optional<Watts> powerDraw;
  std::string throttle; ///< why it runs slower than asked for: "hw_thermal_slowdown"; empty: it does not
  std::optional<std::uint64_t> uncorrectableErrors; ///< of its memory (ECC), since the driver was loaded
  bool operator==(const GpuReadings &) const = default;
};

struct Node {
  std::string name;
  NodeTypeId type;
  std::optional<SwitchId> leaf;    ///< of its first NIC where they hang on several
  std::vector<SwitchId> nicLeaves; ///< of each NIC in a rail-optimised network; empty: all on `leaf`
  std::string rack;
  State state = State::up;
  std::string reason;
};

struct Uplink {
  SwitchId to;
  unsigned count = 1;
  BytesPerSecond bandwidth = unlimitedBandwidth; ///< each
};

struct Switch {
  std::string name;
  std::vector<Uplink> uplinks;
};

enum class NetworkModel { contended, uncontended };

struct Network {
  Seconds latency;
  NetworkModel model = NetworkModel::contended;
  IndexedVector<SwitchId, Switch> switches;
};

/// One place a task can run: GPU `gpu` of a node, or the node's cores when `gpu` is empty.
struct Device {
  NodeId node;
  std::optional<unsigned> gpu;
  GpuModelId model;
  State state = State::up; ///< not up when its node is not
  std::string reason;
  GpuReadings readings{};
};

struct Cluster {
  std::string name;
  IndexedVector<GpuModelId, GpuModel> models; ///< only those in use
  IndexedVector<NodeTypeId, NodeType> nodeTypes;
  IndexedVector<NodeId, Node> nodes;       ///< in file order, hostlists expanded
  IndexedVector<DeviceId, Device> devices; ///< node by node: its GPUs by index, then its cores
  Network network;
  std::vector<std::string> takenAsFree; ///< "node_types.dgx.host_link: not described, taken as free"
};

/// "n003:gpu2" or "n003:cpu".
std::string deviceName(const Cluster &cluster, DeviceId device);

} // namespace streammap
