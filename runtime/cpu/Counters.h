#pragma once
// What a counting build (streammap-lower --count) has counted, as a file.
//
//   {"schema": "streammap.counts/1",
//    "kernels": [{"symbol": "_Z5saxpyifPfS_", "name": "saxpy(int, float, float*, float*)", "launches": 2,
//                 "counts": {"flops_fp32": 4096, "global_load_bytes": 16384}}]}
//
// Kernels stand in the order of their symbols. Kernels never launched and metrics that stayed zero are listed
// too: a reader can tell "none" from "not counted".
#include "cpu/Modules.h"
#include "support/Expected.h"
#include <string>
#include <vector>

namespace streammap::cpu {

std::string countsText(const std::vector<Kernel *> &kernels);

/// Rank 0, or a process outside any MPI job, writes `path` itself; rank N writes `path`.N.
Expected<void> writeCounts(const std::string &path, const std::vector<Kernel *> &kernels);

} // namespace streammap::cpu
