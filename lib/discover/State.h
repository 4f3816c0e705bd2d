#pragma once
// Keeps a cluster's states current: what is up, drained, down, busy or reserved changes by the minute, what
// the machine is made of does not.
//
//   std::vector<StateChange> changes = refreshState(cluster, findings, diagnostics);
//   toText(changes[0])        // "n003: up -> drained (ECC: row remap pending)"
#include "discover/Findings.h"
#include <span>

namespace streammap {

struct StateChange {
  std::string place; ///< "n003" or "n003:gpu2"
  State before = State::up, after = State::up;
  std::string reason; ///< of the new state
};

std::string toText(const StateChange &change);

struct StateRefresh {
  std::vector<StateChange> changes; ///< in the cluster's order of nodes and GPUs
  std::vector<std::string> unknown; ///< what the sources leave open, as in Discovery
};

/// Puts the states and readings that `sources` tell into `cluster`; nodes they do not mention keep theirs. A
/// node that a source mentions and the cluster does not have is a warning, likewise a GPU it does not have. A
/// source that names no node speaks of the cluster's only one; where there are more it is an error.
StateRefresh refreshState(Cluster &cluster, std::span<const Findings> sources, Diagnostics &diagnostics);

} // namespace streammap
