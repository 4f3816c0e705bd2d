// Interpreter: variables of the program, and the parameters that set them.
#include "analysis/ClangDiagnostics.h"
#include "analysis/Interpreter.h"
#include <algorithm>
#include <clang/AST/RecordLayout.h>

namespace streammap {

using namespace clang;

// Parameters of class type hold the address of the object that the caller made.
bool Interpreter::isIndirect(const VarDecl *variable) {
  return isa<ParmVarDecl>(variable) && shapeOf(variable->getType()).kind == TypeShape::Kind::aggregate;
}

HostValue Interpreter::variable(const VarDecl *variable) {
  if (!frame().function->captures.empty())
    if (const auto captured = frame().function->captures.find(variable);
        captured != frame().function->captures.end()) {
      const FieldDecl *field = captured->second;
      const ASTRecordLayout &layout = context().getASTRecordLayout(field->getParent());
      const Address at = frame().self + layout.getFieldOffset(field->getFieldIndex()) / 8;
      return field->getType()->isReferenceType() ? memory_.load(at, 8) : HostValue{at, 0};
    }
  if (!variable->hasLocalStorage()) {
    const Address at = global(variable);
    return variable->getType()->isReferenceType() ? memory_.load(at, 8) : HostValue{at, 0};
  }
  const bool isReference = variable->getType()->isReferenceType();
  const bool isHeldByAddress = isReference || isIndirect(variable);
  const std::uint64_t size = isHeldByAddress ? 8 : sizeOf(variable->getType());
  const Address at = slot(variable, size, 16, variable->getType()->isArrayType());
  return isHeldByAddress ? memory_.load(at, 8) : HostValue{at, 0};
}

Address Interpreter::global(const VarDecl *variable) {
  const VarDecl *key = variable->getCanonicalDecl();
  if (const auto found = globals_.find(key); found != globals_.end())
    return found->second;
  // A constant member of a class has its value where it is declared, and often no definition.
  const VarDecl *definition = nullptr;
  const Expr *init = variable->getAnyInitializer(definition);
  if (!init)
    definition = graph_.definitionOf(variable);
  if (definition && definition->getCanonicalDecl() != key)
    return globals_[key] = global(definition); // in another unit
  const std::uint64_t size = std::max<std::uint64_t>(sizeOf(variable->getType()), 8);
  const Address at = memory_.allocate(
      size, definition ? HostMemory::Fill::zero : HostMemory::Fill::unknown,
      definition
          ? Reason{0}
          : reasons_.add("variable '" + variable->getNameAsString() + "' is defined elsewhere",
                         locate(variable->getASTContext().getSourceManager(), variable->getLocation())));
  globals_[key] = at;
  if (!definition || variable->isStaticLocal())
    return at; // a static local is initialised where its declaration is reached
  std::unique_ptr<Function> &initialiser = initialisers_[key];
  initialiser = std::make_unique<Function>();
  pushFrame(*initialiser, definition->getASTContext());
  if (variable->getType()->isReferenceType())
    memory_.store(at, 8, init ? place(init) : HostValue{});
  else if (init)
    initialise(init, definition->getType(), at);
  if (const double *parameter = parameterFor(definition); parameter && !variable->getType()->isRecordType())
    storeScalar(variable->getType(), at, converted(*parameter, variable->getType()));
  popFrame();
  return at;
}

const double *Interpreter::parameterFor(const VarDecl *variable) {
  if (options_.parameters.empty())
    return nullptr;
  const std::string name = variable->getNameAsString();
  auto found = options_.parameters.find(name);
  if (const auto *function = dyn_cast_or_null<FunctionDecl>(variable->getParentFunctionOrMethod()))
    if (const auto qualified = options_.parameters.find(function->getNameAsString() + "::" + name);
        qualified != options_.parameters.end())
      found = qualified;
  variableNames_.insert(name);
  if (found == options_.parameters.end())
    return nullptr;
  const TypeShape shape = shapeOf(variable->getType().getNonReferenceType());
  if (shape.kind == TypeShape::Kind::aggregate)
    return nullptr;
  usedParameters_.insert(found->first);
  return &found->second;
}

// "deviceProp.major": members of variables can be set, too.
static std::string memberName(const Expr *expression) {
  expression = expression->IgnoreParenImpCasts();
  if (const auto *reference = dyn_cast<DeclRefExpr>(expression))
    return reference->getDecl()->getNameAsString();
  const auto *member = dyn_cast<MemberExpr>(expression);
  if (!member)
    return {};
  const Expr *base = member->getBase()->IgnoreParenImpCasts();
  const std::string name = member->getMemberDecl()->getNameAsString();
  if (isa<CXXThisExpr>(base))
    return name;
  const std::string owner = memberName(base);
  return owner.empty() ? owner : owner + "." + name;
}

const double *Interpreter::parameterFor(const Expr *expression) {
  if (const VarDecl *variable = rootVariable(expression))
    return parameterFor(variable);
  if (options_.parameters.empty() || !isa<MemberExpr>(expression->IgnoreParenImpCasts()))
    return nullptr;
  const auto *member = cast<MemberExpr>(expression->IgnoreParenImpCasts());
  std::vector<std::string> names{memberName(expression)};
  if (const auto *record = dyn_cast<CXXRecordDecl>(member->getMemberDecl()->getDeclContext()))
    names.push_back(record->getNameAsString() + "::" + member->getMemberDecl()->getNameAsString());
  for (const std::string &name : names) {
    variableNames_.insert(name);
    if (const auto found = options_.parameters.find(name); found != options_.parameters.end()) {
      usedParameters_.insert(name);
      return &found->second;
    }
  }
  return nullptr;
}

Reason Interpreter::label(Reason reason, const Expr *expression) {
  if (reason == 0 || !reasons_[reason].variable.empty())
    return reason;
  if (const VarDecl *variable = rootVariable(expression))
    return label(reason, variable);
  return isa<MemberExpr>(expression->IgnoreParenImpCasts())
             ? reasons_.named(reason, memberName(expression), locationOf(expression))
             : reason;
}

Reason Interpreter::label(Reason reason, const VarDecl *variable) {
  if (reason == 0)
    return 0;
  Reason &cached = labels_[{variable, reason}];
  if (cached == 0)
    cached = reasons_.named(reason, variable->getNameAsString(),
                            locate(variable->getASTContext().getSourceManager(), variable->getLocation()));
  return cached;
}

void Interpreter::initialiseVariable(const VarDecl *variable, Address where) {
  const QualType type = variable->getType();
  const Expr *init = variable->getInit();
  if (type->isReferenceType()) {
    memory_.store(where, 8, init ? place(init) : HostValue{0, UnknownReasons::nowhere});
    return;
  }
  const TypeShape shape = shapeOf(type);
  const double *parameter = variable->isConstexpr() ? nullptr : parameterFor(variable);
  if (shape.kind == TypeShape::Kind::aggregate) {
    if (init)
      initialise(init, type, where);
    return;
  }
  if (parameter) {
    if (init)
      value(init);
    storeScalar(type, where, converted(*parameter, type));
    return;
  }
  if (!init) {
    Reason &reason = labels_[{variable, 0u}];
    if (reason == 0)
      reason =
          reasons_.add("it has no value yet", locate(context().getSourceManager(), variable->getLocation()));
    storeScalar(type, where, {0, label(reason, variable)});
    return;
  }
  const std::size_t buffersBefore = freshBuffers_;
  HostValue initial = value(init);
  if (freshBuffers_ != buffersBefore && initial.isKnown() && initial.bits == freshBuffer_)
    events_.renamed(freshBuffer_, variable->getNameAsString());
  initial.reason = label(initial.reason, variable);
  storeScalar(type, where, initial);
}

const VarDecl *Interpreter::rootVariable(const Expr *expression) const {
  const auto *reference = dyn_cast<DeclRefExpr>(expression->IgnoreParenImpCasts());
  return reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
}

Address Interpreter::functionAddress(const FunctionDecl *function) {
  Address &address = functionAddresses_[function->getCanonicalDecl()];
  if (address == 0) {
    address = memory_.allocate(8, HostMemory::Fill::zero);
    addressedFunctions_[address] = function;
  }
  return address;
}

Address Interpreter::literal(const std::string &text) {
  Address &address = texts_[text];
  if (address == 0) {
    address = memory_.allocate(text.size() + 1, HostMemory::Fill::zero);
    for (std::size_t i = 0; i < text.size(); ++i)
      memory_.store(address + i, 1, {static_cast<unsigned char>(text[i]), 0});
  }
  return address;
}

std::optional<std::string> Interpreter::stringAt(Address address) const {
  std::string text;
  constexpr std::size_t longest = 65536;
  while (text.size() < longest) {
    const HostValue byte = memory_.load(address + text.size(), 1);
    if (!byte.isKnown())
      return std::nullopt;
    if (byte.bits == 0)
      return text;
    text.push_back(static_cast<char>(byte.bits));
  }
  return std::nullopt;
}

} // namespace streammap
