#pragma once
// One cluster from what several sources say. Slurm knows the nodes, ibnetdiscover the fabric, nvidia-smi what
// is inside; where two speak of the same thing, the hardware's word goes before the configuration's, then the
// earlier source's, and a difference is reported with both places. What nobody says is listed as unknown.
//
//   std::optional<Discovery> found = merge(findings, {}, diagnostics);
//   found->cluster                 // ready for writeCluster
//   found->conflicts               // "n003: slurm.txt:31 says 8 GPUs, gpus.xml:3 says 7; taken: 7"
//   found->unknown                 // "n[001-016]: bandwidth of the NICs"
//
// A source that names no node (nvidia-smi topo -m) describes every node with as many GPUs of the same kind,
// and the result says so; `nameNodes` settles it.
#include "discover/Findings.h"
#include <span>

namespace streammap {

/// What to believe of nodes that no source describes.
struct AssumedGpus {
  unsigned count = 0;
  std::string model; ///< a catalogue name
};

struct MergeOptions {
  std::string clusterName;
  std::string nodeName = "node"; ///< of the only node when no source names any
  std::optional<AssumedGpus> assumedGpus;
};

struct Discovery {
  Cluster cluster;
  std::vector<std::string> conflicts;
  std::vector<std::string> unknown;
  std::vector<std::string> assumed; ///< what was taken without a source saying so
};

/// O(nodes x GPUs per node + links). Fails when no source says what any node holds, when a source fits no
/// node, or when the result would be no valid cluster file.
std::optional<Discovery> merge(std::span<const Findings> sources, const MergeOptions &options,
                               Diagnostics &diagnostics);

/// Says which nodes the unnamed descriptions of a source are of: one copy for each name.
void nameNodes(Findings &findings, std::span<const std::string> names);

// --- the steps, for Merge*.cpp and State.cpp ---

/// Remarks that hold for many nodes, printed once: "n[001-016]: bandwidth of the NICs".
class NodeRemarks {
public:
  void add(const std::string &remark, const std::string &node);
  /// In the order of first appearance, each with its nodes as a hostlist.
  std::vector<std::string> texts() const;

private:
  std::vector<std::pair<std::string, std::vector<std::string>>> remarks_;
};

/// A description of a node and how far it holds.
struct NodeSource {
  const NodeFindings *node = nullptr;
  Authority authority = Authority::configuration;
  bool isOfThisNode = true; ///< false: a description of all nodes alike, whose states are not this one's
  bool isFabric = false;    ///< it knows cables and nothing of the inside
};

/// The inside of one node, as the cluster file has it.
struct NodeInside {
  NodeType type; ///< without name; `gpus` and `cpu` are not set
  std::vector<GpuModel> gpus;
  std::vector<std::string> nicLeaves;  ///< of each NIC; empty: not known
  std::vector<StateFinding> gpuStates; ///< as many as `gpus`
  std::vector<GpuReadings> gpuReadings;
  bool isKnown = false; ///< some source says what it holds
};

struct MergeRemarks {
  NodeRemarks conflicts, unknown, assumed;
};

/// Of the sources of one node, best first.
NodeInside mergeInside(const std::string &node, std::span<const NodeSource> sources, MergeRemarks &remarks);

/// The adapters that programs use, first to last; those left out are remarked on.
std::vector<NicFindings> mergeNics(const std::string &node, std::span<const NodeSource> sources,
                                   MergeRemarks &remarks);

/// What a GPU's state is when several sources speak of it: the worst of what they say and of what its
/// readings mean (uncorrectable errors drain it; memory in use that nobody owns up to makes it busy).
StateFinding mergeGpuState(std::span<const GpuFindings *const> gpus, const GpuReadings &readings,
                           Bytes memory);

/// up < busy < reserved < drained < down.
bool isWorse(State a, State b);

/// What `into` does not know yet and `from` does.
void fillReadings(GpuReadings &into, const GpuReadings &from);

} // namespace streammap
