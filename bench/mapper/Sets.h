#pragma once
// Graphs whose best answer somebody knows: the worked examples of the tests, and public sets in the folder
// that STREAMMAP_SHARED_DATA names (default: shared/data beside the checkout).
#include "support/Processors.h"
#include <cstdint>
#include <string>
#include <vector>

namespace streammap::bench {

/// A problem and a length to hold answers against: a proved optimum, or the best anybody found.
struct Case {
  std::string name;
  test::ProcessorGraph graph;
  double reference = 0;
  bool proved = false; ///< the reference is the optimum
};

struct Set {
  std::string name;
  std::vector<Case> cases;
};

/// Every set, or every `sample`-th graph of each. Where the data is absent, a note on standard output and the
/// worked examples alone.
std::vector<Set> knownSets(std::size_t sample = 1);

/// A program with a known optimum of any size (Kwok and Ahmad, JPDC 59, 1999): the time of `processors`, from
/// 0 to the optimum, is cut into tasks without a gap, and edges are added that fit between them. Weights of
/// edges go up to what fits, so a scheduler that does not see the pattern pays for them. Same arguments, same
/// graph.
Case plantedOptimum(std::size_t tasks, std::size_t processors, std::uint64_t seed);

} // namespace streammap::bench
