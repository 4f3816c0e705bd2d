#pragma once
// The task graph of the tiled Cholesky factorisation, the usual test of schedulers, and the machines on which
// its kernels were measured.
//
//   for k: potrf(k,k); for i>k: trsm(i,k); for i>k: syrk(i,i,k); for i>j>k: gemm(i,j,k)
//
// t tiles a side give t(t+1)(t+2)/6 tasks.
#include "support/Processors.h"
#include <map>
#include <string>

namespace streammap::test {

/// Seconds of one kernel by device model; "*" is any other.
using KernelTimes = std::map<std::string, Seconds>;

/// By kernel: "potrf", "trsm", "syrk", "gemm".
using CholeskyTimes = std::map<std::string, KernelTimes>;

/// With accesses to the tiles of one matrix, as an annotated program has them.
TaskGraph choleskyGraph(std::size_t tiles, Bytes tile, const CholeskyTimes &times);

/// The same with work in place of times: double-precision tiles of `side` x `side`.
TaskGraph choleskyWork(std::size_t tiles, std::size_t side);

/// Cholesky with single-precision tiles of 960 x 960 on a machine of the tiled-kernels data ("sirocco"): its
/// GPUs, and its host as one core.
ProcessorGraph readTiledMachine(const std::string &folder, const std::string &machine, std::size_t tiles);

/// `nodes` nodes of 8 H100 each, 20 to a leaf, four spines, 400 Gb/s; like examples/clusters/pod.json.
Cluster podOf(std::size_t nodes);

} // namespace streammap::test
