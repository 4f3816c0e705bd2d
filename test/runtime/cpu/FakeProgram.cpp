#include "runtime/cpu/FakeProgram.h"
#include <utility>

extern "C" {
void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const char *hostStub, char *device, const char *symbol,
                            int threads, uint3 *, uint3 *, dim3 *, dim3 *, int *);
void __cudaRegisterVar(void **handle, char *hostShadow, char *device, const char *symbol, int external,
                       size_t size, int constant, int global);
}

namespace streammap::test {

FakeProgram::FakeProgram(const std::string &id, std::vector<FakeKernel> kernels,
                         std::vector<FakeVariable> variables, std::vector<char> image)
    : id_(id), variableDescriptions_(std::move(variables)), image_(std::move(image)) {
  for (FakeKernel &kernel : kernels) {
    KernelData &data = descriptions_.emplace_back();
    data.description = std::move(kernel);
    for (const std::string &metric : data.description.metrics)
      data.counters.push_back({metric.c_str()});
  }
  for (const KernelData &data : descriptions_) {
    const FakeKernel &kernel = data.description;
    kernels_.push_back({kernel.symbol.c_str(), kernel.symbol.c_str(), kernel.run,
                        static_cast<std::uint32_t>(kernel.parameterSizes.size()),
                        kernel.parameterSizes.data(), kernel.staticShared, kernel.maxThreadsPerBlock,
                        static_cast<std::uint32_t>(data.counters.size()), data.counters.data()});
    stubs_[kernel.symbol];
  }
  for (const FakeVariable &variable : variableDescriptions_) {
    variables_.push_back({variable.symbol.c_str(), variable.offset, variable.size, 0});
    shadows_[variable.symbol];
  }
  module_ = {id_.c_str(),       static_cast<std::uint32_t>(kernels_.size()),
             kernels_.data(),   static_cast<std::uint32_t>(variables_.size()),
             variables_.data(), image_.data(),
             image_.size(),     &slot_};
  smcpuRegisterModule(&module_);
  wrapper_.data = id_.c_str();
  handle_ = __cudaRegisterFatBinary(&wrapper_);
  for (auto &[symbol, stub] : stubs_)
    __cudaRegisterFunction(handle_, &stub, &stub, symbol.c_str(), -1, nullptr, nullptr, nullptr, nullptr,
                           nullptr);
  for (const FakeVariable &variable : variableDescriptions_)
    __cudaRegisterVar(handle_, &shadows_.at(variable.symbol), nullptr, variable.symbol.c_str(), 0,
                      variable.size, 0, 0);
  __cudaRegisterFatBinaryEnd(handle_);
}

FakeProgram::~FakeProgram() {
  __cudaUnregisterFatBinary(handle_);
}

} // namespace streammap::test
