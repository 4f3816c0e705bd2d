#pragma once
// Readers of the public benchmark formats the tests measure the mapper on. Bad files end the test with a
// message.
#include "support/Processors.h"
#include <string>

namespace streammap::test {

/// Unrelated processors with communication (Santiago et al. 2020): "#tasks" lines "id: time, time, ...",
/// "#edges" lines "k: from, to, cost".
ProcessorGraph readHeteroDag(const std::string &path);

/// Standard Task Graph Set (Tobita and Kasahara 2002): no communication.
ProcessorGraph readStg(const std::string &path, std::size_t processors);

struct SolvedGraph {
  ProcessorGraph problem;
  double optimum;
};

/// Graphviz files of Sinnen's group: weights of nodes and edges, "Number of processors", "Total schedule
/// length".
SolvedGraph readSolvedDot(const std::string &path);

/// The folder of public data, or nothing: STREAMMAP_SHARED_DATA, else ../shared/data beside the checkout.
std::string sharedData();

} // namespace streammap::test
