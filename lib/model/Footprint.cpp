#include "model/Footprint.h"
#include "model/Regions.h"
#include <algorithm>
#include <span>

namespace streammap {
namespace {

/// `accesses` are all to one buffer.
std::uint64_t unionBytes(std::span<const Access> accesses) {
  std::vector<Region> counted;
  std::uint64_t bytes = 0;
  for (const Access &access : accesses) {
    std::vector<Region> fresh{normalised(access.region)};
    for (const Region &old : counted) {
      std::vector<Region> next;
      for (const Region &part : fresh)
        for (const Region &rest : difference(part, old))
          next.push_back(rest);
      fresh = std::move(next);
    }
    for (const Region &part : fresh)
      bytes += part.bytes();
    if (!fresh.empty())
      counted.push_back(normalised(access.region));
  }
  return bytes;
}

} // namespace

Bytes footprint(const Task &task) {
  if (task.deviceMemory)
    return *task.deviceMemory;
  std::vector<Access> accesses = task.accesses;
  std::ranges::stable_sort(accesses, {}, &Access::buffer);
  std::uint64_t bytes = 0;
  for (std::size_t begin = 0, end = 0; begin < accesses.size(); begin = end) {
    while (end < accesses.size() && accesses[end].buffer == accesses[begin].buffer)
      ++end;
    bytes += unionBytes(std::span(accesses).subspan(begin, end - begin));
  }
  return Bytes(static_cast<double>(bytes));
}

} // namespace streammap
