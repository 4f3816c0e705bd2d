// Copies and fills. Outside tasks they work on the home of buffers, on every rank, after the tasks they
// concern. Inside a task they work on its device, in its stream.
#include "streammap/Redirection.h"
#include <cstring>

namespace streammap::engine {
namespace {

void copyRows(void *to, std::size_t toPitch, const void *from, std::size_t fromPitch, std::size_t width,
              std::size_t height) {
  for (std::size_t row = 0; row < height; ++row)
    std::memmove(static_cast<char *>(to) + row * toPitch, static_cast<const char *>(from) + row * fromPitch,
                 width);
}

enum class Completion { atOnce, inStream };

/// A copy inside a task.
cudaError_t copyInTask(const CurrentTask &task, void *to, std::size_t toPitch, const void *from,
                       std::size_t fromPitch, std::size_t width, std::size_t height, cudaMemcpyKind kind,
                       Completion completion) {
  if (task.device < 0) {
    copyRows(to, toPitch, from, fromPitch, width, height);
    return cudaSuccess;
  }
  to = redirected(task, to, "the destination of a copy");
  from = redirected(task, from, "the source of a copy");
  const cudaError_t status =
      height == 1 ? __real_cudaMemcpyAsync(to, from, width, kind, task.stream)
                  : __real_cudaMemcpy2DAsync(to, toPitch, from, fromPitch, width, height, kind, task.stream);
  return status != cudaSuccess || completion == Completion::inStream
             ? status
             : __real_cudaStreamSynchronize(task.stream);
}

/// A copy anywhere; `real` is what CUDA would have done.
template <class Real>
cudaError_t copy(void *to, std::size_t toPitch, const void *from, std::size_t fromPitch, std::size_t width,
                 std::size_t height, cudaMemcpyKind kind, Completion completion, Real real) {
  Process *process = Process::current();
  if (!process)
    return real();
  if (CurrentTask *task = currentTask())
    return copyInTask(*task, to, toPitch, from, fromPitch, width, height, kind, completion);
  if (width == 0 || height == 0)
    return cudaSuccess;
  const auto doIt = [&] { copyRows(to, toPitch, from, fromPitch, width, height); };
  const HostCopy done =
      copyAtHome(*process, to, {width, toPitch, height}, from, {width, fromPitch, height}, doIt);
  if (done.isOurs)
    return done.status;
  if (!process->recorder())
    return real();
  doIt(); // while recording there is only host memory
  return cudaSuccess;
}

template <class Real>
cudaError_t fill(void *to, std::size_t pitch, int value, std::size_t width, std::size_t height,
                 Completion completion, Real real) {
  Process *process = Process::current();
  if (!process)
    return real();
  const auto doIt = [&] {
    for (std::size_t row = 0; row < height; ++row)
      std::memset(static_cast<char *>(to) + row * pitch, value, width);
  };
  if (CurrentTask *task = currentTask()) {
    if (task->device < 0) {
      doIt();
      return cudaSuccess;
    }
    to = redirected(*task, to, "the destination of a fill");
    const cudaError_t status = height == 1
                                   ? __real_cudaMemsetAsync(to, value, width, task->stream)
                                   : __real_cudaMemset2DAsync(to, pitch, value, width, height, task->stream);
    return status != cudaSuccess || completion == Completion::inStream
               ? status
               : __real_cudaStreamSynchronize(task->stream);
  }
  if (width == 0 || height == 0)
    return cudaSuccess;
  const HostCopy done = copyAtHome(*process, to, {width, pitch, height}, nullptr, {}, doIt);
  return done.isOurs ? done.status : real();
}

/// Variables of the device: each local device has its own, so the program's one variable is all of them.
template <class OnDevice>
cudaError_t onEveryDevice(Process &process, const void *source, std::size_t size, OnDevice onDevice) {
  process.engine().waitForLocalWork(); // kernels use variables without naming them
  cudaError_t status = cudaSuccess;
  const auto doIt = [&] {
    int devices = 0;
    check(__real_cudaGetDeviceCount(&devices), "cudaGetDeviceCount");
    for (int device = 0; device < devices && status == cudaSuccess; ++device) {
      const DeviceScope scope(device);
      status = onDevice();
    }
  };
  const HostCopy done = copyAtHome(process, nullptr, {}, source, {size, 0, 1}, doIt);
  if (!done.isOurs)
    doIt();
  return done.status != cudaSuccess ? done.status : status;
}

cudaError_t toSymbol(const void *symbol, const void *source, std::size_t size, std::size_t offset,
                     cudaMemcpyKind kind, Completion completion) {
  if (CurrentTask *task = currentTask()) {
    source = redirected(*task, source, "the source of cudaMemcpyToSymbol");
    const cudaError_t status =
        __real_cudaMemcpyToSymbolAsync(symbol, source, size, offset, kind, task->stream);
    return status != cudaSuccess || completion == Completion::inStream
               ? status
               : __real_cudaStreamSynchronize(task->stream);
  }
  Process *process = Process::current();
  // The source, a buffer's home or not, is memory of the host.
  const auto real = [&] {
    return __real_cudaMemcpyToSymbol(symbol, source, size, offset, cudaMemcpyHostToDevice);
  };
  if (!process)
    return __real_cudaMemcpyToSymbol(symbol, source, size, offset, kind);
  return process->recorder() ? cudaSuccess : onEveryDevice(*process, source, size, real);
}

cudaError_t fromSymbol(void *destination, const void *symbol, std::size_t size, std::size_t offset,
                       cudaMemcpyKind kind, Completion completion) {
  if (CurrentTask *task = currentTask()) {
    destination = redirected(*task, destination, "the destination of cudaMemcpyFromSymbol");
    const cudaError_t status =
        __real_cudaMemcpyFromSymbolAsync(destination, symbol, size, offset, kind, task->stream);
    return status != cudaSuccess || completion == Completion::inStream
               ? status
               : __real_cudaStreamSynchronize(task->stream);
  }
  Process *process = Process::current();
  if (!process)
    return __real_cudaMemcpyFromSymbol(destination, symbol, size, offset, kind);
  if (process->recorder())
    return cudaSuccess;
  process->engine().waitForLocalWork();
  cudaError_t status = cudaSuccess;
  const auto doIt = [&] {
    status = __real_cudaMemcpyFromSymbol(destination, symbol, size, offset, cudaMemcpyDeviceToHost);
  };
  const HostCopy done = copyAtHome(*process, destination, {size, 0, 1}, nullptr, {}, doIt);
  if (!done.isOurs)
    doIt();
  return done.status != cudaSuccess ? done.status : status;
}

} // namespace

extern "C" {

cudaError_t __wrap_cudaMemcpy(void *to, const void *from, size_t size, cudaMemcpyKind kind) {
  return copy(to, 0, from, 0, size, 1, kind, Completion::atOnce,
              [&] { return __real_cudaMemcpy(to, from, size, kind); });
}
cudaError_t __wrap_cudaMemcpyAsync(void *to, const void *from, size_t size, cudaMemcpyKind kind,
                                   cudaStream_t stream) {
  return copy(to, 0, from, 0, size, 1, kind, Completion::inStream,
              [&] { return __real_cudaMemcpyAsync(to, from, size, kind, stream); });
}
cudaError_t __wrap_cudaMemcpyPeer(void *to, int, const void *from, int, size_t size) {
  return copy(to, 0, from, 0, size, 1, cudaMemcpyDeviceToDevice, Completion::atOnce,
              [&] { return __real_cudaMemcpy(to, from, size, cudaMemcpyDefault); });
}
cudaError_t __wrap_cudaMemcpyPeerAsync(void *to, int, const void *from, int, size_t size,
                                       cudaStream_t stream) {
  return copy(to, 0, from, 0, size, 1, cudaMemcpyDeviceToDevice, Completion::inStream,
              [&] { return __real_cudaMemcpyAsync(to, from, size, cudaMemcpyDefault, stream); });
}
cudaError_t __wrap_cudaMemcpy2D(void *to, size_t toPitch, const void *from, size_t fromPitch, size_t width,
                                size_t height, cudaMemcpyKind kind) {
  return copy(to, toPitch, from, fromPitch, width, height, kind, Completion::atOnce,
              [&] { return __real_cudaMemcpy2D(to, toPitch, from, fromPitch, width, height, kind); });
}
cudaError_t __wrap_cudaMemcpy2DAsync(void *to, size_t toPitch, const void *from, size_t fromPitch,
                                     size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  return copy(to, toPitch, from, fromPitch, width, height, kind, Completion::inStream, [&] {
    return __real_cudaMemcpy2DAsync(to, toPitch, from, fromPitch, width, height, kind, stream);
  });
}

cudaError_t __wrap_cudaMemset(void *to, int value, size_t size) {
  return fill(to, 0, value, size, 1, Completion::atOnce, [&] { return __real_cudaMemset(to, value, size); });
}
cudaError_t __wrap_cudaMemsetAsync(void *to, int value, size_t size, cudaStream_t stream) {
  return fill(to, 0, value, size, 1, Completion::inStream,
              [&] { return __real_cudaMemsetAsync(to, value, size, stream); });
}
cudaError_t __wrap_cudaMemset2D(void *to, size_t pitch, int value, size_t width, size_t height) {
  return fill(to, pitch, value, width, height, Completion::atOnce,
              [&] { return __real_cudaMemset2D(to, pitch, value, width, height); });
}
cudaError_t __wrap_cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width, size_t height,
                                     cudaStream_t stream) {
  return fill(to, pitch, value, width, height, Completion::inStream,
              [&] { return __real_cudaMemset2DAsync(to, pitch, value, width, height, stream); });
}

cudaError_t __wrap_cudaMemcpyToSymbol(const void *symbol, const void *source, size_t size, size_t offset,
                                      cudaMemcpyKind kind) {
  return toSymbol(symbol, source, size, offset, kind, Completion::atOnce);
}
cudaError_t __wrap_cudaMemcpyToSymbolAsync(const void *symbol, const void *source, size_t size, size_t offset,
                                           cudaMemcpyKind kind, cudaStream_t) {
  return toSymbol(symbol, source, size, offset, kind, Completion::inStream);
}
cudaError_t __wrap_cudaMemcpyFromSymbol(void *destination, const void *symbol, size_t size, size_t offset,
                                        cudaMemcpyKind kind) {
  return fromSymbol(destination, symbol, size, offset, kind, Completion::atOnce);
}
cudaError_t __wrap_cudaMemcpyFromSymbolAsync(void *destination, const void *symbol, size_t size,
                                             size_t offset, cudaMemcpyKind kind, cudaStream_t) {
  return fromSymbol(destination, symbol, size, offset, kind, Completion::inStream);
}

// Compiled with a default stream per thread, the program calls these names.
STREAMMAP_ALIAS(cudaMemcpy, _ptds)
STREAMMAP_ALIAS(cudaMemcpy2D, _ptds)
STREAMMAP_ALIAS(cudaMemset, _ptds)
STREAMMAP_ALIAS(cudaMemset2D, _ptds)
STREAMMAP_ALIAS(cudaMemcpyToSymbol, _ptds)
STREAMMAP_ALIAS(cudaMemcpyFromSymbol, _ptds)
STREAMMAP_ALIAS(cudaMemcpyAsync, _ptsz)
STREAMMAP_ALIAS(cudaMemcpy2DAsync, _ptsz)
STREAMMAP_ALIAS(cudaMemsetAsync, _ptsz)
STREAMMAP_ALIAS(cudaMemset2DAsync, _ptsz)
STREAMMAP_ALIAS(cudaMemcpyToSymbolAsync, _ptsz)
STREAMMAP_ALIAS(cudaMemcpyFromSymbolAsync, _ptsz)

} // extern "C"
} // namespace streammap::engine
