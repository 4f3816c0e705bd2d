#pragma once
// Copies and fills of boxes of bytes, checked against what the addresses really are.
#include "cpu/Device.h"
#include "cpu/Platform.h"
#include <driver_types.h>

namespace streammap::cpu {

/// `depth` slices of `height` rows of `width` bytes.
struct Extent {
  std::size_t width = 0, height = 1, depth = 1;
};

/// One side: row y of slice z begins at base + (z * rows + y) * pitch.
struct Place {
  char *base = nullptr;
  std::size_t pitch = 0; ///< bytes between rows
  std::size_t rows = 1;  ///< rows between slices
};

enum class Waiting { here, inStream };

struct Copy {
  Place to, from;
  Extent extent;
  cudaMemcpyKind kind = cudaMemcpyDefault;
};

/// Asynchronous copies keep CUDA's promise for pageable host memory: it has been read when the call returns,
/// and what goes there has arrived.
cudaError_t copy(Device &device, Stream &stream, Copy what, Waiting waiting);

cudaError_t fill(Device &device, Stream &stream, const Place &place, int value, const Extent &extent,
                 Waiting waiting);

/// Where `size` bytes at `offset` of a variable are on `device`; the error names what is wrong with the
/// request.
cudaError_t symbolPlace(Device &device, const void *symbol, std::size_t size, std::size_t offset,
                        char *&place);

} // namespace streammap::cpu
