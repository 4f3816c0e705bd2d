#include "streammap/Kernels.h"
#include <cstdlib>
#include <cxxabi.h>
#include <memory>

namespace streammap::engine {
namespace {

/// "void gemm<float>(float*, int)" -> "gemm<float>"
std::string withoutParameters(std::string name) {
  int depth = 0;
  for (std::size_t i = name.size(); i-- > 0;) { // the last parenthesis at depth 0 opens the parameters
    if (name[i] == ')')
      ++depth;
    else if (name[i] == '(' && --depth == 0) {
      name.resize(i);
      break;
    }
  }
  depth = 0; // a template instance is shown with its return type
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '<')
      ++depth;
    else if (name[i] == '>')
      --depth;
    else if (name[i] == ' ' && depth == 0)
      return name.substr(i + 1);
  }
  return name;
}

} // namespace

Kernels &Kernels::ofProgram() {
  static Kernels kernels;
  return kernels;
}

void Kernels::add(const void *function, const char *symbol) {
  std::lock_guard lock(mutex_);
  symbols_[function] = symbol;
}

void Kernels::addHandle(cudaKernel_t kernel, const void *function) {
  std::lock_guard lock(mutex_);
  handles_[kernel] = function;
}

const void *Kernels::functionOf(cudaKernel_t kernel) const {
  std::lock_guard lock(mutex_);
  auto found = handles_.find(kernel);
  return found == handles_.end() ? nullptr : found->second;
}

std::string Kernels::symbolOf(const void *function) const {
  std::lock_guard lock(mutex_);
  auto found = symbols_.find(function);
  return found == symbols_.end() ? std::string() : found->second;
}

std::string Kernels::nameOf(const void *function) const {
  const std::string symbol = symbolOf(function);
  if (symbol.empty())
    return "an unknown kernel";
  int status = 0;
  std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 ? withoutParameters(name.get()) : symbol;
}

const std::vector<KernelParameter> &Kernels::parametersOf(const void *function) {
  std::lock_guard lock(mutex_);
  auto [entry, isNew] = parameters_.try_emplace(function);
  if (isNew) {
    KernelParameter parameter{};
    while (cudaFuncGetParamInfo(function, entry->second.size(), &parameter.offset, &parameter.size) ==
           cudaSuccess)
      entry->second.push_back(parameter);
    cudaGetLastError(); // the error that ended the loop
  }
  return entry->second;
}

} // namespace streammap::engine
