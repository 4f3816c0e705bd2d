#pragma once
// The strategy `auto`: the list schedulers and baselines, a search from the best of them, and for
// small problems a proof.
#include "mapper/MapTasks.h"

namespace streammap {

/// The placement of every strategy that constructs one, in the table's order. Fails with the first's reason
/// where none finds any.
Expected<std::vector<Placement>> constructAll(const Problem &problem, const MapOptions &options);

/// For each list scheduler there are graphs on which another is at least twice as good (Coleman and
/// Krishnamachari, "PISA", 2024), and with much communication one device is often best: so all are tried, and
/// the best is improved with what `options.effort` allows.
Expected<Placement> mapAuto(const Problem &problem, const MapOptions &options);

} // namespace streammap
