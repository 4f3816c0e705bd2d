#pragma once
// The end of the job: every CUDA and MPI failure comes here, says where it happened, and takes all ranks down
// at once. A hung cluster is worse than a dead one.
//
//   streammap: error: rank 1 (node n002), device 0, task gemm[2,1,0]: cudaMemcpyAsync failed: out of memory
#include <string>
#include <string_view>

namespace streammap::engine {

/// Documented in docs/runtime.md.
enum class RunExit { programDiffers = 1, environmentFailed = 4 };

/// Who this process is, for messages, and how to stop the others. Set once when the runtime starts.
struct JobIdentity {
  int rank = 0;
  int worldSize = 1;
  std::string node;
  void (*abort)(int exitCode) = nullptr; ///< stops all ranks; null: only this process
};
void setJobIdentity(JobIdentity identity);

/// What the calling thread works on, for messages and for whoever looks for the last task of a killed rank.
class WorkScope {
public:
  /// `device` is a local device, -1 the node's cores.
  WorkScope(std::string_view task, int device);
  ~WorkScope();
  WorkScope(const WorkScope &) = delete;
  WorkScope &operator=(const WorkScope &) = delete;
};

/// "rank 1 (node n002), device 0, task gemm[2,1,0]"
std::string whereWeAre();

/// Prints "streammap: error: <where>: <what>" and ends the whole job.
[[noreturn]] void fail(const std::string &what, RunExit code = RunExit::environmentFailed);
/// For what every rank finds out at the same point: rank 0 prints, without saying which rank it is.
[[noreturn]] void failTogether(const std::string &what, RunExit code);

} // namespace streammap::engine
