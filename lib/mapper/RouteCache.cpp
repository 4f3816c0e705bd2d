#include "mapper/RouteCache.h"

namespace streammap {
namespace {

constexpr std::size_t mostDensePlaces = 2048;

} // namespace

RouteCache::RouteCache(const Problem &problem)
    : problem_(&problem), places_(problem.cluster().devices.size() + problem.cluster().nodes.size()) {
  if (places_ <= mostDensePlaces)
    dense_.assign(places_ * places_, unknown);
}

Place RouteCache::placeAt(std::uint32_t place) const {
  const std::size_t devices = problem_->cluster().devices.size();
  return place < devices ? problem_->fabric().placeOf(DeviceId(place))
                         : Fabric::hostOf(NodeId(place - devices));
}

std::uint32_t &RouteCache::slotOf(std::uint32_t from, std::uint32_t to) {
  const std::uint64_t pair = std::uint64_t{from} * places_ + to;
  return dense_.empty() ? sparse_.try_emplace(pair, unknown).first->second : dense_[pair];
}

CachedRoute RouteCache::between(std::uint32_t from, std::uint32_t to) {
  std::uint32_t &slot = slotOf(from, to);
  if (slot == unknown) {
    const Route route = problem_->fabric().route(placeAt(from), placeAt(to));
    slot = static_cast<std::uint32_t>(routes_.size());
    routes_.push_back({route.latency, route.bandwidth, static_cast<std::uint32_t>(links_.size()),
                       static_cast<std::uint32_t>(route.links.size())});
    links_.insert(links_.end(), route.links.begin(), route.links.end());
  }
  return routes_[slot];
}

} // namespace streammap
