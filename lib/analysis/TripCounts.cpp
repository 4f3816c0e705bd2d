#include "analysis/TripCounts.h"
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>

namespace streammap {
namespace {

/// Works out the exits of one loop.
class ExitRules {
public:
  ExitRules(const llvm::Loop &loop, const std::string &variable, SymbolicValues &values,
            llvm::ScalarEvolution &evolution)
      : loop_(loop), k_(Expression::symbol(variable)), values_(values), evolution_(evolution) {
    trips_.variable = variable;
  }

  /// Adds what keeps the loop going at `block`; false if nobody knows.
  bool add(const llvm::BasicBlock &block) {
    const auto *branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
    if (!branch || !branch->isConditional()) {
      trips_.whyUnknown = "the loop is left by a switch";
      return false;
    }
    if (byComparison(block, *branch) || byExitCount(block) || byHalving(block, *branch))
      return true;
    trips_.whyUnknown = "the number of iterations " + values_.whyUnknown(*branch->getCondition());
    return false;
  }

  LoopTrips take() { return std::move(trips_); }

private:
  bool staysIfTrue(const llvm::BranchInst &branch) const { return loop_.contains(branch.getSuccessor(0)); }

  /// An affine comparison that gets harder with every iteration.
  bool byComparison(const llvm::BasicBlock &block, const llvm::BranchInst &branch) {
    const auto *compare = llvm::dyn_cast<llvm::ICmpInst>(branch.getCondition());
    if (!compare || compare->isEquality())
      return false;
    auto condition = values_.conditionOf(*compare, &loop_);
    if (!condition)
      return false;
    if (!staysIfTrue(branch))
      condition = negationOf(*condition);
    if (condition->size() != 1 || condition->front().coefficient != 1)
      return false;
    std::vector<Expression> stay, assumptions;
    for (const Expression &constraint : condition->front().constraints) {
      const auto parts = constraint.coefficients(trips_.variable);
      if (!parts || parts->size() > 2)
        return false;
      if (parts->size() == 1 || (*parts)[1].lowerBound(values_.nonNegative()).value_or(-1) >= 0)
        continue; // gets no harder: holds on every iteration or on none
      const Expression step = -(*parts)[1];
      if (step.lowerBound(values_.nonNegative()).value_or(0) <= 0)
        assumptions.push_back(step - 1);
      stay.push_back(constraint);
    }
    if (stay.empty())
      return false;
    for (const Expression &constraint : stay)
      trips_.guards.push_back(constraint.substitute(trips_.variable, -1));
    trips_.stay[&block] = std::move(stay);
    trips_.assumptions.insert(trips_.assumptions.end(), assumptions.begin(), assumptions.end());
    return true;
  }

  /// What ScalarEvolution knows; it takes guards in front of the loop into account by itself.
  bool byExitCount(const llvm::BasicBlock &block) {
    const llvm::SCEV *count = evolution_.getExitCount(&loop_, const_cast<llvm::BasicBlock *>(&block));
    if (llvm::isa<llvm::SCEVCouldNotCompute>(count))
      return false;
    const auto exits = values_.valueOf(*count, loop_.getParentLoop());
    if (!exits)
      return false;
    trips_.stay[&block] = {*exits - 1 - k_};
    return true;
  }

  struct Test {
    GeometricSequence sequence;
    std::int64_t ahead; ///< 0: the value of this iteration is tested, 1: the next one's
  };

  std::optional<Test> testOf(const llvm::Value &value) const {
    if (const auto *phi = llvm::dyn_cast<llvm::PHINode>(&value))
      if (loop_.getHeader() == phi->getParent())
        if (auto sequence = values_.geometric(*phi))
          return Test{*sequence, 0};
    for (const llvm::PHINode &phi : loop_.getHeader()->phis())
      if (loop_.getLoopLatch() && phi.getIncomingValueForBlock(loop_.getLoopLatch()) == &value)
        if (auto sequence = values_.geometric(phi))
          return Test{*sequence, 1};
    return std::nullopt;
  }

  /// s > c with s = first / 2^(shift*k), or s < n with s = first * 2^(shift*k).
  bool byHalving(const llvm::BasicBlock &block, const llvm::BranchInst &branch) {
    const auto *compare = llvm::dyn_cast<llvm::ICmpInst>(branch.getCondition());
    if (!compare)
      return false;
    auto predicate = staysIfTrue(branch) ? compare->getPredicate() : compare->getInversePredicate();
    const llvm::Value *left = compare->getOperand(0), *right = compare->getOperand(1);
    auto test = testOf(*left);
    if (!test) {
      test = testOf(*right);
      std::swap(left, right);
      predicate = llvm::CmpInst::getSwappedPredicate(predicate);
    }
    if (!test)
      return false;
    const auto limit = values_.valueOf(*right, loop_.getParentLoop());
    if (!limit)
      return false;
    const auto &[first, shift, direction] = test->sequence;
    std::int64_t ahead = test->ahead;
    if (direction == GeometricSequence::Direction::grows) {
      if (!first.isPositive())
        return false;
      Expression last = *limit; // the largest value that stays
      if (predicate == llvm::CmpInst::ICMP_ULT || predicate == llvm::CmpInst::ICMP_SLT)
        last = last - 1;
      else if (predicate != llvm::CmpInst::ICMP_ULE && predicate != llvm::CmpInst::ICMP_SLE)
        return false;
      trips_.stay[&block] = {log2(floorDiv(last, first)) - shift * (k_ + ahead)};
      trips_.guards.push_back(ahead == 1 ? last - first : Expression(-1));
      return true;
    }
    Expression least = *limit; // the smallest value that stays
    if (predicate == llvm::CmpInst::ICMP_UGT || predicate == llvm::CmpInst::ICMP_SGT)
      least = least + 1;
    else if (predicate == llvm::CmpInst::ICMP_NE && limit->isZero())
      least = 1;
    else if (predicate != llvm::CmpInst::ICMP_UGE && predicate != llvm::CmpInst::ICMP_SGE)
      return false;
    // s >= 2 tested before halving is s >= 1 tested after it.
    const std::int64_t factor = std::int64_t{1} << shift;
    for (auto constant = least.constant(); constant && *constant >= factor && *constant % factor == 0;
         constant = least.constant()) {
      least = *constant / factor;
      ++ahead;
    }
    if (!least.isPositive())
      return false;
    trips_.stay[&block] = {log2(floorDiv(first, least)) - shift * (k_ + ahead)};
    trips_.guards.push_back(ahead == 1 ? first - least : Expression(-1));
    return true;
  }

  const llvm::Loop &loop_;
  Expression k_;
  SymbolicValues &values_;
  llvm::ScalarEvolution &evolution_;
  LoopTrips trips_;
};

} // namespace

LoopTrips tripsOf(const llvm::Loop &loop, const std::string &variable, SymbolicValues &values,
                  llvm::ScalarEvolution &evolution, const llvm::DominatorTree &dominators,
                  const std::set<const llvm::BasicBlock *> &traps) {
  values.nameIterations(loop, variable);
  ExitRules rules(loop, variable, values, evolution);
  llvm::SmallVector<llvm::BasicBlock *, 4> exiting;
  loop.getExitingBlocks(exiting);
  const llvm::BasicBlock *latch = loop.getLoopLatch();
  bool isKnown = latch != nullptr, exits = false;
  std::string why = latch ? "" : "the loop has several back edges";
  for (const llvm::BasicBlock *block : exiting) {
    bool onlyTraps = true;
    for (const llvm::BasicBlock *successor : llvm::successors(block))
      onlyTraps &= loop.contains(successor) || traps.contains(successor);
    if (onlyTraps)
      continue;
    exits = true;
    if (isKnown && !dominators.dominates(block, latch)) {
      isKnown = false;
      why = "the loop is left by a break that not every iteration passes";
    }
    isKnown = isKnown && rules.add(*block);
  }
  LoopTrips trips = rules.take();
  trips.isKnown = isKnown && exits;
  if (!trips.isKnown) {
    trips.whyUnknown = !trips.whyUnknown.empty() ? trips.whyUnknown : exits ? why : "the loop has no exit";
    values.forgetIterations(loop);
  }
  return trips;
}

} // namespace streammap
