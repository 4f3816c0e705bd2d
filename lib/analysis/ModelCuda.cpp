#include "analysis/ModelCuda.h"
#include "analysis/LibraryModels.h"
#include <string_view>

namespace streammap {

using namespace clang;

using Call = Interpreter::Call;
using Model = Interpreter::Model;

namespace {

HostValue success(Interpreter &, const Call &) {
  return {};
}

/// Tells whoever adds up the work of a task.
void report(Interpreter &interpreter, const Call &call, std::optional<std::int64_t> result = {}) {
  HostLibraryCall told{call.callee->getName().str(), {}, result, call.where};
  for (std::size_t i = 0; i < call.expressions.size() && i < call.arguments.size(); ++i) {
    const bool isNumber = call.expressions[i]->getType()->isIntegralOrEnumerationType();
    told.arguments.push_back(isNumber && call.arguments[i].isKnown()
                                 ? std::optional(static_cast<std::int64_t>(call.arguments[i].bits))
                                 : std::nullopt);
  }
  interpreter.events().libraryCall(told);
}

HostValue allocateDevice(Interpreter &interpreter, const Call &call) {
  interpreter.allocateBuffer(call, call.arguments[0], call.arguments[1], AllocationKind::device);
  return {};
}
HostValue allocateManaged(Interpreter &interpreter, const Call &call) {
  interpreter.allocateBuffer(call, call.arguments[0], call.arguments[1], AllocationKind::managed);
  return {};
}
HostValue allocatePinned(Interpreter &interpreter, const Call &call) {
  interpreter.allocateBuffer(call, call.arguments[0], call.arguments[1], AllocationKind::pinned);
  return {};
}
// cudaMallocPitch(&pointer, &pitch, width, height): rows as far apart as the hardware likes.
HostValue allocatePitched(Interpreter &interpreter, const Call &call) {
  constexpr std::uint64_t alignment = 512; // cudaDeviceProp::texturePitchAlignment is at most that
  const HostValue width = call.arguments[2], height = call.arguments[3];
  HostValue pitch = width, size = width;
  if (width.isKnown()) {
    pitch.bits = (width.bits + alignment - 1) / alignment * alignment;
    size = height.isKnown() ? HostValue{pitch.bits * height.bits, 0} : height;
  }
  if (call.arguments[1].isKnown())
    interpreter.memory().store(call.arguments[1].bits, 8, pitch);
  interpreter.allocateBuffer(call, call.arguments[0], size, AllocationKind::device);
  return {};
}
HostValue release(Interpreter &interpreter, const Call &call) {
  if (call.arguments[0].isKnown() && call.arguments[0].bits != 0) {
    interpreter.events().released(call.arguments[0].bits);
    interpreter.memory().release(call.arguments[0].bits);
  }
  return {};
}

// What devices hold is never known, so copies to them change nothing; copies from them make the host's memory
// unknown, and copies on the host are copies.
void copyBytes(Interpreter &interpreter, HostValue to, HostValue from, HostValue size, const Call &call) {
  if (!to.isKnown() || interpreter.isDeviceMemory(to.bits))
    return;
  HostMemory &memory = interpreter.memory();
  if (from.isKnown() && size.isKnown()) {
    memory.copy(to.bits, from.bits, size.bits);
    return;
  }
  const HostMemory::Range object = memory.objectAt(to.bits);
  if (object.size != 0)
    memory.invalidate(to.bits, object.begin + object.size - to.bits,
                      interpreter.unknown(call.where, "it is copied from unknown memory").reason);
}
HostValue copy(Interpreter &interpreter, const Call &call) {
  report(interpreter, call);
  copyBytes(interpreter, call.arguments[0], call.arguments[1], call.arguments[2], call);
  return {};
}
// cudaMemcpy2D(to, toPitch, from, fromPitch, width, height)
HostValue copyRows(Interpreter &interpreter, const Call &call) {
  report(interpreter, call);
  HostValue rows = call.arguments[5], width = call.arguments[4];
  const HostValue toPitch = call.arguments[1], fromPitch = call.arguments[3];
  constexpr std::uint64_t mostRows = 1 << 16;
  if (!rows.isKnown() || rows.bits > mostRows || !toPitch.isKnown() || !fromPitch.isKnown()) {
    copyBytes(interpreter, call.arguments[0], call.arguments[2], {0, UnknownReasons::nowhere}, call);
    return {};
  }
  for (std::uint64_t row = 0; row < rows.bits; ++row) {
    HostValue to = call.arguments[0], from = call.arguments[2];
    to.bits += row * toPitch.bits;
    from.bits += row * fromPitch.bits;
    copyBytes(interpreter, to, from, width, call);
  }
  return {};
}
HostValue copyFromSymbol(Interpreter &interpreter, const Call &call) {
  copyBytes(interpreter, call.arguments[0], {0, UnknownReasons::nowhere}, call.arguments[2], call);
  return {};
}
HostValue set(Interpreter &interpreter, const Call &call) {
  report(interpreter, call);
  const HostValue to = call.arguments[0], value = call.arguments[1], size = call.arguments[2];
  if (!to.isKnown() || !size.isKnown() || interpreter.isDeviceMemory(to.bits))
    return {};
  if (value.isKnown() && (value.bits & 0xff) == 0)
    interpreter.memory().zero(to.bits, size.bits);
  else
    interpreter.memory().invalidate(to.bits, size.bits,
                                    interpreter.unknown(call.where, "it is set by cudaMemset").reason);
  return {};
}

HostValue setRows(Interpreter &interpreter, const Call &call) {
  report(interpreter, call);
  return {};
}

// cufftPlan1d(&plan, ...): plans are numbers, and any two are different.
HostValue planTransform(Interpreter &interpreter, const Call &call) {
  const auto number =
      static_cast<std::int64_t>(interpreter.memory().allocate(8, HostMemory::Fill::zero) & 0x7fffffff);
  if (call.arguments[0].isKnown())
    interpreter.memory().store(call.arguments[0].bits, 4, {static_cast<std::uint64_t>(number), 0});
  report(interpreter, call, number);
  return {};
}

// Streams and events: any two are different, and none is null.
HostValue handle(Interpreter &interpreter, const Call &call) {
  if (call.arguments[0].isKnown())
    interpreter.memory().store(call.arguments[0].bits, 8,
                               {interpreter.memory().allocate(8, HostMemory::Fill::zero), 0});
  return {};
}

HostValue storeInt(Interpreter &interpreter, HostValue where, std::uint64_t value) {
  if (where.isKnown() && where.bits != 0)
    interpreter.memory().store(where.bits, 4, {value, 0});
  return {};
}
// A transformed program sees one device; which it is, the placement decides.
HostValue deviceCount(Interpreter &interpreter, const Call &call) {
  return storeInt(interpreter, call.arguments[0], 1);
}
HostValue currentDevice(Interpreter &interpreter, const Call &call) {
  return storeInt(interpreter, call.arguments[0], 0);
}
HostValue rank(Interpreter &interpreter, const Call &call) {
  return storeInt(interpreter, call.arguments[1], 0);
}
HostValue ranks(Interpreter &interpreter, const Call &call) {
  return storeInt(interpreter, call.arguments[1], 1);
}
HostValue errorText(Interpreter &interpreter, const Call &) {
  return {interpreter.literal("no error"), 0};
}
HostValue launchKernel(Interpreter &interpreter, const Call &call) {
  interpreter.launch(call);
  return {};
}
// Everything else succeeds, and what it may write is unknown.
HostValue succeed(Interpreter &interpreter, const Call &call) {
  report(interpreter, call);
  interpreter.unknownResult(call);
  return {};
}

constexpr NamedModel models[] = {
    {"cudaMalloc", allocateDevice},
    {"cudaMallocAsync", allocateDevice},
    {"cudaMallocFromPoolAsync", allocateDevice},
    {"cudaMallocPitch", allocatePitched},
    {"cudaMallocManaged", allocateManaged},
    {"cudaMallocHost", allocatePinned},
    {"cudaHostAlloc", allocatePinned},
    {"cudaFree", release},
    {"cudaFreeAsync", release},
    {"cudaFreeHost", release},
    {"cudaMemcpy", copy},
    {"cudaMemcpyAsync", copy},
    {"cudaMemcpy2D", copyRows},
    {"cudaMemcpy2DAsync", copyRows},
    {"cudaMemcpyToSymbol", success},
    {"cudaMemcpyToSymbolAsync", success},
    {"cudaMemcpyFromSymbol", copyFromSymbol},
    {"cudaMemcpyFromSymbolAsync", copyFromSymbol},
    {"cudaMemset", set},
    {"cudaMemsetAsync", set},
    {"cudaMemset2D", setRows},
    {"cudaMemset2DAsync", setRows},
    {"cufftPlan1d", planTransform},
    {"cufftPlan2d", planTransform},
    {"cufftPlan3d", planTransform},
    {"cudaStreamCreate", handle},
    {"cudaStreamCreateWithFlags", handle},
    {"cudaStreamCreateWithPriority", handle},
    {"cudaEventCreate", handle},
    {"cudaEventCreateWithFlags", handle},
    {"cublasCreate_v2", handle},
    {"cusolverDnCreate", handle},
    {"cudaGetDeviceCount", deviceCount},
    {"cudaGetDevice", currentDevice},
    {"cudaGetErrorString", errorText},
    {"cudaGetErrorName", errorText},
    {"cudaLaunchKernel", launchKernel},
    {"cudaLaunchCooperativeKernel", launchKernel},
    {"MPI_Comm_rank", rank},
    {"MPI_Comm_size", ranks},
};
constexpr std::string_view families[] = {"cuda",   "cublas", "cusolver", "cusparse", "cufft",
                                         "curand", "cudnn",  "nccl",     "MPI_",     "nvtx"};

} // namespace

Model cudaModel(const FunctionDecl *function) {
  if (function->hasBody())
    return nullptr; // an overload that calls another
  const std::string_view name = function->getName();
  if (const Model model = modelNamed(models, name))
    return model;
  for (const std::string_view family : families)
    if (name.starts_with(family) && function->getReturnType()->isIntegralOrEnumerationType())
      return succeed;
  return nullptr;
}

} // namespace streammap
