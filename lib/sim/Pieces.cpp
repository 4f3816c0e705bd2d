// Which pieces of data tasks exchange, and the memory they and their tasks take.
//
// Two tasks that read the same bytes of one producer share a piece, so that a device receives it once. With
// accesses, the piece is the smaller of what was written and what is read (they usually are the same tile);
// without, it is everything a dependency names. What a task reads and no task wrote is initial data.
#include "model/Footprint.h"
#include "model/Regions.h"
#include "sim/Problem.h"
#include <algorithm>
#include <iterator>
#include <numeric>
#include <unordered_map>

namespace streammap {
namespace {

/// What makes two needs the same piece.
struct PieceKey {
  TaskId producer; ///< invalid: initial data
  std::optional<BufferId> buffer;
  Region region;
  bool operator==(const PieceKey &) const = default;
};

struct PlaceKey {
  BufferId buffer;
  Region region;
  bool operator==(const PlaceKey &) const = default;
};

std::size_t mixed(std::size_t seed, std::uint64_t value) {
  return (seed ^ value) * 0x9e3779b97f4a7c15u + (seed >> 29); // a multiplicative hash: any odd constant does
}
std::size_t mixed(std::size_t seed, const Region &region) {
  return mixed(mixed(mixed(mixed(seed, region.offset), region.size), region.stride), region.count);
}

struct KeyHash {
  std::size_t operator()(const PieceKey &key) const {
    return mixed(mixed(key.producer.index(), key.buffer ? key.buffer->index() : SIZE_MAX), key.region);
  }
  std::size_t operator()(const PlaceKey &key) const { return mixed(key.buffer.index(), key.region); }
};

bool writes(const Access &access) {
  return access.mode != AccessMode::in;
}
bool reads(const Access &access) {
  return access.mode != AccessMode::out;
}

/// Stands for "whatever the dependency carries" where no accesses say which bytes; no access has it.
constexpr Region unnamedRegion{UINT64_MAX, 0, 0, 0};

std::vector<Region> without(const std::vector<Region> &regions, const Region &removed) {
  std::vector<Region> left;
  for (const Region &region : regions)
    std::ranges::move(difference(region, removed), std::back_inserter(left));
  return left;
}

/// Numbers pieces in the order in which tasks, by id, first need them.
class PieceCollector {
public:
  explicit PieceCollector(const TaskGraph &graph) : graph_(graph) {}

  IndexedVector<PieceId, Piece> pieces;
  Rows<TaskId, PieceId> inputs;
  std::size_t blockCount = 0;

  /// `incoming`: the task's dependencies by index.
  void add(TaskId id, std::span<const std::size_t> incoming) {
    needed_.clear();
    received_.assign(graph_.tasks[id].accesses.size(), 0);
    unnamed_.clear();
    for (std::size_t i : incoming)
      if (graph_.dependencies[i].size > Bytes())
        addDependency(id, i, incoming);
    addInitial(graph_.tasks[id]);
    inputs.append(needed_);
  }

private:
  /// A write of the dependency's source that the task reads.
  struct Carried {
    const Access *written;
    std::size_t read; ///< which access of the task
    Region region;
    double bytes;
  };

  void addDependency(TaskId id, std::size_t index, std::span<const std::size_t> incoming) {
    const Dependency &dependency = graph_.dependencies[index];
    const std::vector<Access> &accesses = graph_.tasks[id].accesses;
    std::vector<Carried> &carried = carried_;
    carried.clear();
    if (dependency.buffer)
      for (const Access &written : graph_.tasks[dependency.from].accesses)
        for (std::size_t r = 0; r < accesses.size(); ++r) {
          const Access &read = accesses[r];
          if (written.buffer != *dependency.buffer || read.buffer != *dependency.buffer || !writes(written) ||
              !reads(read))
            continue;
          const std::uint64_t overlap = overlapBytes(written.region, read.region);
          if (overlap == 0)
            continue;
          const Region &smaller = overlap == written.region.bytes() ? written.region : read.region;
          carried.push_back({&written, r, smaller, static_cast<double>(overlap)});
        }
    const auto sum = [&] {
      return std::accumulate(carried.begin(), carried.end(), 0.0,
                             [](double bytes, const Carried &part) { return bytes + part.bytes; });
    };
    if (sum() > dependency.size.value())
      dropOverwritten(id, dependency, incoming);
    for (const Carried &part : carried) {
      need({dependency.from, dependency.buffer, part.region}, bytes(part.bytes), index);
      // No more than the dependency carries: others may have written the rest since.
      received_[part.read] += std::min(dependency.size.value(), part.bytes);
    }
    const Bytes rest = bytes(dependency.size.value() - sum());
    if (rest <= Bytes())
      return;
    if (dependency.buffer) { // no accesses, or not enough of them: the rest moves as one
      need({dependency.from, dependency.buffer, unnamedRegion}, rest, index);
      unnamed_.emplace_back(*dependency.buffer, rest.value());
    } else {
      needed_.push_back(pieces.push({dependency.from, std::nullopt, index, rest, newBlock()}));
    }
  }

  /// Takes from what is carried the bytes that tasks have written since: those are among the dependencies
  /// too.
  void dropOverwritten(TaskId id, const Dependency &dependency, std::span<const std::size_t> incoming) {
    for (Carried &part : carried_) {
      std::vector<Region> left =
          intersection(part.written->region, graph_.tasks[id].accesses[part.read].region);
      for (std::size_t i : incoming) {
        const Dependency &later = graph_.dependencies[i];
        if (later.buffer != dependency.buffer || later.from <= dependency.from)
          continue;
        for (const Access &written : graph_.tasks[later.from].accesses)
          if (written.buffer == *dependency.buffer && writes(written))
            left = without(left, written.region);
      }
      part.bytes = 0;
      for (const Region &region : left)
        part.bytes += static_cast<double>(region.bytes());
    }
    std::erase_if(carried_, [](const Carried &part) { return part.bytes == 0; });
  }

  /// What a task reads and did not receive was there at the start. Bytes received without a region count for
  /// the buffer's accesses in order.
  void addInitial(const Task &task) {
    for (std::size_t r = 0; r < task.accesses.size(); ++r) {
      const Access &access = task.accesses[r];
      if (!reads(access))
        continue;
      double fresh = static_cast<double>(access.region.bytes()) - received_[r];
      for (auto &[buffer, left] : unnamed_)
        if (buffer == access.buffer && fresh > 0) {
          const double covered = std::min(fresh, left);
          fresh -= covered;
          left -= covered;
        }
      if (fresh > 0)
        need({TaskId(), access.buffer, access.region}, bytes(fresh), std::nullopt);
    }
  }

  void need(const PieceKey &key, Bytes size, std::optional<std::size_t> dependency) {
    auto [found, isNew] = known_.try_emplace(key, PieceId(pieces.size()));
    if (isNew)
      pieces.push({key.producer, key.buffer, dependency, size, blockOf(key, size)});
    else
      pieces[found->second].size = std::max(pieces[found->second].size, size);
    if (isNew || std::ranges::find(needed_, found->second) == needed_.end())
      needed_.push_back(found->second);
  }

  BlockId newBlock() { return BlockId(blockCount++); }

  /// Only a piece that is the whole of its region lies where other versions of the region lie.
  BlockId blockOf(const PieceKey &key, Bytes size) {
    if (!key.buffer || size.value() != static_cast<double>(key.region.bytes()))
      return newBlock();
    auto [found, isNew] = blocks_.try_emplace(PlaceKey{*key.buffer, key.region}, BlockId(blockCount));
    blockCount += isNew;
    return found->second;
  }

  const TaskGraph &graph_;
  std::unordered_map<PieceKey, PieceId, KeyHash> known_;
  std::unordered_map<PlaceKey, BlockId, KeyHash> blocks_;
  // Of the task at hand:
  std::vector<Carried> carried_;                     ///< by the dependency at hand
  std::vector<double> received_;                     ///< bytes of each access that dependencies bring
  std::vector<std::pair<BufferId, double>> unnamed_; ///< bytes that they bring and no access names
  std::vector<PieceId> needed_;
};

} // namespace

void Problem::collectPieces() {
  PieceCollector collector(*graph_);
  for (TaskId id : graph_->tasks.ids())
    collector.add(id, incoming_[id]);
  pieces_ = std::move(collector.pieces);
  inputs_ = std::move(collector.inputs);
  blockCount_ = collector.blockCount;
  outputs_ = Rows<TaskId, PieceId>::collect(graph_->tasks.size(), [&](auto give) {
    for (PieceId piece : pieces_.ids())
      if (pieces_[piece].producer.valid())
        give(pieces_[piece].producer, piece);
  });
}

void Problem::collectMemory() {
  footprints_.reserve(graph_->tasks.size());
  workspaces_.reserve(graph_->tasks.size());
  memoryNeeds_.reserve(graph_->tasks.size());
  std::vector<std::pair<BlockId, Bytes>> own;
  for (TaskId id : graph_->tasks.ids()) {
    own.clear();
    for (std::span<const PieceId> list : {inputs(id), outputs(id)})
      for (PieceId piece : list)
        own.emplace_back(pieces_[piece].block, pieces_[piece].size);
    std::ranges::sort(own);
    Bytes data;
    for (std::size_t i = 0; i < own.size(); ++i)
      if (i == 0 || own[i].first != own[i - 1].first)
        data += own[i].second;
    const Task &task = graph_->tasks[id];
    const bool says = task.deviceMemory || !task.accesses.empty();
    const Bytes whole = says ? footprint(task) : data; // otherwise it takes what it reads and writes
    footprints_.push(whole);
    workspaces_.push(std::max(Bytes(), whole - data));
    memoryNeeds_.push(std::max(whole, data));
  }
  IndexedVector<BlockId, Bytes> blocks(blockCount_);
  for (const Piece &piece : pieces_)
    blocks[piece.block] = std::max(blocks[piece.block], piece.size);
  for (Bytes size : blocks)
    allData_ += size;
}

} // namespace streammap
