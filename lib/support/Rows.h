#pragma once
// A list of items for every id, all lists in one array: two allocations however many ids there are.
//
//   Rows<TaskId, PieceId> inputs;
//   inputs.append(std::vector{p0, p1});     // of the first task
//   inputs.append({});                      // of the second
//   for (PieceId piece : inputs[TaskId(0)])
#include "support/Ids.h"
#include <span>
#include <vector>

namespace streammap {

template <class IdType, class T>
class Rows {
public:
  std::span<const T> operator[](IdType id) const {
    assert(id.index() + 1 < begins_.size());
    return std::span(items_).subspan(begins_[id.index()], begins_[id.index() + 1] - begins_[id.index()]);
  }
  std::size_t size() const { return begins_.size() - 1; } ///< lists
  std::size_t itemCount() const { return items_.size(); } ///< of all lists

  /// The list of the next id.
  void append(std::span<const T> items) {
    items_.insert(items_.end(), items.begin(), items.end());
    begins_.push_back(items_.size());
  }

  /// One list per id below `count`: `each(give)` calls `give(id, item)` for every item, and is run twice. The
  /// items of a list stay in the order given. O(count + items).
  template <class Each>
  static Rows collect(std::size_t count, Each each) {
    Rows rows;
    rows.begins_.assign(count + 1, 0);
    each([&](IdType id, const T &) { ++rows.begins_[id.index() + 1]; });
    for (std::size_t i = 0; i < count; ++i)
      rows.begins_[i + 1] += rows.begins_[i];
    rows.items_.resize(rows.begins_.back());
    std::vector<std::size_t> next(rows.begins_.begin(), rows.begins_.end() - 1);
    each([&](IdType id, const T &item) { rows.items_[next[id.index()]++] = item; });
    return rows;
  }

private:
  std::vector<std::size_t> begins_{0}; ///< where each list starts in items_, and the end of the last
  std::vector<T> items_;
};

} // namespace streammap
