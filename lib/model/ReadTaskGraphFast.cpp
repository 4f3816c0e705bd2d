#include "model/ReadTaskGraphFast.h"
#include "support/JsonCursor.h"
#include <algorithm>
#include <cstring>

namespace streammap {
namespace {

constexpr std::string_view originNames[] = {"unknown", "default", "static", "ptxas", "profile", "pragma"};
constexpr std::string_view modeNames[] = {"in", "out", "inout"};
constexpr std::string_view deviceNames[] = {"gpu", "cpu", "any"};

/// Names and their numbers: open addressing with linear probing, at most half full.
class NameTable {
public:
  void reserve(std::size_t names) {
    std::size_t slots = 16;
    while (slots < 2 * names)
      slots *= 2;
    rehash(slots);
  }

  /// Gives the name the next number; false where it has one.
  bool add(std::string_view name) {
    if (2 * (names_.size() + 1) > slots_.size())
      reserve(2 * (names_.size() + 1));
    const std::size_t slot = find(name);
    if (slots_[slot] != none)
      return false;
    slots_[slot] = static_cast<std::uint32_t>(names_.size());
    names_.push_back(name);
    return true;
  }

  std::optional<std::size_t> operator[](std::string_view name) const {
    if (slots_.empty())
      return std::nullopt;
    const std::uint32_t found = slots_[find(name)];
    return found == none ? std::nullopt : std::optional<std::size_t>(found);
  }

private:
  static constexpr std::uint32_t none = UINT32_MAX;

  static std::uint64_t hash(std::string_view name) {
    std::uint64_t sum = name.size();
    for (; name.size() >= 8; name.remove_prefix(8)) {
      std::uint64_t part = 0;
      std::memcpy(&part, name.data(), 8);
      sum = (sum ^ part) * 0x9e3779b97f4a7c15u; // 2^64 / golden ratio (Knuth, TAOCP 3, 6.4)
      sum ^= sum >> 32;
    }
    std::uint64_t part = 0;
    std::memcpy(&part, name.data(), name.size());
    sum = (sum ^ part) * 0x9e3779b97f4a7c15u;
    return sum ^ sum >> 32;
  }

  /// The slot of the name, or the empty one where it belongs.
  std::size_t find(std::string_view name) const {
    std::size_t slot = hash(name) & (slots_.size() - 1);
    while (slots_[slot] != none && names_[slots_[slot]] != name)
      slot = (slot + 1) & (slots_.size() - 1);
    return slot;
  }

  void rehash(std::size_t slots) {
    slots_.assign(slots, none);
    for (std::size_t i = 0; i < names_.size(); ++i)
      slots_[find(names_[i])] = static_cast<std::uint32_t>(i);
  }

  std::vector<std::string_view> names_;
  std::vector<std::uint32_t> slots_;
};

/// Which of an object's keys have come.
class Seen {
public:
  /// False the second time.
  bool first(unsigned key) {
    const unsigned bit = 1u << key;
    const bool isNew = (bits_ & bit) == 0;
    bits_ |= bit;
    return isNew;
  }
  bool has(unsigned key) const { return (bits_ & 1u << key) != 0; }

private:
  unsigned bits_ = 0;
};

class FastReader {
public:
  explicit FastReader(std::string_view text) : at_(text) {}

  std::optional<TaskGraph> read(const std::function<std::optional<TaskGraph>(std::string_view)> &readHead) {
    std::string head = "{";
    bool hasTasks = false, hasDependencies = false;
    std::string_view key;
    at_.enterObject();
    while (at_.nextKey(key)) {
      if (key == "tasks" && !hasTasks) {
        std::optional<TaskGraph> graph = readHead(head + "\"tasks\": []}");
        if (!graph)
          return std::nullopt;
        graph_ = std::move(*graph);
        hasTasks = true;
        readTasks();
      } else if (key == "dependencies" && hasTasks && !hasDependencies) {
        hasDependencies = true;
        readDependencies();
      } else if (!hasTasks && key != "dependencies") {
        head.append("\"").append(key).append("\": ").append(at_.skip()).append(", ");
      } else {
        return std::nullopt;
      }
    }
    return at_.isDone() && hasTasks ? std::optional(std::move(graph_)) : std::nullopt;
  }

private:
  void readTasks() {
    for (const Kernel &kernel : graph_.kernels)
      kernels_.add(kernel.id);
    for (const Buffer &buffer : graph_.buffers)
      buffers_.add(buffer.id);
    for (at_.enterArray(); at_.nextElement();)
      readTask();
  }

  void readTask() {
    static constexpr std::string_view keys[] = {
        "id",          "name",    "site",           "location", "launches",
        "work",        "seconds", "seconds_origin", "accesses", "device_memory_bytes",
        "constraints", "priority"};
    Task task;
    const Seen seen = readMembers(keys, [&](unsigned key) {
      switch (key) {
      case 0:
        return readId(task);
      case 1:
        return assign(task.name);
      case 2:
        task.site = static_cast<unsigned>(whole(0, UINT32_MAX));
        return;
      case 3:
        return assign(task.location);
      case 4:
        return readLaunches(task);
      case 5:
        task.work = readWork();
        return;
      case 6:
        return readSeconds(task);
      case 7:
        task.secondsOrigin = static_cast<Origin>(oneOf(originNames));
        return;
      case 8:
        return readAccesses(task);
      case 9:
        task.deviceMemory = Bytes(positive());
        return;
      case 10:
        task.constraints = readConstraints();
        return;
      default:
        task.priority = at_.number();
      }
    });
    if (!seen.has(0))
      return at_.fail();
    if (!seen.has(1))
      task.name = task.id;
    graph_.tasks.push(std::move(task));
  }

  /// The members of an object, each by its position among `keys`; an unknown key or one that comes twice ends
  /// the reading.
  template <std::size_t N, class Read>
  Seen readMembers(const std::string_view (&keys)[N], Read read) {
    Seen seen;
    std::string_view key;
    for (at_.enterObject(); at_.nextKey(key);) {
      const auto found = static_cast<unsigned>(std::find(keys, keys + N, key) - keys);
      if (found == N || !seen.first(found))
        at_.fail();
      else
        read(found);
    }
    return seen;
  }

  void readId(Task &task) {
    const std::string_view id = at_.text();
    if (id.empty() || !tasks_.add(id))
      return at_.fail();
    task.id = id;
  }

  void assign(std::string &text) { text = at_.text(); }

  std::uint64_t whole(std::uint64_t least = 0, std::uint64_t greatest = std::uint64_t{1} << 53) {
    const std::uint64_t value = at_.wholeNumber();
    if (value < least || value > greatest)
      at_.fail();
    return value;
  }

  double positive() {
    const double value = at_.number();
    if (!(value >= 0))
      at_.fail();
    return value;
  }

  template <std::size_t N>
  std::size_t oneOf(const std::string_view (&words)[N]) {
    const auto found = static_cast<std::size_t>(std::find(words, words + N, at_.text()) - words);
    if (found == N)
      at_.fail();
    return found == N ? 0 : found;
  }

  template <class IdType>
  IdType named(const NameTable &names) {
    const std::optional<std::size_t> found = names[at_.text()];
    if (!found)
      at_.fail();
    return IdType(found.value_or(0));
  }

  void readSeconds(Task &task) {
    std::string_view model;
    for (at_.enterObject(); at_.nextKey(model);)
      if (!task.seconds.try_emplace(std::string(model), Seconds(positive())).second)
        at_.fail();
  }

  void readLaunches(Task &task) {
    static constexpr std::string_view keys[] = {"kernel", "grid", "block", "dynamic_shared_bytes"};
    for (at_.enterArray(); at_.nextElement();) {
      Launch launch;
      const Seen seen = readMembers(keys, [&](unsigned key) {
        switch (key) {
        case 0:
          launch.kernel = named<KernelId>(kernels_);
          return;
        case 1:
          return readDimensions(launch.grid, 2147483647);
        case 2:
          return readDimensions(launch.block, 1024);
        default:
          launch.dynamicShared = Bytes(positive());
        }
      });
      if (!seen.has(0))
        at_.fail();
      task.launches.push_back(launch);
    }
  }

  void readDimensions(std::array<std::uint64_t, 3> &dimensions, std::uint64_t greatest) {
    std::size_t count = 0;
    for (at_.enterArray(); at_.nextElement(); ++count)
      if (count < 3)
        dimensions[count] = whole(1, greatest);
      else
        at_.fail();
    if (count == 0)
      at_.fail();
  }

  Work readWork() {
    static constexpr std::string_view keys[] = {"flops", "dram_bytes", "requested_bytes", "origin"};
    static constexpr std::string_view types[] = {"fp64",   "fp32",    "fp16",   "bf16",
                                                 "tensor", "integer", "special"};
    Work work;
    readMembers(keys, [&](unsigned key) {
      switch (key) {
      case 0:
        readMembers(types, [&](unsigned type) { work.flops[type] = Flops(positive()); });
        return;
      case 1:
        work.dram = Bytes(positive());
        return;
      case 2:
        work.requested = Bytes(positive());
        return;
      default:
        work.origin = static_cast<Origin>(oneOf(originNames));
      }
    });
    return work;
  }

  void readAccesses(Task &task) {
    static constexpr std::string_view keys[] = {"buffer", "mode", "offset", "bytes", "stride", "count"};
    for (at_.enterArray(); at_.nextElement();) {
      Access access;
      Region &region = access.region;
      const Seen seen = readMembers(keys, [&](unsigned key) {
        switch (key) {
        case 0:
          access.buffer = named<BufferId>(buffers_);
          return;
        case 1:
          access.mode = static_cast<AccessMode>(oneOf(modeNames));
          return;
        case 2:
          region.offset = whole();
          return;
        case 3:
          region.size = whole();
          return;
        case 4:
          region.stride = whole();
          return;
        default:
          region.count = whole();
        }
      });
      if (!seen.has(0) || !seen.has(1) || !seen.has(3) || (region.count > 1 && region.stride < region.size))
        return at_.fail();
      if (region.count <= 1)
        region.stride = 0;
      if (at_.failed() || isOutside(access))
        return at_.fail();
      task.accesses.push_back(access);
    }
  }

  bool isOutside(const Access &access) const {
    const Region &region = access.region;
    if (region.size == 0 || region.count == 0)
      return false;
    const double end = static_cast<double>(region.offset) + static_cast<double>(region.size) +
                       static_cast<double>(region.stride) * static_cast<double>(region.count - 1);
    return end > graph_.buffers[access.buffer].size.value();
  }

  Constraints readConstraints() {
    static constexpr std::string_view keys[] = {"capability", "models", "together",
                                                "apart",      "node",   "device"};
    Constraints constraints;
    readMembers(keys, [&](unsigned key) {
      switch (key) {
      case 0:
        return at_.fail(); // its form is the thorough reader's to judge
      case 1:
        return readTexts(constraints.models);
      case 2:
        return readTexts(constraints.together);
      case 3:
        return readTexts(constraints.apart);
      case 4:
        constraints.node = at_.text();
        return;
      default:
        constraints.device = static_cast<DeviceKind>(oneOf(deviceNames));
      }
    });
    return constraints;
  }

  void readTexts(std::vector<std::string> &texts) {
    for (at_.enterArray(); at_.nextElement();)
      texts.emplace_back(at_.text());
  }

  void readDependencies() {
    static constexpr std::string_view keys[] = {"from", "to", "bytes", "buffer"};
    for (at_.enterArray(); at_.nextElement();) {
      Dependency dependency;
      const Seen seen = readMembers(keys, [&](unsigned key) {
        switch (key) {
        case 0:
          dependency.from = named<TaskId>(tasks_);
          return;
        case 1:
          dependency.to = named<TaskId>(tasks_);
          return;
        case 2:
          dependency.size = Bytes(positive());
          return;
        default:
          dependency.buffer = named<BufferId>(buffers_);
        }
      });
      if (!seen.has(0) || !seen.has(1) || dependency.from == dependency.to)
        return at_.fail();
      graph_.dependencies.push_back(dependency);
    }
  }

  JsonCursor at_;
  TaskGraph graph_;
  NameTable kernels_, buffers_, tasks_;
};

} // namespace

std::optional<TaskGraph>
readTaskGraphFast(std::string_view text,
                  const std::function<std::optional<TaskGraph>(std::string_view)> &readHead) {
  return FastReader(text).read(readHead);
}

} // namespace streammap
