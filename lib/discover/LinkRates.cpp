#include "discover/LinkRates.h"
#include "discover/Scan.h"
#include "support/Text.h"

namespace streammap {

std::optional<NvlinkGeneration> nvlinkOf(std::string_view capability) {
  struct Row {
    std::string_view capability;
    double gigabytesPerSecond;
    unsigned links;
  };
  static constexpr Row rows[] = {{"6.0", 20, 4},      {"7.0", 25, 6},  {"7.5", 25, 2},   {"8.0", 25, 12},
                                 {"8.6", 14.0625, 4}, {"9.0", 25, 18}, {"10.0", 50, 18}, {"10.3", 50, 18}};
  for (const Row &row : rows)
    if (row.capability == capability)
      return NvlinkGeneration{gigabytesPerSecond(row.gigabytesPerSecond), row.links};
  return std::nullopt;
}

BytesPerSecond pcieBandwidth(double gigatransfersPerSecond, unsigned lanes) {
  const double coding = gigatransfersPerSecond < 6    ? 0.8
                        : gigatransfersPerSecond < 40 ? 128.0 / 130
                                                      : 242.0 / 256;
  return gigabitsPerSecond(gigatransfersPerSecond * coding * lanes);
}

std::optional<double> pcieRate(unsigned generation) {
  static constexpr double rates[] = {2.5, 5, 8, 16, 32, 64, 128};
  return generation >= 1 && generation <= 7 ? std::optional(rates[generation - 1]) : std::nullopt;
}

std::optional<BytesPerSecond> infinibandBandwidth(std::string_view widthAndSpeed) {
  struct Row {
    std::string_view name;
    double gigabitsPerLane;
  };
  static constexpr Row rows[] = {{"SDR", 2},  {"DDR", 4},  {"QDR", 8},   {"FDR10", 10}, {"FDR", 13.64},
                                 {"EDR", 25}, {"HDR", 50}, {"NDR", 100}, {"XDR", 200}};
  const std::size_t x = widthAndSpeed.find('x');
  if (x == std::string_view::npos)
    return std::nullopt;
  const std::optional<unsigned> lanes = wholeNumber(widthAndSpeed.substr(0, x));
  const std::string_view speed = trim(widthAndSpeed.substr(x + 1));
  for (const Row &row : rows)
    if (lanes && *lanes >= 1 && *lanes <= 12 && speed == row.name)
      return gigabitsPerSecond(row.gigabitsPerLane * *lanes);
  return std::nullopt;
}

} // namespace streammap
