#pragma once
// Types and bounds of the expressions in clauses.
#include "analysis/CheckReporter.h"
#include "analysis/Markers.h"

namespace streammap {

void checkDataItem(const DataItem &item, CheckReporter &reporter);
void checkClause(const OtherClause &clause, CheckReporter &reporter);
void checkTrips(const clang::Expr *trips, CheckReporter &reporter);

} // namespace streammap
