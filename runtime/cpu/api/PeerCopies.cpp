// Copies between devices. Their names do not tell which default stream the caller means: stream 0 is the
// legacy one.
#include "cpu/Copies.h"
#include "cpu/api/Call.h"
#include <cuda_runtime_api.h>

using namespace streammap::cpu;

namespace {

/// Both devices come to rest before a synchronous copy between them.
cudaError_t checkPeers(int toDevice, int fromDevice, Waiting waiting) {
  for (const int device : {toDevice, fromDevice}) {
    if (!platform().isDevice(device))
      return cudaErrorInvalidDevice;
    if (waiting == Waiting::here)
      platform().device(device).synchronize();
    if (const cudaError_t failure = platform().device(device).failure(); failure != cudaSuccess)
      return failure;
  }
  return cudaSuccess;
}

Copy between(void *to, const void *from, std::size_t count) {
  return {{static_cast<char *>(to), count},
          {const_cast<char *>(static_cast<const char *>(from)), count},
          {count},
          cudaMemcpyDeviceToDevice};
}

} // namespace

extern "C" {

cudaError_t cudaMemcpyPeer(void *to, int toDevice, const void *from, int fromDevice, size_t count) {
  return onDevice([&](Device &device) {
    if (const cudaError_t error = checkPeers(toDevice, fromDevice, Waiting::here); error != cudaSuccess)
      return error;
    return copy(device, device.legacyStream(), between(to, from, count), Waiting::here);
  });
}

cudaError_t cudaMemcpyPeerAsync(void *to, int toDevice, const void *from, int fromDevice, size_t count,
                                cudaStream_t stream) {
  return onStream(stream, [&](const StreamUse &use) {
    if (const cudaError_t error = checkPeers(toDevice, fromDevice, Waiting::inStream); error != cudaSuccess)
      return error;
    return copy(*use.device, *use.stream, between(to, from, count), Waiting::inStream);
  });
}

} // extern "C"
