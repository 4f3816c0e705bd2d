// Kernel launches. Inside a task they go to its device and stream, with pointers into buffers replaced by
// those of the device. Outside any task they run on device 0 of every rank, on whole buffers, so that all
// ranks see one program.
#include "streammap/Kernels.h"
#include "streammap/Redirection.h"
#include <algorithm>

namespace streammap::engine {
namespace {

struct Launch {
  const void *function;
  dim3 grid, block;
  std::size_t dynamicShared;
  void **arguments;
};

/// How the call that was intercepted starts a kernel: with these arguments, on this stream.
using Start = std::function<cudaError_t(void **arguments, cudaStream_t stream)>;

cudaError_t launchInTask(const CurrentTask &task, const Launch &launch, const Start &start) {
  Kernels &kernels = Kernels::ofProgram();
  if (task.device < 0)
    fail("kernel " + kernels.nameOf(launch.function) +
         " was launched by a task placed on the node's cores; say device(gpu) in its pragma");
  TranslatedArguments arguments(kernels.parametersOf(launch.function), launch.arguments,
                                [&](void *word, std::size_t number) {
                                  if (!Process::current()->buffers().find(word))
                                    return word; // no message to compose for nearly every word
                                  return redirected(task, word,
                                                    "argument " + std::to_string(number + 1) + " of kernel " +
                                                        kernels.nameOf(launch.function));
                                });
  const cudaError_t status = start(arguments.data(), task.stream);
  if (status != cudaSuccess)
    fail("launching kernel " + kernels.nameOf(launch.function) + " failed: " + cudaGetErrorString(status) +
         " (" + std::to_string(status) + ")");
  return status;
}

/// Which bytes it uses nobody said, so it gets all of every buffer it can reach.
cudaError_t launchOutsideTasks(Process &process, const Launch &launch, const Start &start) {
  const std::vector<KernelParameter> &parameters = Kernels::ofProgram().parametersOf(launch.function);
  std::vector<Use> uses;
  const TranslatedArguments visited(parameters, launch.arguments, [&](void *word, std::size_t) {
    Buffer *buffer = process.buffers().find(word);
    if (buffer && buffer->kind != BufferKind::host &&
        std::ranges::none_of(uses, [&](const Use &use) { return use.buffer == buffer; }))
      uses.push_back({buffer, AccessMode::inout, {{0, buffer->size}}});
    return word;
  });
  cudaError_t status = cudaSuccess;
  process.engine().onDevice(std::move(uses), [&] {
    const DeviceScope scope(0);
    TranslatedArguments arguments(parameters, launch.arguments, [&](void *word, std::size_t) -> void * {
      Buffer *buffer = process.buffers().find(word);
      if (!buffer || buffer->kind == BufferKind::host)
        return word;
      return process.engine().memory().address(*buffer, 0) + (static_cast<char *>(word) - buffer->home);
    });
    status = start(arguments.data(), nullptr);
    if (status == cudaSuccess)
      status = __real_cudaStreamSynchronize(nullptr);
  });
  return status;
}

cudaError_t launch(const Launch &launch, cudaStream_t stream, const Start &start) {
  Process *process = Process::current();
  if (!process)
    return start(launch.arguments, stream);
  if (process->recorder()) {
    process->recorder()->launch(Kernels::ofProgram().symbolOf(launch.function),
                                Kernels::ofProgram().nameOf(launch.function), launch.grid, launch.block,
                                launch.dynamicShared);
    return cudaSuccess;
  }
  const CurrentTask *task = currentTask();
  return task ? launchInTask(*task, launch, start) : launchOutsideTasks(*process, launch, start);
}

} // namespace

extern "C" {

void __wrap___cudaRegisterFunction(void **module, const char *hostFunction, char *deviceFunction,
                                   const char *deviceName, int threadLimit, uint3 *thread, uint3 *block,
                                   dim3 *blockSize, dim3 *gridSize, int *warpSize) {
  Kernels::ofProgram().add(hostFunction, deviceName);
  __real___cudaRegisterFunction(module, hostFunction, deviceFunction, deviceName, threadLimit, thread, block,
                                blockSize, gridSize, warpSize);
}

cudaError_t __wrap___cudaGetKernel(cudaKernel_t *kernel, const void *function) {
  const cudaError_t status = __real___cudaGetKernel(kernel, function);
  if (status == cudaSuccess)
    Kernels::ofProgram().addHandle(*kernel, function);
  return status;
}

cudaError_t __wrap___cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments,
                                      size_t shared, cudaStream_t stream) {
  const void *function = Kernels::ofProgram().functionOf(kernel);
  return launch({function, grid, block, shared, arguments}, stream,
                [&](void **translated, cudaStream_t actual) {
                  return __real___cudaLaunchKernel(kernel, grid, block, translated, shared, actual);
                });
}

cudaError_t __wrap_cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments,
                                    size_t shared, cudaStream_t stream) {
  return launch({function, grid, block, shared, arguments}, stream,
                [&](void **translated, cudaStream_t actual) {
                  return __real_cudaLaunchKernel(function, grid, block, translated, shared, actual);
                });
}

cudaError_t __wrap_cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block, void **arguments,
                                               size_t shared, cudaStream_t stream) {
  return launch(
      {function, grid, block, shared, arguments}, stream, [&](void **translated, cudaStream_t actual) {
        return __real_cudaLaunchCooperativeKernel(function, grid, block, translated, shared, actual);
      });
}

cudaError_t __wrap_cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function,
                                       void **arguments) {
  return launch({function, config->gridDim, config->blockDim, config->dynamicSmemBytes, arguments},
                config->stream, [&](void **translated, cudaStream_t actual) {
                  cudaLaunchConfig_t here = *config;
                  here.stream = actual;
                  return __real_cudaLaunchKernelExC(&here, function, translated);
                });
}

// Compiled with a default stream per thread, the program calls these names.
STREAMMAP_ALIAS(__cudaLaunchKernel, _ptsz)
STREAMMAP_ALIAS(cudaLaunchKernel, _ptsz)
STREAMMAP_ALIAS(cudaLaunchKernelExC, _ptsz)
STREAMMAP_ALIAS(cudaLaunchCooperativeKernel, _ptsz)

} // extern "C"
} // namespace streammap::engine
