#include "analysis/VirtualHeaders.h"
#include "support/CudaCompat.h"
#include <string>

namespace streammap {

// Marker calls never run: the tokens around them exist for Sema, for the AST, and on the device side as a
// call in the IR. `const A &` binds to everything a clause can name (bit-fields and temporaries too) without
// loading or decaying it.
static constexpr std::string_view markers = R"header(
#pragma once
#ifdef __CUDA__
#define STREAMMAP_MARKER __attribute__((host)) __attribute__((device))
#else
#define STREAMMAP_MARKER
#endif
namespace __streammap {
struct Item {};
STREAMMAP_MARKER bool task(int site, ...);
STREAMMAP_MARKER bool root(int site, ...);
STREAMMAP_MARKER void wait(int site, ...);
template <class... A>
STREAMMAP_MARKER Item item(int index, const A &...arguments);
}
extern "C" STREAMMAP_MARKER void __streammap_trips(int site, long long trips);
#undef STREAMMAP_MARKER
)header";

static constexpr std::string_view openMp = R"header(
#pragma once
#include <stdlib.h>
#ifdef __cplusplus
extern "C" {
#endif
typedef int omp_lock_t;
int omp_get_thread_num(void);
int omp_get_num_threads(void);
int omp_get_max_threads(void);
int omp_get_num_procs(void);
int omp_in_parallel(void);
void omp_set_num_threads(int);
void omp_set_dynamic(int);
void omp_set_nested(int);
double omp_get_wtime(void);
double omp_get_wtick(void);
void omp_init_lock(omp_lock_t *);
void omp_destroy_lock(omp_lock_t *);
void omp_set_lock(omp_lock_t *);
void omp_unset_lock(omp_lock_t *);
#ifdef __cplusplus
}
#endif
)header";

static constexpr std::string_view forward = "#pragma once\n#include \"cuda_runtime.h\"\n";

extern const std::string_view minimalRuntime; // MinimalRuntime.cpp

std::span<const VirtualHeader> virtualHeaders() {
  static const std::string wrapper = cudaWrapperHeader();
  static const VirtualHeader headers[] = {
      {"markers/streammap_markers.h", markers},
      {"compat/streammap_compat.h", cudaCompatHeader()},
      {"compat/streammap_cuda_wrapper.h", wrapper},
      {"fallback/omp.h", openMp},
      {"minimal/cuda_runtime.h", minimalRuntime},
      {"minimal/cuda_runtime_api.h", forward},
      {"minimal/cuda.h", forward},
      {"minimal/device_launch_parameters.h", forward},
      {"minimal/vector_types.h", forward},
      {"minimal/driver_types.h", forward},
  };
  return headers;
}

} // namespace streammap
