#pragma once
// One value for every byte of a buffer, stored once per run of equal values.
//
//   IntervalMap<int> map(100, 0);
//   map.assign({10, 20}, 7);
//   map.visit({0, 100}, [](Interval piece, int value) { ... });   // [0,10) 0, [10,20) 7, [20,100) 0
#include "streammap/Intervals.h"
#include <iterator>
#include <map>
#include <utility>

namespace streammap::engine {

/// Covers [0, size). Every operation is O((pieces touched + 1) log pieces); intervals outside are cut off.
template <class Value>
class IntervalMap {
public:
  IntervalMap(std::uint64_t size, Value initial) : size_(size) { pieces_.emplace(0, std::move(initial)); }
  std::uint64_t size() const { return size_; }
  std::size_t pieceCount() const { return pieces_.size(); }

  /// Calls `function(Interval, const Value &)` for each piece inside `range`, in order.
  template <class Function>
  void visit(Interval range, Function function) const {
    range.end = range.end < size_ ? range.end : size_;
    if (range.begin >= range.end)
      return;
    for (auto piece = std::prev(pieces_.upper_bound(range.begin));
         piece != pieces_.end() && piece->first < range.end; ++piece) {
      const std::uint64_t end = endOf(piece);
      function(Interval{piece->first < range.begin ? range.begin : piece->first,
                        end < range.end ? end : range.end},
               std::as_const(piece->second));
    }
  }

  /// Calls `function(Interval, Value &)` for each piece inside `range`; what it changes holds for that piece.
  template <class Function>
  void update(Interval range, Function function) {
    range.end = range.end < size_ ? range.end : size_;
    if (range.begin >= range.end)
      return;
    auto first = split(range.begin);
    if (range.end < size_)
      split(range.end);
    for (auto piece = first; piece != pieces_.end() && piece->first < range.end; ++piece)
      function(Interval{piece->first, endOf(piece)}, piece->second);
    mergeAround(range);
  }

  void assign(Interval range, const Value &value) {
    update(range, [&](Interval, Value &piece) { piece = value; });
  }

private:
  using Pieces = std::map<std::uint64_t, Value>;

  std::uint64_t endOf(typename Pieces::const_iterator piece) const {
    auto next = std::next(piece);
    return next == pieces_.end() ? size_ : next->first;
  }
  typename Pieces::iterator split(std::uint64_t offset) {
    auto piece = std::prev(pieces_.upper_bound(offset));
    if (piece->first == offset)
      return piece;
    return pieces_.emplace_hint(std::next(piece), offset, piece->second);
  }
  void mergeAround(Interval range) {
    auto piece = pieces_.find(range.begin);
    if (piece != pieces_.begin())
      --piece;
    for (auto next = std::next(piece); next != pieces_.end() && next->first <= range.end;
         next = std::next(piece))
      if (next->second == piece->second)
        pieces_.erase(next);
      else
        piece = next;
  }

  std::uint64_t size_;
  Pieces pieces_;
};

} // namespace streammap::engine
