#include "cpudevice/LibraryCalls.h"
#include "cpudevice/InlinePtx.h"
#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

namespace streammap {
namespace {

std::string identifier(llvm::StringRef text) {
  std::string result;
  for (char c : text)
    result += llvm::isAlnum(c) ? c : '_';
  return result;
}

/// How many values the call returns.
unsigned resultCount(const llvm::CallBase &call) {
  if (call.getType()->isVoidTy())
    return 0;
  if (auto *fields = llvm::dyn_cast<llvm::StructType>(call.getType()))
    return fields->getNumElements();
  return 1;
}

/// Inline PTX that is translated as a whole: what identifies it, and the library's function.
struct KnownText {
  llvm::StringRef part;
  const char *name;
};
constexpr KnownText knownTexts[] = {
    // cooperative_groups/details/memory.h: shared memory that CUDA keeps for its own barriers
    {"%reserved_smem_offset_1", "smcpu_reserved_shared"},
};

bool coercible(const llvm::Type *from, const llvm::Type *to) {
  if (from == to || (from->isPointerTy() && to->isPointerTy()))
    return true;
  if ((from->isPointerTy() && to->isIntegerTy()) || (from->isIntegerTy() && to->isPointerTy()))
    return true;
  return from->isSized() && to->isSized() && from->getPrimitiveSizeInBits() != 0 &&
         from->getPrimitiveSizeInBits() == to->getPrimitiveSizeInBits();
}

} // namespace

std::optional<LibraryCall> libraryCall(const llvm::CallBase &call) {
  if (auto *assembly = llvm::dyn_cast<llvm::InlineAsm>(call.getCalledOperand())) {
    for (const KnownText &known : knownTexts)
      if (llvm::StringRef(assembly->getAsmString()).contains(known.part))
        return LibraryCall{known.name};
    return std::nullopt;
  }
  const llvm::Function *callee = call.getCalledFunction();
  if (!callee || !callee->isDeclaration())
    return std::nullopt;
  llvm::StringRef name = callee->getName();
  switch (callee->getIntrinsicID()) {
  case llvm::Intrinsic::trap:
  case llvm::Intrinsic::debugtrap:
  case llvm::Intrinsic::ubsantrap:
    return LibraryCall{"smcpu_trap"};
  default:
    break;
  }
  if (name.starts_with("llvm.nvvm.atomic."))
    return std::nullopt; // lowerAtomics
  if (name.consume_front("llvm.nvvm."))
    return LibraryCall{"smcpu_nvvm_" + identifier(name)};
  if (callee->isIntrinsic())
    return std::nullopt;
  if (name.starts_with("__nv_"))
    return LibraryCall{name.str(), /*takesThread=*/false};
  return LibraryCall{"smcpu_call_" + name.str()};
}

const llvm::Function *findInLibrary(const llvm::CallBase &call, const LibraryCall &needed,
                                    const llvm::Module &library) {
  const llvm::Function *found = library.getFunction(needed.name);
  if (!found || found->isDeclaration())
    return nullptr;
  const unsigned results = resultCount(call);
  const unsigned first = needed.takesThread ? 1 : 0;
  if (found->arg_size() != first + call.arg_size() + (results > 1 ? results - 1 : 0))
    return nullptr;
  for (unsigned i = 0; i != call.arg_size(); ++i)
    if (!coercible(call.getArgOperand(i)->getType(), found->getArg(first + i)->getType()))
      return nullptr;
  const llvm::Type *result = call.getType();
  if (results > 1)
    result = result->getStructElementType(0);
  if (results != 0 && !coercible(found->getReturnType(), result))
    return nullptr;
  return found;
}

std::optional<std::string> findUnsupported(const llvm::CallBase &call, const llvm::Module &library) {
  if (const std::optional<LibraryCall> needed = libraryCall(call)) {
    if (findInLibrary(call, *needed, library))
      return std::nullopt;
    const llvm::Function *callee = call.getCalledFunction();
    return (callee->isIntrinsic() ? "'" : "function '") + callee->getName().str() + "'";
  }
  if (call.isInlineAsm())
    if (const std::optional<std::string> statement = untranslatablePtx(call, library))
      return "inline PTX '" + *statement + "'";
  return std::nullopt;
}

} // namespace streammap
