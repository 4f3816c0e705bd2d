#include "streammap/Recorder.h"
#include "model/Dependencies.h"
#include "model/TaskGraphJson.h"
#include "streammap/Failure.h"
#include "support/Files.h"
#include "support/Text.h"
#include <algorithm>
#include <cstdio>

namespace streammap::engine {
namespace {

std::vector<std::string> textsOf(const detail::Key *keys, std::size_t count) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < count; ++i)
    texts.push_back(keys[i].text ? keys[i].text : std::to_string(keys[i].number));
  return texts;
}

Constraints constraintsOf(const detail::TaskDescription &task) {
  Constraints constraints;
  constraints.device = task.device;
  if (task.capability >= 0) {
    constraints.capability = shortest(task.capability);
    if (constraints.capability->find('.') == std::string::npos)
      *constraints.capability += ".0";
  }
  for (std::size_t i = 0; i < task.modelCount; ++i)
    constraints.models.emplace_back(task.models[i]);
  constraints.together = textsOf(task.together, task.togetherCount);
  constraints.apart = textsOf(task.apart, task.apartCount);
  if (task.nodeName)
    constraints.node = task.nodeName;
  else if (task.nodeNumber >= 0)
    constraints.node = std::to_string(task.nodeNumber);
  return constraints;
}

} // namespace

Recorder::Recorder(std::string path, std::vector<std::string> arguments) : path_(std::move(path)) {
  graph_.program.arguments = std::move(arguments);
}

BufferId Recorder::idOf(const Buffer &buffer) {
  BufferId &id = bufferIds_[buffer.number];
  if (!id.valid())
    id = graph_.buffers.push({"b" + std::to_string(graph_.buffers.size()),
                              buffer.name,
                              bytes(static_cast<double>(buffer.size)),
                              {}});
  return id;
}

void Recorder::note(const RequestedSection &requested, const TaskRequest &request) {
  const Section &section = requested.section;
  if (section.size == 0 && !section.wholeAllocation)
    return;
  const char *first = static_cast<const char *>(section.base) + section.offset;
  const Buffer *buffer = buffers_.find(first);
  const std::string who = "task " + request.name + " (" + request.location + ") names ";
  if (!buffer && section.wholeAllocation)
    fail(who + "a whole allocation by a pointer that no allocation contains; name its length: p[0:n]",
         RunExit::programDiffers);
  Region region{0, section.size, section.stride, section.count};
  if (buffer)
    region.offset = static_cast<std::uint64_t>(first - buffer->home);
  if (section.wholeAllocation)
    region = {0, buffer->size, 0, 1};
  if (buffer && region.end() > buffer->size)
    fail(who + "bytes " + std::to_string(region.offset) + " to " + std::to_string(region.end()) + " of " +
             buffer->name + ", beyond its " + std::to_string(buffer->size) + " bytes",
         RunExit::programDiffers);
  std::vector<Access> &accesses = graph_.tasks.back().accesses;
  if (!buffer)
    hostAccesses_.push_back(
        {TaskId(graph_.tasks.size() - 1), accesses.size(), epoch_, first, request.location});
  accesses.push_back({buffer ? idOf(*buffer) : BufferId(), requested.mode, region});
}

void Recorder::submit(const detail::TaskDescription &description, TaskRequest request) {
  Task task;
  task.id = "t" + std::to_string(graph_.tasks.size());
  task.name = request.name;
  task.site = description.site;
  task.location = request.location;
  task.constraints = constraintsOf(description);
  task.priority = description.priority;
  if (description.seconds >= 0)
    task.seconds["*"] = streammap::seconds(description.seconds);
  if (description.memory >= 0)
    task.deviceMemory = bytes(description.memory);
  if (description.flops >= 0 || description.bytes >= 0) {
    Work work;
    work.origin = Origin::pragma;
    work[FlopType::fp32] = flops(std::max(description.flops, 0.0));
    work.dram = bytes(std::max(description.bytes, 0.0));
    task.work = work;
  }
  graph_.tasks.push(std::move(task));
  for (const RequestedSection &section : request.sections)
    note(section, request);

  std::vector<const void *> bases;
  for (const RequestedSection &section : request.sections)
    bases.push_back(section.section.base);
  TaskContext context(bases.data(), bases.data(), bases.size(), nullptr, -1);
  inTask_ = true;
  request.closure(context);
  inTask_ = false;
}

void Recorder::launch(const std::string &symbol, const std::string &name, dim3 grid, dim3 block,
                      std::size_t dynamicShared) {
  if (!inTask_) {
    ++launchesOutsideTasks_;
    return;
  }
  KernelId &id = kernels_[symbol];
  if (!id.valid()) {
    Kernel kernel;
    kernel.id = "k" + std::to_string(graph_.kernels.size());
    kernel.name = name;
    kernel.symbol = symbol;
    id = graph_.kernels.push(std::move(kernel));
  }
  graph_.tasks.back().launches.push_back(
      {id, {grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, bytes(static_cast<double>(dynamicShared))});
}

void Recorder::resolveHostAccesses() {
  const auto regionOf = [&](const HostAccess &access) -> Region & {
    return graph_.tasks[access.task].accesses[access.index].region;
  };
  std::vector<const HostAccess *> sorted;
  for (const HostAccess &access : hostAccesses_)
    sorted.push_back(&access);
  std::ranges::stable_sort(sorted, [](const HostAccess *a, const HostAccess *b) {
    return a->epoch != b->epoch ? a->epoch < b->epoch : a->first < b->first;
  });
  for (std::size_t i = 0; i < sorted.size();) {
    const char *begin = sorted[i]->first, *end = begin;
    std::size_t next = i;
    while (next < sorted.size() && sorted[next]->epoch == sorted[i]->epoch &&
           (next == i || sorted[next]->first < end)) {
      end = std::max(end, sorted[next]->first + regionOf(*sorted[next]).end());
      ++next;
    }
    const BufferId id = graph_.buffers.push({"b" + std::to_string(graph_.buffers.size()), "host memory",
                                             bytes(static_cast<double>(end - begin)), sorted[i]->location});
    for (; i < next; ++i) {
      regionOf(*sorted[i]).offset = static_cast<std::uint64_t>(sorted[i]->first - begin);
      graph_.tasks[sorted[i]->task].accesses[sorted[i]->index].buffer = id;
    }
  }
}

void Recorder::write(int exitCode) {
  if (exitCode != 0)
    std::fprintf(
        stderr,
        "streammap: note: the program ended with exit code %d; the %zu tasks it had met were recorded\n",
        exitCode, graph_.tasks.size());
  resolveHostAccesses();
  graph_.dependencies = findDependencies(graph_.tasks);
  if (launchesOutsideTasks_)
    std::fprintf(
        stderr,
        "streammap: note: %zu kernel launches outside any task were skipped; they run on every rank\n",
        launchesOutsideTasks_);
  if (Expected<void> written = writeFileWhole(path_, writeTaskGraph(graph_)); !written)
    fail(written.error().message);
}

} // namespace streammap::engine
