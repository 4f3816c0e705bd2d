#pragma once
// The GPU models everybody has heard of, with their datasheet figures and where each figure is printed.
//
//   catalogueModel("h100-sxm5-80gb")->peak[...]      // 66.9 TFLOP/s fp32
//   nearestCatalogueNames("H100-SMX5")               // "H100-SXM5-80GB", ...
//
// fp64, fp32, tensor (fp16 inputs, dense), memory, bandwidth, power and multiprocessors are printed; fp16,
// bf16, integer and special-function rates follow from the multiprocessor's width:
//
//   rate = multiprocessors x results per clock and multiprocessor x boost clock (x 2 for a multiply-add)
//
// with the results per clock of the table "Throughput of Native Arithmetic Instructions" in NVIDIA's CUDA C++
// Programming Guide 13.0. An integer operation counts as one, not the two of a multiply-add that some
// datasheets print.
#include "model/Cluster.h"
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace streammap {

/// By name; upper and lower case are the same, and so are ' ', '_' and '-'. "cpu" is one nominal core.
std::optional<GpuModel> catalogueModel(std::string_view name);

/// All names, as the catalogue spells them, in its order.
std::vector<std::string> catalogueNames();

/// Up to three names a person may have meant: those that begin with `name`, else the nearest in spelling.
std::vector<std::string> nearestCatalogueNames(std::string_view name);

/// `cores` nominal cores with the node's `memory`: what "cpu" stands for in a node type.
GpuModel catalogueCpu(unsigned cores, Bytes memory);

} // namespace streammap
