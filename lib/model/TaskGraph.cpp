#include "model/TaskGraph.h"

namespace streammap {

std::string_view toText(Origin origin) {
  switch (origin) {
  case Origin::unknown:
    return "unknown";
  case Origin::defaulted:
    return "default";
  case Origin::stat:
    return "static";
  case Origin::ptxas:
    return "ptxas";
  case Origin::profile:
    return "profile";
  case Origin::pragma:
    break;
  }
  return "pragma";
}

std::string_view toText(FlopType type) {
  static constexpr std::array<std::string_view, flopTypeCount> names{"fp64",   "fp32",    "fp16",   "bf16",
                                                                     "tensor", "integer", "special"};
  return names[static_cast<std::size_t>(type)];
}

} // namespace streammap
