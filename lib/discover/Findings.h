#pragma once
// What one source says about a cluster: facts, each with the place where it stands. Parsers fill these,
// `merge` (Merge.h) makes a cluster of them. A fact nobody found stays empty: it is unknown, not zero.
//
//   n001: 8 GPUs, GPU 0 "NVIDIA H100 80GB HBM3"      gpus.xml:41
//   n001: mlx5_0 hangs on leaf LEAF-01 at 50 GB/s     fabric.out:10
#include "model/Cluster.h"
#include "support/Diagnostic.h"
#include <optional>
#include <string>
#include <vector>

namespace streammap {

/// A value and where it was read.
template <class T>
struct Fact {
  T value{};
  SourceLocation where;
};

template <class T>
using Maybe = std::optional<Fact<T>>;

/// Part of a GPU in MIG mode: a device of its own for CUDA programs.
struct MigSlice {
  std::string profile; ///< "3g.40gb"; empty when the source names none
  Bytes memory;        ///< 0: unknown
  unsigned multiprocessors = 0;
};

struct StateFinding {
  State state = State::up;
  std::string reason;
  SourceLocation where;
};

struct GpuFindings {
  std::string busId; ///< "0000:0f:00.0": four-digit domain, lower case; empty: unknown
  std::string uuid;
  Maybe<std::string> product; ///< as the source spells it: "NVIDIA H100 80GB HBM3", "a100"
  Maybe<Bytes> memory;
  Maybe<std::string> capability;
  Maybe<unsigned> multiprocessors;
  Maybe<Watts> powerLimit;
  Maybe<BytesPerSecond> hostLink; ///< per direction
  Maybe<unsigned> numaNode;
  bool migEnabled = false;
  std::vector<MigSlice> slices;      ///< of a GPU in MIG mode, in order
  std::optional<StateFinding> state; ///< empty: the source says nothing of it
  GpuReadings readings;
};

/// A direct connection of two GPUs of a node, by their positions in NodeFindings::gpus.
struct GpuLinkFinding {
  unsigned a = 0, b = 0;
  GpuLinkKind kind = GpuLinkKind::nvlink;
  unsigned lanes = 0;              ///< NVLinks bonded; 0: not said
  Maybe<BytesPerSecond> bandwidth; ///< per direction, where the source gives it
  SourceLocation where;
};

/// The NVLinks from each GPU into the node's NVSwitches.
struct GpuSwitchFinding {
  unsigned lanes = 0; ///< 0: not said
  Maybe<BytesPerSecond> bandwidth;
  SourceLocation where;
};

struct NicFindings {
  std::string name; ///< "mlx5_0"
  std::string busId;
  Maybe<BytesPerSecond> bandwidth;
  Maybe<unsigned> numaNode;
  std::string leaf;               ///< the switch its cable ends at; empty: unknown
  std::vector<unsigned> nearGpus; ///< GPUs behind the same PCIe switch
  SourceLocation where;
};

struct NodeFindings {
  std::string name; ///< empty: the source describes one node without naming it
  SourceLocation where;
  Maybe<unsigned> cores;
  Maybe<Bytes> memory;
  Maybe<unsigned> gpuCount; ///< with `gpus` of that size; empty: the source says nothing of GPUs
  std::vector<GpuFindings> gpus;
  std::optional<SourceLocation> linksWhere; ///< set when the source says which GPUs are linked
  std::vector<GpuLinkFinding> links;
  std::optional<GpuSwitchFinding> nvswitch;
  std::vector<NicFindings> nics;
  Maybe<std::string> leaf;
  Maybe<std::string> rack;
  std::optional<StateFinding> state;
  Maybe<unsigned> gpusInUse; ///< how many, where the source does not say which
};

struct UplinkFinding {
  std::string to;
  unsigned count = 1;
  Maybe<BytesPerSecond> bandwidth; ///< each
  SourceLocation where;
};

struct SwitchFindings {
  std::string name;
  std::vector<UplinkFinding> uplinks;
  SourceLocation where;
};

/// How much a source is worth where two disagree: what the hardware says goes before what somebody
/// configured.
enum class Authority { hardware, configuration };

struct Findings {
  std::string kind; ///< of SourceKind::name
  std::string file;
  Authority authority = Authority::configuration;
  std::vector<NodeFindings> nodes;
  std::vector<SwitchFindings> switches;
  std::vector<Fact<std::string>> remarks; ///< what the source leaves open, for people
};

/// "00000000:0F:00.0" (nvidia-smi) and "0000:0f:00.0" (sysfs, NCCL) as the latter; anything else unchanged.
std::string normalisedBusId(std::string_view text);

} // namespace streammap
