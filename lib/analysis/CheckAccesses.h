#pragma once
// Clauses against what the kernels of the statement do with their arguments.
#include "analysis/CheckReporter.h"
#include "analysis/Markers.h"

namespace streammap {

void checkAccesses(const TaskMarker &task, CheckReporter &reporter);

} // namespace streammap
