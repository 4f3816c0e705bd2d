#include "mapper/QuadraticAssignment.h"
#include "mapper/RefinePartition.h"
#include <algorithm>
#include <numeric>

namespace streammap {
namespace {

class TabuSearch {
public:
  TabuSearch(const AssignmentProblem &problem, const AssignmentOptions &options)
      : flow_(problem.flow), distance_(problem.distance), size_(problem.flow.size()), random_(options.seed),
        at_(size_), delta_(size_, std::vector<std::int64_t>(size_, 0)),
        forbiddenUntil_(size_, std::vector<std::int64_t>(size_, 0)) {
    std::iota(at_.begin(), at_.end(), 0u);
    shuffle(random_, at_);
    cost_ = assignmentCost(problem, at_);
    // Different for each pair, or all would come to be preferred at one time.
    for (std::size_t i = 0; i < size_; ++i)
      for (std::size_t p = 0; p < size_; ++p)
        forbiddenUntil_[i][p] = -static_cast<std::int64_t>(size_ * i + p);
    for (std::size_t r = 0; r < size_; ++r)
      for (std::size_t s = r + 1; s < size_; ++s)
        delta_[r][s] = swapDelta(r, s);
  }

  Assigned run(std::uint64_t steps) {
    Assigned best{at_, cost_};
    for (std::int64_t step = 1; step <= static_cast<std::int64_t>(steps) && size_ > 1; ++step) {
      const auto [r, s] = chooseSwap(step, best.cost);
      apply(r, s, step);
      if (cost_ < best.cost)
        best = {at_, cost_};
    }
    return best;
  }

private:
  /// Up to 8 x size steps, mostly few: the third power of a uniform number, as in Taillard's later versions.
  std::int64_t tenure() {
    const double uniform = random_.unit();
    return 1 + static_cast<std::int64_t>(uniform * uniform * uniform * 8 * static_cast<double>(size_));
  }

  using Swap = std::pair<std::size_t, std::size_t>;

  /// What swapping the facilities r and s adds to the cost; no symmetry assumed. O(size).
  std::int64_t swapDelta(std::size_t r, std::size_t s) const {
    const std::size_t pr = at_[r], ps = at_[s];
    std::int64_t delta = (flow_[r][r] - flow_[s][s]) * (distance_[ps][ps] - distance_[pr][pr]) +
                         (flow_[r][s] - flow_[s][r]) * (distance_[ps][pr] - distance_[pr][ps]);
    for (std::size_t k = 0; k < size_; ++k)
      if (k != r && k != s) {
        const std::size_t pk = at_[k];
        delta += (flow_[k][r] - flow_[k][s]) * (distance_[pk][ps] - distance_[pk][pr]) +
                 (flow_[r][k] - flow_[s][k]) * (distance_[ps][pk] - distance_[pr][pk]);
      }
    return delta;
  }

  /// The change of swapDelta(r, s) by the swap of u and v that has just been made, when all four differ.
  /// O(1).
  std::int64_t deltaChange(std::size_t r, std::size_t s, std::size_t u, std::size_t v) const {
    const std::size_t pr = at_[r], ps = at_[s], pu = at_[u], pv = at_[v];
    return (flow_[r][u] - flow_[r][v] + flow_[s][v] - flow_[s][u]) *
               (distance_[ps][pu] - distance_[ps][pv] + distance_[pr][pv] - distance_[pr][pu]) +
           (flow_[u][r] - flow_[v][r] + flow_[v][s] - flow_[u][s]) *
               (distance_[pu][ps] - distance_[pv][ps] + distance_[pv][pr] - distance_[pu][pr]);
  }

  /// The best swap that does not put both facilities where they were lately. Swaps that lead to a new best
  /// are preferred to all others, and so are those that bring a facility where it has not been for long:
  /// without that the search can circle in one valley for ever. Where all swaps are forbidden, the first.
  Swap chooseSwap(std::int64_t step, std::int64_t best) const {
    const std::int64_t longAgo = step - static_cast<std::int64_t>(5 * size_ * size_);
    Swap chosen{0, 1};
    int bestRank = 0; // 1: allowed, 2: preferred
    for (std::size_t r = 0; r < size_; ++r)
      for (std::size_t s = r + 1; s < size_; ++s) {
        const std::int64_t until = std::min(forbiddenUntil_[r][at_[s]], forbiddenUntil_[s][at_[r]]);
        const int rank = until < longAgo || cost_ + delta_[r][s] < best ? 2 : until < step ? 1 : 0;
        if (rank > bestRank ||
            (rank == bestRank && rank > 0 && delta_[r][s] < delta_[chosen.first][chosen.second])) {
          bestRank = rank;
          chosen = {r, s};
        }
      }
    return chosen;
  }

  void apply(std::size_t u, std::size_t v, std::int64_t step) {
    forbiddenUntil_[u][at_[u]] = step + tenure();
    forbiddenUntil_[v][at_[v]] = step + tenure();
    cost_ += delta_[u][v];
    std::swap(at_[u], at_[v]);
    for (std::size_t r = 0; r < size_; ++r)
      for (std::size_t s = r + 1; s < size_; ++s)
        if (r == u || r == v || s == u || s == v)
          delta_[r][s] = swapDelta(r, s);
        else
          delta_[r][s] += deltaChange(r, s, u, v);
  }

  const SquareMatrix &flow_, &distance_;
  std::size_t size_;
  Random random_;
  std::vector<std::uint32_t> at_; ///< location by facility
  std::int64_t cost_ = 0;
  std::vector<std::vector<std::int64_t>> delta_;          ///< of each swap r < s
  std::vector<std::vector<std::int64_t>> forbiddenUntil_; ///< by facility and location: the last step
};

} // namespace

std::int64_t assignmentCost(const AssignmentProblem &problem, const std::vector<std::uint32_t> &locationOf) {
  std::int64_t cost = 0;
  for (std::size_t i = 0; i < locationOf.size(); ++i)
    for (std::size_t j = 0; j < locationOf.size(); ++j)
      cost += problem.flow[i][j] * problem.distance[locationOf[i]][locationOf[j]];
  return cost;
}

Assigned solveAssignment(const AssignmentProblem &problem, const AssignmentOptions &options) {
  return TabuSearch(problem, options).run(options.steps);
}

} // namespace streammap
