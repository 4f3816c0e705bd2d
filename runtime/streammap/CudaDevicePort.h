#pragma once
// The devices of this rank through the CUDA runtime; on a machine without GPUs that is our CPU device.
#include "streammap/DevicePort.h"
#include <memory>
#include <string>

namespace streammap::engine {

/// Virtual memory management (a buffer's whole range of addresses, memory only behind the granules in use)
/// where every device has it; otherwise a mirror is one allocation of the whole buffer.
std::unique_ptr<DevicePort> makeCudaDevicePort();

/// What the first `count` devices are called, each name once, between commas: "NVIDIA H100 80GB HBM3", or
/// "StreamMAP CPU device".
std::string cudaDeviceNames(int count);

} // namespace streammap::engine
