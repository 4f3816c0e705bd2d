#include "model/GpuCatalogue.h"
#include "support/Text.h"
#include <algorithm>
#include <array>
#include <map>

namespace streammap {
namespace {

/// What one multiprocessor of an architecture finishes per clock (CUDA C++ Programming Guide 13.0,
/// "Throughput of Native Arithmetic Instructions"). fp16 and bf16 are results of packed instructions; 0: not
/// native.
struct Architecture {
  std::string_view capability;
  double fp64, fp32, fp16, bf16, integer, special;
};

constexpr Architecture pascal{"6.0", 32, 64, 128, 0, 64, 16};
constexpr Architecture volta{"7.0", 32, 64, 128, 0, 64, 16};
constexpr Architecture turing{"7.5", 2, 64, 128, 0, 64, 16};
constexpr Architecture ampere{"8.0", 32, 64, 256, 128, 64, 16};
constexpr Architecture ampereGraphics{"8.6", 2, 128, 128, 128, 64, 16};
constexpr Architecture ada{"8.9", 2, 128, 128, 128, 64, 16};
constexpr Architecture hopper{"9.0", 64, 128, 256, 256, 64, 16};
constexpr Architecture blackwell{"10.0", 64, 128, 256, 256, 64, 16};

/// As the datasheet prints them. Memory in binary GB: a card sold as 80 GB carries 80 GiB of chips.
struct Entry {
  std::string_view name;
  const Architecture &architecture;
  double memoryGb, bandwidthGbPerSecond;
  double fp64, fp32, tensor; ///< TFLOP/s
  unsigned multiprocessors, boostMhz;
  double l2Mb, watts;
  std::string_view source;
};

constexpr std::string_view h100 =
    "NVIDIA H100 Tensor Core GPU datasheet (2023) and H100 architecture whitepaper v1.04";
constexpr std::string_view h100Nvl = "NVIDIA H100 Tensor Core GPU datasheet (2024), column H100 NVL";
constexpr std::string_view h200 = "NVIDIA H200 Tensor Core GPU datasheet (2024)";
constexpr std::string_view h800 =
    "NVIDIA H800 Tensor Core GPU datasheet (2023): H100 with reduced FP64 and NVLink";
constexpr std::string_view a100 =
    "NVIDIA A100 Tensor Core GPU datasheet (June 2021) and A100 architecture whitepaper v1.0";
constexpr std::string_view a800 = "NVIDIA A800 Tensor Core GPU datasheet (2022): A100 with reduced NVLink";
constexpr std::string_view b200 = "NVIDIA HGX platform datasheet (2025), HGX B200 divided by 8 GPUs; "
                                  "Blackwell architecture technical brief (2024)";
constexpr std::string_view gb200 =
    "NVIDIA GB200 NVL72 datasheet (2024), divided by 72 GPUs; Blackwell architecture technical brief (2024)";
constexpr std::string_view l40s = "NVIDIA L40S datasheet (2023) and Ada architecture whitepaper v2.1";
constexpr std::string_view l40 = "NVIDIA L40 datasheet (2022) and Ada architecture whitepaper v2.1";
constexpr std::string_view l4 = "NVIDIA L4 datasheet (2023) and Ada architecture whitepaper v2.1";
constexpr std::string_view a40 = "NVIDIA A40 datasheet (2021) and GA102 architecture whitepaper v2.1";
constexpr std::string_view a30 = "NVIDIA A30 datasheet (2021) and A100 architecture whitepaper v1.0";
constexpr std::string_view a10 = "NVIDIA A10 datasheet (2021) and GA102 architecture whitepaper v2.1";
constexpr std::string_view v100 =
    "NVIDIA V100 datasheet (January 2020) and Tesla V100 architecture whitepaper v1.1";
constexpr std::string_view p100 = "NVIDIA Tesla P100 datasheet (2016) and Tesla P100 whitepaper v1.2";
constexpr std::string_view t4 = "NVIDIA T4 datasheet (2019) and Turing architecture whitepaper (2018)";
constexpr std::string_view rtx4090 = "NVIDIA Ada architecture whitepaper v2.1, appendix GeForce RTX 4090";
constexpr std::string_view rtxAda = "NVIDIA RTX Ada Generation workstation GPU datasheets (2023)";
constexpr std::string_view rtxAmpere =
    "NVIDIA RTX A-series datasheets (2021-2022) and GA102 architecture whitepaper v2.1";
constexpr std::string_view quadro =
    "NVIDIA Quadro RTX datasheets (2019) and Turing architecture whitepaper (2018)";

constexpr Entry entries[] = {
    // name, architecture, memory, bandwidth, fp64, fp32, tensor, multiprocessors, MHz, L2, power, source
    {"H100-SXM5-80GB", hopper, 80, 3352, 33.5, 66.9, 989.4, 132, 1980, 50, 700, h100},
    {"H100-PCIe-80GB", hopper, 80, 2039, 25.6, 51.2, 756, 114, 1755, 50, 350, h100},
    {"H100-NVL-94GB", hopper, 94, 3938, 30, 60, 835, 132, 1785, 50, 400, h100Nvl},
    {"H200-SXM-141GB", hopper, 141, 4800, 34, 67, 989, 132, 1980, 50, 700, h200},
    {"H200-NVL-141GB", hopper, 141, 4800, 30, 60, 835, 132, 1785, 50, 600, h200},
    {"H800-SXM5-80GB", hopper, 80, 3352, 1, 67, 989, 132, 1980, 50, 700, h800},
    {"H800-PCIe-80GB", hopper, 80, 2039, 0.8, 51, 756, 114, 1755, 50, 350, h800},
    {"A100-SXM4-80GB", ampere, 80, 2039, 9.7, 19.5, 312, 108, 1410, 40, 400, a100},
    {"A100-SXM4-40GB", ampere, 40, 1555, 9.7, 19.5, 312, 108, 1410, 40, 400, a100},
    {"A100-PCIe-80GB", ampere, 80, 1935, 9.7, 19.5, 312, 108, 1410, 40, 300, a100},
    {"A100-PCIe-40GB", ampere, 40, 1555, 9.7, 19.5, 312, 108, 1410, 40, 250, a100},
    {"A800-SXM4-80GB", ampere, 80, 2039, 9.7, 19.5, 312, 108, 1410, 40, 400, a800},
    {"A800-PCIe-80GB", ampere, 80, 1935, 9.7, 19.5, 312, 108, 1410, 40, 300, a800},
    {"A800-PCIe-40GB", ampere, 40, 1555, 9.7, 19.5, 312, 108, 1410, 40, 240, a800},
    {"B200-SXM-180GB", blackwell, 180, 8000, 37, 75, 2250, 148, 1965, 126, 1000, b200},
    {"GB200-186GB", blackwell, 186, 8000, 40, 80, 2500, 152, 2062, 126, 1200, gb200},
    {"L40S", ada, 48, 864, 1.43, 91.6, 362.05, 142, 2520, 96, 350, l40s},
    {"L40", ada, 48, 864, 1.41, 90.5, 181.05, 142, 2490, 96, 300, l40},
    {"L4", ada, 24, 300, 0.47, 30.3, 121, 58, 2040, 48, 72, l4},
    {"A40", ampereGraphics, 48, 696, 0.58, 37.4, 149.7, 84, 1740, 6, 300, a40},
    {"A30", ampere, 24, 933, 5.2, 10.3, 165, 56, 1440, 24, 165, a30},
    {"A10", ampereGraphics, 24, 600, 0.49, 31.2, 125, 72, 1695, 6, 150, a10},
    {"V100-SXM2-32GB", volta, 32, 900, 7.8, 15.7, 125, 80, 1530, 6, 300, v100},
    {"V100-SXM2-16GB", volta, 16, 900, 7.8, 15.7, 125, 80, 1530, 6, 300, v100},
    {"V100-PCIe-32GB", volta, 32, 900, 7, 14, 112, 80, 1380, 6, 250, v100},
    {"V100-PCIe-16GB", volta, 16, 900, 7, 14, 112, 80, 1380, 6, 250, v100},
    {"V100S-PCIe-32GB", volta, 32, 1134, 8.2, 16.4, 130, 80, 1597, 6, 250, v100},
    {"P100-SXM2-16GB", pascal, 16, 732, 5.3, 10.6, 0, 56, 1480, 4, 300, p100},
    {"P100-PCIe-16GB", pascal, 16, 732, 4.7, 9.3, 0, 56, 1303, 4, 250, p100},
    {"P100-PCIe-12GB", pascal, 12, 549, 4.7, 9.3, 0, 56, 1303, 3, 250, p100},
    {"T4", turing, 16, 320, 0.25, 8.1, 65, 40, 1590, 4, 70, t4},
    {"RTX-4090", ada, 24, 1008, 1.29, 82.6, 165.2, 128, 2520, 72, 450, rtx4090},
    {"RTX-6000-Ada", ada, 48, 960, 1.42, 91.1, 364.2, 142, 2505, 96, 300, rtxAda},
    {"RTX-5000-Ada", ada, 32, 576, 1.02, 65.3, 261.1, 100, 2550, 72, 250, rtxAda},
    {"RTX-4500-Ada", ada, 24, 432, 0.62, 39.6, 158.4, 60, 2580, 48, 210, rtxAda},
    {"RTX-4000-Ada", ada, 20, 360, 0.42, 26.7, 106.9, 48, 2175, 48, 130, rtxAda},
    {"RTX-4000-SFF-Ada", ada, 20, 280, 0.3, 19.2, 76.7, 48, 1560, 48, 70, rtxAda},
    {"RTX-A6000", ampereGraphics, 48, 768, 0.6, 38.7, 154.8, 84, 1800, 6, 300, rtxAmpere},
    {"RTX-A5500", ampereGraphics, 24, 768, 0.53, 34.1, 136.4, 80, 1665, 6, 230, rtxAmpere},
    {"RTX-A5000", ampereGraphics, 24, 768, 0.43, 27.8, 111.1, 64, 1695, 6, 230, rtxAmpere},
    {"RTX-A4500", ampereGraphics, 20, 640, 0.37, 23.7, 94.6, 56, 1650, 6, 200, rtxAmpere},
    {"RTX-A4000", ampereGraphics, 16, 448, 0.3, 19.2, 76.7, 48, 1560, 4, 140, rtxAmpere},
    {"Quadro-RTX-8000", turing, 48, 672, 0.51, 16.3, 130.5, 72, 1770, 6, 295, quadro},
    {"Quadro-RTX-6000", turing, 24, 672, 0.51, 16.3, 130.5, 72, 1770, 6, 295, quadro},
    {"Quadro-RTX-5000", turing, 16, 448, 0.35, 11.2, 89.2, 48, 1815, 4, 265, quadro},
    {"Quadro-RTX-4000", turing, 8, 416, 0.22, 7.1, 57, 36, 1545, 4, 160, quadro},
};

GpuModel asModel(const Entry &entry) {
  const Architecture &width = entry.architecture;
  const double clocks = entry.multiprocessors * entry.boostMhz * 1e6;
  GpuModel model;
  model.name = entry.name;
  model.capability = width.capability;
  model.memory = gibibytes(entry.memoryGb);
  model.memoryBandwidth = gigabytesPerSecond(entry.bandwidthGbPerSecond);
  auto rate = [&model](FlopType type) -> FlopsPerSecond & {
    return model.peak[static_cast<std::size_t>(type)];
  };
  rate(FlopType::fp64) = teraflopsPerSecond(entry.fp64);
  rate(FlopType::fp32) = teraflopsPerSecond(entry.fp32);
  rate(FlopType::fp16) = flopsPerSecond(2 * width.fp16 * clocks);
  rate(FlopType::bf16) = flopsPerSecond(2 * width.bf16 * clocks);
  rate(FlopType::tensor) = teraflopsPerSecond(entry.tensor);
  rate(FlopType::integer) = flopsPerSecond(width.integer * clocks);
  rate(FlopType::special) = flopsPerSecond(width.special * clocks);
  model.l2 = mebibytes(entry.l2Mb);
  model.multiprocessors = entry.multiprocessors;
  model.power = watts(entry.watts);
  model.source = entry.source;
  return model;
}

std::string canonical(std::string_view name) {
  std::string text;
  for (char letter : name)
    text += letter == ' ' || letter == '_'   ? '-'
            : letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a')
                                             : letter;
  return text;
}

} // namespace

GpuModel catalogueCpu(unsigned cores, Bytes memory) {
  // Nobody's datasheet: a server core at 2.5 GHz with two 256-bit multiply-add units, an eighth of whose
  // vector rate is left in library functions, and eight channels of DDR4-3200 per node (204.8 GB/s).
  constexpr double clock = 2.5e9, vectorBytes = 32, units = 2;
  GpuModel model;
  model.name = "cpu";
  model.memory = memory;
  model.memoryBandwidth = gigabytesPerSecond(204.8);
  auto set = [&](FlopType type, double perClock) {
    model.peak[static_cast<std::size_t>(type)] = flopsPerSecond(cores * clock * perClock);
  };
  constexpr double fp64 = units * 2 * vectorBytes / 8, fp32 = units * 2 * vectorBytes / 4;
  set(FlopType::fp64, fp64);
  set(FlopType::fp32, fp32);
  for (FlopType converted : {FlopType::fp16, FlopType::bf16, FlopType::tensor})
    set(converted, fp32);
  set(FlopType::integer, fp32 / 2);
  set(FlopType::special, fp32 / 8);
  model.multiprocessors = cores;
  model.source = "nominal core: 2.5 GHz, two 256-bit multiply-add units; 204.8 GB/s per node";
  return model;
}

std::optional<GpuModel> catalogueModel(std::string_view name) {
  const std::string wanted = canonical(name);
  if (wanted == "cpu")
    return catalogueCpu(1, Bytes());
  for (const Entry &entry : entries)
    if (canonical(entry.name) == wanted)
      return asModel(entry);
  return std::nullopt;
}

std::vector<std::string> catalogueNames() {
  std::vector<std::string> names;
  for (const Entry &entry : entries)
    names.emplace_back(entry.name);
  names.emplace_back("cpu");
  return names;
}

std::vector<std::string> nearestCatalogueNames(std::string_view name) {
  constexpr std::size_t most = 3;
  const std::string wanted = canonical(name);
  std::vector<std::string> begun;
  std::vector<std::pair<std::size_t, std::string>> byDistance;
  for (const std::string &candidate : catalogueNames()) {
    if (!wanted.empty() && canonical(candidate).starts_with(wanted))
      begun.push_back(candidate);
    std::size_t distance = editDistance(wanted, canonical(candidate));
    if (distance <= std::max<std::size_t>(2, candidate.size() / 3))
      byDistance.emplace_back(distance, candidate);
  }
  if (!begun.empty()) {
    begun.resize(std::min(most, begun.size()));
    return begun;
  }
  std::ranges::stable_sort(byDistance, {}, &std::pair<std::size_t, std::string>::first);
  std::vector<std::string> nearest;
  for (const auto &[distance, candidate] : byDistance)
    if (nearest.size() < most)
      nearest.push_back(candidate);
  return nearest;
}

} // namespace streammap
