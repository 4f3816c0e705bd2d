#pragma once
// The memory a task needs on its device while it runs (docs/file-formats.md, "Memory on a device").
#include "model/TaskGraph.h"

namespace streammap {

/// `device_memory_bytes` where the task gives it; otherwise the bytes of all its accesses, those named twice
/// counted once.
Bytes footprint(const Task &task);

} // namespace streammap
