#include "model/Cluster.h"
#include <algorithm>
#include <charconv>

namespace streammap {
namespace {

char lowered(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

/// "8.0" as 8000: minor versions have one digit so far, but 8.10 must be above 8.9.
unsigned capabilityNumber(std::string_view text) {
  unsigned major = 0, minor = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), major);
  if (error == std::errc() && end != text.data() + text.size() && *end == '.')
    std::from_chars(end + 1, text.data() + text.size(), minor);
  return major * 1000 + minor;
}

} // namespace

bool isModel(const GpuModel &model, std::string_view wanted) {
  if (wanted.empty() || wanted.size() > model.name.size())
    return false;
  if (!std::ranges::equal(wanted, std::string_view(model.name).substr(0, wanted.size()), {}, lowered,
                          lowered))
    return false;
  return wanted.size() == model.name.size() || model.name[wanted.size()] == '-';
}

bool hasCapability(const GpuModel &model, std::string_view wanted) {
  return !model.capability.empty() && capabilityNumber(model.capability) >= capabilityNumber(wanted);
}

std::string_view toText(State state) {
  switch (state) {
  case State::up:
    return "up";
  case State::drained:
    return "drained";
  case State::down:
    return "down";
  case State::busy:
    return "busy";
  case State::reserved:
    break;
  }
  return "reserved";
}

std::string deviceName(const Cluster &cluster, DeviceId device) {
  const Device &place = cluster.devices[device];
  const std::string &node = cluster.nodes[place.node].name;
  return place.gpu ? node + ":gpu" + std::to_string(*place.gpu) : node + ":cpu";
}

} // namespace streammap
