#pragma once
// What is known of the program's kernels: their names and the sizes of their parameters.
#include <cstddef>
#include <cuda_runtime_api.h>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace streammap::engine {

struct KernelParameter {
  std::size_t offset, size; ///< bytes
};

class Kernels {
public:
  /// Filled before main by the program's own registration of its kernels; hence one per process.
  static Kernels &ofProgram();

  void add(const void *function, const char *symbol);
  void addHandle(cudaKernel_t kernel, const void *function);
  /// The host function behind a handle; null if unknown.
  const void *functionOf(cudaKernel_t kernel) const;
  /// Mangled; empty if unknown.
  std::string symbolOf(const void *function) const;
  /// As people write it, without parameters: "gemm<float>".
  std::string nameOf(const void *function) const;
  /// In order.
  const std::vector<KernelParameter> &parametersOf(const void *function);

private:
  mutable std::mutex mutex_;
  std::map<const void *, std::string> symbols_;
  std::map<cudaKernel_t, const void *> handles_;
  std::map<const void *, std::vector<KernelParameter>> parameters_;
};

/// A kernel's arguments with other pointers in them. Keeps the copies alive.
class TranslatedArguments {
public:
  /// `translate(pointer, argumentNumber)` is called for every aligned 8-byte word of every argument (also
  /// inside structs) and returns what to put there.
  template <class Translate>
  TranslatedArguments(const std::vector<KernelParameter> &parameters, void **arguments, Translate translate) {
    copies_.reserve(parameters.size());
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      copies_.emplace_back((parameters[i].size + sizeof(void *) - 1) / sizeof(void *));
      char *copy = reinterpret_cast<char *>(copies_.back().data());
      std::char_traits<char>::copy(copy, static_cast<const char *>(arguments[i]), parameters[i].size);
      for (std::size_t word = 0; word < parameters[i].size / sizeof(void *); ++word)
        copies_.back()[word] = translate(copies_.back()[word], i);
      pointers_.push_back(copy);
    }
  }
  void **data() { return pointers_.data(); }

private:
  std::vector<std::vector<void *>> copies_;
  std::vector<void *> pointers_;
};

} // namespace streammap::engine
