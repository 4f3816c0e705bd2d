#pragma once
// Which __device__ variables a kernel changes. Every GPU has its own copy of them, so what tasks on different
// GPUs leave there never meets.
#include <clang/Basic/SourceLocation.h>
#include <vector>

namespace clang {
class FunctionDecl;
class VarDecl;
} // namespace clang

namespace streammap {

struct DeviceVariableChange {
  const clang::VarDecl *variable = nullptr;
  clang::SourceLocation where;
};

/// Every mention that is not a plain read counts as a change. Follows calls of functions with bodies,
/// depth 8. Each variable once, in order of mention.
std::vector<DeviceVariableChange> changedDeviceVariables(const clang::FunctionDecl *kernel);

} // namespace streammap
