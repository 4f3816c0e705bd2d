#pragma once
// What the reader of a report must know: what was taken as free, what could not be counted, which times are
// assumed, which devices may not be used. One remark per cause.
#include "report/Summary.h"

namespace streammap {

/// `tasks` are the report's, in the order of the placement's assignments.
/// O(kernels + tasks log tasks + devices).
std::vector<ReportWarning> remarksOn(const TaskGraph &graph, const Cluster &cluster,
                                     const Placement &placement, const std::vector<TaskRow> &tasks);

} // namespace streammap
