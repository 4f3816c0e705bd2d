#include "model/Occupancy.h"
#include "support/Catch.h"
#if __has_include(<cuda_occupancy.h>)
#include <cuda_occupancy.h>
#define STREAMMAP_HAS_OCCUPANCY_HEADER 1
#endif

using namespace streammap;

namespace {

Launch launchOf(unsigned threads, double dynamicShared = 0) {
  Launch launch;
  launch.block = {threads, 1, 1};
  launch.dynamicShared = bytes(dynamicShared);
  return launch;
}

KernelResources resourcesOf(unsigned registers, double shared = 0) {
  KernelResources resources;
  resources.registersPerThread = registers;
  resources.staticShared = bytes(shared);
  return resources;
}

} // namespace

TEST_CASE("registers limit the blocks of an H100") {
  // 64 registers x 32 lanes = 2,048 per warp; 16,384 / 2,048 = 8 warps in each of 4 partitions; 32 / 8 = 4
  const Occupancy o = occupancyOf(resourcesOf(64), launchOf(256), *limitsOf("9.0"));
  CHECK(o.blocks == 4);
  CHECK(o.warps == 32);
  CHECK(o.mostWarps == 64);
  CHECK(o.share() == 0.5);
  CHECK(o.limiter == OccupancyLimiter::registers);
}

TEST_CASE("shared memory, threads and blocks limit, too") {
  // 48 KiB + 1 KiB reserved: 3 of them in the 164 KiB of an A100
  CHECK(occupancyOf(resourcesOf(32, 49152), launchOf(128), *limitsOf("8.0")).blocks == 3);
  CHECK(occupancyOf(resourcesOf(32, 49152), launchOf(128), *limitsOf("8.0")).limiter ==
        OccupancyLimiter::shared);
  CHECK(occupancyOf(resourcesOf(16), launchOf(1024), *limitsOf("8.9")).blocks == 1);
  CHECK(occupancyOf(resourcesOf(16), launchOf(1024), *limitsOf("8.9")).limiter == OccupancyLimiter::threads);
  CHECK(occupancyOf(resourcesOf(16), launchOf(32), *limitsOf("7.5")).blocks == 16);
  CHECK(occupancyOf(resourcesOf(16), launchOf(32), *limitsOf("7.5")).limiter == OccupancyLimiter::blocks);
}

TEST_CASE("a launch that cannot start has no blocks") {
  CHECK(occupancyOf(resourcesOf(128), launchOf(1024), *limitsOf("8.0")).blocks == 0);
  CHECK(occupancyOf(resourcesOf(32), launchOf(128, 200 * 1024), *limitsOf("8.0")).blocks == 0);
  CHECK(occupancyOf(resourcesOf(32), launchOf(2048), *limitsOf("8.0")).limiter ==
        OccupancyLimiter::nothingFits);
}

TEST_CASE("waves, rounds and the tail of the last one") {
  const WavePlan plan = wavesOf(1000, 4, 132);
  CHECK(plan.waves == Approx(1000.0 / 528));
  CHECK(plan.rounds == 2);
  CHECK(plan.tail() == Approx(1 - 1000.0 / 1056));
  CHECK(wavesOf(10, 4, 132).multiprocessorsNeeded == 10);
  CHECK(wavesOf(528, 4, 132).tail() == 0);
}

TEST_CASE("a capability newer than the table has the limits of the last one before it") {
  CHECK(limitsOf("8.8")->capability == "8.7");
  CHECK(limitsOf("12.1")->capability == "12.1");
  CHECK(limitsOf("13.0") == nullptr);
  CHECK(limitsOf("") == nullptr);
  CHECK(limitsOf("nine") == nullptr);
}

TEST_CASE("resources are those of the nearest older architecture") {
  Kernel kernel;
  kernel.resources = {{"sm_80", resourcesOf(80)}, {"sm_90a", resourcesOf(90)}, {"sm_120", resourcesOf(120)}};
  CHECK(resourcesFor(kernel, "8.9")->registersPerThread == 80);
  CHECK(resourcesFor(kernel, "9.0")->registersPerThread == 90);
  CHECK(resourcesFor(kernel, "10.0")->registersPerThread == 90);
  CHECK(resourcesFor(kernel, "12.0")->registersPerThread == 120);
  CHECK(resourcesFor(kernel, "7.0")->registersPerThread == 80);
  CHECK(resourcesFor(Kernel(), "9.0") == nullptr);
}

#ifdef STREAMMAP_HAS_OCCUPANCY_HEADER

namespace {

/// What cuda_occupancy.h answers for a device with our table's limits.
int oracle(const MultiprocessorLimits &limits, const KernelResources &resources, const Launch &launch) {
  cudaOccDeviceProp device;
  const std::string_view capability = limits.capability;
  const std::size_t dot = capability.find('.');
  device.computeMajor = std::stoi(std::string(capability.substr(0, dot)));
  device.computeMinor = std::stoi(std::string(capability.substr(dot + 1)));
  device.maxThreadsPerBlock = 1024;
  device.maxThreadsPerMultiprocessor = static_cast<int>(limits.threads);
  device.regsPerBlock = static_cast<int>(limits.registersPerBlock);
  device.regsPerMultiprocessor = static_cast<int>(limits.registers);
  device.warpSize = 32;
  device.sharedMemPerBlock = 48 * 1024;
  device.sharedMemPerMultiprocessor = static_cast<std::size_t>(limits.shared.value());
  device.numSms = 1;
  device.sharedMemPerBlockOptin = static_cast<std::size_t>(limits.sharedPerBlock.value());
  device.reservedSharedMemPerBlock = static_cast<std::size_t>(limits.reservedPerBlock.value());
  cudaOccFuncAttributes function{};
  function.maxThreadsPerBlock = 1024;
  function.numRegs = static_cast<int>(resources.registersPerThread);
  function.sharedSizeBytes = static_cast<std::size_t>(resources.staticShared.value());
  function.partitionedGCConfig = PARTITIONED_GC_OFF;
  function.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  function.maxDynamicSharedSizeBytes = static_cast<std::size_t>(launch.dynamicShared.value());
  function.numBlockBarriers = 1;
  cudaOccDeviceState state;
  state.carveoutConfig = SHAREDMEM_CARVEOUT_MAX_SHARED;
  cudaOccResult result{};
  const cudaOccError error = cudaOccMaxActiveBlocksPerMultiprocessor(
      &result, &device, &function, &state, static_cast<int>(threadsPerBlock(launch)),
      static_cast<std::size_t>(launch.dynamicShared.value()));
  return error == CUDA_OCC_SUCCESS ? result.activeBlocksPerMultiprocessor : -1;
}

} // namespace

TEST_CASE("the arithmetic is that of cuda_occupancy.h") {
  unsigned compared = 0, different = 0;
  for (const char *capability : {"6.0", "6.1", "6.2", "7.0", "7.2", "7.5", "8.0", "8.6", "8.7", "8.9", "9.0",
                                 "10.0", "10.3", "11.0", "12.0", "12.1"}) {
    const MultiprocessorLimits &limits = *limitsOf(capability);
    for (unsigned threads : {1u, 32u, 33u, 64u, 96u, 128u, 160u, 192u, 256u, 384u, 512u, 640u, 768u, 1024u})
      for (unsigned registers : {0u, 1u, 16u, 24u, 32u, 33u, 40u, 48u, 64u, 72u, 96u, 128u, 168u, 255u})
        for (double staticShared : {0.0, 1.0, 1000.0, 4096.0, 16384.0, 32768.0, 49152.0})
          for (double dynamicShared : {0.0, 513.0, 8192.0, 50000.0, 65536.0, 101376.0, 166912.0, 232448.0}) {
            const KernelResources resources = resourcesOf(registers, staticShared);
            const Launch launch = launchOf(threads, dynamicShared);
            const int expected = oracle(limits, resources, launch);
            const int found = static_cast<int>(occupancyOf(resources, launch, limits).blocks);
            ++compared;
            if (expected == found)
              continue;
            if (++different < 10) {
              CAPTURE(capability, threads, registers, staticShared, dynamicShared);
              CHECK(found == expected);
            }
          }
  }
  CHECK(compared == 16u * 14 * 14 * 7 * 8);
  CHECK(different == 0);
}

#else

TEST_CASE("the arithmetic is that of cuda_occupancy.h", "[.]") {
  SUCCEED("skipped: no cuda_occupancy.h on this machine");
}

#endif
