#pragma once
// Sources that are asked now instead of read from files: this machine, other machines over ssh or srun,
// Slurm, Kubernetes. Each gives the same texts an administrator would have saved, which `readSource` then
// reads.
#include "discover/Findings.h"
#include "discover/RunCommand.h"
#include <span>

namespace streammap {

/// A text and what it is called in messages: "scontrol show node -d".
struct CollectedText {
  std::string name;
  std::string text;
  std::string nodeName; ///< of the only node it describes; empty: it says itself
};

/// The environment, for what a source needs to know before a client is started.
class Environment {
public:
  virtual ~Environment() = default;
  virtual std::string variable(const std::string &name) const = 0; ///< empty: not set
  virtual bool isFile(const std::string &path) const = 0;
};

class SystemEnvironment : public Environment {
public:
  std::string variable(const std::string &name) const override;
  bool isFile(const std::string &path) const override;
};

struct Asking {
  CommandRunner &runner;
  const Environment &environment;
  Seconds limit = seconds(20); ///< for each command
};

using Collected = Expected<std::vector<CollectedText>>;

/// sysfs and nvidia-smi, where it is; without a GPU a CPU-only node.
Collected collectThisMachine(const Asking &asking);

/// The same of each host, over ssh, sixteen at a time. Keys must be in place: nobody is asked for a password.
/// Hosts that do not answer are listed in one error, when none does; else in `failed`.
Collected collectOverSsh(const Asking &asking, std::span<const std::string> hosts,
                         std::vector<std::string> &failed);

/// The same of each host in one step of Slurm.
Collected collectOverSrun(const Asking &asking, std::span<const std::string> hosts,
                          std::vector<std::string> &failed);

/// Nodes with their states, and the topology. Looks for slurm.conf first: without it every client tries for a
/// minute.
Collected collectSlurm(const Asking &asking);

/// Nodes and, where they may be listed, pods.
Collected collectKubernetes(const Asking &asking);

/// GPUs by NVML (libnvidia-ml.so.1, opened when it is there); nothing without the library or a GPU.
std::optional<Findings> findByNvml();

} // namespace streammap
