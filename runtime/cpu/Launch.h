#pragma once
// One kernel launch: checked like CUDA does, then run block by block on the worker pool.
#include "cpu/Device.h"
#include "cpu/Modules.h"
#include "cpu/WorkerPool.h"
#include <driver_types.h>
#include <vector_types.h>

namespace streammap::cpu {

struct LaunchShape {
  dim3 grid, block;
  std::size_t dynamicShared = 0;
};

/// The error cudaLaunchKernel returns for this shape; cudaSuccess if it may run.
cudaError_t checkShape(const Kernel &kernel, const LaunchShape &shape);

/// The most dynamic shared memory a launch of `kernel` may ask for, cudaFuncSetAttribute considered.
int dynamicSharedLimit(const Kernel &kernel);

/// Blocks of `kernel` that fit on one multiprocessor at once.
int blocksPerMultiprocessor(const Kernel &kernel, int threadsPerBlock, std::size_t dynamicShared);

/// Copies the arguments and submits the launch to `stream`. The kernel's output is shown at the next
/// synchronisation; the first failing thread ends the launch, is reported on stderr and fails the device.
void launch(Device &device, Stream &stream, Kernel &kernel, const LaunchShape &shape, void **arguments);

} // namespace streammap::cpu
