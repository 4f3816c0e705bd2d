#pragma once
// Driver functions by name, for cudaGetDriverEntryPoint.
#include <string_view>

namespace streammap::cpu {

/// The function as of CUDA `version` (12040 for 12.4); null if there is none, `tooNew` telling whether a
/// later version has it.
void *driverFunction(std::string_view name, int version, bool &tooNew);

} // namespace streammap::cpu
