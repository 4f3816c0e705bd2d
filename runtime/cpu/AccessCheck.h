#pragma once
// Kernels' accesses judged by somebody else: the engine knows which sections a task has declared.
#include "cpu/ModuleAbi.h"

namespace streammap::cpu {

struct AccessCheck {
  SmcpuAccessChecker checker = nullptr; ///< null: everything is allowed
  void *context = nullptr;
};

/// What smcpuCheckAccesses has set on the calling thread.
AccessCheck accessCheckOfThisThread();

} // namespace streammap::cpu
