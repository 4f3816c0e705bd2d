#pragma once
// A header that is force-included wherever Clang compiles CUDA, for analysis and for the CPU device: what
// nvcc declares and Clang does not, and what CUDA 13 removed.
#include <string_view>

namespace streammap {

std::string_view cudaCompatHeader();

} // namespace streammap
