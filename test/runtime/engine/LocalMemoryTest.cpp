#include "streammap/LocalMemory.h"
#include "runtime/engine/FakeDevices.h"
#include "support/Catch.h"
#include <numeric>

namespace streammap::engine {
using test::FakeDevices;

namespace {

struct Fixture {
  explicit Fixture(std::size_t granules = 100, int devices = 2)
      : port(devices, granules), memory(port, [] { return 0.0; }, [](const Movement &) {}) {
    std::iota(home.begin(), home.end(), 0);
    valid(a);
    valid(b);
  }
  static void valid(Buffer &buffer) { buffer.valid.assign({0, buffer.size}, 1); }
  Use use(Buffer &buffer, AccessMode mode, Interval interval) { return {&buffer, mode, {interval}}; }
  Acquired acquire(const Use &use, int place) { return memory.acquire({&use, 1}, place); }
  void release(const Use &use, int place) { memory.release({&use, 1}, place); }
  void touch(const Use &use, int place) {
    REQUIRE(acquire(use, place) == Acquired::done);
    release(use, place);
  }

  std::vector<char> home = std::vector<char>(512);
  Buffer a{0, BufferKind::device, home.data(), 256};
  Buffer b{1, BufferKind::device, home.data() + 256, 256};
  FakeDevices port;
  LocalMemory memory;
};

using Log = std::vector<std::string>;

} // namespace

TEST_CASE("a piece that is on a device is not copied there again") {
  Fixture f;
  f.touch(f.use(f.a, AccessMode::in, {0, 100}), 0);
  CHECK(f.port.takeLog() == Log{"home>d0 0+100"});
  f.touch(f.use(f.a, AccessMode::in, {50, 150}), 0);
  CHECK(f.port.takeLog() == Log{"home>d0 100+50"});
}

TEST_CASE("what is only written is not copied in, and makes all other copies worthless") {
  Fixture f;
  f.touch(f.use(f.a, AccessMode::in, {0, 64}), 1);
  f.port.takeLog();
  const Use write = f.use(f.a, AccessMode::out, {0, 64});
  REQUIRE(f.acquire(write, 0) == Acquired::done);
  CHECK(f.port.takeLog().empty());
  f.memory.address(f.a, 0)[3] = 77;
  f.release(write, 0);
  f.touch(f.use(f.a, AccessMode::in, {0, 64}), 1);
  CHECK(f.port.takeLog() == Log{"d0>d1 0+64"});
  f.touch(f.use(f.a, AccessMode::in, {0, 64}), homePlace);
  CHECK(f.port.takeLog().size() == 1);
  CHECK(f.home[3] == 77);
}

TEST_CASE("devices that do not reach each other exchange through home") {
  Fixture f;
  f.port.direct = false;
  f.touch(f.use(f.a, AccessMode::out, {0, 64}), 0);
  f.touch(f.use(f.a, AccessMode::in, {0, 64}), 1);
  CHECK(f.port.takeLog() == Log{"d0>home 0+64", "home>d1 0+64"});
}

TEST_CASE("memory nobody ever wrote is not copied") {
  Fixture f;
  Buffer fresh(2, BufferKind::device, f.home.data(), 64);
  f.touch(f.use(fresh, AccessMode::in, {0, 64}), 0);
  CHECK(f.port.takeLog().empty());
}

TEST_CASE("a full device gives up what was used longest ago, after writing back what only it has") {
  Fixture f(2, 1); // room for two granules of 64 bytes
  const Use first = f.use(f.a, AccessMode::inout, {0, 64});
  REQUIRE(f.acquire(first, 0) == Acquired::done);
  f.memory.address(f.a, 0)[5] = 99;
  f.release(first, 0);
  f.touch(f.use(f.a, AccessMode::in, {64, 128}), 0);
  f.port.takeLog();
  f.touch(f.use(f.b, AccessMode::in, {0, 64}), 0); // evicts a[0:64], the dirty one
  CHECK(f.port.takeLog() == Log{"d0>home 0+64", "home>d0 0+64"});
  CHECK(f.home[5] == 99);
  f.touch(f.use(f.b, AccessMode::in, {64, 128}), 0); // evicts a[64:128], which home has
  CHECK(f.port.takeLog() == Log{"home>d0 64+64"});
  CHECK(f.port.usedGranules(0) == 2);
  CHECK(f.memory.peakBytes(0) == 128);
}

TEST_CASE("what is in use is not evicted: there is no room, and nothing is held") {
  Fixture f(2, 1);
  const Use held = f.use(f.a, AccessMode::in, {0, 64});
  REQUIRE(f.acquire(held, 0) == Acquired::done);
  CHECK(f.acquire(f.use(f.b, AccessMode::in, {0, 128}), 0) == Acquired::noRoom);
  const auto occupants = f.memory.occupants(0);
  REQUIRE(occupants.size() == 2);
  CHECK(occupants[0].inUse + occupants[1].inUse == 64);
  f.release(held, 0);
  CHECK(f.acquire(f.use(f.b, AccessMode::in, {0, 128}), 0) == Acquired::done);
}

TEST_CASE("one operation may read and write the same bytes by two clauses") {
  Fixture f;
  const Use uses[] = {f.use(f.a, AccessMode::out, {0, 64}), f.use(f.a, AccessMode::in, {0, 64})};
  REQUIRE(f.memory.acquire(uses, 0) == Acquired::done);
  CHECK(f.port.takeLog() == Log{"home>d0 0+64"});
  CHECK(f.memory.address(f.a, 0)[10] == 10);
}

TEST_CASE("host and pinned memory is used where it lies") {
  Fixture f;
  Buffer pinned(2, BufferKind::pinned, f.home.data(), 64);
  f.touch(f.use(pinned, AccessMode::inout, {0, 64}), 0);
  CHECK(f.port.takeLog().empty());
  CHECK(f.memory.address(pinned, 0) == f.home.data());
}

TEST_CASE("a strided piece moves as one rectangle") {
  Fixture f;
  f.touch({&f.a, AccessMode::in, {{0, 4}, {16, 20}, {32, 36}}}, 0);
  CHECK(f.port.takeLog() == Log{"home>d0 0+4x3"});
}

TEST_CASE("a forgotten buffer leaves nothing on any device") {
  Fixture f;
  f.touch(f.use(f.a, AccessMode::in, {0, 256}), 0);
  f.touch(f.use(f.a, AccessMode::in, {0, 256}), 1);
  f.memory.forget(f.a);
  CHECK(f.port.usedGranules(0) == 0);
  CHECK(f.port.usedGranules(1) == 0);
  CHECK(f.memory.committedBytes(0) == 0);
}

} // namespace streammap::engine
