#include "cpudevice/LibraryCalls.h"
#include <algorithm>
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

std::vector<LibraryArgument> allArguments(const llvm::CallBase &call) {
  std::vector<LibraryArgument> result;
  for (unsigned i = 0; i != call.arg_size(); ++i)
    result.push_back(i);
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

/// The text of inline PTX without the braces of a scope and surrounding space.
llvm::StringRef bareText(llvm::StringRef text) {
  text = text.trim(" \t\n\r;");
  if (text.starts_with("{") && text.ends_with("}"))
    text = text.drop_front().drop_back().trim(" \t\n\r;");
  return text;
}

/// Inline PTX of several instructions that matters: what identifies it, and the library's function.
struct KnownText {
  llvm::StringRef part;
  const char *name;
};
constexpr KnownText knownTexts[] = {
    // cooperative_groups/details/memory.h: shared memory that CUDA keeps for its own barriers
    {"%reserved_smem_offset_1", "smcpu_reserved_shared"},
};

/// "fma.rn.f32 $0, $1, $2, $3" -> ptx_fma_rn_f32 with inputs 0, 1, 2. Registers become part of the name,
/// literals become arguments, addresses lose their brackets, braces mark packing.
LibraryCall callOfInlinePtx(const llvm::CallBase &call, const llvm::InlineAsm &assembly) {
  const llvm::StringRef text = bareText(assembly.getAsmString());
  if (text.empty())
    return {};
  const LibraryCall unknown{.name = text.str(), .arguments = {}};
  if (text.contains(';')) {
    for (const KnownText &known : knownTexts)
      if (text.contains(known.part))
        return {.name = known.name, .arguments = allArguments(call)};
    return unknown;
  }
  if (text.starts_with("@"))
    return unknown;
  const std::size_t space = text.find_first_of(" \t\n");
  LibraryCall result{.name = "smcpu_ptx_" + identifier(text.substr(0, space)), .arguments = {}};
  if (space == llvm::StringRef::npos)
    return result;
  const llvm::StringRef operandText = text.substr(space).trim();
  const unsigned outputs = resultCount(call);
  if (operandText.contains('{'))
    result.name += "_pack";
  llvm::SmallVector<llvm::StringRef, 6> operands;
  operandText.split(operands, ',');
  for (llvm::StringRef operand : operands) {
    operand = operand.trim(" \t\n{}[]");
    unsigned index = 0;
    long long literal = 0;
    if (operand.consume_front("$")) {
      if (operand.starts_with("{") || operand.getAsInteger(10, index))
        return unknown;
      if (index >= outputs) {
        if (index - outputs >= call.arg_size())
          return unknown;
        result.arguments.push_back(index - outputs);
      }
    } else if (!operand.getAsInteger(0, literal)) {
      result.arguments.push_back(literal);
    } else if (operand.consume_front("%")) {
      result.name += "_" + identifier(operand);
    } else {
      return unknown;
    }
  }
  return result;
}

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
  if (auto *assembly = llvm::dyn_cast<llvm::InlineAsm>(call.getCalledOperand()))
    return callOfInlinePtx(call, *assembly);
  const llvm::Function *callee = call.getCalledFunction();
  if (!callee || !callee->isDeclaration())
    return std::nullopt;
  llvm::StringRef name = callee->getName();
  switch (callee->getIntrinsicID()) {
  case llvm::Intrinsic::trap:
  case llvm::Intrinsic::debugtrap:
  case llvm::Intrinsic::ubsantrap:
    return LibraryCall{.name = "smcpu_trap", .arguments = {}};
  default:
    break;
  }
  if (name.starts_with("llvm.nvvm.atomic."))
    return std::nullopt; // lowerAtomics
  if (name.consume_front("llvm.nvvm."))
    return LibraryCall{.name = "smcpu_nvvm_" + identifier(name), .arguments = allArguments(call)};
  if (callee->isIntrinsic())
    return std::nullopt;
  if (name.starts_with("__nv_"))
    return LibraryCall{.name = name.str(), .takesThread = false, .arguments = allArguments(call)};
  return LibraryCall{.name = "smcpu_call_" + name.str(), .arguments = allArguments(call)};
}

const llvm::Function *findInLibrary(const llvm::CallBase &call, const LibraryCall &needed,
                                    const llvm::Module &library) {
  const llvm::Function *found = library.getFunction(needed.name);
  if (!found || found->isDeclaration())
    return nullptr;
  const unsigned results = resultCount(call);
  const unsigned first = needed.takesThread ? 1 : 0;
  const unsigned further = results > 1 ? results - 1 : 0;
  if (found->arg_size() != first + needed.arguments.size() + further)
    return nullptr;
  for (std::size_t i = 0; i != needed.arguments.size(); ++i) {
    const llvm::Type *to = found->getArg(first + static_cast<unsigned>(i))->getType();
    if (auto *operand = std::get_if<unsigned>(&needed.arguments[i])) {
      if (!coercible(call.getArgOperand(*operand)->getType(), to))
        return nullptr;
    } else if (!to->isIntegerTy()) {
      return nullptr;
    }
  }
  const llvm::Type *result = call.getType();
  if (results > 1)
    result = result->getStructElementType(0);
  if (results != 0 && !coercible(found->getReturnType(), result))
    return nullptr;
  return found;
}

std::string describeCall(const llvm::CallBase &call) {
  if (auto *assembly = llvm::dyn_cast<llvm::InlineAsm>(call.getCalledOperand())) {
    std::string text = bareText(assembly->getAsmString()).str();
    std::replace_if(text.begin(), text.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
    if (text.size() > 80)
      text = text.substr(0, 77) + "...";
    return "inline PTX '" + text + "'";
  }
  const llvm::Function *callee = call.getCalledFunction();
  return callee->isIntrinsic() ? "'" + callee->getName().str() + "'"
                               : "function '" + callee->getName().str() + "'";
}

} // namespace streammap
