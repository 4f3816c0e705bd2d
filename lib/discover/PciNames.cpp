#include "discover/PciNames.h"

namespace streammap {

std::string_view gpuByPciDevice(unsigned device) {
  struct Row {
    unsigned device;
    std::string_view name;
  };
  static constexpr Row rows[] = {{0x15f7, "P100-PCIe-12GB"},
                                 {0x15f8, "P100-PCIe-16GB"},
                                 {0x15f9, "P100-SXM2-16GB"},
                                 {0x1db1, "V100-SXM2-16GB"},
                                 {0x1db4, "V100-PCIe-16GB"},
                                 {0x1db5, "V100-SXM2-32GB"},
                                 {0x1db6, "V100-PCIe-32GB"},
                                 {0x1db8, "V100-SXM3-32GB"},
                                 {0x1df6, "V100S-PCIe-32GB"},
                                 {0x1eb8, "T4"},
                                 {0x20b0, "A100-SXM4-40GB"},
                                 {0x20b2, "A100-SXM4-80GB"},
                                 {0x20b5, "A100-PCIe-80GB"},
                                 {0x20b7, "A30"},
                                 {0x20f1, "A100-PCIe-40GB"},
                                 {0x20f3, "A800-SXM4-80GB"},
                                 {0x2235, "A40"},
                                 {0x2236, "A10"},
                                 {0x2321, "H100-NVL-94GB"},
                                 {0x2324, "H800-SXM5-80GB"},
                                 {0x2330, "H100-SXM5-80GB"},
                                 {0x2331, "H100-PCIe-80GB"},
                                 {0x2335, "H200-SXM-141GB"},
                                 {0x233b, "H200-NVL-141GB"},
                                 {0x26b5, "L40"},
                                 {0x26b9, "L40S"},
                                 {0x27b8, "L4"},
                                 {0x2901, "B200-SXM-180GB"},
                                 {0x2941, "GB200-186GB"}};
  for (const Row &row : rows)
    if (row.device == device)
      return row.name;
  return {};
}

} // namespace streammap
