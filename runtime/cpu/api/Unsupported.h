#pragma once
// Parts of CUDA that the CPU device knows of and does not have.
#include <driver_types.h>

namespace streammap::cpu {

/// Says on stderr that `what` is not supported; returns cudaErrorNotSupported as the thread's last error.
cudaError_t unsupported(const char *what);

} // namespace streammap::cpu
