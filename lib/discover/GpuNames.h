#pragma once
// From the many spellings of a GPU to the catalogue's: drivers write "NVIDIA H100 80GB HBM3", Kubernetes
// "NVIDIA-H100-80GB-HBM3", Slurm "h100", all of them an H100-SXM5-80GB or a family it belongs to.
#include "support/Units.h"
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace streammap {

/// The catalogue's models that `product` may stand for, best first: one when it is clear, several when the
/// spelling leaves the form or memory open, none when the catalogue has no such GPU or it is only a part of
/// one (a vGPU). `memory`, where known, rules out those of another size.
std::vector<std::string> catalogueCandidates(std::string_view product, std::optional<Bytes> memory);

/// What follows "-MIG-" in a product ("1g.5gb"), or a product that is itself a profile; empty when it is a
/// whole GPU.
std::string_view migProfileOf(std::string_view product);

/// The product without "-MIG-..." and "-SHARED".
std::string_view wholeGpuOf(std::string_view product);

/// A name for a model the catalogue does not have: the product without vendor and family words, blanks as
/// '-'.
std::string modelNameOf(std::string_view product);

} // namespace streammap
