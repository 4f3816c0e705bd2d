#pragma once
// Indices that cannot be mixed, and the vectors they index:
//
//   using TaskId = Id<struct TaskTag>;
//   IndexedVector<TaskId, Task> tasks;
//   for (TaskId task : tasks.ids())
//     use(tasks[task]);            // tasks[device] does not compile
#include <cassert>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <ranges>
#include <utility>
#include <vector>

namespace streammap {

/// A position in one kind of IndexedVector. Default-constructed ids are invalid and compare above all others.
template <class Tag>
class Id {
public:
  constexpr Id() = default;
  constexpr explicit Id(std::size_t index) : index_(static_cast<std::uint32_t>(index)) {}
  constexpr std::size_t index() const { return index_; }
  constexpr bool valid() const { return index_ != invalid; }
  constexpr auto operator<=>(const Id &) const = default;

private:
  static constexpr std::uint32_t invalid = UINT32_MAX;
  std::uint32_t index_ = invalid;
};

/// A vector indexed by its own id type only.
template <class IdType, class T>
class IndexedVector {
public:
  IndexedVector() = default;
  IndexedVector(std::initializer_list<T> items) : items_(items) {}
  explicit IndexedVector(std::vector<T> items) : items_(std::move(items)) {}
  explicit IndexedVector(std::size_t count, const T &value = T()) : items_(count, value) {}

  decltype(auto) operator[](IdType id) {
    assert(id.index() < items_.size());
    return items_[id.index()];
  }
  decltype(auto) operator[](IdType id) const {
    assert(id.index() < items_.size());
    return items_[id.index()];
  }
  IdType push(T item) {
    items_.push_back(std::move(item));
    return IdType(items_.size() - 1);
  }
  void assign(std::size_t count, const T &value) { items_.assign(count, value); }
  void reserve(std::size_t count) { items_.reserve(count); }
  std::size_t size() const { return items_.size(); }
  bool empty() const { return items_.empty(); }
  auto begin() { return items_.begin(); }
  auto end() { return items_.end(); }
  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }
  T &back() { return items_.back(); }
  const T &back() const { return items_.back(); }
  bool contains(IdType id) const { return id.index() < items_.size(); }
  /// Every id in order: `for (TaskId task : tasks.ids())`.
  auto ids() const {
    return std::views::iota(std::size_t{0}, items_.size()) |
           std::views::transform([](std::size_t index) { return IdType(index); });
  }

private:
  std::vector<T> items_;
};

} // namespace streammap

template <class Tag>
struct std::hash<streammap::Id<Tag>> {
  std::size_t operator()(streammap::Id<Tag> id) const noexcept { return id.index(); }
};
