// Random programs on worlds of threads: whatever the placement, every rank must see what the serial program
// computes.
#include "streammap/Engine.h"
#include "runtime/engine/FakeDevices.h"
#include "support/Catch.h"
#include <algorithm>
#include <random>
#include <thread>

namespace streammap::engine {
using test::FakeCommunicator;
using test::FakeDevices;
using test::FakeWorld;

namespace {

/// Runs closures at once, on the executor's thread.
class DirectRunner final : public TaskRunner {
public:
  void attach(int device) override { device_ = device; }
  void start(Operation &operation, LocalMemory &memory) override {
    std::vector<const void *> bases, places;
    for (const BoundSection &section : operation.task->sections) {
      bases.push_back(section.base);
      places.push_back(section.place(memory, device_));
    }
    TaskContext context(bases.data(), places.data(), bases.size(), nullptr, device_);
    operation.task->closure(context);
  }
  void finish(Operation &) override {}

private:
  int device_ = -1;
};

/// One thing a program does; the same on all ranks.
struct Step {
  enum Kind { task, hostWrite, hostRead, wait, waitOn } kind = task;
  std::size_t to = 0, from = 0;                                    ///< buffers
  std::uint64_t toBegin = 0, fromBegin = 0, count = 0, stride = 1; ///< elements
  bool inout = false;
  long value = 0;
};

constexpr std::uint64_t elements = 48;
constexpr std::size_t buffers = 4;
using Data = std::vector<std::vector<long>>;

/// to[k] = (inout ? to[k] : 0) * 3 + from[k] + value, for `count` elements `stride` apart.
void apply(const Step &step, long *to, const long *from) {
  for (std::uint64_t k = 0; k < step.count * step.stride; k += step.stride)
    to[k] = (step.inout ? to[k] * 3 : 0) + from[k] + step.value;
}

std::vector<Step> randomProgram(std::mt19937 &random, int size) {
  std::vector<Step> program;
  for (int i = 0; i < size; ++i) {
    Step step;
    const unsigned kind = random() % 20;
    step.kind = kind < 15 ? Step::task : static_cast<Step::Kind>(kind - 14);
    if (step.kind > Step::waitOn)
      step.kind = Step::task;
    step.to = random() % buffers;
    step.from = random() % buffers;
    step.stride = 1 + random() % 3;
    step.count = 1 + random() % 12;
    const std::uint64_t room = elements - (step.count - 1) * step.stride;
    step.toBegin = random() % room;
    step.fromBegin = random() % room;
    if (step.to == step.from) // a kernel that reads what it writes elsewhere is another program
      step.fromBegin = step.toBegin;
    step.inout = random() % 2;
    step.value = static_cast<long>(random() % 100);
    program.push_back(step);
  }
  return program;
}

/// What the host saw: everything it read, in order, and the buffers at the end.
struct Outcome {
  std::vector<long> read;
  Data data;
  bool operator==(const Outcome &) const = default;
};

Outcome runSerially(const std::vector<Step> &program) {
  Outcome outcome;
  outcome.data.assign(buffers, std::vector<long>(elements));
  for (std::size_t b = 0; b < buffers; ++b)
    for (std::uint64_t i = 0; i < elements; ++i)
      outcome.data[b][i] = static_cast<long>(100 * b + i);
  for (const Step &step : program) {
    std::vector<long> &to = outcome.data[step.to];
    switch (step.kind) {
    case Step::task: {
      const std::vector<long> from = outcome.data[step.from];
      apply(step, &to[step.toBegin], &from[step.fromBegin]);
      break;
    }
    case Step::hostWrite:
      for (std::uint64_t k = 0; k < step.count; ++k)
        to[step.toBegin + k] = step.value;
      break;
    case Step::hostRead:
    case Step::waitOn:
      outcome.read.insert(outcome.read.end(), to.begin() + static_cast<long>(step.toBegin),
                          to.begin() + static_cast<long>(step.toBegin + step.count));
      break;
    case Step::wait:
      break;
    }
  }
  return outcome;
}

TaskRequest requestOf(const Step &step, std::size_t index, long *to, long *from) {
  auto *closure = new auto([=](TaskContext &context) mutable {
    apply(step, context.pointer(0, to) + step.toBegin, context.pointer(1, from) + step.fromBegin);
  });
  using Function = std::remove_pointer_t<decltype(closure)>;
  TaskRequest request{
      "t" + std::to_string(index),
      "test:1",
      {},
      OwnedClosure({closure, [](void *state, TaskContext &c) { (*static_cast<Function *>(state))(c); },
                    [](void *state) { delete static_cast<Function *>(state); }})};
  const auto count = static_cast<long long>(step.count), stride = static_cast<long long>(step.stride);
  request.sections.push_back({step.inout ? AccessMode::inout : AccessMode::out,
                              section(to, static_cast<long long>(step.toBegin), count, stride)});
  request.sections.push_back(
      {AccessMode::in, section(from, static_cast<long long>(step.fromBegin), count, stride)});
  return request;
}

/// One rank's main thread.
Outcome runRank(const std::vector<Step> &program, const Plan &plan, FakeWorld &world, int rank, int devices,
                std::size_t granules, BufferKind kind) {
  FakeCommunicator communicator(world, rank);
  FakeDevices port(devices, granules);
  TraceLog trace(Tracing::off);
  std::vector<DirectRunner> runners(static_cast<std::size_t>(devices) + 1);
  EngineParts parts{communicator, port, trace, {}};
  for (DirectRunner &runner : runners)
    parts.runners.push_back(&runner);

  Outcome outcome;
  outcome.data.assign(buffers, std::vector<long>(elements));
  Engine engine(parts, plan, {});
  Data &home = outcome.data;
  std::vector<Buffer *> registered;
  for (std::size_t b = 0; b < buffers; ++b) {
    if (kind == BufferKind::host) { // found when a task names it; here each rank has initialised its own
      for (std::uint64_t i = 0; i < elements; ++i)
        home[b][i] = static_cast<long>(100 * b + i);
      continue;
    }
    registered.push_back(&engine.buffers().add(kind, home[b].data(), elements * sizeof(long), "test"));
    engine.onHost({{registered[b], AccessMode::out, {{0, elements * sizeof(long)}}}}, [&] {
      for (std::uint64_t i = 0; i < elements; ++i)
        home[b][i] = static_cast<long>(100 * b + i);
    });
  }
  std::size_t tasks = 0;
  for (const Step &step : program) {
    std::vector<long> &to = home[step.to];
    const Section part =
        section(to.data(), static_cast<long long>(step.toBegin), static_cast<long long>(step.count));
    const auto readPart = [&] {
      outcome.read.insert(outcome.read.end(), to.begin() + static_cast<long>(step.toBegin),
                          to.begin() + static_cast<long>(step.toBegin + step.count));
    };
    const auto access = [&](AccessMode mode, const std::function<void()> &function) {
      if (Buffer *buffer = engine.buffers().find(to.data() + step.toBegin);
          buffer && kind != BufferKind::host) {
        engine.onHost(
            {engine.useOf(*buffer, mode, {step.toBegin * sizeof(long), step.count * sizeof(long), 0, 1})},
            function);
      } else {
        engine.wait("test"); // ordinary memory may be touched after a wait
        function();
      }
    };
    switch (step.kind) {
    case Step::task:
      engine.submit(requestOf(step, tasks++, to.data(), home[step.from].data()));
      break;
    case Step::hostWrite:
      access(AccessMode::out, [&] {
        for (std::uint64_t k = 0; k < step.count; ++k)
          to[step.toBegin + k] = step.value;
      });
      break;
    case Step::hostRead:
      access(AccessMode::in, readPart);
      break;
    case Step::waitOn:
      engine.wait("test", {&part, 1});
      readPart();
      break;
    case Step::wait:
      engine.wait("test");
      break;
    }
  }
  for (Buffer *buffer : registered)
    engine.onHost({{buffer, AccessMode::in, {{0, buffer->size}}}}, [] {});
  engine.wait("test");
  engine.finish();
  return outcome;
}

void checkWorld(unsigned seed, int ranks, int devices, std::size_t granules, BufferKind kind) {
  std::mt19937 random(seed);
  CAPTURE(seed, ranks, devices, granules);
  const std::vector<Step> program = randomProgram(random, 60);
  Plan plan;
  plan.file = "test.placement.json";
  for (const Step &step : program)
    if (step.kind == Step::task)
      plan.tasks.push_back({"t" + std::to_string(plan.tasks.size()), static_cast<int>(random() % ranks),
                            static_cast<int>(random() % (devices + 1)) - 1,
                            static_cast<double>(random() % 10)});
  const Outcome expected = runSerially(program);
  FakeWorld world(ranks);
  std::vector<Outcome> outcomes(ranks);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank)
    threads.emplace_back(
        [&, rank] { outcomes[rank] = runRank(program, plan, world, rank, devices, granules, kind); });
  for (std::thread &thread : threads)
    thread.join();
  for (const Outcome &outcome : outcomes) {
    REQUIRE(outcome.read == expected.read);
    REQUIRE(outcome.data == expected.data);
  }
}

} // namespace

TEST_CASE("every rank sees what the serial program computes, whatever the placement") {
  for (unsigned seed = 0; seed < 12; ++seed)
    for (auto [ranks, devices] : {std::pair{1, 1}, {1, 3}, {2, 2}, {4, 1}, {3, 2}})
      checkWorld(seed, ranks, devices, 100, BufferKind::device);
}

TEST_CASE("it stays so when devices are too small to hold everything") {
  for (unsigned seed = 100; seed < 112; ++seed)
    for (auto [ranks, devices] : {std::pair{1, 2}, {2, 2}, {3, 1}})
      checkWorld(seed, ranks, devices, 14, BufferKind::device); // a task needs up to 12 of 24
}

TEST_CASE("managed memory may be read by the host after a wait") {
  for (unsigned seed = 200; seed < 210; ++seed)
    for (auto [ranks, devices] : {std::pair{1, 2}, {2, 1}, {3, 2}})
      checkWorld(seed, ranks, devices, 100, BufferKind::managed);
}

TEST_CASE("ordinary host memory is known by the sections that name it, overlapping or not") {
  for (unsigned seed = 300; seed < 312; ++seed)
    for (auto [ranks, devices] : {std::pair{1, 2}, {2, 1}, {3, 2}})
      checkWorld(seed, ranks, devices, 100, BufferKind::host);
}

TEST_CASE("a piece is sent to a rank once, and not again until it is written") {
  FakeWorld world(2);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < 2; ++rank)
    threads.emplace_back([&, rank] {
      std::vector<Step> program;
      Step write; // on rank 0, then read three times on rank 1
      write.to = write.from = 0;
      write.count = 8;
      program.push_back(write);
      for (std::size_t reader = 0; reader < 3; ++reader) {
        Step read = write;
        read.to = 1;
        read.toBegin = 8 * reader;
        program.push_back(read);
      }
      Plan plan;
      plan.tasks = {{"t0", 0, 0, 0}, {"t1", 1, 0, 1}, {"t2", 1, 0, 2}, {"t3", 1, 0, 3}};
      FakeCommunicator communicator(world, rank);
      FakeDevices port(1, 100);
      TraceLog trace(Tracing::off);
      DirectRunner device, cores;
      Engine engine({communicator, port, trace, {&device, &cores}}, plan, {});
      Data home(2, std::vector<long>(elements));
      for (std::vector<long> &data : home)
        engine.buffers().add(BufferKind::device, data.data(), elements * sizeof(long), "test");
      for (std::size_t i = 0; i < program.size(); ++i)
        engine.submit(requestOf(program[i], i, home[program[i].to].data(), home[program[i].from].data()));
      engine.finish();
    });
  for (std::thread &thread : threads)
    thread.join();
  CHECK(world.messages() == 1);
  CHECK(world.bytes() == 8 * sizeof(long));
}

} // namespace streammap::engine
