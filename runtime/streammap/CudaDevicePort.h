#pragma once
// The devices of this rank through the CUDA runtime; on a machine without GPUs that is our CPU device.
#include "streammap/DevicePort.h"
#include <memory>

namespace streammap::engine {

/// Virtual memory management (a buffer's whole range of addresses, memory only behind the granules in use)
/// where every device has it; otherwise a mirror is one allocation of the whole buffer.
std::unique_ptr<DevicePort> makeCudaDevicePort();

} // namespace streammap::engine
