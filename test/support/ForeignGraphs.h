#pragma once
// The public benchmark files the mapper is measured on, through the product's importers (lib/interchange).
// Bad files end the test with a message.
#include "support/Processors.h"
#include <string>
#include <vector>

namespace streammap::test {

/// Unrelated processors with communication (Santiago et al. 2020).
ProcessorGraph readHeteroDag(const std::string &path);

/// Standard Task Graph Set (Tobita and Kasahara 2002): no communication.
ProcessorGraph readStg(const std::string &path, std::size_t processors);

/// Any format, recognised by content.
ProcessorGraph readProblem(const std::string &path, std::optional<std::size_t> processors = std::nullopt,
                           std::optional<BytesPerSecond> bandwidth = std::nullopt);

struct SolvedGraph {
  ProcessorGraph problem;
  double optimum;
};

/// Graphviz files of Sinnen's group, each with its proved optimum.
SolvedGraph readSolvedDot(const std::string &path);

/// Rows of a table of results that comes with a set, without its heading.
std::vector<std::vector<std::string>> csvRows(const std::string &path);

/// The folder of public data, or nothing: STREAMMAP_SHARED_DATA, else ../shared/data beside the checkout.
std::string sharedData();

} // namespace streammap::test
