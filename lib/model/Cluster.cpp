#include "model/Cluster.h"

namespace streammap {

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
