#pragma once
// One walk through the solutions of a problem: simulated annealing (Kirkpatrick, Gelatt and Vecchi, Science
// 220, 1983) over orders and devices. A worse neighbour is taken with probability exp(-worsening /
// temperature); the draw comes before the evaluation, so an evaluation stops as soon as its outcome is clear.
//
// A walk is driven by one thread at a time and depends on nothing but its seed and what it is told.
#include "mapper/Neighbourhood.h"
#include "mapper/StopCondition.h"

namespace streammap {

class Walk {
public:
  Walk(const SearchSpace &space, std::uint64_t seed);

  /// Goes on from `solution` instead; keeps the best.
  void startFrom(const Solution &solution);

  /// Walks until `mostSteps` of its evaluator are used up, cooling all the while. Ends early when the best
  /// reaches `bound` or `stop` says so.
  void run(std::uint64_t mostSteps, Seconds bound, const StopCondition &stop);

  const Solution &best() const { return best_; }
  Seconds bestMakespan() const { return bestMakespan_; }
  std::uint64_t steps() const { return evaluator_.steps(); }

private:
  void accept(Seconds makespan);
  void followCriticalPath();

  const SearchSpace &space_;
  Random random_;
  Evaluator evaluator_;
  Solution current_, best_;
  Neighbourhood neighbourhood_;
  Seconds currentMakespan_ = never, bestMakespan_ = never;
};

} // namespace streammap
