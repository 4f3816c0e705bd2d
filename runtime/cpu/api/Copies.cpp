// Copying and filling. Compiled twice: the second time stream 0 means the calling thread's.
#include "cpu/Copies.h"
#include "cpu/api/Call.h"
#include <cuda_runtime_api.h>

using namespace streammap::cpu;

namespace {

char *bytes(const void *pointer) {
  return const_cast<char *>(static_cast<const char *>(pointer));
}

Place row(const void *pointer, std::size_t width) {
  return {bytes(pointer), width, 1};
}

/// A synchronous copy is a copy in stream 0 that the host waits for.
cudaError_t copyNow(const Copy &what) {
  return onStream(nullptr,
                  [&](const StreamUse &use) { return copy(*use.device, *use.stream, what, Waiting::here); });
}

cudaError_t copyLater(const Copy &what, cudaStream_t stream) {
  return onStream(
      stream, [&](const StreamUse &use) { return copy(*use.device, *use.stream, what, Waiting::inStream); });
}

cudaError_t fillNow(const Place &place, int value, const Extent &extent) {
  return onStream(nullptr, [&](const StreamUse &use) {
    return fill(*use.device, *use.stream, place, value, extent, Waiting::here);
  });
}

cudaError_t fillLater(const Place &place, int value, const Extent &extent, cudaStream_t stream) {
  return onStream(stream, [&](const StreamUse &use) {
    return fill(*use.device, *use.stream, place, value, extent, Waiting::inStream);
  });
}

enum class Direction { toSymbol, fromSymbol };

cudaError_t copySymbol(Direction direction, const void *symbol, const void *other, size_t count,
                       size_t offset, cudaMemcpyKind kind, cudaStream_t stream, Waiting waiting) {
  return onStream(stream, [&](const StreamUse &use) {
    const cudaMemcpyKind usual =
        direction == Direction::toSymbol ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;
    if (kind != usual && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
      return cudaErrorInvalidMemcpyDirection;
    char *place = nullptr;
    if (const cudaError_t error = symbolPlace(*use.device, symbol, count, offset, place);
        error != cudaSuccess)
      return error;
    Copy what{row(place, count), row(other, count), {count}, kind};
    if (direction == Direction::fromSymbol)
      std::swap(what.to, what.from);
    return copy(*use.device, *use.stream, what, waiting);
  });
}

/// Arrays (textures) are not supported: both sides are pitched pointers.
cudaError_t boxOf(const cudaMemcpy3DParms *parameters, Copy &what) {
  if (!parameters)
    return cudaErrorInvalidValue;
  if (parameters->srcArray || parameters->dstArray)
    return cudaErrorNotSupported;
  const auto place = [](const cudaPitchedPtr &pointer, const cudaPos &position) {
    const std::size_t rows = pointer.ysize;
    char *base = bytes(pointer.ptr);
    return Place{base ? base + (position.z * rows + position.y) * pointer.pitch + position.x : nullptr,
                 pointer.pitch, rows};
  };
  const cudaExtent &extent = parameters->extent;
  what = {place(parameters->dstPtr, parameters->dstPos),
          place(parameters->srcPtr, parameters->srcPos),
          {extent.width, extent.height, extent.depth},
          parameters->kind};
  return cudaSuccess;
}

Place boxOf(const cudaPitchedPtr &pointer) {
  return {bytes(pointer.ptr), pointer.pitch, pointer.ysize};
}

} // namespace

extern "C" {

cudaError_t cudaMemcpy(void *to, const void *from, size_t count, cudaMemcpyKind kind) {
  return copyNow({row(to, count), row(from, count), {count}, kind});
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t count, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return copyLater({row(to, count), row(from, count), {count}, kind}, stream);
}

cudaError_t cudaMemcpy2D(void *to, size_t toPitch, const void *from, size_t fromPitch, size_t width,
                         size_t height, cudaMemcpyKind kind) {
  return copyNow({{bytes(to), toPitch, height}, {bytes(from), fromPitch, height}, {width, height}, kind});
}

cudaError_t cudaMemcpy2DAsync(void *to, size_t toPitch, const void *from, size_t fromPitch, size_t width,
                              size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  return copyLater({{bytes(to), toPitch, height}, {bytes(from), fromPitch, height}, {width, height}, kind},
                   stream);
}

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms *parameters) {
  Copy what;
  const cudaError_t error = boxOf(parameters, what);
  return error != cudaSuccess ? report(error) : copyNow(what);
}

cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms *parameters, cudaStream_t stream) {
  Copy what;
  const cudaError_t error = boxOf(parameters, what);
  return error != cudaSuccess ? report(error) : copyLater(what, stream);
}

cudaError_t cudaMemset(void *pointer, int value, size_t count) {
  return fillNow(row(pointer, count), value, {count});
}

cudaError_t cudaMemsetAsync(void *pointer, int value, size_t count, cudaStream_t stream) {
  return fillLater(row(pointer, count), value, {count}, stream);
}

cudaError_t cudaMemset2D(void *pointer, size_t pitch, int value, size_t width, size_t height) {
  return fillNow({bytes(pointer), pitch, height}, value, {width, height});
}

cudaError_t cudaMemset2DAsync(void *pointer, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream) {
  return fillLater({bytes(pointer), pitch, height}, value, {width, height}, stream);
}

cudaError_t cudaMemset3D(cudaPitchedPtr pointer, int value, cudaExtent extent) {
  return fillNow(boxOf(pointer), value, {extent.width, extent.height, extent.depth});
}

cudaError_t cudaMemset3DAsync(cudaPitchedPtr pointer, int value, cudaExtent extent, cudaStream_t stream) {
  return fillLater(boxOf(pointer), value, {extent.width, extent.height, extent.depth}, stream);
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t count, size_t offset,
                               cudaMemcpyKind kind) {
  return copySymbol(Direction::toSymbol, symbol, from, count, offset, kind, nullptr, Waiting::here);
}

cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t count, size_t offset,
                                    cudaMemcpyKind kind, cudaStream_t stream) {
  return copySymbol(Direction::toSymbol, symbol, from, count, offset, kind, stream, Waiting::inStream);
}

cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t count, size_t offset,
                                 cudaMemcpyKind kind) {
  return copySymbol(Direction::fromSymbol, symbol, to, count, offset, kind, nullptr, Waiting::here);
}

cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t count, size_t offset,
                                      cudaMemcpyKind kind, cudaStream_t stream) {
  return copySymbol(Direction::fromSymbol, symbol, to, count, offset, kind, stream, Waiting::inStream);
}

} // extern "C"
