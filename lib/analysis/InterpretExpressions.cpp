// Interpreter: scalar values.
#include "analysis/Interpreter.h"
#include <bit>
#include <clang/AST/ExprConcepts.h>
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

HostValue Interpreter::notEvaluated(const Expr *expression) {
  return unknown(expression,
                 std::string("an expression that is not evaluated (") + expression->getStmtClassName() + ")");
}

HostValue Interpreter::evaluate(const Expr *expression) {
  if (expression->isGLValue()) {
    const HostValue at = place(expression);
    if (!at.isKnown())
      return {0, at.reason};
    HostValue loaded = loadScalar(expression->getType(), at.bits);
    if (!loaded.isKnown()) {
      if (const double *parameter = parameterFor(expression))
        return converted(*parameter, expression->getType());
      loaded.reason = label(loaded.reason, expression);
    }
    return loaded;
  }
  return value(expression);
}

HostValue Interpreter::addressOf(const Expr *lvalue) {
  if (lvalue->isGLValue())
    return place(lvalue);
  const TypeShape shape = shapeOf(lvalue->getType());
  const Address at = slot(lvalue, shape.bytes, 16);
  initialise(lvalue, lvalue->getType(), at);
  return {at, 0};
}

void Interpreter::discard(const Expr *expression) {
  if (expression->isGLValue()) {
    place(expression);
  } else if (shapeOf(expression->getType()).kind == Kind::aggregate) {
    construct(expression, slot(expression, sizeOf(expression->getType()), 16));
  } else {
    value(expression);
  }
}

//===-- Values --===//

HostValue Interpreter::value(const Expr *expression) {
  ++steps_;
  if (halt_ != Halt::none)
    return {0, UnknownReasons::nowhere};
  switch (expression->getStmtClass()) {
  case Stmt::ParenExprClass:
    return value(cast<ParenExpr>(expression)->getSubExpr());
  case Stmt::ConstantExprClass:
    return value(cast<ConstantExpr>(expression)->getSubExpr());
  case Stmt::ExprWithCleanupsClass:
    return value(cast<ExprWithCleanups>(expression)->getSubExpr());
  case Stmt::SubstNonTypeTemplateParmExprClass:
    return evaluate(cast<SubstNonTypeTemplateParmExpr>(expression)->getReplacement());
  case Stmt::CXXBindTemporaryExprClass:
    return value(cast<CXXBindTemporaryExpr>(expression)->getSubExpr());
  case Stmt::CXXDefaultArgExprClass:
    return value(cast<CXXDefaultArgExpr>(expression)->getExpr());
  case Stmt::CXXDefaultInitExprClass:
    return value(cast<CXXDefaultInitExpr>(expression)->getExpr());
  case Stmt::CXXRewrittenBinaryOperatorClass:
    return value(cast<CXXRewrittenBinaryOperator>(expression)->getSemanticForm());
  case Stmt::GenericSelectionExprClass:
    return value(cast<GenericSelectionExpr>(expression)->getResultExpr());
  case Stmt::ChooseExprClass:
    return value(cast<ChooseExpr>(expression)->getChosenSubExpr());
  case Stmt::IntegerLiteralClass:
    return normalised({cast<IntegerLiteral>(expression)->getValue().getLimitedValue(), 0},
                      shapeOf(expression->getType()));
  case Stmt::FloatingLiteralClass: {
    llvm::APFloat number = cast<FloatingLiteral>(expression)->getValue();
    return ofDouble(number.convertToDouble());
  }
  case Stmt::CharacterLiteralClass:
    return normalised({cast<CharacterLiteral>(expression)->getValue(), 0}, shapeOf(expression->getType()));
  case Stmt::CXXBoolLiteralExprClass:
    return {cast<CXXBoolLiteralExpr>(expression)->getValue(), 0};
  case Stmt::CXXNullPtrLiteralExprClass:
  case Stmt::GNUNullExprClass:
  case Stmt::ImplicitValueInitExprClass:
  case Stmt::CXXScalarValueInitExprClass:
    return {0, 0};
  case Stmt::CXXThisExprClass:
    if (const FieldDecl *captured = frame().function->thisCapture) {
      const ASTRecordLayout &layout = context().getASTRecordLayout(captured->getParent());
      const Address at = frame().self + layout.getFieldOffset(captured->getFieldIndex()) / 8;
      return captured->getType()->isPointerType() ? memory_.load(at, 8) : HostValue{at, 0};
    }
    return {frame().self, 0};
  case Stmt::UnaryOperatorClass:
    return unary(cast<UnaryOperator>(expression));
  case Stmt::BinaryOperatorClass:
    return binary(cast<BinaryOperator>(expression));
  case Stmt::CompoundAssignOperatorClass: {
    const HostValue at = assign(cast<BinaryOperator>(expression));
    return at.isKnown() ? loadScalar(expression->getType(), at.bits) : at;
  }
  case Stmt::ConditionalOperatorClass:
  case Stmt::BinaryConditionalOperatorClass:
    return conditional(cast<AbstractConditionalOperator>(expression), false, 0);
  case Stmt::ImplicitCastExprClass:
  case Stmt::CStyleCastExprClass:
  case Stmt::CXXStaticCastExprClass:
  case Stmt::CXXReinterpretCastExprClass:
  case Stmt::CXXConstCastExprClass:
  case Stmt::CXXFunctionalCastExprClass:
  case Stmt::CXXDynamicCastExprClass:
  case Stmt::BuiltinBitCastExprClass:
  case Stmt::CXXAddrspaceCastExprClass:
    return convert(cast<CastExpr>(expression));
  case Stmt::UnaryExprOrTypeTraitExprClass:
    return traits(cast<UnaryExprOrTypeTraitExpr>(expression));
  case Stmt::TypeTraitExprClass:
    return {cast<TypeTraitExpr>(expression)->isStoredAsBoolean() &&
                cast<TypeTraitExpr>(expression)->getBoolValue(),
            0};
  case Stmt::CXXNoexceptExprClass:
    return {cast<CXXNoexceptExpr>(expression)->getValue(), 0};
  case Stmt::ConceptSpecializationExprClass:
    return {cast<ConceptSpecializationExpr>(expression)->isSatisfied(), 0};
  case Stmt::RequiresExprClass:
    return {cast<RequiresExpr>(expression)->isSatisfied(), 0};
  case Stmt::SizeOfPackExprClass:
    return {cast<SizeOfPackExpr>(expression)->getPackLength(), 0};
  case Stmt::CallExprClass:
  case Stmt::CXXMemberCallExprClass:
  case Stmt::CXXOperatorCallExprClass:
  case Stmt::UserDefinedLiteralClass:
    return call(cast<CallExpr>(expression), 0);
  case Stmt::CUDAKernelCallExprClass:
    return kernelCall(cast<CUDAKernelCallExpr>(expression));
  case Stmt::CXXNewExprClass:
    return newObject(cast<CXXNewExpr>(expression));
  case Stmt::CXXDeleteExprClass: {
    const HostValue object = value(cast<CXXDeleteExpr>(expression)->getArgument());
    if (object.isKnown())
      memory_.release(object.bits);
    return {};
  }
  case Stmt::CXXPseudoDestructorExprClass:
    return {};
  case Stmt::InitListExprClass: {
    const auto *list = cast<InitListExpr>(expression);
    return list->getNumInits() == 0 ? HostValue{} : evaluate(list->getInit(0));
  }
  case Stmt::CXXThrowExprClass:
    throwException(expression);
    return {0, UnknownReasons::nowhere};
  case Stmt::OpaqueValueExprClass:
    if (const auto found = opaque_.find(cast<OpaqueValueExpr>(expression)); found != opaque_.end())
      return found->second;
    if (const Expr *source = cast<OpaqueValueExpr>(expression)->getSourceExpr())
      return evaluate(source);
    break;
  case Stmt::ArrayInitIndexExprClass:
    return {arrayIndices_.empty() ? 0 : arrayIndices_.back(), 0};
  case Stmt::StmtExprClass: {
    const CompoundStmt *body = cast<StmtExpr>(expression)->getSubStmt();
    HostValue last;
    for (const Stmt *statement : body->body()) {
      const auto *final = statement == body->body_back() ? dyn_cast<Expr>(statement) : nullptr;
      if (final && shapeOf(final->getType()).kind != Kind::none && !final->getType()->isVoidType())
        last = evaluate(final);
      else if (execute(statement) != Flow::next)
        break;
    }
    return last;
  }
  default:
    break;
  }
  if (expression->isGLValue())
    return evaluate(expression);
  Expr::EvalResult folded;
  if (!expression->isValueDependent() && expression->EvaluateAsInt(folded, context()))
    return normalised({static_cast<std::uint64_t>(folded.Val.getInt().getExtValue()), 0},
                      shapeOf(expression->getType()));
  return notEvaluated(expression);
}

HostValue Interpreter::traits(const UnaryExprOrTypeTraitExpr *trait) {
  if (trait->getKind() == UETT_SizeOf && !trait->getTypeOfArgument()->isVariableArrayType())
    return {std::max<std::uint64_t>(sizeOf(trait->getTypeOfArgument().getNonReferenceType()), 1), 0};
  Expr::EvalResult folded;
  if (trait->EvaluateAsInt(folded, context()))
    return {folded.Val.getInt().getZExtValue(), 0};
  return unknown(trait, "the size of an array of variable length");
}

HostValue Interpreter::unary(const UnaryOperator *operation) {
  const Expr *operand = operation->getSubExpr();
  switch (operation->getOpcode()) {
  case UO_AddrOf:
    if (operand->getType()->isFunctionType() || operation->getType()->isMemberPointerType()) {
      const auto *reference = dyn_cast<DeclRefExpr>(operand->IgnoreParens());
      const auto *function = reference ? dyn_cast<FunctionDecl>(reference->getDecl()) : nullptr;
      return function ? HostValue{functionAddress(function), 0} : unknown(operation, "a pointer to a member");
    }
    return place(operand);
  case UO_PostInc:
  case UO_PostDec:
    return stepped(operation, true);
  case UO_PreInc:
  case UO_PreDec: {
    const HostValue at = stepped(operation, false);
    return at.isKnown() ? loadScalar(operation->getType(), at.bits) : at;
  }
  case UO_Plus:
  case UO_Extension:
  case UO_Real:
    return evaluate(operand);
  case UO_Deref: // of a function pointer
    return value(operand);
  default:
    break;
  }
  HostValue inner = value(operand);
  if (!inner.isKnown())
    return inner;
  const TypeShape shape = shapeOf(operation->getType());
  switch (operation->getOpcode()) {
  case UO_Minus:
    if (shape.kind == Kind::floating)
      return ofDouble(-asDouble(inner));
    return normalised({0 - inner.bits, 0}, shape);
  case UO_Not:
    return normalised({~inner.bits, 0}, shape);
  case UO_LNot:
    if (shapeOf(operand->getType()).kind == Kind::floating)
      return {asDouble(inner) == 0, 0};
    return {inner.bits == 0, 0};
  default:
    return notEvaluated(operation);
  }
}

// `wantsOld`: the value before; otherwise the place.
HostValue Interpreter::stepped(const UnaryOperator *operation, bool wantsOld) {
  const HostValue at = place(operation->getSubExpr());
  if (!at.isKnown())
    return at;
  const QualType type = operation->getSubExpr()->getType();
  const HostValue old = loadScalar(type, at.bits);
  HostValue next = old;
  const bool isDown = operation->isDecrementOp();
  if (const auto *pointer = type->getAs<PointerType>()) {
    next = offsetBy(old, {1, 0}, std::max<std::uint64_t>(sizeOf(pointer->getPointeeType()), 1), isDown);
  } else if (old.isKnown()) {
    const TypeShape shape = shapeOf(type);
    next = shape.kind == Kind::floating ? ofDouble(asDouble(old) + (isDown ? -1 : 1))
                                        : normalised({old.bits + (isDown ? ~std::uint64_t{0} : 1), 0}, shape);
  }
  storeScalar(type, at.bits, next);
  return wantsOld ? old : at;
}

HostValue Interpreter::offsetBy(HostValue pointer, HostValue index, std::uint64_t elementSize,
                                bool negative) {
  if (!pointer.isKnown())
    return pointer;
  if (!index.isKnown())
    return {pointer.bits, index.reason}; // somewhere in that object
  const std::uint64_t distance = index.bits * elementSize;
  return {negative ? pointer.bits - distance : pointer.bits + distance, 0};
}

HostValue Interpreter::binary(const BinaryOperator *operation) {
  const BinaryOperatorKind kind = operation->getOpcode();
  if (operation->isAssignmentOp()) {
    const HostValue at = assign(operation);
    return at.isKnown() ? loadScalar(operation->getType(), at.bits) : at;
  }
  if (kind == BO_Comma) {
    discard(operation->getLHS());
    return evaluate(operation->getRHS());
  }
  if (operation->isLogicalOp())
    return logical(operation);
  const Expr *left = operation->getLHS(), *right = operation->getRHS();
  const HostValue a = value(left), b = value(right);
  return arithmetic(kind, a, b, left->getType(), right->getType(), operation->getType());
}

HostValue Interpreter::logical(const BinaryOperator *operation) {
  const bool isAnd = operation->getOpcode() == BO_LAnd;
  const HostValue left = value(operation->getLHS());
  if (left.isKnown() && (left.bits != 0) != isAnd)
    return {!isAnd, 0};
  const HostValue right = value(operation->getRHS());
  if (left.isKnown() || (right.isKnown() && (right.bits != 0) != isAnd))
    return right.isKnown() ? HostValue{right.bits != 0, 0} : right;
  return left;
}

static std::optional<bool> compare(BinaryOperatorKind kind, auto a, auto b) {
  switch (kind) {
  case BO_LT:
    return a < b;
  case BO_GT:
    return a > b;
  case BO_LE:
    return a <= b;
  case BO_GE:
    return a >= b;
  case BO_EQ:
    return a == b;
  case BO_NE:
    return a != b;
  default:
    return std::nullopt;
  }
}

static double floatingOperation(BinaryOperatorKind kind, double a, double b) {
  switch (kind) {
  case BO_Add:
    return a + b;
  case BO_Sub:
    return a - b;
  case BO_Mul:
    return a * b;
  default:
    return a / b;
  }
}

HostValue Interpreter::arithmetic(BinaryOperatorKind kind, HostValue a, HostValue b, QualType leftType,
                                  QualType rightType, QualType resultType) {
  const TypeShape left = shapeOf(leftType), right = shapeOf(rightType), result = shapeOf(resultType);
  if (left.kind == Kind::pointer && right.kind != Kind::pointer && (kind == BO_Add || kind == BO_Sub))
    return offsetBy(a, b, std::max<std::uint64_t>(sizeOf(leftType->getPointeeType()), 1), kind == BO_Sub);
  if (right.kind == Kind::pointer && left.kind != Kind::pointer && kind == BO_Add)
    return offsetBy(b, a, std::max<std::uint64_t>(sizeOf(rightType->getPointeeType()), 1), false);
  if (!a.isKnown() || !b.isKnown())
    return {0, a.isKnown() ? b.reason : a.reason};
  if (left.kind == Kind::pointer && kind == BO_Sub) {
    const auto size =
        static_cast<std::int64_t>(std::max<std::uint64_t>(sizeOf(leftType->getPointeeType()), 1));
    return {static_cast<std::uint64_t>(static_cast<std::int64_t>(a.bits - b.bits) / size), 0};
  }
  if (left.kind == Kind::floating) {
    if (const std::optional<bool> is = compare(kind, asDouble(a), asDouble(b)))
      return {*is, 0};
    const double exact = floatingOperation(kind, asDouble(a), asDouble(b));
    return ofDouble(result.bytes == 4 ? static_cast<double>(static_cast<float>(exact)) : exact);
  }
  const auto signedA = static_cast<std::int64_t>(a.bits), signedB = static_cast<std::int64_t>(b.bits);
  if (const std::optional<bool> is =
          left.isSigned ? compare(kind, signedA, signedB) : compare(kind, a.bits, b.bits))
    return {*is, 0};
  switch (kind) {
  case BO_Add:
    return normalised({a.bits + b.bits, 0}, result);
  case BO_Sub:
    return normalised({a.bits - b.bits, 0}, result);
  case BO_Mul:
    return normalised({a.bits * b.bits, 0}, result);
  case BO_Div:
  case BO_Rem: {
    const bool overflows = result.isSigned && signedB == -1;
    if (b.bits == 0)
      return {0, UnknownReasons::divisionByZero};
    if (overflows)
      return normalised({kind == BO_Div ? 0 - a.bits : 0, 0}, result);
    if (result.isSigned)
      return normalised(
          {static_cast<std::uint64_t>(kind == BO_Div ? signedA / signedB : signedA % signedB), 0}, result);
    return normalised({kind == BO_Div ? a.bits / b.bits : a.bits % b.bits, 0}, result);
  }
  case BO_And:
    return {a.bits & b.bits, 0};
  case BO_Or:
    return {a.bits | b.bits, 0};
  case BO_Xor:
    return normalised({a.bits ^ b.bits, 0}, result);
  case BO_Shl:
    return b.bits >= 64 ? HostValue{} : normalised({a.bits << b.bits, 0}, result);
  case BO_Shr:
    if (b.bits >= 64)
      return {};
    return {left.isSigned ? static_cast<std::uint64_t>(signedA >> b.bits) : a.bits >> b.bits, 0};
  default:
    return {0, UnknownReasons::nowhere};
  }
}

// Simple and compound assignment; returns the place.
HostValue Interpreter::assign(const BinaryOperator *operation) {
  const QualType type = operation->getLHS()->getType();
  const TypeShape shape = shapeOf(type);
  HostValue at, next;
  if (operation->getOpcode() == BO_Assign) {
    if (shape.kind == Kind::aggregate) {
      at = place(operation->getLHS());
      if (at.isKnown())
        initialise(operation->getRHS(), type, at.bits);
      return at;
    }
    const std::size_t buffersBefore = freshBuffers_;
    next = value(operation->getRHS());
    at = place(operation->getLHS());
    if (freshBuffers_ != buffersBefore && next.isKnown() && next.bits == freshBuffer_)
      events_.renamed(freshBuffer_, nameOf(operation->getLHS()));
  } else {
    const auto *compound = llvm::cast<CompoundAssignOperator>(operation);
    HostValue operand = value(operation->getRHS());
    at = place(operation->getLHS());
    if (at.isKnown()) {
      HostValue old = loadScalar(type, at.bits);
      const QualType computed = compound->getComputationLHSType();
      if (old.isKnown() && shape.kind != Kind::pointer) {
        const TypeShape wide = shapeOf(computed);
        if (shape.kind != Kind::floating && wide.kind == Kind::floating)
          old = ofDouble(shape.isSigned ? static_cast<double>(static_cast<std::int64_t>(old.bits))
                                        : static_cast<double>(old.bits));
        else
          old = normalised(old, wide);
      }
      const BinaryOperatorKind kind = BinaryOperator::getOpForCompoundAssignment(operation->getOpcode());
      next = arithmetic(kind, old, operand, computed, operation->getRHS()->getType(),
                        compound->getComputationResultType());
      if (next.isKnown() && shape.kind != Kind::floating &&
          shapeOf(compound->getComputationResultType()).kind == Kind::floating)
        next.bits = static_cast<std::uint64_t>(static_cast<std::int64_t>(asDouble(next)));
      next = normalised(next, shape);
    }
  }
  if (!at.isKnown()) {
    if (at.bits != 0) { // a[unknown] = ...
      const HostMemory::Range object = widened({at.bits, std::max<std::uint64_t>(shape.bytes, 1)});
      if (halt_ == Halt::none)
        memory_.invalidate(object.begin, object.size, at.reason);
    }
    return at;
  }
  if (!next.isKnown())
    if (const VarDecl *variable = rootVariable(operation->getLHS()))
      next.reason = label(next.reason, variable);
  storeScalar(type, at.bits, next);
  return at;
}

HostValue Interpreter::conditional(const AbstractConditionalOperator *choice, bool wantsPlace, Address to) {
  HostValue condition;
  if (const auto *binary = dyn_cast<BinaryConditionalOperator>(choice)) {
    const Expr *common = binary->getCommon();
    const HostValue once = common->isGLValue() ? place(common) : value(common);
    opaque_[binary->getOpaqueValue()] = once;
  }
  condition = value(choice->getCond());
  if (halt_ != Halt::none)
    return {0, UnknownReasons::nowhere};
  const auto arm = [&](const Expr *expression) -> HostValue {
    if (to != 0) {
      construct(expression, to);
      return {to, 0};
    }
    if (wantsPlace)
      return place(expression);
    if (choice->getType()->isVoidType()) {
      discard(expression);
      return {};
    }
    return evaluate(expression);
  };
  if (condition.isKnown())
    return arm(condition.bits ? choice->getTrueExpr() : choice->getFalseExpr());
  for (const Expr *side : {choice->getTrueExpr(), choice->getFalseExpr()})
    if (!graph_.isInert(side)) {
      failUnknown(choice->getCond(), "whether a task or an allocation is reached here", condition.reason,
                  "unknown-condition");
      return {0, condition.reason};
    }
  const std::size_t since = memory_.writes().size();
  memory_.startRecording();
  const HostValue first = arm(choice->getTrueExpr());
  const HostValue second = arm(choice->getFalseExpr());
  forgetRecorded(since, condition.reason);
  memory_.stopRecording();
  if (first.isKnown() && second.isKnown() && first.bits == second.bits)
    return first;
  return {0, condition.reason};
}

} // namespace streammap
