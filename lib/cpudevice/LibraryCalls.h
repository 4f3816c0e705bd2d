#pragma once
// Which function of the device library (runtime/cpu/devicelib) answers a call that the host cannot execute
// itself.
#include <optional>
#include <string>

namespace llvm {
class CallBase;
class Function;
class Module;
} // namespace llvm

namespace streammap {

/// Takes the thread (if it does), then the call's arguments, then one pointer per result after the first.
struct LibraryCall {
  std::string name;
  bool takesThread = true;
};

/// What `call` needs from the library; nothing where the host executes it as it stands, or where it is inline
/// PTX (InlinePtx.h).
std::optional<LibraryCall> libraryCall(const llvm::CallBase &call);

/// The function of `library` for `needed`, if it is there with a signature that fits `call`.
const llvm::Function *findInLibrary(const llvm::CallBase &call, const LibraryCall &needed,
                                    const llvm::Module &library);

/// What stands in the way of running `call`, for people: "'llvm.nvvm.tex.1d...'", "inline PTX 'mma.sync...'",
/// "function 'curand'". Nothing if the CPU device can run it.
std::optional<std::string> findUnsupported(const llvm::CallBase &call, const llvm::Module &library);

} // namespace streammap
