#include "analysis/Interpreter.h"
#include "analysis/ClangDiagnostics.h"
#include "analysis/LibraryModels.h"
#include "support/Text.h"
#include <clang/AST/Mangle.h>
#include <clang/AST/RecordLayout.h>
#include <clang/Basic/SourceManager.h>
#include <cmath>
#include <cstring>

namespace streammap {

using namespace clang;

Interpreter::Interpreter(std::span<const std::unique_ptr<ParsedUnit>> units, InterpreterOptions options,
                         UnknownReasons &reasons, ProgramEvents &events, Diagnostics &diagnostics)
    : units_(units), options_(std::move(options)), reasons_(reasons), events_(events),
      diagnostics_(diagnostics), graph_(units) {
  stackTop_ = memory_.stackBase() + 64;
  frames_.reserve(options_.deepestCall + 16); // frames are referred to while calls are evaluated
}

Interpreter::~Interpreter() = default;

bool Interpreter::run() {
  const FunctionDecl *start = graph_.mainFunction();
  if (!start) {
    diagnostics_.error(
        {units_.empty() ? "" : units_.front()->job().source, 0, 0, {}},
        "no function 'main': the tasks of a program are found by following it; give all of its "
        "sources",
        "no-main");
    return false;
  }
  Call entry;
  entry.callee = start;
  const std::size_t given = options_.arguments.size() + 1;
  constexpr std::size_t beyond = 64; // elements that a program may look at without them being there
  const Address argv = memory_.allocate((given + 1 + beyond) * 8, HostMemory::Fill::zero);
  memory_.store(argv, 8, {literal("program"), 0});
  for (std::size_t i = 1; i < given; ++i)
    memory_.store(argv + 8 * i, 8, {literal(options_.arguments[i - 1]), 0});
  const SourceLocation mainAt = locate(start->getASTContext().getSourceManager(), start->getLocation());
  for (std::size_t i = given + 1; i < given + 1 + beyond; ++i)
    memory_.store(
        argv + 8 * i, 8,
        {0, reasons_.addMissingArgument("the command line has no argument " + std::to_string(i), mainAt)});
  const HostValue values[] = {{given, 0}, {argv, 0}, {argv + 8 * given, 0}};
  for (unsigned i = 0; i < start->getNumParams() && i < 3; ++i)
    entry.arguments.push_back(values[i]);
  invoke(entry);
  return halt_ != Halt::failed;
}

//===-- Types and scalars
//--------------------------------------------------------------------------------===//

TypeShape Interpreter::shapeOf(QualType type) {
  const Type *key = type.getCanonicalType().getTypePtr();
  if (const auto found = shapes_.find(key); found != shapes_.end())
    return found->second;
  TypeShape shape;
  const ASTContext &ast = context();
  // What is left of code with errors may have no layout.
  const bool isMeasured = !key->isDependentType() && !key->isVoidType() && !key->isFunctionType() &&
                          !key->isIncompleteType() && !key->isPlaceholderType() && !key->isUndeducedType() &&
                          !(key->getAsRecordDecl() && key->getAsRecordDecl()->isInvalidDecl());
  if (isMeasured) {
    const QualType measured = key->isReferenceType() ? ast.getPointerType(key->getPointeeType()) : type;
    shape.bytes = static_cast<std::uint64_t>(ast.getTypeSizeInChars(measured).getQuantity());
  }
  if (const auto *atomic = dyn_cast<AtomicType>(key)) {
    const std::uint64_t bytes = shape.bytes;
    shape = shapeOf(atomic->getValueType());
    shape.bytes = bytes;
  } else if (key->isBooleanType()) {
    shape.kind = TypeShape::Kind::boolean;
  } else if (key->isIntegralOrEnumerationType()) {
    shape.kind = shape.bytes <= 8 ? TypeShape::Kind::integer : TypeShape::Kind::aggregate;
    shape.isSigned = key->isSignedIntegerOrEnumerationType();
  } else if (key->isRealFloatingType()) {
    shape.kind = TypeShape::Kind::floating;
  } else if (key->isPointerType() || key->isReferenceType() || key->isNullPtrType() ||
             key->isBlockPointerType()) {
    shape.kind = TypeShape::Kind::pointer;
  } else if (key->isRecordType() || key->isArrayType() || key->isAnyComplexType() || key->isVectorType() ||
             key->isMemberPointerType()) {
    shape.kind = TypeShape::Kind::aggregate;
  } else if (key->isFunctionType()) {
    shape.kind = TypeShape::Kind::pointer;
  }
  shapes_[key] = shape;
  return shape;
}

HostValue Interpreter::normalised(HostValue value, const TypeShape &shape) const {
  if (shape.kind == TypeShape::Kind::boolean) {
    value.bits = value.bits != 0;
  } else if (shape.kind == TypeShape::Kind::integer && shape.bytes < 8) {
    const unsigned shift = static_cast<unsigned>(64 - 8 * shape.bytes);
    value.bits = shape.isSigned
                     ? static_cast<std::uint64_t>(static_cast<std::int64_t>(value.bits << shift) >> shift)
                     : value.bits << shift >> shift;
  }
  return value;
}

HostValue Interpreter::loadScalar(QualType type, Address from) {
  const TypeShape shape = shapeOf(type);
  if (shape.kind == TypeShape::Kind::floating) {
    if (shape.bytes == 4) {
      HostValue value = memory_.load(from, 4);
      value.bits = std::bit_cast<std::uint64_t>(
          static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(value.bits))));
      return value;
    }
    return memory_.load(from,
                        shape.bytes >= 8 ? 8 : static_cast<unsigned>(shape.bytes)); // wider: kept as double
  }
  if (shape.kind == TypeShape::Kind::none || shape.kind == TypeShape::Kind::aggregate || shape.bytes > 8)
    return {0, UnknownReasons::nowhere};
  HostValue value = memory_.load(from, static_cast<unsigned>(shape.bytes));
  if (shape.kind == TypeShape::Kind::boolean)
    value.bits &= 1;
  return normalised(value, shape);
}

void Interpreter::storeScalar(QualType type, Address to, HostValue value) {
  if (halt_ != Halt::none)
    return;
  const TypeShape shape = shapeOf(type);
  if (shape.kind == TypeShape::Kind::floating && shape.bytes == 4) {
    const float narrow = static_cast<float>(std::bit_cast<double>(value.bits));
    value.bits = std::bit_cast<std::uint32_t>(narrow);
    memory_.store(to, 4, value);
  } else if (shape.kind == TypeShape::Kind::floating) {
    memory_.store(to, shape.bytes >= 8 ? 8 : static_cast<unsigned>(shape.bytes), value);
  } else if (shape.kind != TypeShape::Kind::none && shape.bytes <= 8) {
    memory_.store(to, static_cast<unsigned>(shape.bytes), value);
  } else if (shape.bytes > 8) {
    memory_.invalidate(to, shape.bytes, value.reason ? value.reason : UnknownReasons::nowhere);
  }
}

HostValue Interpreter::converted(double value, QualType type) {
  const TypeShape shape = shapeOf(type);
  if (shape.kind == TypeShape::Kind::floating)
    return {std::bit_cast<std::uint64_t>(value), 0};
  const bool isNegative = value < 0;
  const std::uint64_t magnitude = static_cast<std::uint64_t>(std::fabs(value));
  return normalised({isNegative ? 0 - magnitude : magnitude, 0}, shape);
}

//===-- Functions and frames
//-----------------------------------------------------------------------------===//

Interpreter::Function &Interpreter::functionOf(const FunctionDecl *declaration) {
  Function *&cached = functionCache_[declaration];
  if (cached)
    return *cached;
  const FunctionDecl *definition = graph_.definitionOf(declaration);
  std::unique_ptr<Function> &entry = functions_[definition];
  if (!entry) {
    entry = std::make_unique<Function>();
    entry->declaration = definition;
    entry->model = libraryModel(definition);
    const FunctionDecl *withBody = nullptr;
    if (definition->hasBody(withBody) && !withBody->isDependentContext())
      entry->body = withBody->getBody();
    entry->isInert = graph_.isInert(definition);
    const SourceManager &sources = definition->getASTContext().getSourceManager();
    entry->isSystem = isSystemCode(sources, definition->getLocation());
    if (const auto *method = dyn_cast<CXXMethodDecl>(definition); method && method->getParent()->isLambda()) {
      llvm::DenseMap<const ValueDecl *, FieldDecl *> captures;
      method->getParent()->getCaptureFields(captures, entry->thisCapture);
      for (const auto &[captured, field] : captures)
        entry->captures[captured] = field;
    }
  }
  // functionCache_ may have grown meanwhile
  functionCache_[declaration] = entry.get();
  return *entry;
}

void Interpreter::pushFrame(Function &function, const ASTContext &context) {
  Address base = stackTop_;
  if (!frames_.empty())
    base = std::max(base, frame().base + frame().function->frameSize);
  base = (base + 63) / 64 * 64;
  Frame next;
  next.function = &function;
  next.context = &context;
  next.base = base;
  next.caller = frames_.empty() ? 0 : frames_.size() - 1;
  memory_.reserveStack(base + function.frameSize - memory_.stackBase());
  frames_.push_back(next);
}

void Interpreter::popFrame() {
  const Address base = frame().base;
  frames_.pop_back();
  events_.stackShrunk(base);
}

Address Interpreter::slot(const void *key, std::uint64_t size, std::uint64_t alignment, bool isArray) {
  Function &function = *frame().function;
  const auto [found, isNew] = function.slots.try_emplace(key, 0u);
  if (isNew) {
    alignment = std::max<std::uint64_t>(alignment, 8);
    const std::uint64_t offset = (function.frameSize + alignment - 1) / alignment * alignment;
    found->second = static_cast<std::uint32_t>(offset);
    function.frameSize = offset + std::max<std::uint64_t>(size, 1);
    function.extents.push_back({found->second, static_cast<std::uint32_t>(size), isArray});
    memory_.reserveStack(frame().base + function.frameSize - memory_.stackBase());
  }
  return frame().base + found->second;
}

const ParsedUnit *Interpreter::unitOf(const ASTContext &context) const {
  for (const auto &unit : units_)
    if (&unit->context() == &context)
      return unit.get();
  return nullptr;
}

const Interpreter::Marker *Interpreter::markerOf(const Stmt *statement) {
  const auto found = markers_.find(statement);
  if (found != markers_.end())
    return found->second.get();
  std::unique_ptr<Marker> marker;
  if (const ParsedUnit *unit = unitOf(context())) {
    Marker candidate;
    if (isa<IfStmt>(statement)) {
      candidate.task = taskMarker(statement, unit->sites());
      if (!candidate.task)
        candidate.root = rootMarker(statement, unit->sites());
    } else {
      candidate.wait = waitMarker(statement, unit->sites());
    }
    if (candidate.task || candidate.wait || candidate.root)
      marker = std::make_unique<Marker>(std::move(candidate));
  }
  return (markers_[statement] = std::move(marker)).get();
}

//===-- Variables
//----------------------------------------------------------------------------------------===//

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

//===-- Messages
//-----------------------------------------------------------------------------------------===//

SourceLocation Interpreter::locationOf(const Stmt *statement) const {
  return locate(context().getSourceManager(), statement->getBeginLoc());
}

// `where`, or the call of a library's function that it lies in.
Interpreter::OwnPlace Interpreter::ownPlace(const Stmt *where) const {
  std::size_t index = frames_.size() - 1;
  while (index != 0 && frames_[index].function->isSystem && frames_[index].call) {
    where = frames_[index].call;
    index = frames_[index].caller;
  }
  return {where, frames_[index].context};
}

SourceLocation Interpreter::ownLocation(const Stmt *where) const {
  const OwnPlace own = ownPlace(where);
  return locate(own.context->getSourceManager(), own.statement->getBeginLoc());
}

Diagnostic Interpreter::diagnosticFor(const Stmt *where, Severity severity, std::string message,
                                      const char *code) const {
  const OwnPlace own = ownPlace(where);
  return diagnosticAt(own.context->getSourceManager(), own.context->getLangOpts(), severity,
                      own.statement->getBeginLoc(), own.statement->getSourceRange(), std::move(message),
                      code);
}

void Interpreter::endProgram(const Stmt *where) {
  if (halt_ != Halt::none)
    return;
  halt_ = Halt::ended;
  endedAt_ = ownLocation(where);
}

void Interpreter::throwException(const Stmt *where) {
  if (halt_ != Halt::none)
    return;
  halt_ = Halt::thrown;
  endedAt_ = ownLocation(where);
}

HostValue Interpreter::unknown(const Expr *where, const std::string &what) {
  Reason &reason = reasonCache_[where];
  if (reason == 0)
    reason = reasons_.add(what, ownLocation(where));
  return {0, reason};
}

void Interpreter::fail(const Stmt *where, std::string message, const char *code) {
  if (halt_ == Halt::failed)
    return;
  diagnostics_.report(diagnosticFor(where, Severity::error, std::move(message), code));
  halt_ = Halt::failed;
}

Diagnostic Interpreter::unknownDiagnostic(const Expr *where, const std::string &what, Reason reason,
                                          const char *code) {
  const UnknownReason &why = reasons_[reason];
  std::string message = what + " depends on ";
  message += why.variable.empty() ? "a value that is unknown" : "'" + why.variable + "', which is unknown";
  message += "; " + reasons_.remedy(reason);
  Diagnostic diagnostic = diagnosticFor(where, Severity::error, std::move(message), code);
  if (!why.variable.empty())
    diagnostic.notes.push_back(
        {Severity::note, why.variableAt, "'" + why.variable + "' is this variable", {}, {}, {}, {}});
  if (!why.where.file.empty() && (why.variable.empty() || why.where != why.variableAt))
    diagnostic.notes.push_back({Severity::note, why.where, "unknown here: " + why.what, {}, {}, {}, {}});
  return diagnostic;
}

void Interpreter::failUnknown(const Expr *where, const std::string &what, Reason reason, const char *code) {
  if (halt_ == Halt::failed)
    return;
  diagnostics_.report(unknownDiagnostic(where, what, reason, code));
  halt_ = Halt::failed;
}

void Interpreter::warn(const Expr *where, std::string message, const char *code) {
  if (!warned_.insert(where).second)
    return;
  diagnostics_.report(diagnosticFor(where, Severity::warning, std::move(message), code));
}

std::string Interpreter::mangledName(const FunctionDecl *function) {
  ASTContext &ast = function->getASTContext();
  const std::unique_ptr<MangleContext> mangler(ast.createMangleContext());
  if (!mangler->shouldMangleDeclName(function))
    return function->getNameAsString();
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (function->hasAttr<CUDAGlobalAttr>())
    mangler->mangleName(GlobalDecl(function, KernelReferenceKind::Kernel), stream);
  else
    mangler->mangleName(GlobalDecl(function), stream);
  return text;
}

//===-- Names of places
//----------------------------------------------------------------------------------===//

std::string Interpreter::nameOf(const Expr *expression) {
  const Expr *inner = expression->IgnoreParenCasts()->IgnoreImplicit()->IgnoreParenCasts();
  const auto indexText = [&](const Expr *index) {
    const HostValue number = evaluate(index);
    const bool isSigned = index->getType()->isSignedIntegerOrEnumerationType();
    return !number.isKnown() ? std::string("?")
           : isSigned        ? std::to_string(static_cast<std::int64_t>(number.bits))
                             : std::to_string(number.bits);
  };
  if (const auto *address = dyn_cast<UnaryOperator>(inner)) {
    if (address->getOpcode() == UO_AddrOf || address->getOpcode() == UO_Deref)
      return nameOf(address->getSubExpr());
    return "buffer";
  }
  if (const auto *reference = dyn_cast<DeclRefExpr>(inner)) {
    if (isa<ParmVarDecl>(reference->getDecl()))
      return argumentName(inner);
    return reference->getDecl()->getNameAsString();
  }
  if (const auto *member = dyn_cast<MemberExpr>(inner)) {
    const Expr *base = member->getBase()->IgnoreParenImpCasts();
    const std::string name = member->getMemberDecl()->getNameAsString();
    return isa<CXXThisExpr>(base) ? name : nameOf(base) + "." + name;
  }
  if (const auto *subscript = dyn_cast<ArraySubscriptExpr>(inner))
    return nameOf(subscript->getBase()) + "[" + indexText(subscript->getIdx()) + "]";
  if (const auto *call = dyn_cast<CXXOperatorCallExpr>(inner)) {
    if (call->getOperator() == OO_Subscript && call->getNumArgs() == 2)
      return nameOf(call->getArg(0)) + "[" + indexText(call->getArg(1)) + "]";
  } else if (const auto *method = dyn_cast<CXXMemberCallExpr>(inner)) {
    if (method->getMethodDecl() && method->getImplicitObjectArgument()) {
      const std::string name = method->getMethodDecl()->getNameAsString();
      const std::string object = nameOf(method->getImplicitObjectArgument());
      return name == "data" || name == "get" ? object : object + "." + name;
    }
  } else if (const auto *direct = dyn_cast<CallExpr>(inner)) {
    if (direct->getNumArgs() == 1)
      return nameOf(direct->getArg(0)); // std::addressof, reinterpret helpers
  }
  return "buffer";
}

// A wrapper's parameter is called what the caller called it.
std::string Interpreter::argumentName(const Expr *expression) {
  const auto *reference = cast<DeclRefExpr>(expression);
  const auto *parameter = cast<ParmVarDecl>(reference->getDecl());
  const unsigned index = parameter->getFunctionScopeIndex();
  const std::string own = parameter->getNameAsString();
  const Frame here = frame();
  const bool isOutParameter =
      parameter->getType()->isReferenceType() ||
      (parameter->getType()->isPointerType() && parameter->getType()->getPointeeType()->isPointerType()) ||
      parameter->getType()->isVoidPointerType();
  if (frames_.size() < 2 || !here.call || index >= here.arguments.size() ||
      !(isOutParameter || here.function->isSystem))
    return own;
  // Evaluate in the caller's frame, above everything that is alive.
  const Address top = stackTop_;
  stackTop_ = std::max(stackTop_, here.base + here.function->frameSize);
  frames_.push_back(frames_[here.caller]);
  const std::string name = nameOf(here.arguments[index]);
  frames_.pop_back();
  stackTop_ = top;
  return name == "buffer" ? own : name;
}

HostMemory::Range Interpreter::storageAt(Address address) {
  if (!memory_.isStack(address))
    return memory_.objectAt(address);
  for (std::size_t i = frames_.size(); i-- > 0;) {
    const Frame &owner = frames_[i];
    if (owner.base > address)
      continue;
    for (const Function::Extent &extent : owner.function->extents)
      if (address >= owner.base + extent.offset && address < owner.base + extent.offset + extent.size)
        return {owner.base + extent.offset, extent.size};
    break;
  }
  return {};
}

HostMemory::Range Interpreter::widened(HostMemory::Range range) {
  if (!memory_.isStack(range.begin)) {
    const HostMemory::Range object = memory_.objectAt(range.begin);
    return object.size > 64 ? object : range;
  }
  for (std::size_t i = frames_.size(); i-- > 0;) {
    const Frame &owner = frames_[i];
    if (owner.base > range.begin)
      continue;
    for (const Function::Extent &extent : owner.function->extents)
      if (extent.isArray && range.begin >= owner.base + extent.offset &&
          range.begin < owner.base + extent.offset + extent.size)
        return {owner.base + extent.offset, extent.size};
    break;
  }
  return range;
}

} // namespace streammap
