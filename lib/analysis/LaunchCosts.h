#pragma once
// The work of a launch: a kernel's cost formulas with the launch's arguments and geometry put in.
#include "analysis/Interpreter.h"
#include "analysis/KernelAnalysis.h"
#include "support/CostMetrics.h"
#include <array>
#include <map>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace streammap {

/// Sums over the launches of a task. A metric that some launch could not evaluate is unknown for all of it.
struct LaunchTotals {
  std::array<double, costMetricCount> values{};
  std::array<bool, costMetricCount> isUnknown{};
  unsigned launches = 0;
  bool hasUncounted = false; ///< a kernel that nobody analysed
};

/// What a launch reaches through a pointer argument, in bytes from the pointer (ParameterExtents.h).
struct ReachedBytes {
  unsigned parameter = 0;
  bool isRead = false, isWritten = false;
  std::int64_t first = 0, end = 0;
};

class LaunchCosts {
public:
  /// `factors` are values that the user gave to what nobody could count: "trips@csr.cu:14".
  explicit LaunchCosts(std::span<const KernelAnalysis> kernels,
                       const std::map<std::string, double> &factors = {});
  /// Those of them that some formula has.
  std::set<std::string> usedFactors() const;

  /// The analysis of the kernel with this mangled name, or null.
  const KernelAnalysis *find(const std::string &symbol) const;
  /// Adds one launch. Returns the names that had no value: "n", "trips@csr.cu:14". O(1) for a launch like an
  /// earlier one.
  std::vector<std::string> add(LaunchTotals &totals, const KernelAnalysis *kernel, const HostLaunch &launch,
                               Interpreter &interpreter);

  /// Of the launch that was added last: the parameters whose extents are known.
  std::span<const ReachedBytes> reached() const { return reached_; }

private:
  struct Evaluation {
    std::array<double, costMetricCount> values{};
    std::array<bool, costMetricCount> isUnknown{};
    std::vector<std::string> missing;
    std::vector<ReachedBytes> reached;
  };
  void bind(Bindings &bindings, const std::string &name, clang::QualType type, HostValue value,
            Interpreter &interpreter) const;

  Bindings factors_;
  std::span<const ReachedBytes> reached_;
  std::span<const KernelAnalysis> kernels_;
  std::unordered_map<std::string, std::size_t> bySymbol_;
  std::unordered_map<std::string, Evaluation> known_; ///< by kernel and the values that matter
};

} // namespace streammap
