#pragma once
// What is known of a program's kernels without running them: the result of analyseKernels() (KernelCosts.h).
// Free of Clang and LLVM, so that those who use the figures need neither.
#include "analysis/Expression.h"
#include "model/TaskGraph.h"
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace streammap {

/// A kernel parameter, or a scalar inside a struct passed by value ("p.rows").
struct KernelParameter {
  std::string name; ///< the symbol in the cost expressions
  std::string type; ///< as people write it: "const double *", "unsigned int"
};

struct KernelLoop {
  std::string location;
  std::string whyUncounted; ///< empty: how often it iterates has a formula, or a trips pragma states it
};

/// What a kernel does with the memory behind a pointer parameter (ParameterExtents.h).
struct ParameterExtent {
  unsigned parameter = 0; ///< its number, from 0
  bool isRead = false, isWritten = false;
  bool writesAll = false; ///< every byte from the first to the last is written
  /// Bytes from the pointer, over the kernel's arguments, blockDim and gridDim: the first that is accessed is
  /// at least the lowest of `firsts`, the one behind the last at most the highest of `ends`. Both empty where
  /// no formula bounds what is accessed.
  std::vector<Expression> firsts, ends;
};

struct KernelAnalysis {
  std::string symbol;   ///< mangled
  std::string name;     ///< as people write it: "gemm<float>"
  std::string location; ///< "file:line:column" of its definition
  std::vector<KernelParameter> parameters;
  /// Totals of one launch over all threads, by metric (support/CostMetrics.h), over the kernel's integer
  /// arguments, blockDim.{x,y,z}, gridDim.{x,y,z}. A metric that the kernel never touches is absent. What
  /// nobody could count stands in it as a symbol: `trips@file:line` (iterations of that loop each time it is
  /// reached) and `taken@file:line` (fraction of the times that branch goes to its first side); `unknowns`
  /// names each of them.
  std::map<std::string, Expression> costs;
  std::vector<ParameterExtent> extents; ///< by number of the parameter; those that are accessed
  std::vector<UnknownCost> unknowns;
  std::vector<KernelLoop> loops; ///< as optimised: each inlined copy by itself, unrolled ones gone
  std::map<std::string, KernelResources> resources; ///< by architecture, "sm_90"
};

} // namespace streammap
