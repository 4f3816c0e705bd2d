#pragma once
// How often something happens: the number of whole-number points inside a set of inequalities, as a formula.
//
//   x = blockIdx.x*blockDim.x + threadIdx.x; if (x < n) for (j = 0; j <= x; ++j) HERE;
//     variables    blockIdx.x, threadIdx.x, j
//     constraints  threadIdx.x >= 0, blockDim.x - 1 - threadIdx.x >= 0, ..., n - 1 - x >= 0, x - j >= 0
//     count        (m*m + m)/2   with m = max(0, min(n, blockDim.x*gridDim.x))
//
// This is the counting problem of polyhedral compilation (Clauss, ICS 1996; Verdoolaege et al., Algorithmica
// 48, 2007), solved here only as far as kernels need it, by eliminating one variable after the other:
//   - an equality with a coefficient of 1 replaces a variable;
//   - two variables that appear only as a + extent*b become one, which turns a global index, a flattened
//     two-dimensional index and, above all, a grid-stride loop into a plain range;
//   - v / c and v % c split a variable into quotient and remainder;
//   - a variable with several bounds splits the set, so that each part has one lower and one upper bound;
//   - the weight is summed over the variable in closed form (Expression.h, sum).
// A variable for which none of this works stays as a sum(...) in the result, to be added up at evaluation.
#include "analysis/Expression.h"
#include <string>
#include <vector>

namespace streammap {

struct IterationSpace {
  std::vector<std::string> variables;  ///< range over all integers that satisfy the constraints
  std::vector<Expression> constraints; ///< each >= 0
  Expression weight = 1;               ///< what each point counts for; may contain the variables
  std::vector<Expression> assumptions; ///< each >= 0, taken for granted; mentions no variable
};

/// How many parts sets may fall into before counting gives up: each costs time and a term that someone has to
/// read. Counted down, so that one budget can serve many sets.
struct CountingBudget {
  unsigned parts = 600;
  unsigned comparisons = 400'000; ///< of one constraint with one fact: a microsecond or two each
};

/// The sum of the weights. Fails if the set has no bound in some direction, or if the budget is spent.
Expected<Expression> countPoints(const IterationSpace &space, CountingBudget &budget);

} // namespace streammap
