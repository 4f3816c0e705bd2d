#pragma once
// Places in a tree, the GPUs of nodes under leaf switches:
//
//   Hierarchy machine{{8, 16, 4}, {1, 10, 30}};     // 8 GPUs a node, 16 nodes a leaf, 4 leaves
//   machine.places();                               // 512
//   BlockDistances distance(machine);
//   distance(0, 7);  distance(0, 8);  distance(0, 128);     // 1, 10, 30
#include <cstdint>
#include <vector>

namespace streammap {

struct Hierarchy {
  std::vector<std::size_t> fanout;    ///< innermost first; at least one level, each 1 or more
  std::vector<std::int64_t> distance; ///< between two places that first meet at that level; not falling

  std::size_t places() const {
    std::size_t product = 1;
    for (std::size_t count : fanout)
      product *= count;
    return product;
  }
};

/// The distance between blocks: 0 from a block to itself.
class BlockDistances {
public:
  /// All blocks at distance 1: the sum of amount x distance is the cut.
  explicit BlockDistances(std::size_t blocks) : BlockDistances(Hierarchy{{blocks}, {1}}) {}
  explicit BlockDistances(const Hierarchy &hierarchy)
      : blocks_(hierarchy.places()), levels_(hierarchy.fanout.size()), distance_(hierarchy.distance),
        group_(blocks_ * levels_) {
    std::size_t groupSize = 1;
    for (std::size_t level = 0; level < levels_; ++level) {
      groupSize *= hierarchy.fanout[level];
      for (std::size_t block = 0; block < blocks_; ++block)
        group_[block * levels_ + level] = static_cast<std::uint32_t>(block / groupSize);
    }
  }

  std::size_t blocks() const { return blocks_; }
  /// O(levels).
  std::int64_t operator()(std::uint32_t a, std::uint32_t b) const {
    if (a == b)
      return 0;
    std::size_t level = 0;
    while (group_[a * levels_ + level] != group_[b * levels_ + level])
      ++level; // all blocks are one group at the last level
    return distance_[level];
  }

private:
  std::size_t blocks_, levels_;
  std::vector<std::int64_t> distance_;
  std::vector<std::uint32_t> group_; ///< of each block at each level
};

} // namespace streammap
