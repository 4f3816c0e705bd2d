// The NICs of one node: those of the fabric where a source has its cables, else those that programs would
// use.
#include "discover/Merge.h"
#include <algorithm>

namespace streammap {
namespace {

void fillNics(std::vector<NicFindings> &nics, const std::vector<NicFindings> &from) {
  for (NicFindings &nic : nics)
    for (const NicFindings &other : from)
      if (nic.name == other.name || (!nic.busId.empty() && nic.busId == other.busId)) {
        if (!nic.bandwidth)
          nic.bandwidth = other.bandwidth;
        if (!nic.numaNode)
          nic.numaNode = other.numaNode;
        if (nic.nearGpus.empty())
          nic.nearGpus = other.nearGpus;
      }
}

/// The network that programs use: not the management port, nor adapters no GPU is near to when others are.
std::vector<NicFindings> chooseNics(const std::string &node, std::vector<NicFindings> nics,
                                    MergeRemarks &remarks) {
  BytesPerSecond fastest;
  bool anyNear = false;
  for (const NicFindings &nic : nics) {
    fastest = std::max(fastest, nic.bandwidth ? nic.bandwidth->value : BytesPerSecond());
    anyNear = anyNear || !nic.nearGpus.empty();
  }
  std::vector<NicFindings> chosen;
  for (NicFindings &nic : nics) {
    const bool isSlow = nic.bandwidth && nic.bandwidth->value * 4 < fastest;
    const bool isAside =
        anyNear && nic.nearGpus.empty() && (!nic.bandwidth || nic.bandwidth->value < fastest);
    if (isSlow || isAside)
      remarks.assumed.add("NIC " + nic.name + " is left out: " +
                              (isSlow ? "a quarter as fast as others or less" : "near no GPU, as others are"),
                          node);
    else
      chosen.push_back(std::move(nic));
  }
  return chosen;
}

/// Cables by name; by position where the fabric has only HCA-1, HCA-2 and the inside knows as many.
std::vector<NicFindings> joinFabric(const std::string &node, std::vector<NicFindings> fabric,
                                    const std::vector<NicFindings> &inside, MergeRemarks &remarks) {
  fillNics(fabric, inside);
  const bool noneFound = std::ranges::all_of(
      fabric, [](const NicFindings &nic) { return nic.nearGpus.empty() && nic.busId.empty(); });
  if (!noneFound || inside.empty())
    return fabric;
  const std::vector<NicFindings> candidates = chooseNics(node, inside, remarks);
  if (candidates.size() == fabric.size())
    for (std::size_t i = 0; i < fabric.size(); ++i) {
      fabric[i].nearGpus = candidates[i].nearGpus;
      fabric[i].numaNode = candidates[i].numaNode;
      fabric[i].name = candidates[i].name;
    }
  else
    remarks.unknown.add("which adapter of the fabric is which NIC of the node", node);
  return fabric;
}

} // namespace

std::vector<NicFindings> mergeNics(const std::string &node, std::span<const NodeSource> sources,
                                   MergeRemarks &remarks) {
  std::vector<NicFindings> inside, fabric;
  for (const NodeSource &source : sources) {
    std::vector<NicFindings> &kind = source.isFabric ? fabric : inside;
    if (kind.empty())
      kind = source.node->nics;
    else
      fillNics(kind, source.node->nics);
  }
  return fabric.empty() ? chooseNics(node, std::move(inside), remarks)
                        : joinFabric(node, std::move(fabric), inside, remarks);
}

} // namespace streammap
