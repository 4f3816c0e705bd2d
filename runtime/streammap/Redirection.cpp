#include "streammap/Redirection.h"
#include <algorithm>
#include <iterator>

namespace streammap::engine {

const void *redirectedAddress(const CurrentTask &task, const void *pointer, const std::string &what) {
  Buffer *buffer = Process::current()->buffers().find(pointer);
  if (!buffer || placeOf(*buffer, task.device) == homePlace)
    return pointer;
  const bool named = std::ranges::any_of(
      task.run->sections, [&](const BoundSection &section) { return section.buffer == buffer; });
  if (!named)
    fail(what + " points into " + buffer->name + ", which no clause of the task (" + task.run->location +
             ") names; add it to in, out or inout",
         RunExit::programDiffers);
  return task.memory->address(*buffer, task.device) + (static_cast<const char *>(pointer) - buffer->home);
}

HostCopy copyAtHome(Process &process, void *destination, Rows destinationRows, const void *source,
                    Rows sourceRows, const std::function<void()> &function) {
  std::vector<Use> uses;
  const auto add = [&](const void *address, Rows rows, AccessMode mode) {
    if (!address)
      return true;
    Buffer *buffer = process.buffers().find(address);
    if (!buffer || buffer->kind == BufferKind::host) {
      if (!process.recorder())
        std::ranges::move(process.engine().usesOfHostMemory(address, rows.at(0), mode),
                          std::back_inserter(uses));
      return true;
    }
    const Region region =
        rows.at(static_cast<std::uint64_t>(static_cast<const char *>(address) - buffer->home));
    if (region.end() > buffer->size)
      return false;
    uses.push_back({buffer, mode, intervalsOf(region)});
    return true;
  };
  if (!add(destination, destinationRows, AccessMode::out) || !add(source, sourceRows, AccessMode::in))
    return {true, cudaErrorInvalidValue};
  if (uses.empty())
    return {};
  if (process.recorder())
    function();
  else
    process.engine().onHost(std::move(uses), function);
  return {true, cudaSuccess};
}

} // namespace streammap::engine
