#pragma once
// Which group of tasks goes to which node when the nodes are few and their distances follow no tree: the
// quadratic assignment problem.
//
//   AssignmentProblem problem{{{0, 3}, {3, 0}}, {{0, 5}, {5, 0}}};
//   Assigned best = solveAssignment(problem, {});      // cost 30: every ordered pair counts
//
// Robust tabu search (Taillard, "Robust taboo search for the quadratic assignment problem", Parallel
// Computing 17, 1991): always the best swap of two facilities that would not undo a recent one, with the gain
// of every swap kept up to date.
#include <cstdint>
#include <vector>

namespace streammap {

using SquareMatrix = std::vector<std::vector<std::int64_t>>;

struct AssignmentProblem {
  SquareMatrix flow;     ///< between facilities
  SquareMatrix distance; ///< between locations, as many as facilities
};

struct AssignmentOptions {
  std::uint64_t steps = 100000; ///< swaps tried, each O(facilities^2)
  std::uint64_t seed = 1;
};

struct Assigned {
  std::vector<std::uint32_t> locationOf; ///< by facility
  std::int64_t cost = 0;
};

/// The sum of flow[i][j] x distance[location of i][location of j] over all i and j.
std::int64_t assignmentCost(const AssignmentProblem &problem, const std::vector<std::uint32_t> &locationOf);

/// The best assignment met. Same arguments, same result.
Assigned solveAssignment(const AssignmentProblem &problem, const AssignmentOptions &options);

} // namespace streammap
