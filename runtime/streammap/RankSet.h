#pragma once
// Which ranks hold the current version of a piece of data.
#include <algorithm>
#include <vector>

namespace streammap::engine {

/// A few ranks, or all of them.
class RankSet {
public:
  static RankSet everyone() {
    RankSet set;
    set.everyone_ = true;
    return set;
  }
  static RankSet only(int rank) {
    RankSet set;
    set.ranks_.push_back(rank);
    return set;
  }
  bool isEveryone() const { return everyone_; }
  bool contains(int rank) const { return everyone_ || std::ranges::binary_search(ranks_, rank); }
  /// Becomes `everyone` when the last of `worldSize` ranks is added.
  void add(int rank, int worldSize) {
    if (contains(rank))
      return;
    ranks_.insert(std::ranges::upper_bound(ranks_, rank), rank);
    if (ranks_.size() == static_cast<std::size_t>(worldSize))
      *this = everyone();
  }
  /// A member for `receiver` to fetch from, spread so that not all receivers ask the same one.
  int sourceFor(int receiver) const { return ranks_[static_cast<std::size_t>(receiver) % ranks_.size()]; }
  bool operator==(const RankSet &) const = default;

private:
  bool everyone_ = false;
  std::vector<int> ranks_; // sorted; not empty unless everyone_
};

} // namespace streammap::engine
