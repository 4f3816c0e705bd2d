#pragma once
// Numbers a search draws: the same for a seed on every machine and standard library, which the distributions
// of <random> do not promise.
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace streammap {

/// SplitMix64: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
class Random {
public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }
  /// From 0 to `bound` - 1; bound is above 0 and below 2^32. The bias of at most 2^-32 matters to no search.
  std::size_t below(std::size_t bound) { return (next() >> 32) * bound >> 32; }
  /// In [0, 1).
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  bool chance(double probability) { return unit() < probability; }

private:
  std::uint64_t state_;
};

} // namespace streammap
