#pragma once
// Is a cluster description plausible? A wrong link table costs a factor of ten and nobody notices: a GPU that
// is listed as if it were host memory gets its data over PCIe for ever (starpu-runtime/starpu#33). This finds
// what no real machine looks like, and says how oversubscribed the network is.
//
//   pod.json:/node_types/dgx/gpu_links: warning: GPU 0 is linked at 20.0 GB/s, the others to each other at
//   240 GB/s: a wrong link table? [odd-gpu]
#include "model/Cluster.h"
#include "support/Diagnostic.h"

namespace streammap {

/// Reports warnings, and notes for figures, at their places in `file`. Finds: links faster than any hardware;
/// a direct link slower than the way through the host; GPUs linked unlike all others of their node, or to
/// none; NICs near GPUs of another NUMA node, GPUs near no NIC where others are; leaves without a common
/// switch, and switches nothing hangs on; models without rates; oversubscribed leaves. O(nodes + links +
/// leaves x switches).
void checkCluster(const Cluster &cluster, const std::string &file, Diagnostics &diagnostics);

} // namespace streammap
