#pragma once
// One set of flags for two compilers: what people write for nvcc in Clang's words, and the other way round.
#include <string>
#include <vector>

namespace streammap {

/// Architectures, PTX and other device options are dropped (the CPU device has none); -Xcompiler is
/// unwrapped; C++11 and C++14 are raised to C++17, which CUDA 13's headers need.
std::vector<std::string> flagsForClang(const std::vector<std::string> &flags);

/// Host-compiler flags (-Wall, -fopenmp, -march=...) go through -Xcompiler; what nvcc knows stays.
std::vector<std::string> flagsForNvcc(const std::vector<std::string> &flags);

} // namespace streammap
