#pragma once
// Which function of the device library (runtime/cpu/devicelib) answers a call that the host cannot execute
// itself.
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace llvm {
class CallBase;
class Function;
class Module;
} // namespace llvm

namespace streammap {

/// An argument of the library's function: an operand of the call, or a literal of the PTX text.
using LibraryArgument = std::variant<unsigned, long long>;

struct LibraryCall {
  std::string name;                       ///< of the library's function; empty: the call means nothing here
  bool takesThread = true;                ///< first argument
  std::vector<LibraryArgument> arguments; ///< then these, then one pointer per further result
};

/// What `call` needs from the library; nothing where the host executes it as it stands. Inline PTX that is
/// not a single instruction gives a name that no library has: its text.
std::optional<LibraryCall> libraryCall(const llvm::CallBase &call);

/// The function of `library` for `needed`, if it is there with a signature that fits `call`.
const llvm::Function *findInLibrary(const llvm::CallBase &call, const LibraryCall &needed,
                                    const llvm::Module &library);

/// For people: "llvm.nvvm.tex.1d...", "inline PTX 'mma.sync...'", "function 'curand'".
std::string describeCall(const llvm::CallBase &call);

} // namespace streammap
