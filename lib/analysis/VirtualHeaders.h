#pragma once
// Headers that exist only while we parse, under `virtualRoot`:
//
//   markers/    the declarations of the markers (Markers.h); force-included everywhere
//   compat/     what nvcc declares and Clang does not, and what CUDA 13 removed; force-included into CUDA
//   files fallback/   omp.h, searched last minimal/    the CUDA runtime API in a few hundred lines, for
//   machines without a toolkit
#include <span>
#include <string_view>

namespace streammap {

inline constexpr std::string_view virtualRoot = "/streammap-virtual";

struct VirtualHeader {
  std::string_view path; ///< below virtualRoot: "markers/streammap_markers.h"
  std::string_view text;
};

std::span<const VirtualHeader> virtualHeaders();

} // namespace streammap
