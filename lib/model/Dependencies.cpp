// A buffer is cut into atoms: disjoint regions whose bytes have all had the same fate, that is one last
// writer and one list of readers since. At first the whole buffer is one atom. A region that cuts through an
// atom splits it; a region seen before finds its atoms in a table, so a tiled program pays for the geometry
// once per tile and for every further access one look-up.
#include "model/Dependencies.h"
#include "model/Regions.h"
#include <algorithm>
#include <bit>
#include <set>
#include <tuple>
#include <unordered_map>

namespace streammap {
namespace {

struct RegionHash {
  std::size_t operator()(const Region &region) const {
    std::uint64_t hash = 0;
    for (std::uint64_t part : {region.offset, region.size, region.stride, region.count})
      hash = (std::rotl(hash, 25) ^ part) * 0x9E3779B97F4A7C15u;
    return hash ^ (hash >> 32);
  }
};

using AtomIndex = std::uint32_t;

struct Atom {
  Region region;
  TaskId writer;                ///< of all its bytes, last; invalid when nobody wrote them
  std::vector<TaskId> readers;  ///< since then
  TaskId countedFor;            ///< the task whose reads have been counted: a byte named twice is read once
  std::vector<AtomIndex> parts; ///< after it was split; then all else is history
};

/// Finds atoms near a region. They are sorted by the power of two of their extent, then by offset, so that
/// one huge atom does not make every search long.
class AtomIndexByPlace {
public:
  void insert(AtomIndex atom, const Region &region) { levelOf(region).emplace(region.offset, atom); }
  void erase(AtomIndex atom, const Region &region) { levelOf(region).erase({region.offset, atom}); }

  /// Calls `visit` for every atom whose extent meets that of `region`, and perhaps a few more.
  template <class Visit>
  void forEachNear(const Region &region, Visit visit) const {
    for (std::size_t power = 0; power < levels_.size(); ++power) {
      std::uint64_t reach = power >= 63 ? UINT64_MAX : std::uint64_t{1} << power; // extents here are below it
      std::uint64_t first = region.offset > reach ? region.offset - reach : 0;
      const auto &level = levels_[power];
      for (auto at = level.lower_bound({first, 0}); at != level.end() && at->first < region.end(); ++at)
        visit(at->second);
    }
  }

private:
  std::set<std::pair<std::uint64_t, AtomIndex>> &levelOf(const Region &region) {
    auto power = static_cast<std::size_t>(std::bit_width(region.end() - region.offset));
    if (levels_.size() <= power)
      levels_.resize(power + 1);
    return levels_[power];
  }

  std::vector<std::set<std::pair<std::uint64_t, AtomIndex>>> levels_;
};

class BufferHistory {
public:
  BufferHistory() { create({{0, std::uint64_t{1} << 62, 0, 1}, {}, {}, {}, {}}); }

  /// The atoms that make up `region`, splitting those that it cuts.
  const std::vector<AtomIndex> &atomsOf(const Region &region) {
    auto [found, isNew] = known_.try_emplace(region);
    if (isNew)
      found->second = carve(region);
    else
      replaceSplit(found->second);
    return found->second;
  }

  Atom &operator[](AtomIndex index) { return atoms_[index]; }

private:
  AtomIndex create(Atom atom) {
    auto index = static_cast<AtomIndex>(atoms_.size());
    byPlace_.insert(index, atom.region);
    atoms_.push_back(std::move(atom));
    return index;
  }

  std::vector<AtomIndex> carve(const Region &region) {
    std::vector<AtomIndex> inside, cut;
    byPlace_.forEachNear(region, [&](AtomIndex index) {
      std::uint64_t shared = overlapBytes(atoms_[index].region, region);
      if (shared == atoms_[index].region.bytes())
        inside.push_back(index);
      else if (shared > 0)
        cut.push_back(index);
    });
    for (AtomIndex index : cut) {
      const Atom whole = atoms_[index];
      byPlace_.erase(index, whole.region);
      std::vector<AtomIndex> parts;
      for (const Region &part : intersection(whole.region, region))
        inside.push_back(parts.emplace_back(createPart(whole, part)));
      for (const Region &part : difference(whole.region, region))
        parts.push_back(createPart(whole, part));
      atoms_[index].parts = std::move(parts);
      atoms_[index].readers = {};
    }
    return inside;
  }

  AtomIndex createPart(const Atom &whole, const Region &region) {
    return create({region, whole.writer, whole.readers, whole.countedFor, {}});
  }

  void replaceSplit(std::vector<AtomIndex> &list) const {
    for (std::size_t i = 0; i < list.size();) {
      const std::vector<AtomIndex> &parts = atoms_[list[i]].parts;
      if (parts.empty()) {
        ++i;
        continue;
      }
      list[i] = parts.front();
      list.insert(list.end(), parts.begin() + 1, parts.end());
    }
  }

  std::vector<Atom> atoms_;
  AtomIndexByPlace byPlace_;
  std::unordered_map<Region, std::vector<AtomIndex>, RegionHash> known_;
};

bool reads(const Access &access) {
  return access.mode != AccessMode::out;
}
bool writes(const Access &access) {
  return access.mode != AccessMode::in;
}

/// One entry per (from, buffer), bytes added up.
std::vector<Dependency> merged(std::vector<Dependency> found) {
  auto key = [](const Dependency &dependency) { return std::tuple(dependency.from, dependency.buffer); };
  std::ranges::sort(found, {}, key);
  std::vector<Dependency> out;
  for (const Dependency &dependency : found)
    if (!out.empty() && key(out.back()) == key(dependency))
      out.back().size += dependency.size;
    else
      out.push_back(dependency);
  return out;
}

} // namespace

class DependencyTracker::State {
public:
  std::vector<Dependency> add(TaskId task, std::span<const Access> accesses) {
    found_.clear();
    task_ = task;
    for (const Access &access : accesses)
      if (access.region.bytes() > 0)
        collect(access);
    // Only now, so that a task's own accesses do not see each other.
    for (const Access &access : accesses)
      if (access.region.bytes() > 0 && reads(access))
        noteRead(access);
    for (const Access &access : accesses)
      if (access.region.bytes() > 0 && writes(access))
        noteWrite(access);
    return merged(found_);
  }

private:
  void collect(const Access &access) {
    BufferHistory &history = buffers_[access.buffer.index()];
    for (AtomIndex index : history.atomsOf(normalised(access.region))) {
      Atom &atom = history[index];
      if (reads(access) && atom.writer.valid() && atom.countedFor != task_) {
        atom.countedFor = task_;
        depend(atom.writer, access.buffer, atom.region.bytes());
      }
      if (!writes(access))
        continue;
      for (TaskId reader : atom.readers)
        depend(reader, access.buffer, 0);
      if (atom.readers.empty() && atom.writer.valid())
        depend(atom.writer, access.buffer, 0);
    }
  }

  void noteRead(const Access &access) {
    BufferHistory &history = buffers_[access.buffer.index()];
    for (AtomIndex index : history.atomsOf(normalised(access.region)))
      if (std::vector<TaskId> &readers = history[index].readers; readers.empty() || readers.back() != task_)
        readers.push_back(task_);
  }

  void noteWrite(const Access &access) {
    BufferHistory &history = buffers_[access.buffer.index()];
    for (AtomIndex index : history.atomsOf(normalised(access.region))) {
      history[index].writer = task_;
      history[index].readers.clear();
    }
  }

  void depend(TaskId from, BufferId buffer, std::uint64_t bytes) {
    found_.push_back({from, task_, Bytes(static_cast<double>(bytes)), buffer});
  }

  std::unordered_map<std::size_t, BufferHistory> buffers_; // looked up only, never walked
  std::vector<Dependency> found_;
  TaskId task_;
};

DependencyTracker::DependencyTracker() : state_(std::make_unique<State>()) {}
DependencyTracker::DependencyTracker(DependencyTracker &&) noexcept = default;
DependencyTracker &DependencyTracker::operator=(DependencyTracker &&) noexcept = default;
DependencyTracker::~DependencyTracker() = default;

std::vector<Dependency> DependencyTracker::add(TaskId task, std::span<const Access> accesses) {
  return state_->add(task, accesses);
}

std::vector<Dependency> findDependencies(const IndexedVector<TaskId, Task> &tasks) {
  DependencyTracker tracker;
  std::vector<Dependency> all;
  for (TaskId task : tasks.ids()) {
    std::vector<Dependency> some = tracker.add(task, tasks[task].accesses);
    all.insert(all.end(), some.begin(), some.end());
  }
  std::ranges::sort(all, {}, [](const Dependency &d) { return std::tuple(d.from, d.to, d.buffer); });
  return all;
}

} // namespace streammap
