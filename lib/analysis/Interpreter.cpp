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

//===-- Types and scalars --===//

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

/// Whether a variable of that shape can hold the number as it is.
static bool holds(const TypeShape &shape, double value) {
  if (shape.kind == TypeShape::Kind::boolean)
    return value == 0 || value == 1;
  const int bits = static_cast<int>(std::min<std::uint64_t>(shape.bytes, 8)) * 8 - (shape.isSigned ? 1 : 0);
  return value == std::floor(value) && value < std::ldexp(1.0, bits) &&
         value >= (shape.isSigned ? -std::ldexp(1.0, bits) : 0.0);
}

HostValue Interpreter::converted(const double &value, QualType type) {
  const TypeShape shape = shapeOf(type);
  if (shape.kind == TypeShape::Kind::floating)
    return {std::bit_cast<std::uint64_t>(value), 0};
  if (!holds(shape, value)) {
    if (halt_ != Halt::failed)
      for (const auto &[name, given] : options_.parameters)
        if (&given == &value)
          diagnostics_.error({},
                             "--param " + name + "=" + shortest(value) + ": '" + name + "' is of type '" +
                                 type.getNonReferenceType().getUnqualifiedType().getAsString() +
                                 "', which cannot hold this number",
                             "bad-parameter");
    halt_ = Halt::failed;
    return {0, UnknownReasons::nowhere};
  }
  const bool isNegative = value < 0;
  const std::uint64_t magnitude = static_cast<std::uint64_t>(std::fabs(value));
  return normalised({isNegative ? 0 - magnitude : magnitude, 0}, shape);
}

//===-- Functions and frames --===//

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

} // namespace streammap
