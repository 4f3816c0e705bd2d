#pragma once
// The strategy `auto`: the list schedulers and baselines, a search from the best of them, and for
// small problems a proof.
#include "mapper/MapTasks.h"

namespace streammap {

/// Runs every strategy of the table that constructs a placement, or, of more than 100,000 tasks, those that
/// are meant for so many, and hands each placement to `use`, named. Fails with the first's reason where none
/// finds any.
Expected<void> constructEach(const Problem &problem, const MapOptions &options,
                             const std::function<void(Placement)> &use);

/// All of them, in the table's order.
Expected<std::vector<Placement>> constructAll(const Problem &problem, const MapOptions &options);

/// For each list scheduler there are graphs on which another is at least twice as good (Coleman and
/// Krishnamachari, "PISA", 2024), and with much communication one device is often best: so all are tried, and
/// the best is improved with what `options.effort` allows.
Expected<Placement> mapAuto(const Problem &problem, const MapOptions &options);

} // namespace streammap
