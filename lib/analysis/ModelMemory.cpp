// Memory: allocation, memcpy and its like, and the loops of the C++ library that fill memory.
#include "analysis/LibraryModels.h"
#include <bit>

namespace streammap {

using namespace clang;

using Call = Interpreter::Call;
using Model = Interpreter::Model;

namespace {

HostValue known(std::uint64_t bits) {
  return {bits, 0};
}

HostValue allocateBytes(Interpreter &interpreter, const Call &call, HostValue size, HostMemory::Fill fill) {
  if (!size.isKnown())
    return {0, size.reason};
  const Address at = interpreter.memory().allocate(
      size.bits, fill, interpreter.reasons().add("it has no value yet", interpreter.locationOf(call.where)));
  return at == 0 ? interpreter.unknown(call.where, "an allocation larger than any memory") : known(at);
}
HostValue allocateFirst(Interpreter &interpreter, const Call &call) {
  return allocateBytes(interpreter, call, call.arguments[0], HostMemory::Fill::unknown);
}
HostValue allocateAligned(Interpreter &interpreter, const Call &call) {
  return allocateBytes(interpreter, call, call.arguments[1], HostMemory::Fill::unknown);
}
HostValue allocateZeroed(Interpreter &interpreter, const Call &call) {
  const HostValue a = call.arguments[0], b = call.arguments[1];
  const HostValue size =
      a.isKnown() && b.isKnown() ? known(a.bits * b.bits) : HostValue{0, a.isKnown() ? b.reason : a.reason};
  return allocateBytes(interpreter, call, size, HostMemory::Fill::zero);
}
HostValue allocateInto(Interpreter &interpreter, const Call &call) {
  const HostValue at = allocateBytes(interpreter, call, call.arguments[2], HostMemory::Fill::unknown);
  if (call.arguments[0].isKnown())
    interpreter.memory().store(call.arguments[0].bits, 8, at);
  return known(0);
}
HostValue reallocate(Interpreter &interpreter, const Call &call) {
  const HostValue at = allocateBytes(interpreter, call, call.arguments[1], HostMemory::Fill::unknown);
  if (at.isKnown() && call.arguments[0].isKnown() && call.arguments[0].bits != 0) {
    const HostMemory::Range old = interpreter.memory().objectAt(call.arguments[0].bits);
    interpreter.memory().copy(at.bits, old.begin, std::min(old.size, call.arguments[1].bits));
  }
  return at;
}
HostValue releaseFirst(Interpreter &interpreter, const Call &call) {
  if (!call.arguments.empty() && call.arguments[0].isKnown() && call.arguments[0].bits != 0) {
    interpreter.events().released(call.arguments[0].bits);
    interpreter.memory().release(call.arguments[0].bits);
  }
  return {};
}

HostValue copyMemory(Interpreter &interpreter, const Call &call) {
  const HostValue to = call.arguments[0], from = call.arguments[1], size = call.arguments[2];
  if (!to.isKnown())
    return to;
  if (!size.isKnown() || !from.isKnown()) {
    const HostMemory::Range object = interpreter.memory().objectAt(to.bits);
    interpreter.memory().invalidate(to.bits, object.begin + object.size - to.bits,
                                    size.isKnown() ? from.reason : size.reason);
  } else {
    interpreter.memory().copy(to.bits, from.bits, size.bits);
  }
  return to;
}
HostValue setMemory(Interpreter &interpreter, const Call &call) {
  const HostValue to = call.arguments[0], byte = call.arguments[1], size = call.arguments[2];
  if (!to.isKnown() || !size.isKnown())
    return to;
  if (byte.isKnown() && (byte.bits & 0xff) == 0) {
    interpreter.memory().zero(to.bits, size.bits);
  } else {
    const Address pattern = interpreter.scratch(call.where, 8);
    interpreter.memory().store(pattern, 1, byte);
    interpreter.memory().fill(to.bits, pattern, 1, size.bits, UnknownReasons::nowhere);
  }
  return to;
}
HostValue compareMemory(Interpreter &interpreter, const Call &call) {
  if (!call.arguments[2].isKnown() || !call.arguments[0].isKnown() || !call.arguments[1].isKnown())
    return interpreter.unknownResult(call);
  for (std::uint64_t i = 0; i < call.arguments[2].bits; ++i) {
    const HostValue a = interpreter.memory().load(call.arguments[0].bits + i, 1);
    const HostValue b = interpreter.memory().load(call.arguments[1].bits + i, 1);
    if (!a.isKnown() || !b.isKnown())
      return {0, a.isKnown() ? b.reason : a.reason};
    if (a.bits != b.bits)
      return known(a.bits < b.bits ? ~std::uint64_t{0} : 1);
  }
  return known(0);
}

constexpr NamedModel memoryFunctions[] = {
    {"malloc", allocateFirst},
    {"__builtin_malloc", allocateFirst},
    {"calloc", allocateZeroed},
    {"realloc", reallocate},
    {"aligned_alloc", allocateAligned},
    {"posix_memalign", allocateInto},
    {"free", releaseFirst},
    {"__builtin_operator_new", allocateFirst},
    {"__builtin_operator_delete", releaseFirst},
    {"memcpy", copyMemory},
    {"memmove", copyMemory},
    {"__builtin_memcpy", copyMemory},
    {"__builtin_memmove", copyMemory},
    {"memset", setMemory},
    {"__builtin_memset", setMemory},
    {"memcmp", compareMemory},
    {"__builtin_memcmp", compareMemory},
};

//===-- std::fill --===//

// std::__fill_a1(first, last, value) on plain memory: all std::fill and the initialisation of std::vector.
HostValue fillRange(Interpreter &interpreter, const Call &call) {
  const HostValue first = call.arguments[0], last = call.arguments[1], value = call.arguments[2];
  if (!first.isKnown() || !last.isKnown() || !value.isKnown() || last.bits < first.bits)
    return interpreter.unknownResult(call);
  const std::uint64_t size = interpreter.sizeOf(call.callee->getParamDecl(0)->getType()->getPointeeType());
  const bool isByValue = !call.callee->getParamDecl(2)->getType()->isReferenceType();
  Address pattern = value.bits;
  if (isByValue) {
    pattern = interpreter.scratch(call.callee, 8);
    interpreter.memory().store(pattern, static_cast<unsigned>(std::min<std::uint64_t>(size, 8)), value);
  }
  interpreter.memory().fill(
      first.bits, pattern, size, (last.bits - first.bits) / size,
      interpreter.reasons().add("it is one of very many", interpreter.locationOf(call.where)));
  return {};
}

bool isPlainFill(const FunctionDecl *function) {
  if (function->getNumParams() != 3)
    return false;
  const QualType first = function->getParamDecl(0)->getType();
  const QualType value = function->getParamDecl(2)->getType().getNonReferenceType();
  const ASTContext &context = function->getASTContext();
  return first->isPointerType() && !first->getPointeeType()->isDependentType() &&
         context.hasSameUnqualifiedType(first->getPointeeType(), value) &&
         first->getPointeeType().isTriviallyCopyableType(context) && !value->isFloatingType();
}

// Floating values come as doubles; in memory they have their own width.
HostValue fillFloating(Interpreter &interpreter, const Call &call) {
  if (call.callee->getParamDecl(2)->getType()->isReferenceType())
    return fillRange(interpreter, call);
  Call copy = call;
  if (interpreter.sizeOf(call.callee->getParamDecl(2)->getType()) == 4)
    copy.arguments[2].bits =
        std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(call.arguments[2].bits)));
  return fillRange(interpreter, copy);
}

} // namespace

std::span<const NamedModel> memoryModels() {
  return memoryFunctions;
}

Model fillModel(const FunctionDecl *function) {
  const ParmVarDecl *first = function->getNumParams() == 3 ? function->getParamDecl(0) : nullptr;
  if (!first || !first->getType()->isPointerType())
    return nullptr;
  const QualType value = function->getParamDecl(2)->getType().getNonReferenceType();
  const bool isFloating = value->isFloatingType() && function->getASTContext().hasSameUnqualifiedType(
                                                         first->getType()->getPointeeType(), value);
  return isFloating ? fillFloating : isPlainFill(function) ? fillRange : nullptr;
}

} // namespace streammap
