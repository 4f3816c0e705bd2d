#pragma once
// A vector that keeps up to N items inside itself, for lists that are short nearly always and made often.
//
//   ShortVector<LinkId, 12> links;
//   links.push_back(link);
#include <array>
#include <cassert>
#include <cstddef>
#include <vector>

namespace streammap {

/// T is cheap to copy and to default-construct.
template <class T, std::size_t N>
class ShortVector {
public:
  void push_back(const T &item) {
    if (size_ < N) {
      inside_[size_] = item;
    } else {
      if (size_ == N)
        outside_.assign(inside_.begin(), inside_.end()); // from here on all of them are outside
      outside_.push_back(item);
    }
    ++size_;
  }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const T *begin() const { return size_ <= N ? inside_.data() : outside_.data(); }
  const T *end() const { return begin() + size_; }
  const T &operator[](std::size_t i) const {
    assert(i < size_);
    return begin()[i];
  }

private:
  std::size_t size_ = 0;
  std::array<T, N> inside_{};
  std::vector<T> outside_;
};

} // namespace streammap
