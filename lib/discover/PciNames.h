#pragma once
// GPUs by their PCI device ids, for sources that know no names (the PCI ID Repository, pci-ids.ucw.cz, vendor
// 10de).
#include <string_view>

namespace streammap {

/// "H100-SXM5-80GB" for 0x2330; empty when the table does not have it.
std::string_view gpuByPciDevice(unsigned device);

} // namespace streammap
