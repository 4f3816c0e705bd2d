// Finding driver functions by name. Compiled twice, since the two have a name each per default stream.
#include "cpu/api/Call.h"
#include "cpu/api/Driver.h"
#include <cuda_runtime_api.h>

using namespace streammap::cpu;

extern "C" {

cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **function, unsigned version,
                                             unsigned long long, cudaDriverEntryPointQueryResult *status) {
  return anywhere([&] {
    if (!symbol || !function)
      return cudaErrorInvalidValue;
    bool tooNew = false;
    *function = driverFunction(symbol, static_cast<int>(version), tooNew);
    if (status)
      *status = *function ? cudaDriverEntryPointSuccess
                : tooNew  ? cudaDriverEntryPointVersionNotSufficent
                          : cudaDriverEntryPointSymbolNotFound;
    return cudaSuccess;
  });
}

cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **function, unsigned long long flags,
                                    cudaDriverEntryPointQueryResult *status) {
  return cudaGetDriverEntryPointByVersion(symbol, function, CUDART_VERSION, flags, status);
}

} // extern "C"
