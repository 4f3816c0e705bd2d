#pragma once
// Routes between places, each asked of the fabric once. Searches time millions of transfers over the same few
// routes; Fabric::route builds a vector of links for each.
//
//   RouteCache routes(problem);
//   routes.between(routes.deviceAt(a), routes.deviceAt(b)).time(size);
#include "sim/Problem.h"
#include <span>
#include <unordered_map>

namespace streammap {

/// A route without its names: what Route::time needs, and where its links are listed.
struct CachedRoute {
  Seconds latency;
  BytesPerSecond bandwidth;
  std::uint32_t firstLink, links; ///< RouteCache::linksOf
  Seconds time(Bytes size) const { return latency + size / bandwidth; }
};

/// Not thread safe: it fills as it is asked. Memory: 4 bytes for each pair of places where there are at most
/// 2,048 of them, and one entry for each route in use.
class RouteCache {
public:
  explicit RouteCache(const Problem &problem);

  /// Devices come first, then the hosts of the nodes.
  std::uint32_t deviceAt(DeviceId device) const { return static_cast<std::uint32_t>(device.index()); }
  std::uint32_t hostOf(NodeId node) const {
    return static_cast<std::uint32_t>(problem_->cluster().devices.size() + node.index());
  }

  /// By value: an entry moves when another is added. O(1) but for the first time.
  CachedRoute between(std::uint32_t from, std::uint32_t to);
  std::span<const LinkId> linksOf(const CachedRoute &route) const {
    return std::span(links_).subspan(route.firstLink, route.links);
  }

private:
  std::uint32_t &slotOf(std::uint32_t from, std::uint32_t to);
  Place placeAt(std::uint32_t place) const;

  static constexpr std::uint32_t unknown = UINT32_MAX;
  const Problem *problem_;
  std::size_t places_;
  std::vector<std::uint32_t> dense_; ///< from * places + to; empty on larger clusters
  std::unordered_map<std::uint64_t, std::uint32_t> sparse_;
  std::vector<CachedRoute> routes_;
  std::vector<LinkId> links_;
};

} // namespace streammap
