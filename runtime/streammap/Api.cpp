// The functions behind streammap.h.
#include "streammap/Failure.h"
#include "streammap/Process.h"

namespace streammap {
namespace {

engine::TaskRequest requestOf(const detail::TaskDescription &task, std::string name,
                              detail::Closure closure) {
  engine::TaskRequest request{std::move(name), task.location, {}, engine::OwnedClosure(closure)};
  for (std::size_t i = 0; i < task.sectionCount; ++i) {
    const detail::SectionUse &use = task.sections[i];
    const AccessMode mode = use.mode == detail::Mode::in    ? AccessMode::in
                            : use.mode == detail::Mode::out ? AccessMode::out
                                                            : AccessMode::inout;
    request.sections.push_back({mode, use.section});
  }
  return request;
}

} // namespace

namespace detail {

void submit(const TaskDescription &task, Closure closure) {
  engine::Process *process = engine::Process::current();
  if (!process)
    engine::fail("a task was met before the program's main began or after it ended");
  if (engine::currentTask())
    engine::fail("task " + process->nameOf(task) + " (" + task.location + ") stands inside another task");
  engine::TaskRequest request = requestOf(task, process->nameOf(task), closure);
  if (process->recorder())
    process->recorder()->submit(task, std::move(request));
  else
    process->engine().submit(std::move(request));
}

void runInline(const TaskDescription &task, Closure closure) {
  engine::OwnedClosure owned(closure);
  std::vector<const void *> bases;
  for (std::size_t i = 0; i < task.sectionCount; ++i)
    bases.push_back(task.sections[i].section.base);
  TaskContext context(bases.data(), bases.data(), bases.size(), nullptr, -1);
  owned(context);
}

void wait(const char *location, const Section *sections, std::size_t count) {
  engine::Process *process = engine::Process::current();
  if (!process || engine::currentTask())
    return; // inside a task its own statement is all there is to wait for
  if (process->recorder())
    process->recorder()->wait();
  else if (count == 0)
    process->engine().wait(location);
  else
    process->engine().wait(location, {sections, count});
}

} // namespace detail

bool isRoot() {
  engine::Process *process = engine::Process::current();
  return !process || process->isRoot();
}

} // namespace streammap
