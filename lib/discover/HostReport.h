#pragma once
// What a computer says of itself: the output of one POSIX shell script that only reads sysfs, /proc and,
// where it is there, nvidia-smi. The same script describes this machine, and others over ssh or srun, where
// nothing of ours needs to be installed.
//
//   == streammap-host-report 1
//   == hostname
//   n001
//   == cores
//   112
//   == nics
//   mlx5_0 0000:0c:00.0 0 400 up            name, PCI address, NUMA node, Gb/s, state
//   == nvidia-smi-xml
//   <?xml ...
#include <string>

namespace streammap {

/// The script, for `sh -c`. `seconds` bounds each run of nvidia-smi.
std::string hostReportScript(unsigned seconds);

} // namespace streammap
