#include "analysis/MemoryBehaviour.h"
#include "analysis/TouchedBytes.h"
#include "analysis/WarpAccess.h"
#include <algorithm>
#include <functional>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Instruction.h>
#include <set>

namespace streammap {
namespace {

/// Longer formulas are of no use to anyone, and costly to evaluate for each launch.
constexpr std::size_t mostTerms = 60;
constexpr unsigned partsPerKernel = 1500;

const char *const loadedAddress =
    "an address depends on loaded data: each lane is taken to touch a sector of its own";

class Behaviour {
public:
  explicit Behaviour(const ExecutionCounts &counts) : counts_(counts) {}

  MemoryBehaviour collect() {
    for (const BlockAccesses &block : counts_.accesses)
      for (const MemoryAccess &access : block.accesses) {
        if (access.isShared)
          addConflicts(block, access);
        else
          addSectors(block, access);
      }
    addFootprints();
    std::erase_if(result_.costs, [](const auto &entry) { return entry.second.isZero(); });
    return std::move(result_);
  }

private:
  void addSectors(const BlockAccesses &block, const MemoryAccess &access) {
    const std::optional<Expression> sectors = sectorsOf(block, access);
    if (!sectors)
      uncertain(access.isWritten ? CostMetric::globalStoreSectors : CostMetric::globalLoadSectors,
                *access.instruction, loadedAddress);
    const Expression amount = sectors.value_or(block.count);
    if (access.isRead)
      add(CostMetric::globalLoadSectors, amount, *access.instruction);
    if (access.isWritten)
      add(CostMetric::globalStoreSectors, amount, *access.instruction);
  }

  void addConflicts(const BlockAccesses &block, const MemoryAccess &access) {
    const std::optional<Expression> conflicts = knownConflicts(block, access);
    if (conflicts)
      add(CostMetric::sharedBankConflicts, *conflicts, *access.instruction);
    else
      uncertain(CostMetric::sharedBankConflicts, *access.instruction,
                "which banks of shared memory the lanes meet in is no formula; taken as free of conflicts");
  }

  /// Unrolled copies of an access differ by a constant offset, which moves all lanes to other banks alike.
  std::optional<Expression> knownConflicts(const BlockAccesses &block, const MemoryAccess &access) {
    if (!access.offset)
      return std::nullopt;
    Expression moving;
    for (const Expression::Term &term : access.offset->terms())
      if (!term.factors.empty() || term.denominator != 1 || term.numerator % 4 != 0)
        moving += Expression::ofTerm(term);
    const auto [known, isNew] =
        conflicts_.try_emplace({&block, std::to_string(access.size) + ":" + moving.text()}, std::nullopt);
    if (isNew)
      known->second = bankConflictsOf(block, access);
    return known->second;
  }

  void addFootprints() {
    CountingBudget budget{partsPerKernel};
    addFootprint(CostMetric::footprintBytes, [](const MemoryAccess &) { return true; }, budget);
    addFootprint(CostMetric::readFootprintBytes, [](const MemoryAccess &a) { return a.isRead; }, budget);
    addFootprint(
        CostMetric::writtenFootprintBytes, [](const MemoryAccess &a) { return a.isWritten; }, budget);
  }

  void addFootprint(CostMetric metric, const std::function<bool(const MemoryAccess &)> &isWanted,
                    CountingBudget &budget) {
    const TouchedBytes touched = touchedBytes(counts_, isWanted, budget);
    if (!touched.first)
      return;
    for (const MemoryAccess *access : touched.unclear)
      uncertain(metric, *access->instruction,
                "an address depends on loaded data: each access is taken to touch bytes of its own");
    add(metric, touched.bytes, *touched.first);
  }

  void add(CostMetric metric, const Expression &amount, const llvm::Instruction &where) {
    if (givenUp_.contains(metric))
      return;
    Expression &sum = result_.costs[metric];
    sum += amount;
    if (sum.terms().size() <= mostTerms)
      return;
    uncertain(metric, where, "its formula falls into too many cases");
    givenUp_.insert(metric);
    result_.costs.erase(metric);
  }

  void uncertain(CostMetric metric, const llvm::Instruction &where, const char *reason) {
    const bool isKnown = std::ranges::any_of(result_.unknowns, [&](const UncertainAccess &other) {
      return other.metric == metric && other.instruction->getDebugLoc() == where.getDebugLoc();
    });
    if (!isKnown)
      result_.unknowns.push_back({metric, &where, reason, "give the task a bytes(...) clause"});
  }

  const ExecutionCounts &counts_;
  MemoryBehaviour result_;
  std::map<std::pair<const BlockAccesses *, std::string>, std::optional<Expression>> conflicts_;
  std::set<CostMetric> givenUp_;
};

} // namespace

MemoryBehaviour memoryBehaviour(const ExecutionCounts &counts) {
  return Behaviour(counts).collect();
}

} // namespace streammap
