#pragma once
// How fast the links of real machines are: what NVLinks, PCIe lanes and InfiniBand ports carry per direction,
// by generation. Discovery turns "NV18", "Gen5 x16" and "4xNDR" into bandwidths with these; the check calls a
// rate that no hardware has by its name.
#include "support/Units.h"
#include <optional>
#include <string_view>

namespace streammap {

struct NvlinkGeneration {
  BytesPerSecond perLink; ///< one link, one direction
  unsigned links;         ///< of one GPU
};

/// By compute capability; nothing for GPUs without NVLink or not known. NVIDIA's architecture whitepapers:
/// P100 (4 x 20 GB/s), V100 (6 x 25), Turing TU102 (2 x 25), A100 (12 x 25), GA102 (4 x 14.0625), H100 (18 x
/// 25); Blackwell: NVLink 5, 18 x 50.
std::optional<NvlinkGeneration> nvlinkOf(std::string_view capability);

/// PCI Express, one direction, after line coding (8b/10b up to Gen2, 128b/130b from Gen3, FLIT from Gen6: PCI
/// Express Base Specification 6.0, section 4.2), before packet headers.
BytesPerSecond pcieBandwidth(double gigatransfersPerSecond, unsigned lanes);

/// Gigatransfers per second of PCIe generation 1 to 7; nothing for others.
std::optional<double> pcieRate(unsigned generation);

/// "4xNDR", "4x EDR": width times the data rate of a lane (InfiniBand Architecture Specification volume 1,
/// chapter 5 and the IBTA roadmap: SDR 2, DDR 4, QDR 8, FDR10 10, FDR 13.64, EDR 25, HDR 50, NDR 100, XDR 200
/// Gb/s). Nothing for another text.
std::optional<BytesPerSecond> infinibandBandwidth(std::string_view widthAndSpeed);

/// More than any one GPU, adapter or port has today: NVLink 5 with 18 links; Gen7 x16; 8 lanes of XDR.
inline constexpr BytesPerSecond fastestGpuLink = gigabytesPerSecond(900);
inline constexpr BytesPerSecond fastestHostLink = gigabytesPerSecond(450); ///< NVLink-C2C of GH200, GB200
inline constexpr BytesPerSecond fastestPort = gigabitsPerSecond(1600);

} // namespace streammap
