#pragma once
// Graphs whose best answer somebody knows: the worked examples of the tests, and public sets in the folder
// that STREAMMAP_SHARED_DATA names (default: shared/data beside the checkout).
#include "support/Processors.h"
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

} // namespace streammap::bench
