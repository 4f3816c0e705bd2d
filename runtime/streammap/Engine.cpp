#include "streammap/Engine.h"
#include "streammap/Failure.h"
#include <algorithm>
#include <iterator>

namespace streammap::engine {
namespace {
// What ranks meet for; a wait counts from 1, an end adds its exit code.
constexpr int atStart = 0, atEnd = 1 << 30;
constexpr double forEver = 1e9; // seconds; a rank that dies takes the others with it

bool isEmpty(const Section &section) {
  return section.size == 0 && !section.wholeAllocation;
}
} // namespace

Engine::Engine(EngineParts parts, std::optional<Plan> plan, std::vector<std::string> arguments)
    : parts_(parts), plan_(std::move(plan)), arguments_(std::move(arguments)),
      memory_(
          parts.port, [&trace = parts.trace] { return trace.now(); },
          [&trace = parts.trace](const Movement &movement) { trace.copy(movement); }),
      graph_([this](Operation &operation) { dispatch(operation); }),
      communication_(parts.communicator, memory_, parts.trace) {
  for (std::size_t i = 0; i < parts_.runners.size(); ++i) {
    const bool isCores = i + 1 == parts_.runners.size();
    executors_.push_back(std::make_unique<Executor>(isCores ? homePlace : static_cast<int>(i),
                                                    *parts_.runners[i], memory_, parts_.trace));
  }
  if (parts_.communicator.worldSize() > 1)
    communication_.start(graph_);
  for (const auto &executor : executors_)
    executor->start(graph_);
}

Engine::~Engine() = default;

Executor &Engine::executorOf(int device) {
  return device == homePlace ? *executors_.back() : *executors_[static_cast<std::size_t>(device)];
}

void Engine::dispatch(Operation &operation) {
  switch (operation.kind) {
  case OperationKind::task:
    executorOf(operation.task->device).enqueue(operation);
    return;
  case OperationKind::send:
  case OperationKind::receive:
    communication_.enqueue(operation);
    return;
  case OperationKind::host:
    operation.gate->count_down();
    return;
  }
}

// Who holds what, on all ranks: the same on each of them.

void Engine::addTransfer(Buffer &buffer, Intervals pieces, int from, int to) {
  const int tag = ++lastTag_[{from, to}];
  if (from != rank() && to != rank())
    return;
  auto operation = std::make_unique<Operation>();
  operation->kind = from == rank() ? OperationKind::send : OperationKind::receive;
  operation->peer = from == rank() ? to : from;
  operation->tag = tag & 0x3fffffff;
  operation->uses.push_back({&buffer, from == rank() ? AccessMode::in : AccessMode::out, std::move(pieces)});
  graph_.add(std::move(operation));
}

void Engine::bringTo(int rank, const Use &use) {
  std::map<int, Intervals> missing; // by source
  for (const Interval &interval : use.intervals)
    use.buffer->holders.visit(interval, [&](Interval piece, const RankSet &holders) {
      if (!holders.contains(rank))
        missing[holders.sourceFor(rank)].push_back(piece);
    });
  for (auto &[source, pieces] : missing) {
    pieces = normalised(std::move(pieces));
    for (const Interval &piece : pieces)
      use.buffer->holders.update(
          piece, [&](Interval, RankSet &holders) { holders.add(rank, parts_.communicator.worldSize()); });
    addTransfer(*use.buffer, std::move(pieces), source, rank);
  }
}

void Engine::bringToAll(const Use &use) {
  for (int rank = 0; rank < parts_.communicator.worldSize(); ++rank)
    bringTo(rank, use);
}

// Tasks.

void Engine::failForMismatch(std::size_t index, const TaskRequest &request) const {
  const bool tooMany = index >= plan_->tasks.size();
  failTogether(
      "the program's tasks are not those of " + plan_->file + ": task " + std::to_string(index) + " is " +
          request.name + " here (" + request.location + ") and " +
          (tooMany ? "the placement ends after " + std::to_string(index) + " tasks"
                   : plan_->tasks[index].name + " in the placement") +
          "\n  the placement was made for arguments: " +
          describeArguments(plan_->arguments, plan_->parameters) +
          "\n  this run has arguments: " + describeArguments(arguments_, {}) +
          (plan_->arguments == arguments_
               ? "\n  the arguments are the same: what the program does depends on something else, or it was "
                 "changed since it was annotated"
               : "\n  map the program again with this run's arguments, or run it with the placement's"),
      RunExit::programDiffers);
}

PlannedTask Engine::planned(const TaskRequest &request) {
  const std::size_t index = tasksMet_++;
  if (!plan_)
    return {request.name, 0, executors_.size() > 1 ? 0 : homePlace, 0};
  if (index == 0 && !plan_->arguments.empty() && plan_->arguments != arguments_)
    failTogether(plan_->file + " was made for other arguments: " +
                     describeArguments(plan_->arguments, plan_->parameters) +
                     "\n  this run has arguments: " + describeArguments(arguments_, {}) +
                     "\n  map the program again with this run's arguments, or run it with the placement's",
                 RunExit::programDiffers);
  if (index >= plan_->tasks.size() || plan_->tasks[index].name != request.name)
    failForMismatch(index, request);
  return plan_->tasks[index];
}

Use Engine::useOf(Buffer &buffer, AccessMode mode, const Region &region) const {
  if (region.size != 0 && region.end() > buffer.size)
    failTogether("bytes " + std::to_string(region.offset) + " to " + std::to_string(region.end()) + " of " +
                     buffer.name + " are named, beyond its " + std::to_string(buffer.size) + " bytes",
                 RunExit::programDiffers);
  return {&buffer, mode, intervalsOf(region)};
}

/// Host memory is known from the first task that names it to the next wait. Sections that share bytes share a
/// buffer.
Buffer &Engine::registerHostMemory(const char *begin, std::uint64_t size, const std::string &location) {
  const char *end = begin + size;
  while (Buffer *other = buffers_.findOverlapping(begin, static_cast<std::uint64_t>(end - begin))) {
    if (other->kind != BufferKind::host)
      failTogether("the section of " + std::to_string(size) + " bytes at " + location + " reaches into " +
                       other->name,
                   RunExit::programDiffers);
    if (begin >= other->home && end <= other->home + other->size)
      return *other;
    begin = std::min<const char *>(begin, other->home);
    end = std::max<const char *>(end, other->home + other->size);
    onHost({{other, AccessMode::inout, {{0, other->size}}}}, [] {});
    removeBuffer(*other);
  }
  return buffers_.add(BufferKind::host, const_cast<char *>(begin), static_cast<std::uint64_t>(end - begin),
                      "host memory named at " + location);
}

Buffer &Engine::bufferOf(const Section &section, const TaskRequest &request) {
  const char *first = static_cast<const char *>(section.base) + section.offset;
  Buffer *buffer = buffers_.find(first);
  if (section.wholeAllocation) {
    if (!buffer || buffer->kind == BufferKind::host)
      failTogether("task " + request.name + " (" + request.location +
                       ") names a whole allocation by a pointer that " +
                       "no allocation contains; name its length: p[0:n]",
                   RunExit::programDiffers);
    return *buffer;
  }
  if (buffer && buffer->kind != BufferKind::host)
    return *buffer;
  const Region region{0, section.size, section.stride, section.count};
  return registerHostMemory(first, region.end(), request.location);
}

/// A small object that the task only reads and no task since the last wait names otherwise: every rank has
/// its value now, and host code may go on to change it, as it may change what the closure captured. So the
/// task gets a copy.
bool Engine::isSnapshot(const RequestedSection &requested) const {
  constexpr unsigned long long largest = 64 << 10;
  const Section &section = requested.section;
  return section.isObject && requested.mode == AccessMode::in && section.size <= largest &&
         !buffers_.findOverlapping(static_cast<const char *>(section.base), section.size);
}

Engine::Binding Engine::bind(const TaskRequest &request) {
  Binding binding;
  std::vector<bool> isCopied;
  for (const RequestedSection &requested : request.sections)
    isCopied.push_back(!isEmpty(requested.section) && isSnapshot(requested));
  for (std::size_t i = 0; i != request.sections.size(); ++i)
    if (!isEmpty(request.sections[i].section) && !isCopied[i])
      bufferOf(request.sections[i].section,
               request); // may put several host buffers together: only then is any of them final
  for (std::size_t i = 0; i != request.sections.size(); ++i) {
    const RequestedSection &requested = request.sections[i];
    const Section &section = requested.section;
    if (isEmpty(section) || isCopied[i]) {
      binding.sections.push_back(
          {nullptr, section.base, isCopied[i] ? Snapshot(section.base, section.size) : Snapshot()});
      continue;
    }
    Buffer &buffer = bufferOf(section, request);
    binding.sections.push_back({&buffer, section.base, {}});
    const Region region = section.wholeAllocation
                              ? Region{0, buffer.size, 0, 1}
                              : Region{static_cast<std::uint64_t>(static_cast<const char *>(section.base) +
                                                                  section.offset - buffer.home),
                                       section.size, section.stride, section.count};
    binding.uses.push_back(useOf(buffer, requested.mode, region));
  }
  return binding;
}

void Engine::submit(TaskRequest request) {
  const PlannedTask place = planned(request);
  Binding binding = bind(request);
  for (const Use &use : binding.uses)
    if (reads(use.mode))
      bringTo(place.rank, use);
  for (const Use &use : binding.uses)
    if (writes(use.mode)) {
      use.buffer->writtenByTasks = true;
      for (const Interval &interval : use.intervals)
        use.buffer->holders.assign(
            interval, parts_.communicator.worldSize() == 1 ? RankSet::everyone() : RankSet::only(place.rank));
    }
  if (place.rank != rank())
    return;
  auto operation = std::make_unique<Operation>();
  operation->kind = OperationKind::task;
  operation->uses = std::move(binding.uses);
  operation->task = std::make_unique<TaskRun>(std::move(request.name), std::move(request.closure));
  operation->task->location = std::move(request.location);
  operation->task->index = tasksMet_ - 1;
  operation->task->device = place.device;
  operation->task->start = place.start;
  operation->task->sections = std::move(binding.sections);
  graph_.add(std::move(operation));
}

// The program itself.

void Engine::runReplicated(std::vector<Use> uses, int place, const std::function<void()> &function) {
  for (const Use &use : uses)
    if (reads(use.mode))
      bringToAll(use);
  for (const Use &use : uses)
    if (writes(use.mode))
      for (const Interval &interval : use.intervals)
        use.buffer->holders.assign(interval, RankSet::everyone());
  auto operation = std::make_unique<Operation>();
  std::latch gate(1);
  operation->gate = &gate;
  operation->uses = uses;
  const double start = parts_.trace.now();
  const std::uint64_t id = graph_.add(std::move(operation));
  gate.wait();
  if (memory_.acquire(uses, place) == Acquired::noRoom)
    fail("out of memory on device 0 for a kernel launched outside any task: it needs all buffers it is given "
         "there");
  parts_.trace.wait("host access", start);
  function();
  memory_.release(uses, place);
  graph_.complete(id);
}

void Engine::onHost(std::vector<Use> uses, const std::function<void()> &function) {
  runReplicated(std::move(uses), homePlace, function);
}

void Engine::onDevice(std::vector<Use> uses, const std::function<void()> &function) {
  if (executors_.size() == 1)
    fail("a kernel was launched outside any task, and this rank has no device");
  runReplicated(std::move(uses), 0, function);
}

void Engine::waitForLocalWork() {
  graph_.waitForAll();
}

void Engine::wait(const std::string &location) {
  const double start = parts_.trace.now();
  for (Buffer *buffer : buffers_.all())
    if (buffer->kind != BufferKind::device)
      bringToAll({buffer, AccessMode::in, {{0, buffer->size}}});
  graph_.waitForAll();
  meet(++waits_);
  for (Buffer *buffer : buffers_.all()) {
    buffer->writtenByTasks = false;
    if (buffer->kind == BufferKind::managed) {
      // The host may write it from here on, unseen: devices fetch it again.
      const Use everything{buffer, AccessMode::inout, {{0, buffer->size}}};
      memory_.acquire({&everything, 1}, homePlace);
    } else if (buffer->kind == BufferKind::host) {
      buffers_.remove(*buffer);
    }
  }
  parts_.trace.wait("wait at " + location, start);
}

std::vector<Use> Engine::usesOfHostMemory(const void *address, const Region &region, AccessMode mode) const {
  const char *first = static_cast<const char *>(address);
  std::vector<Use> uses;
  for (Buffer *buffer : buffers_.all()) {
    if (buffer->kind != BufferKind::host)
      continue;
    Intervals pieces;
    for (const Interval &run : intervalsOf(region)) {
      const char *begin = std::max<const char *>(first + run.begin, buffer->home);
      const char *end = std::min<const char *>(first + run.end, buffer->home + buffer->size);
      if (begin < end)
        pieces.push_back({static_cast<std::uint64_t>(begin - buffer->home),
                          static_cast<std::uint64_t>(end - buffer->home)});
    }
    if (!pieces.empty())
      uses.push_back({buffer, mode, std::move(pieces)});
  }
  return uses;
}

void Engine::wait(const std::string &location, std::span<const Section> sections) {
  std::vector<Use> uses;
  const double start = parts_.trace.now();
  for (const Section &section : sections) {
    const char *first = static_cast<const char *>(section.base) + section.offset;
    Buffer *around = buffers_.find(first);
    Region region{0, section.size, section.stride, section.count};
    if (!around || around->kind == BufferKind::host) {
      std::ranges::move(usesOfHostMemory(first, region, AccessMode::inout), std::back_inserter(uses));
      continue;
    }
    region.offset = static_cast<std::uint64_t>(first - around->home);
    if (section.wholeAllocation)
      region = {0, around->size, 0, 1};
    // The host may write what it can reach, so nobody may still be reading it.
    uses.push_back(
        useOf(*around, around->kind == BufferKind::device ? AccessMode::in : AccessMode::inout, region));
  }
  onHost(std::move(uses), [] {});
  parts_.trace.wait("wait at " + location, start);
}

void Engine::removeBuffer(Buffer &buffer) {
  graph_.waitFor(buffer);
  memory_.forget(buffer);
  buffers_.remove(buffer);
}

bool Engine::hostMayMissResults() const {
  return std::ranges::any_of(buffers_.all(), [](const Buffer *buffer) {
    return buffer->writtenByTasks &&
           (buffer->kind == BufferKind::managed || buffer->kind == BufferKind::pinned);
  });
}

void Engine::meet(int purpose) {
  if (communication_.meet(purpose, forEver) == Meeting::disagreed)
    fail("ranks take different ways through the program: another one is at another wait or has ended; every "
         "rank must "
         "do the same, whatever it prints");
}

void Engine::synchroniseClocks() {
  meet(atStart);
  parts_.trace.restartClock();
}

bool Engine::endsTogether(int exitCode, double patienceSeconds) {
  return communication_.meet(atEnd + exitCode, patienceSeconds) == Meeting::agreed;
}

void Engine::finish() {
  if (plan_ && tasksMet_ < plan_->tasks.size())
    failTogether("the program ended after " + std::to_string(tasksMet_) + " tasks and " + plan_->file +
                     " has " + std::to_string(plan_->tasks.size()) + ": the next would be " +
                     plan_->tasks[tasksMet_].name + "\n  the placement was made for arguments: " +
                     describeArguments(plan_->arguments, plan_->parameters) +
                     "\n  this run has arguments: " + describeArguments(arguments_, {}),
                 RunExit::programDiffers);
  graph_.waitForAll();
  meet(atEnd);
}

} // namespace streammap::engine
