#pragma once
// What a program needs: its kernels, buffers, tasks and dependencies; the content of `streammap.tasks/1`.
// A plain weighted DAG (ids, seconds, dependencies with bytes) is a valid graph: everything else is optional.
// Nobody edits a TaskGraph once it is built.
#include "support/Ids.h"
#include "support/Units.h"
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace streammap {

using KernelId = Id<struct KernelTag>;
using BufferId = Id<struct BufferTag>;
using TaskId = Id<struct TaskTag>;

/// Where a number comes from, weakest first. Written in JSON by these names.
enum class Origin { unknown, defaulted, stat, ptxas, profile, pragma }; // "unknown" "default" "static" ...
std::string_view toText(Origin origin);

/// The kinds of arithmetic a device has a separate peak rate for. JSON keys: fp64 fp32 fp16 bf16 tensor
/// integer special (special functions: rsqrt, sin, exp2 ... on the SFU).
enum class FlopType { fp64, fp32, fp16, bf16, tensor, integer, special };
inline constexpr std::size_t flopTypeCount = 7;
std::string_view toText(FlopType type);

/// What the compiler that builds a kernel says it occupies on one architecture.
struct KernelResources {
  unsigned registersPerThread = 0;
  Bytes staticShared;
  Bytes spill;
  Bytes local;
  Bytes constant;
  Origin origin = Origin::ptxas;
  std::string
      compiler; ///< "nvcc 13.0" or "clang 22 + ptxas 13.0" (figures differ by up to 13 registers at p90)
};

/// Something the analysis could not count, and what would settle it. Never a silent zero.
struct UnknownCost {
  std::string metric;   ///< "flops_fp32", "global_load_bytes", ... or "all"
  std::string location; ///< "csr.cu:14:3"
  std::string reason;   ///< "the trip count depends on loaded data"
  std::string remedy;   ///< "put '#pragma streammap trips(expr)' before the loop"
};

struct Kernel {
  std::string id;
  std::string name;                                 ///< as people write it: "gemm<float>"
  std::string symbol;                               ///< mangled
  std::string location;                             ///< "file:line:column" of its definition
  std::map<std::string, KernelResources> resources; ///< by architecture, "sm_90"
  /// Symbolic totals for one launch, by metric: flops_fp64 flops_fp32 flops_fp16 flops_bf16 flops_tensor
  /// flops_integer flops_special global_load_bytes global_store_bytes shared_load_bytes shared_store_bytes
  /// local_bytes constant_bytes atomics barriers. Grammar: docs/file-formats.md, "Cost expressions".
  std::map<std::string, std::string> costs;
  std::vector<UnknownCost> unknowns;
};

struct Buffer {
  std::string id;
  std::string name;
  Bytes size;
  std::string location;
};

struct Launch {
  KernelId kernel;
  std::array<std::uint64_t, 3> grid{1, 1, 1};
  std::array<std::uint64_t, 3> block{1, 1, 1};
  Bytes dynamicShared;
};

/// What one run of a task computes and moves, before any GPU model is known.
struct Work {
  std::array<Flops, flopTypeCount> flops{};
  Bytes dram; ///< bytes moved to and from device memory, each once where caches serve repeated requests
  /// Bytes asked of the L2 cache, in sectors of 32, repetitions included; at least `dram`. Nothing: unknown.
  std::optional<Bytes> requested;
  Origin origin = Origin::unknown;
  Flops &operator[](FlopType type) { return flops[static_cast<std::size_t>(type)]; }
  Flops operator[](FlopType type) const { return flops[static_cast<std::size_t>(type)]; }
};

enum class AccessMode { in, out, inout };

/// A strided part of a buffer: `count` runs of `size` bytes, `stride` bytes apart, the first at `offset`.
struct Region {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  std::uint64_t stride = 0; ///< 0 when count is 1
  std::uint64_t count = 1;
  std::uint64_t bytes() const { return size * count; }
  std::uint64_t end() const { return count == 0 ? offset : offset + stride * (count - 1) + size; }
  auto operator<=>(const Region &) const = default;
};

struct Access {
  BufferId buffer;
  AccessMode mode = AccessMode::in;
  Region region;
};

#ifndef STREAMMAP_DEVICE_KIND // the runtime's public header has the same enumeration
#define STREAMMAP_DEVICE_KIND
enum class DeviceKind { gpu, cpu, any };
#endif

struct Constraints {
  std::optional<std::string> capability; ///< at least this compute capability, "8.0"
  std::vector<std::string> models;       ///< any of these GPU models (catalogue names or prefixes, "H100")
  std::vector<std::string> together;     ///< tasks that share a key run on the same node
  std::vector<std::string> apart;        ///< tasks that share a key run on different nodes
  std::optional<std::string> node;       ///< this node
  DeviceKind device = DeviceKind::gpu;
};

struct Task {
  std::string id;
  std::string name;             ///< "gemm[2,1,0]"
  std::optional<unsigned> site; ///< number of the pragma in the program
  std::string location;
  std::vector<Launch> launches;
  std::optional<Work> work;
  /// Time per device model, "*" for any not named. Present only where somebody said so; wins over `work`.
  std::map<std::string, Seconds> seconds;
  Origin secondsOrigin = Origin::pragma;
  std::optional<Bytes> deviceMemory; ///< needed while it runs; default: the bytes of its accesses
  std::vector<Access> accesses;
  Constraints constraints;
  double priority = 0;
};

/// `to` may start only after `from` ended and, where bytes > 0, its data arrived.
struct Dependency {
  TaskId from;
  TaskId to;
  Bytes size;
  std::optional<BufferId> buffer;
};

struct Program {
  std::vector<std::string> sources;
  std::vector<std::string> arguments;       ///< --arg values the graph was expanded with
  std::map<std::string, double> parameters; ///< --param values
};

struct TaskGraph {
  Program program;
  IndexedVector<KernelId, Kernel> kernels;
  IndexedVector<BufferId, Buffer> buffers;
  IndexedVector<TaskId, Task> tasks;    ///< in program order
  std::vector<Dependency> dependencies; ///< sorted by (from, to, buffer); acyclic
};

} // namespace streammap
