#pragma once
// The writers behind exportTargets().
#include "interchange/Export.h"

namespace streammap {

/// RFC 4180, with a heading.
std::string asCsv(const std::vector<PlacedTask> &tasks);
/// C99 header for StarPU 1.3 and later, with and without MPI.
std::string asStarPuHeader(const std::vector<PlacedTask> &tasks);
/// C99 header for OpenMP's `device()` clause.
std::string asOpenMpHeader(const std::vector<PlacedTask> &tasks);
/// C++17 header for CUDASTF's execution places.
std::string asCudaStfHeader(const std::vector<PlacedTask> &tasks);

} // namespace streammap
