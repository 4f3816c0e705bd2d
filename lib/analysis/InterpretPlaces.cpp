// Interpreter: the places of objects.
#include "analysis/Interpreter.h"
#include <clang/AST/RecordLayout.h>

namespace streammap {

using namespace clang;

HostValue Interpreter::member(const MemberExpr *member) {
  const ValueDecl *declaration = member->getMemberDecl();
  if (const auto *variable = dyn_cast<VarDecl>(declaration)) { // static
    if (!member->isArrow())
      discard(member->getBase());
    return this->variable(variable);
  }
  const auto *field = dyn_cast<FieldDecl>(declaration);
  if (!field)
    return unknown(member, "a member that is no data");
  HostValue base = member->isArrow() ? value(member->getBase()) : addressOf(member->getBase());
  if (!base.isKnown())
    return base;
  const ASTRecordLayout &layout = context().getASTRecordLayout(field->getParent());
  if (field->isBitField())
    return {base.bits, reasons_.add("bit-fields are not evaluated", locationOf(member))};
  base.bits += layout.getFieldOffset(field->getFieldIndex()) / 8;
  return field->getType()->isReferenceType() ? memory_.load(base.bits, 8) : base;
}

HostValue Interpreter::element(const ArraySubscriptExpr *subscript) {
  const Expr *base = subscript->getBase();
  const HostValue pointer = value(base);
  const HostValue index = value(subscript->getIdx());
  return offsetBy(pointer, index, std::max<std::uint64_t>(sizeOf(subscript->getType()), 1), false);
}

HostValue Interpreter::place(const Expr *expression) {
  ++steps_;
  if (halt_ != Halt::none)
    return {0, UnknownReasons::nowhere};
  switch (expression->getStmtClass()) {
  case Stmt::ParenExprClass:
    return place(cast<ParenExpr>(expression)->getSubExpr());
  case Stmt::ConstantExprClass:
    return place(cast<ConstantExpr>(expression)->getSubExpr());
  case Stmt::ExprWithCleanupsClass:
    return place(cast<ExprWithCleanups>(expression)->getSubExpr());
  case Stmt::SubstNonTypeTemplateParmExprClass:
    return place(cast<SubstNonTypeTemplateParmExpr>(expression)->getReplacement());
  case Stmt::CXXDefaultArgExprClass:
    return place(cast<CXXDefaultArgExpr>(expression)->getExpr());
  case Stmt::CXXDefaultInitExprClass:
    return place(cast<CXXDefaultInitExpr>(expression)->getExpr());
  case Stmt::DeclRefExprClass: {
    const ValueDecl *declaration = cast<DeclRefExpr>(expression)->getDecl();
    if (const auto *variable = dyn_cast<VarDecl>(declaration))
      return this->variable(variable);
    if (const auto *binding = dyn_cast<BindingDecl>(declaration))
      return binding->getHoldingVar() ? this->variable(binding->getHoldingVar())
                                      : place(binding->getBinding());
    if (const auto *function = dyn_cast<FunctionDecl>(declaration))
      return {functionAddress(function), 0};
    if (const auto *object = dyn_cast<TemplateParamObjectDecl>(declaration); object)
      return unknown(expression, "a template argument of class type");
    return unknown(expression, "a name that is no variable");
  }
  case Stmt::MemberExprClass:
    return member(cast<MemberExpr>(expression));
  case Stmt::ArraySubscriptExprClass:
    return element(cast<ArraySubscriptExpr>(expression));
  case Stmt::UnaryOperatorClass: {
    const auto *operation = cast<UnaryOperator>(expression);
    if (operation->getOpcode() == UO_Deref)
      return value(operation->getSubExpr());
    if (operation->isIncrementDecrementOp())
      return stepped(operation, false);
    return place(operation->getSubExpr());
  }
  case Stmt::BinaryOperatorClass:
  case Stmt::CompoundAssignOperatorClass: {
    const auto *operation = cast<BinaryOperator>(expression);
    if (operation->isAssignmentOp())
      return assign(operation);
    if (operation->getOpcode() == BO_Comma) {
      discard(operation->getLHS());
      return place(operation->getRHS());
    }
    return unknown(expression, "a pointer to a member");
  }
  case Stmt::ConditionalOperatorClass:
  case Stmt::BinaryConditionalOperatorClass:
    return conditional(cast<AbstractConditionalOperator>(expression), true, 0);
  case Stmt::ImplicitCastExprClass:
  case Stmt::CStyleCastExprClass:
  case Stmt::CXXStaticCastExprClass:
  case Stmt::CXXReinterpretCastExprClass:
  case Stmt::CXXConstCastExprClass:
  case Stmt::CXXFunctionalCastExprClass:
  case Stmt::CXXDynamicCastExprClass:
  case Stmt::CXXAddrspaceCastExprClass:
    return castPlace(cast<CastExpr>(expression));
  case Stmt::CallExprClass:
  case Stmt::CXXMemberCallExprClass:
  case Stmt::CXXOperatorCallExprClass:
  case Stmt::UserDefinedLiteralClass:
    return call(cast<CallExpr>(expression), 0);
  case Stmt::MaterializeTemporaryExprClass: {
    const auto *temporary = cast<MaterializeTemporaryExpr>(expression);
    const Address at = slot(temporary, sizeOf(temporary->getType()), 16);
    initialise(temporary->getSubExpr(), temporary->getType(), at);
    return {at, 0};
  }
  case Stmt::StringLiteralClass: {
    Address &address = literals_[expression];
    if (address == 0) {
      const std::uint64_t size = sizeOf(expression->getType());
      address = memory_.allocate(size, HostMemory::Fill::zero);
      stringInto(cast<StringLiteral>(expression), address, size);
    }
    return {address, 0};
  }
  case Stmt::PredefinedExprClass:
    return place(cast<PredefinedExpr>(expression)->getFunctionName());
  case Stmt::CompoundLiteralExprClass: {
    const auto *literal = cast<CompoundLiteralExpr>(expression);
    const Address at = slot(literal, sizeOf(literal->getType()), 16, literal->getType()->isArrayType());
    initialise(literal->getInitializer(), literal->getType(), at);
    return {at, 0};
  }
  case Stmt::InitListExprClass: {
    const auto *list = cast<InitListExpr>(expression);
    if (list->getNumInits() == 1)
      return place(list->getInit(0));
    break;
  }
  case Stmt::CXXThrowExprClass:
    throwException(expression);
    return {0, UnknownReasons::nowhere};
  case Stmt::OpaqueValueExprClass:
    if (const auto found = opaque_.find(cast<OpaqueValueExpr>(expression)); found != opaque_.end())
      return found->second;
    if (const Expr *source = cast<OpaqueValueExpr>(expression)->getSourceExpr())
      return place(source);
    break;
  default:
    break;
  }
  if (!expression->isGLValue())
    return addressOf(expression);
  return notEvaluated(expression);
}

} // namespace streammap
