#pragma once
// A header that is force-included wherever Clang compiles CUDA, for analysis and for the CPU device: what
// nvcc declares and Clang does not, and what CUDA 13 removed.
#include <string>
#include <string_view>

namespace streammap {

std::string_view cudaCompatHeader();

/// Includes Clang's CUDA wrapper (pass -nocudainc, so that the driver does not) with macros of one letter put
/// aside: programs are built with -DN=1024, nvcc does not mind, but headers that only Clang includes call
/// their parameters N.
std::string cudaWrapperHeader();

} // namespace streammap
