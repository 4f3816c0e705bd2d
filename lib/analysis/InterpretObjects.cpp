// Interpreter: objects of class and array type, constructors, lambdas, new.
#include "analysis/Interpreter.h"
#include <algorithm>
#include <clang/AST/RecordLayout.h>

namespace streammap {

using namespace clang;

using Kind = TypeShape::Kind;

void Interpreter::initialise(const Expr *expression, QualType type, Address to) {
  if (halt_ != Halt::none)
    return;
  if (type->isReferenceType())
    memory_.store(to, 8, place(expression));
  else if (shapeOf(type).kind == Kind::aggregate)
    construct(expression, to);
  else
    storeScalar(type, to, evaluate(expression));
}

void Interpreter::stringInto(const StringLiteral *text, Address to, std::uint64_t size) {
  memory_.zero(to, size);
  const unsigned width = text->getCharByteWidth();
  for (unsigned i = 0; i < text->getLength() && (i + 1) * width <= size; ++i)
    memory_.store(to + i * width, width, {text->getCodeUnit(i), 0});
}

// Evaluates a class or array prvalue, or copies a trivially copyable glvalue, into `to`.
void Interpreter::construct(const Expr *expression, Address to) {
  ++steps_;
  if (halt_ != Halt::none)
    return;
  const std::uint64_t size = sizeOf(expression->getType());
  switch (expression->getStmtClass()) {
  case Stmt::ParenExprClass:
    return construct(cast<ParenExpr>(expression)->getSubExpr(), to);
  case Stmt::ConstantExprClass:
    return construct(cast<ConstantExpr>(expression)->getSubExpr(), to);
  case Stmt::ExprWithCleanupsClass:
    return construct(cast<ExprWithCleanups>(expression)->getSubExpr(), to);
  case Stmt::CXXBindTemporaryExprClass:
    return construct(cast<CXXBindTemporaryExpr>(expression)->getSubExpr(), to);
  case Stmt::SubstNonTypeTemplateParmExprClass:
    return construct(cast<SubstNonTypeTemplateParmExpr>(expression)->getReplacement(), to);
  case Stmt::CXXDefaultArgExprClass:
    return construct(cast<CXXDefaultArgExpr>(expression)->getExpr(), to);
  case Stmt::CXXDefaultInitExprClass:
    return construct(cast<CXXDefaultInitExpr>(expression)->getExpr(), to);
  case Stmt::CXXRewrittenBinaryOperatorClass:
    return construct(cast<CXXRewrittenBinaryOperator>(expression)->getSemanticForm(), to);
  case Stmt::CXXConstructExprClass:
  case Stmt::CXXTemporaryObjectExprClass:
    return constructor(cast<CXXConstructExpr>(expression), to);
  case Stmt::CXXInheritedCtorInitExprClass:
    return inheritedConstructor(cast<CXXInheritedCtorInitExpr>(expression), to);
  case Stmt::InitListExprClass:
    return initialiserList(cast<InitListExpr>(expression), to);
  case Stmt::CXXParenListInitExprClass: {
    const auto *list = cast<CXXParenListInitExpr>(expression);
    memory_.zero(to, size);
    if (const auto *record = list->getType()->getAsRecordDecl()) {
      const ASTRecordLayout &layout = context().getASTRecordLayout(record);
      auto field = record->field_begin();
      for (const Expr *init : list->getInitExprs())
        if (field != record->field_end()) {
          initialise(init, field->getType(), to + layout.getFieldOffset(field->getFieldIndex()) / 8);
          ++field;
        }
    }
    return;
  }
  case Stmt::LambdaExprClass:
    return lambda(cast<LambdaExpr>(expression), to);
  case Stmt::ImplicitValueInitExprClass:
  case Stmt::CXXScalarValueInitExprClass:
    return memory_.zero(to, size);
  case Stmt::StringLiteralClass:
    return stringInto(cast<StringLiteral>(expression), to, size);
  case Stmt::ArrayInitLoopExprClass:
    return arrayLoop(cast<ArrayInitLoopExpr>(expression), to);
  case Stmt::CXXStdInitializerListExprClass: {
    const Expr *elements = cast<CXXStdInitializerListExpr>(expression)->getSubExpr();
    const HostValue at = place(elements);
    const auto *array = context().getAsConstantArrayType(elements->getType().getNonReferenceType());
    memory_.store(to, 8, at);
    const std::uint64_t count = array ? array->getZExtSize() : 0;
    const auto *record = expression->getType()->getAsRecordDecl();
    auto field = record->field_begin();
    const bool isPair = field != record->field_end() && ++field != record->field_end() &&
                        field->getType()->isPointerType(); // begin and end rather than begin and size
    memory_.store(to + 8, 8,
                  {isPair ? at.bits + (array ? count * sizeOf(array->getElementType()) : 0) : count, 0});
    return;
  }
  case Stmt::ConditionalOperatorClass:
  case Stmt::BinaryConditionalOperatorClass:
    conditional(cast<AbstractConditionalOperator>(expression), false, to);
    return;
  case Stmt::BinaryOperatorClass: {
    const auto *operation = cast<BinaryOperator>(expression);
    if (operation->getOpcode() == BO_Comma) {
      discard(operation->getLHS());
      return construct(operation->getRHS(), to);
    }
    break;
  }
  case Stmt::ImplicitCastExprClass:
  case Stmt::CStyleCastExprClass:
  case Stmt::CXXStaticCastExprClass:
  case Stmt::CXXFunctionalCastExprClass:
  case Stmt::CXXReinterpretCastExprClass:
  case Stmt::CXXConstCastExprClass:
  case Stmt::BuiltinBitCastExprClass:
    return construct(cast<CastExpr>(expression)->getSubExpr(), to);
  case Stmt::CallExprClass:
  case Stmt::CXXMemberCallExprClass:
  case Stmt::CXXOperatorCallExprClass:
  case Stmt::UserDefinedLiteralClass: {
    const auto *made = cast<CallExpr>(expression);
    if (!made->isGLValue()) {
      call(made, to);
      return;
    }
    break;
  }
  case Stmt::StmtExprClass: {
    const CompoundStmt *body = cast<StmtExpr>(expression)->getSubStmt();
    for (const Stmt *statement : body->body()) {
      const auto *last = statement == body->body_back() ? dyn_cast<Expr>(statement) : nullptr;
      if (last)
        construct(last, to);
      else if (execute(statement) != Flow::next)
        return;
    }
    return;
  }
  case Stmt::CXXThrowExprClass:
    return throwException(expression);
  case Stmt::OpaqueValueExprClass:
  default:
    break;
  }
  if (expression->isGLValue()) {
    const HostValue from = place(expression);
    if (from.isKnown())
      memory_.copy(to, from.bits, size);
    else
      memory_.invalidate(to, size, from.reason);
    return;
  }
  memory_.invalidate(to, size, notEvaluated(expression).reason);
}

void Interpreter::constructor(const CXXConstructExpr *construct, Address to) {
  const QualType type = construct->getType();
  if (const auto *array = context().getAsConstantArrayType(type)) {
    const QualType element = context().getBaseElementType(array);
    const std::uint64_t size = sizeOf(element), count = size == 0 ? 0 : sizeOf(type) / size;
    if (construct->requiresZeroInitialization())
      memory_.zero(to, sizeOf(type));
    if (construct->getConstructor()->isTrivial() && construct->getNumArgs() == 0)
      return;
    for (std::uint64_t i = 0; i < count && halt_ == Halt::none; ++i)
      runConstructor(construct->getConstructor(), {construct->getArgs(), construct->getNumArgs()},
                     to + i * size, construct);
    return;
  }
  const CXXConstructorDecl *constructor = construct->getConstructor();
  if (construct->requiresZeroInitialization())
    memory_.zero(to, sizeOf(type));
  // Elision: an object that is made of a temporary of its own type is that temporary.
  if (construct->isElidable() && construct->getNumArgs() == 1) {
    const Expr *source = construct->getArg(0);
    if (const auto *temporary = dyn_cast<MaterializeTemporaryExpr>(source->IgnoreImpCasts()))
      if (context().hasSameUnqualifiedType(temporary->getType(), type))
        return this->construct(temporary->getSubExpr(), to);
  }
  runConstructor(constructor, {construct->getArgs(), construct->getNumArgs()}, to, construct);
}

void Interpreter::runConstructor(const CXXConstructorDecl *constructor,
                                 llvm::ArrayRef<const Expr *> arguments, Address to, const Expr *where) {
  const bool isTrivialCopy =
      constructor->isTrivial() && constructor->isCopyOrMoveConstructor() && arguments.size() == 1;
  if (isTrivialCopy || (constructor->isCopyOrMoveConstructor() && !constructor->isUserProvided() &&
                        !constructor->hasBody() && arguments.size() == 1)) {
    const HostValue from = addressOf(arguments[0]);
    const std::uint64_t size = sizeOf(context().getCanonicalTagType(constructor->getParent()));
    if (constructor->getParent()->isEmpty())
      return;
    if (from.isKnown())
      memory_.copy(to, from.bits, size);
    else
      memory_.invalidate(to, size, from.reason);
    return;
  }
  if (constructor->isTrivial() && arguments.empty())
    return;
  Call entry;
  entry.callee = constructor;
  entry.where = where;
  entry.expressions = arguments;
  entry.self = to;
  for (std::size_t i = 0; i < arguments.size(); ++i)
    entry.arguments.push_back(
        argument(arguments[i], i < constructor->getNumParams()
                                   ? constructor->getParamDecl(static_cast<unsigned>(i))->getType()
                                   : arguments[i]->getType()));
  invoke(entry);
}

// `using Base::Base`: the base's constructor gets what this one was given.
void Interpreter::inheritedConstructor(const CXXInheritedCtorInitExpr *inherited, Address to) {
  Call entry;
  entry.callee = inherited->getConstructor();
  entry.where = inherited;
  entry.self = to;
  for (const ParmVarDecl *parameter : frame().function->declaration->parameters()) {
    const bool isHeldByAddress = parameter->getType()->isReferenceType() || isIndirect(parameter);
    const Address at = slot(parameter, 8, 8);
    entry.arguments.push_back(isHeldByAddress ? memory_.load(at, 8) : loadScalar(parameter->getType(), at));
  }
  invoke(entry);
}

void Interpreter::writeDynamicType(const CXXRecordDecl *record, Address to) {
  if (!record->isDynamicClass())
    return;
  Address &tag = typeTags_[record->getCanonicalDecl()];
  if (tag == 0) {
    tag = memory_.allocate(8, HostMemory::Fill::zero);
    dynamicTypes_[tag] = record;
  }
  memory_.store(to, 8, {tag, 0});
}

void Interpreter::initialiserList(const InitListExpr *list, Address to) {
  const InitListExpr *semantic = list->isSemanticForm() ? list : list->getSemanticForm();
  list = semantic ? semantic : list;
  const QualType type = list->getType();
  if (list->isTransparent())
    return construct(list->getInit(0), to);
  if (const auto *array = context().getAsConstantArrayType(type)) {
    const std::uint64_t size = sizeOf(array->getElementType());
    if (list->isStringLiteralInit())
      return construct(list->getInit(0), to);
    const std::uint64_t count = array->getZExtSize();
    if (count > list->getNumInits()) {
      const Expr *filler = list->getArrayFiller();
      const bool isZero = !filler || isa<ImplicitValueInitExpr>(filler);
      if (isZero)
        memory_.zero(to, count * size);
      else
        for (std::uint64_t i = list->getNumInits(); i < count && halt_ == Halt::none; ++i)
          initialise(filler, array->getElementType(), to + i * size);
    }
    for (unsigned i = 0; i < list->getNumInits(); ++i)
      initialise(list->getInit(i), array->getElementType(), to + i * size);
    return;
  }
  if (const auto *record = type->getAsRecordDecl()) {
    memory_.zero(to, sizeOf(type));
    const ASTRecordLayout &layout = context().getASTRecordLayout(record);
    if (record->isUnion()) {
      if (const FieldDecl *field = list->getInitializedFieldInUnion(); field && list->getNumInits() == 1)
        initialise(list->getInit(0), field->getType(), to);
      return;
    }
    unsigned next = 0;
    if (const auto *derived = dyn_cast<CXXRecordDecl>(record))
      for (const CXXBaseSpecifier &base : derived->bases())
        if (next < list->getNumInits())
          initialise(list->getInit(next++), base.getType(),
                     to + static_cast<std::uint64_t>(
                              layout.getBaseClassOffset(base.getType()->getAsCXXRecordDecl()).getQuantity()));
    for (const FieldDecl *field : record->fields()) {
      if (field->isUnnamedBitField())
        continue;
      if (next >= list->getNumInits())
        break;
      if (field->isBitField())
        ++next; // reads of bit-fields are unknown anyway
      else
        initialise(list->getInit(next++), field->getType(),
                   to + layout.getFieldOffset(field->getFieldIndex()) / 8);
    }
    return;
  }
  if (list->getNumInits() == 1 && shapeOf(type).kind != Kind::aggregate)
    return initialise(list->getInit(0), type, to);
  memory_.zero(to, sizeOf(type)); // vectors and complex numbers
  for (unsigned i = 0; i < list->getNumInits(); ++i) {
    const QualType part = list->getInit(i)->getType();
    initialise(list->getInit(i), part, to + i * sizeOf(part));
  }
}

void Interpreter::arrayLoop(const ArrayInitLoopExpr *loop, Address to) {
  const OpaqueValueExpr *common = loop->getCommonExpr();
  if (common->getSourceExpr())
    opaque_[common] = place(common->getSourceExpr());
  const QualType element = loop->getSubExpr()->getType();
  const std::uint64_t size = sizeOf(element);
  const std::uint64_t count = loop->getArraySize().getZExtValue();
  if (element.isTriviallyCopyableType(context()) && opaque_[common].isKnown())
    return memory_.copy(to, opaque_[common].bits, size * count);
  arrayIndices_.push_back(0);
  for (std::uint64_t i = 0; i < count && halt_ == Halt::none; ++i) {
    arrayIndices_.back() = i;
    initialise(loop->getSubExpr(), element, to + i * size);
  }
  arrayIndices_.pop_back();
}

void Interpreter::lambda(const LambdaExpr *lambda, Address to) {
  const CXXRecordDecl *closure = lambda->getLambdaClass();
  const ASTRecordLayout &layout = context().getASTRecordLayout(closure);
  auto init = lambda->capture_init_begin();
  for (const FieldDecl *field : closure->fields()) {
    if (init == lambda->capture_init_end())
      break;
    if (const Expr *captured = *init++)
      initialise(captured, field->getType(), to + layout.getFieldOffset(field->getFieldIndex()) / 8);
  }
}

HostValue Interpreter::newObject(const CXXNewExpr *expression) {
  const QualType type = expression->getAllocatedType();
  const std::uint64_t size = std::max<std::uint64_t>(sizeOf(type), 1);
  HostValue count{1, 0};
  if (expression->isArray() && expression->getArraySize())
    count = evaluate(*expression->getArraySize());
  HostValue at;
  if (expression->getNumPlacementArgs() == 1 && expression->getPlacementArg(0)->getType()->isPointerType()) {
    at = value(expression->getPlacementArg(0));
  } else {
    if (!count.isKnown())
      return unknown(expression, "an allocation of unknown size");
    at.bits = memory_.allocate(size * count.bits, HostMemory::Fill::unknown,
                               reasons_.add("it has no value yet", locationOf(expression)));
    if (at.bits == 0)
      return unknown(expression, "an allocation larger than any memory");
  }
  const Expr *init = expression->getInitializer();
  if (!at.isKnown() || !init)
    return at;
  if (!expression->isArray()) {
    initialise(init, type, at.bits);
    return at;
  }
  if (const auto *construct = dyn_cast<CXXConstructExpr>(init)) {
    if (construct->requiresZeroInitialization())
      memory_.zero(at.bits, size * count.bits);
    if (!construct->getConstructor()->isTrivial())
      for (std::uint64_t i = 0; i < count.bits && halt_ == Halt::none; ++i)
        runConstructor(construct->getConstructor(), {construct->getArgs(), construct->getNumArgs()},
                       at.bits + i * size, construct);
  } else if (const auto *list = dyn_cast<InitListExpr>(init)) {
    memory_.zero(at.bits, size * count.bits);
    for (unsigned i = 0; i < list->getNumInits() && i < count.bits; ++i)
      initialise(list->getInit(i), type, at.bits + i * size);
  } else {
    memory_.zero(at.bits, size * count.bits); // new T[n]()
  }
  return at;
}

} // namespace streammap
