#include "sim/CostModel.h"
#include "support/Catch.h"

using namespace streammap;

namespace {

/// 10 TFLOP/s fp32, 5 fp64, 1 TB/s, 100 multiprocessors.
GpuModel roundNumbers() {
  GpuModel model;
  model.name = "round-40GB";
  model.memoryBandwidth = gigabytesPerSecond(1000);
  model.peak[static_cast<std::size_t>(FlopType::fp32)] = teraflopsPerSecond(10);
  model.peak[static_cast<std::size_t>(FlopType::fp64)] = teraflopsPerSecond(5);
  model.multiprocessors = 100;
  return model;
}

Task working(double fp32, double dram) {
  Task task;
  task.work = Work{};
  (*task.work)[FlopType::fp32] = flops(fp32);
  task.work->dram = bytes(dram);
  task.work->origin = Origin::stat;
  return task;
}

} // namespace

TEST_CASE("arithmetic runs at 0.7 of the peak, plus the launch") {
  // 7e12 / (10e12 * 0.7) = 1 s; traffic is far below
  const auto estimate = estimateTime(working(7e12, 1e9), roundNumbers());
  REQUIRE(estimate);
  CHECK(estimate->time.value() == Approx(1 + 4e-6));
  CHECK(estimate->limiter == "fp32");
  CHECK(estimate->origin == Origin::stat);
}

TEST_CASE("memory traffic runs at 0.85 of the bandwidth") {
  const auto estimate = estimateTime(working(1e9, 85e9), roundNumbers());
  CHECK(estimate->time.value() == Approx(0.1 + 4e-6));
  CHECK(estimate->limiter == "dram");
}

TEST_CASE("a kernel of few blocks uses few multiprocessors") {
  // 10 blocks of 1,024 threads: a tenth of the device
  Task task = working(7e11, 0);
  task.launches = {{KernelId(0), {10, 1, 1}, {1024, 1, 1}, Bytes()}};
  CHECK(estimateTime(task, roundNumbers())->time.value() == Approx(1 + 4e-6));
}

TEST_CASE("few threads keep little memory traffic in flight") {
  // 1 TB/s x 600 ns = 600 kB must be in flight; 32 threads x 32 B = 1,024 B are
  Task task = working(0, 1.024e6);
  task.launches = {{KernelId(0), {1, 1, 1}, {32, 1, 1}, Bytes()}};
  CHECK(estimateTime(task, roundNumbers())->time.value() ==
        Approx(1.024e6 / (1e12 * 0.85 * 1024 / 600e3) + 4e-6));
}

TEST_CASE("each launch costs 4 us, and nothing else may bound a tiny task") {
  Task task = working(1, 1);
  task.launches.resize(3);
  const auto estimate = estimateTime(task, roundNumbers());
  CHECK(estimate->time.inMicroseconds() == Approx(12).epsilon(0.01));
  CHECK(estimate->limiter == "launch");
}

TEST_CASE("a time that is given wins, the model's own before the star") {
  Task task = working(7e12, 0);
  task.seconds = {{"*", seconds(3)}, {"round-40GB", seconds(2)}};
  CHECK(estimateTime(task, roundNumbers())->time == seconds(2));
  task.seconds.erase("round-40GB");
  const auto estimate = estimateTime(task, roundNumbers());
  CHECK(estimate->time == seconds(3));
  CHECK(estimate->origin == Origin::pragma);
}

TEST_CASE("a task that says nothing rests on a default and says so") {
  const auto estimate = estimateTime(Task{}, roundNumbers());
  CHECK(estimate->time == defaultTaskTime);
  CHECK(estimate->origin == Origin::defaulted);
}

TEST_CASE("a model without rates serves only tasks that give seconds") {
  GpuModel bare;
  bare.name = "bare";
  CHECK_FALSE(estimateTime(working(1, 1), bare));
  Task task;
  task.seconds = {{"*", seconds(1)}};
  CHECK(estimateTime(task, bare));
}

TEST_CASE("the expected time lies in its interval, which names the peaks' ends") {
  const auto estimate = estimateTime(working(7e12, 1e9), roundNumbers());
  // 7e12 / (10e12 * 0.95) and 7e12 / (10e12 * 0.3) + 1e9 / (1e12 * 0.5)
  CHECK(estimate->low.value() == Approx(7 / 9.5 + 2e-6));
  CHECK(estimate->high.value() == Approx(7 / 3.0 + 2e-3 + 10e-6));
  Task given;
  given.seconds = {{"*", seconds(3)}};
  CHECK(estimateTime(given, roundNumbers())->low == seconds(3));
  CHECK(estimateTime(given, roundNumbers())->high == seconds(3));
  CHECK(estimateTime(Task{}, roundNumbers())->high == defaultTaskTime * 100);
}

TEST_CASE("registers that keep blocks out leave lanes idle") {
  // 100 multiprocessors of capability 9.0; 255 registers: 8 warps at a time, 128-thread blocks: 2 of them
  GpuModel model = roundNumbers();
  model.capability = "9.0";
  Kernel fat;
  KernelResources resources;
  resources.registersPerThread = 255;
  fat.resources["sm_90"] = resources;
  Task task = working(7e12, 0);
  task.launches = {{KernelId(0), {1000, 1, 1}, {128, 1, 1}, Bytes()}};
  const Kernel kernels[] = {fat};
  // 2 blocks of 128 threads are resident: half of the 512 that fill a multiprocessor
  CHECK(estimateTime(task, model, kernels)->time.value() == Approx(2 + 4e-6));
  CHECK(estimateTime(task, model)->time.value() == Approx(1 + 4e-6));
}

TEST_CASE("the tail of a grid costs: at least by blocks, at most by waves") {
  // 150 blocks of 1,024 threads on 100 multiprocessors: some have two to run
  Task task = working(7e12, 0);
  task.launches = {{KernelId(0), {150, 1, 1}, {1024, 1, 1}, Bytes()}};
  CHECK(estimateTime(task, roundNumbers())->time.value() == Approx(200.0 / 150 + 4e-6));
  CHECK(estimateTime(task, roundNumbers())->low.value() == Approx(0.7 / 0.95 + 2e-6));
}

TEST_CASE("a cache that is too small lets repeated requests through") {
  GpuModel model = roundNumbers();
  model.l2 = mebibytes(40);
  Task task = working(0, 0);
  task.work->dram = mebibytes(160);
  task.work->requested = mebibytes(960);
  // 160 + 800 * (1 - 40 / 160) = 760 MiB
  CHECK(estimateTime(task, model)->time.value() == Approx(mebibytes(760).value() / 0.85e12 + 4e-6));
  model.l2 = mebibytes(160);
  CHECK(estimateTime(task, model)->time.value() == Approx(mebibytes(160).value() / 0.85e12 + 4e-6));
}

TEST_CASE("a block that wants more shared memory than there is never starts") {
  GpuModel model = roundNumbers();
  model.capability = "7.5";
  Kernel kernel;
  kernel.name = "tile";
  Task task = working(1, 1);
  task.launches = {{KernelId(0), {1, 1, 1}, {128, 1, 1}, kibibytes(96)}};
  const Kernel kernels[] = {kernel};
  REQUIRE(whyItCannotStart(task, model, kernels));
  CHECK(*whyItCannotStart(task, model, kernels) ==
        "a block of 'tile' needs 96.0 KiB of shared memory, round-40GB has 64.0 KiB for a block");
  model.capability = "8.0";
  CHECK_FALSE(whyItCannotStart(task, model, kernels));
}
