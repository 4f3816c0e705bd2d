#include "model/Dependencies.h"
#include "support/ByteHistory.h"
#include "support/Catch.h"
#include <chrono>
#include <random>

using namespace streammap;

namespace {

constexpr BufferId a{0}, b{1};

/// "0 before 2, 16 bytes" for every dependency, so that a case reads as a list.
std::vector<std::string> told(const std::vector<Dependency> &dependencies) {
  std::vector<std::string> lines;
  for (const Dependency &dependency : dependencies)
    lines.push_back(std::to_string(dependency.from.index()) + " before " +
                    std::to_string(dependency.to.index()) + ", " +
                    std::to_string(static_cast<long>(dependency.size.value())) + " bytes");
  return lines;
}

std::vector<std::string> add(DependencyTracker &tracker, std::size_t task, std::vector<Access> accesses) {
  return told(tracker.add(TaskId(task), accesses));
}

using Lines = std::vector<std::string>;

double secondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Access tile(AccessMode mode, std::uint64_t row, std::uint64_t column, std::uint64_t tileSize,
            std::uint64_t tiles) {
  std::uint64_t pitch = tileSize * tiles * sizeof(float);
  return {a,
          mode,
          {row * tileSize * pitch + column * tileSize * sizeof(float), tileSize * sizeof(float), pitch,
           tileSize}};
}

/// Right-looking tiled Cholesky: potrf, trsm, syrk, gemm.
IndexedVector<TaskId, Task> choleskyTasks(std::uint64_t tiles) {
  IndexedVector<TaskId, Task> tasks;
  auto add = [&](std::vector<Access> accesses) {
    Task task;
    task.accesses = std::move(accesses);
    tasks.push(std::move(task));
  };
  using enum AccessMode;
  for (std::uint64_t k = 0; k < tiles; ++k) {
    add({tile(inout, k, k, 256, tiles)});
    for (std::uint64_t i = k + 1; i < tiles; ++i)
      add({tile(in, k, k, 256, tiles), tile(inout, i, k, 256, tiles)});
    for (std::uint64_t i = k + 1; i < tiles; ++i) {
      add({tile(in, i, k, 256, tiles), tile(inout, i, i, 256, tiles)});
      for (std::uint64_t j = k + 1; j < i; ++j)
        add({tile(in, i, k, 256, tiles), tile(in, j, k, 256, tiles), tile(inout, i, j, 256, tiles)});
    }
  }
  return tasks;
}

} // namespace

TEST_CASE("a read waits for the write and moves what they share") {
  DependencyTracker tracker;
  CHECK(add(tracker, 0, {{a, AccessMode::out, {0, 100}}}).empty());
  CHECK(add(tracker, 1, {{a, AccessMode::in, {90, 20}}}) == Lines{"0 before 1, 10 bytes"});
}

TEST_CASE("reads do not wait for each other") {
  DependencyTracker tracker;
  add(tracker, 0, {{a, AccessMode::in, {0, 8}}});
  CHECK(add(tracker, 1, {{a, AccessMode::in, {0, 8}}}).empty());
}

TEST_CASE("a write waits for reads without moving data, and the older write is implied") {
  DependencyTracker tracker;
  add(tracker, 0, {{a, AccessMode::out, {0, 8}}});
  add(tracker, 1, {{a, AccessMode::in, {0, 8}}});
  CHECK(add(tracker, 2, {{a, AccessMode::out, {0, 8}}}) == Lines{"1 before 2, 0 bytes"});
}

TEST_CASE("a write waits for a write nobody read") {
  DependencyTracker tracker;
  add(tracker, 0, {{a, AccessMode::out, {0, 8}}});
  CHECK(add(tracker, 1, {{a, AccessMode::out, {4, 8}}}) == Lines{"0 before 1, 0 bytes"});
}

TEST_CASE("inout reads what was there") {
  DependencyTracker tracker;
  add(tracker, 0, {{a, AccessMode::out, {0, 8}}});
  CHECK(add(tracker, 1, {{a, AccessMode::inout, {0, 8}}}) == Lines{"0 before 1, 8 bytes"});
  CHECK(add(tracker, 2, {{a, AccessMode::in, {0, 8}}}) == Lines{"1 before 2, 8 bytes"});
}

TEST_CASE("what was overwritten is read from the later writer") {
  DependencyTracker tracker;
  add(tracker, 0, {{a, AccessMode::out, {0, 100}}});
  add(tracker, 1, {{a, AccessMode::out, {40, 20}}});
  CHECK(add(tracker, 2, {{a, AccessMode::in, {0, 100}}}) ==
        Lines{"0 before 2, 80 bytes", "1 before 2, 20 bytes"});
}

TEST_CASE("buffers are apart") {
  DependencyTracker tracker;
  add(tracker, 0, {{a, AccessMode::out, {0, 8}}});
  CHECK(add(tracker, 1, {{b, AccessMode::in, {0, 8}}}).empty());
}

TEST_CASE("a byte named twice by one task is moved once") {
  DependencyTracker tracker;
  add(tracker, 0, {{a, AccessMode::out, {0, 100}}});
  CHECK(add(tracker, 1, {{a, AccessMode::in, {0, 60}}, {a, AccessMode::in, {40, 60}}}) ==
        Lines{"0 before 1, 100 bytes"});
}

TEST_CASE("a task does not wait for itself") {
  DependencyTracker tracker;
  CHECK(add(tracker, 0, {{a, AccessMode::in, {0, 8}}, {a, AccessMode::out, {0, 8}}}).empty());
}

TEST_CASE("an empty section depends on nothing") {
  DependencyTracker tracker;
  add(tracker, 0, {{a, AccessMode::out, {0, 8}}});
  CHECK(add(tracker, 1, {{a, AccessMode::in, {0, 0}}, {a, AccessMode::out, {0, 4, 8, 0}}}).empty());
}

TEST_CASE("tiles of one matrix depend by tile") {
  DependencyTracker tracker;
  add(tracker, 0, {tile(AccessMode::out, 0, 0, 16, 4)});
  add(tracker, 1, {tile(AccessMode::out, 0, 1, 16, 4)});
  CHECK(add(tracker, 2, {tile(AccessMode::in, 0, 1, 16, 4)}) == Lines{"1 before 2, 1024 bytes"});
}

TEST_CASE("random programs agree with one record per byte") {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    std::mt19937 random(seed);
    auto below = [&](unsigned limit) { return random() % limit; };
    DependencyTracker tracker;
    ByteHistory history;
    std::vector<std::set<std::size_t>> ancestors;
    for (std::size_t task = 0; task < 60; ++task) {
      std::vector<Access> accesses(1 + below(3));
      for (Access &access : accesses) {
        Region region{below(120), below(24), 0, 1 + below(5)};
        region.stride = region.count > 1 ? region.size + below(3) * 8 : 0;
        access = {BufferId(below(2)), static_cast<AccessMode>(below(3)), region};
      }
      INFO("seed " << seed << " task " << task);
      ByteHistory::Answer right = history.add(TaskId(task), accesses);
      std::map<std::pair<TaskId, BufferId>, std::uint64_t> data;
      std::set<std::size_t> before;
      for (const Dependency &dependency : tracker.add(TaskId(task), accesses)) {
        std::pair place(dependency.from, *dependency.buffer);
        REQUIRE((right.data.contains(place) || right.order.contains(place)));
        if (dependency.size.value() > 0)
          data[place] = static_cast<std::uint64_t>(dependency.size.value());
        before.insert(dependency.from.index());
        before.insert(ancestors[dependency.from.index()].begin(), ancestors[dependency.from.index()].end());
      }
      REQUIRE(data == right.data);
      for (const auto &place : right.order) // perhaps by way of others
        REQUIRE(before.contains(place.first.index()));
      ancestors.push_back(before);
    }
  }
}

TEST_CASE("tiled Cholesky with 32 x 32 tiles in one matrix takes a moment") {
  IndexedVector<TaskId, Task> tasks = choleskyTasks(32);
  REQUIRE(tasks.size() == 5984);
  auto start = std::chrono::steady_clock::now();
  std::vector<Dependency> dependencies = findDependencies(tasks);
  double taken = secondsSince(start);
  WARN("5,984 tasks: " << dependencies.size() << " dependencies in " << taken * 1e3 << " ms");
  CHECK(taken < 0.2 * 5); // five times the budget: the machine may be busy
}

TEST_CASE("100,000 accesses to blocks in any order take a second or two") {
  std::mt19937 random(7);
  DependencyTracker tracker;
  std::size_t found = 0;
  auto start = std::chrono::steady_clock::now();
  for (std::size_t task = 0; task < 100000; ++task) {
    Access access{a, static_cast<AccessMode>(random() % 3), {random() % 65536 * 1024, 1536, 0, 1}};
    found += tracker.add(TaskId(task), std::span(&access, 1)).size();
  }
  double taken = secondsSince(start);
  WARN("100,000 accesses: " << found << " dependencies in " << taken * 1e3 << " ms");
  CHECK(taken < 2 * 5);
}
