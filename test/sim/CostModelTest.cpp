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
