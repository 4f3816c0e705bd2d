// What compiled host code calls before main, and between <<<...>>> and a kernel's stub. No public header
// declares these: the prototypes are those that nvcc's crt/host_runtime.h and Clang's code generation agree
// on.
#include "cpu/ModuleAbi.h"
#include "cpu/api/Call.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime_api.h>

using namespace streammap::cpu;

namespace {

/// The start of what __cudaRegisterFatBinary receives (nvcc's fatbinary_section.h).
struct BinaryWrapper {
  int magic;
  int version;
  const char *data;
};

/// The handle: which module the host object's kernels are in. Null when the object was not built for this
/// device.
struct RegisteredBinary {
  const Module *module;
};

const Module *moduleOf(void **handle) {
  return reinterpret_cast<RegisteredBinary *>(handle)->module;
}

} // namespace

void smcpuRegisterModule(const SmcpuModule *module) {
  platform().modules().add(module);
}

extern "C" {

void **__cudaRegisterFatBinary(void *wrapper) {
  const char *data = static_cast<const BinaryWrapper *>(wrapper)->data;
  const Module *module = platform().modules().findByBinary(data);
  if (!module)
    std::fprintf(stderr,
                 "streammap: a translation unit's kernels were not built for the CPU device; launching one "
                 "will fail (build the program with streammap build --device cpu)\n");
  return reinterpret_cast<void **>(new RegisteredBinary{module});
}

void __cudaRegisterFatBinaryEnd(void **) {}

void __cudaUnregisterFatBinary(void **handle) {
  delete reinterpret_cast<RegisteredBinary *>(handle);
}

void __cudaRegisterFunction(void **handle, const char *hostStub, char *, const char *symbol, int, uint3 *,
                            uint3 *, dim3 *, dim3 *, int *) {
  if (const Module *module = moduleOf(handle))
    platform().modules().bindKernel(hostStub, module, symbol);
}

void __cudaRegisterVar(void **handle, char *hostShadow, char *, const char *symbol, int, size_t, int, int) {
  if (const Module *module = moduleOf(handle))
    platform().modules().bindVariable(hostShadow, module, symbol);
}

/// A __managed__ variable is one object that all devices and the host share; here each device has its image
/// of a module's variables, so that only a single device can stand for all.
void __cudaRegisterManagedVar(void **handle, void **hostPointer, char *, const char *symbol, int, size_t, int,
                              int) {
  const Module *module = moduleOf(handle);
  if (!module || !platform().modules().bindVariable(hostPointer, module, symbol))
    return;
  if (platform().deviceCount() != 1) {
    std::fprintf(stderr,
                 "streammap: __managed__ variable %s: supported with one CPU device only "
                 "(STREAMMAP_CPU_DEVICES=1)\n",
                 symbol);
    std::exit(1);
  }
  Variable variable{};
  platform().modules().variable(hostPointer, variable);
  *hostPointer = platform().device(0).address(variable);
}

char __cudaInitModule(void **) {
  return 1;
}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t sharedMemory, CUstream_st *stream) {
  threadState().configurations.push_back({{grid, block, sharedMemory}, stream});
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *sharedMemory, void *stream) {
  auto &configurations = threadState().configurations;
  if (configurations.empty())
    return report(cudaErrorMissingConfiguration);
  const LaunchConfiguration last = configurations.back();
  configurations.pop_back();
  *grid = last.shape.grid;
  *block = last.shape.block;
  *sharedMemory = last.shape.dynamicShared;
  *static_cast<cudaStream_t *>(stream) = last.stream;
  return cudaSuccess;
}

cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *hostStub) {
  return cudaGetKernel(kernel, hostStub);
}

} // extern "C"
