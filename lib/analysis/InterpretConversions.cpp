// Interpreter: casts, of values and of places.
#include "analysis/Interpreter.h"
#include <bit>
#include <clang/AST/RecordLayout.h>
#include <cmath>

namespace streammap {

using namespace clang;

using Kind = TypeShape::Kind;

static double asDouble(HostValue value) {
  return std::bit_cast<double>(value.bits);
}
static HostValue ofDouble(double value) {
  return {std::bit_cast<std::uint64_t>(value), 0};
}

HostValue Interpreter::convert(const CastExpr *cast) {
  const Expr *operand = cast->getSubExpr();
  const TypeShape to = shapeOf(cast->getType());
  switch (cast->getCastKind()) {
  case CK_LValueToRValue:
  case CK_AtomicToNonAtomic:
  case CK_NonAtomicToAtomic:
    return evaluate(operand);
  case CK_NoOp:
  case CK_BitCast:
  case CK_PointerToIntegral:
  case CK_IntegralToPointer:
  case CK_ConstructorConversion:
  case CK_UserDefinedConversion:
  case CK_AddressSpaceConversion:
  case CK_Dynamic:
  case CK_BooleanToSignedIntegral:
  case CK_CPointerToObjCPointerCast:
    return normalised(evaluate(operand), to);
  case CK_ArrayToPointerDecay:
    return place(operand);
  case CK_FunctionToPointerDecay:
  case CK_BuiltinFnToFnPtr: {
    if (const auto *reference = dyn_cast<DeclRefExpr>(operand->IgnoreParenImpCasts()))
      if (const auto *function = dyn_cast<FunctionDecl>(reference->getDecl()))
        return {functionAddress(function), 0};
    return operand->isGLValue() ? place(operand) : value(operand);
  }
  case CK_NullToPointer:
  case CK_NullToMemberPointer:
    return {0, 0};
  case CK_ToVoid:
    discard(operand);
    return {};
  case CK_IntegralCast: {
    return normalised(value(operand), to);
  }
  case CK_IntegralToBoolean:
  case CK_PointerToBoolean: {
    const HostValue inner = value(operand);
    return inner.isKnown() ? HostValue{inner.bits != 0, 0} : HostValue{0, inner.reason};
  }
  case CK_FloatingToBoolean: {
    const HostValue inner = value(operand);
    return inner.isKnown() ? HostValue{asDouble(inner) != 0, 0} : inner;
  }
  case CK_IntegralToFloating: {
    const HostValue inner = value(operand);
    if (!inner.isKnown())
      return inner;
    const double number = shapeOf(operand->getType()).isSigned
                              ? static_cast<double>(static_cast<std::int64_t>(inner.bits))
                              : static_cast<double>(inner.bits);
    return ofDouble(to.bytes == 4 ? static_cast<double>(static_cast<float>(number)) : number);
  }
  case CK_FloatingToIntegral: {
    const HostValue inner = value(operand);
    if (!inner.isKnown())
      return inner;
    const double number = asDouble(inner);
    if (!(std::fabs(number) < 0x1p64))
      return unknown(cast, "a number too large for its integer type");
    return normalised({number < 0 ? static_cast<std::uint64_t>(static_cast<std::int64_t>(number))
                                  : static_cast<std::uint64_t>(number),
                       0},
                      to);
  }
  case CK_FloatingCast: {
    const HostValue inner = value(operand);
    return inner.isKnown() && to.bytes == 4
               ? ofDouble(static_cast<double>(static_cast<float>(asDouble(inner))))
               : inner;
  }
  case CK_DerivedToBase:
  case CK_UncheckedDerivedToBase: {
    const HostValue inner = value(operand);
    return inner.isKnown() && inner.bits == 0 ? inner : basePath(inner, cast, false);
  }
  case CK_BaseToDerived: {
    const HostValue inner = value(operand);
    return inner.isKnown() && inner.bits == 0 ? inner : basePath(inner, cast, true);
  }
  case CK_LValueToRValueBitCast: {
    const HostValue at = place(operand);
    return at.isKnown() ? loadScalar(cast->getType(), at.bits) : at;
  }
  default:
    return unknown(cast, "a conversion that is not evaluated");
  }
}

HostValue Interpreter::basePath(HostValue address, const CastExpr *cast, bool toDerived) {
  const Expr *operand = cast->getSubExpr();
  QualType type = toDerived ? cast->getType() : operand->getType();
  if (type->isPointerType() || type->isReferenceType())
    type = type->getPointeeType();
  const CXXRecordDecl *record = type->getAsCXXRecordDecl();
  for (const CXXBaseSpecifier *base : cast->path()) {
    const CXXRecordDecl *next = base->getType()->getAsCXXRecordDecl();
    if (!record || !next)
      break;
    const ASTRecordLayout &layout = context().getASTRecordLayout(record);
    const std::uint64_t offset = static_cast<std::uint64_t>(
        (base->isVirtual() ? layout.getVBaseClassOffset(next) : layout.getBaseClassOffset(next))
            .getQuantity());
    address.bits = toDerived ? address.bits - offset : address.bits + offset;
    record = next;
  }
  return address;
}

HostValue Interpreter::castPlace(const CastExpr *cast) {
  const Expr *operand = cast->getSubExpr();
  switch (cast->getCastKind()) {
  case CK_DerivedToBase:
  case CK_UncheckedDerivedToBase:
    return basePath(place(operand), cast, false);
  case CK_BaseToDerived:
    return basePath(place(operand), cast, true);
  default: // NoOp, LValueBitCast, qualification, ...: the same place
    return operand->isGLValue() ? place(operand) : addressOf(operand);
  }
}

} // namespace streammap
