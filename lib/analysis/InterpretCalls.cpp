// Interpreter: calls of functions, with a body, with a model, or with neither.
#include "analysis/ClangDiagnostics.h"
#include "analysis/Interpreter.h"
#include <bit>
#include <clang/AST/RecordLayout.h>
#include <clang/Basic/Builtins.h>
#include <cmath>

namespace streammap {

using namespace clang;

using Kind = TypeShape::Kind;

// What a call passes for `expression`: a value, or the address of an object.
HostValue Interpreter::argument(const Expr *expression, QualType parameter) {
  if (parameter->isReferenceType())
    return expression->isGLValue() ? place(expression) : addressOf(expression);
  if (shapeOf(expression->getType()).kind == Kind::aggregate) {
    const Address at = slot(expression, sizeOf(expression->getType()), 16);
    construct(expression, at);
    return {at, 0};
  }
  return evaluate(expression);
}

const FunctionDecl *Interpreter::dispatched(const CXXMethodDecl *method, Address self) {
  if (!method->isVirtual())
    return method;
  const HostValue tag = memory_.load(self, 8);
  if (!tag.isKnown())
    return method;
  const auto found = dynamicTypes_.find(tag.bits);
  if (found == dynamicTypes_.end())
    return method;
  auto *record = const_cast<CXXRecordDecl *>(found->second);
  const CXXMethodDecl *overrider =
      const_cast<CXXMethodDecl *>(method)->getCorrespondingMethodInClass(record, true);
  return overrider ? overrider : method;
}

HostValue Interpreter::call(const CallExpr *call, Address result) {
  if (halt_ != Halt::none)
    return {0, UnknownReasons::nowhere};
  const FunctionDecl *callee = call->getDirectCallee();
  if (callee && callee->getBuiltinID() != 0) {
    bool isHandled = false;
    const HostValue value = builtin(call, callee->getBuiltinID(), isHandled);
    if (isHandled)
      return value;
  }
  Call entry;
  entry.where = call;
  entry.result = result;
  entry.expressions = {call->getArgs(), call->getNumArgs()};
  unsigned first = 0;
  if (const auto *member = dyn_cast<CXXMemberCallExpr>(call)) {
    const Expr *object = member->getImplicitObjectArgument();
    if (!object || !callee)
      return unknown(call, "a call through a pointer to a member");
    const HostValue self =
        object->isGLValue() || !object->getType()->isPointerType() ? addressOf(object) : value(object);
    if (!self.isKnown()) {
      if (self.bits != 0)
        forgetReachable(widened({self.bits, 1}), self.reason);
      return {0, self.reason};
    }
    entry.self = self.bits;
    const auto *method = cast<CXXMethodDecl>(callee);
    const auto *access = dyn_cast<MemberExpr>(call->getCallee()->IgnoreParens());
    if (method->isVirtual() && !(access && access->hasQualifier()))
      callee = dispatched(method, self.bits);
  } else if (const auto *operation = dyn_cast<CXXOperatorCallExpr>(call)) {
    if (const auto *method = dyn_cast_or_null<CXXMethodDecl>(callee); method && method->isInstance()) {
      const HostValue self = addressOf(operation->getArg(0));
      if (!self.isKnown())
        return {0, self.reason};
      entry.self = self.bits;
      entry.expressions = entry.expressions.drop_front();
      callee = dispatched(method, self.bits);
      first = 1;
    }
  }
  if (!callee) { // through a pointer
    const HostValue pointer = evaluate(call->getCallee());
    const auto found = pointer.isKnown() ? addressedFunctions_.find(pointer.bits) : addressedFunctions_.end();
    if (found == addressedFunctions_.end())
      return unknown(call, "a call through an unknown pointer");
    callee = found->second;
  }
  entry.callee = callee;
  for (unsigned i = first; i < call->getNumArgs(); ++i) {
    const unsigned index = i - first;
    entry.arguments.push_back(argument(call->getArg(i), index < callee->getNumParams()
                                                            ? callee->getParamDecl(index)->getType()
                                                            : call->getArg(i)->getType()));
  }
  return invoke(entry);
}

HostValue Interpreter::callAddress(Address function, const Call &like) {
  const auto found = addressedFunctions_.find(function);
  if (found == addressedFunctions_.end())
    return unknown(like.where, "a call through an unknown pointer");
  Call entry = like;
  entry.callee = found->second;
  return invoke(entry);
}

HostValue Interpreter::invoke(Call &entry) {
  if (halt_ != Halt::none)
    return {0, UnknownReasons::nowhere};
  ++steps_;
  Function &function = functionOf(entry.callee);
  if (function.model)
    return function.model(*this, entry);
  const FunctionDecl *definition = function.declaration;
  if (const auto *method = dyn_cast<CXXMethodDecl>(definition); method && !function.body) {
    if (method->isCopyAssignmentOperator() || method->isMoveAssignmentOperator()) { // implicit and trivial
      if (!method->getParent()->isEmpty())
        memory_.copy(entry.self, entry.arguments[0].bits,
                     sizeOf(context().getCanonicalTagType(method->getParent())));
      return {entry.self, 0};
    }
    if (method->getParent()->isLambda() && method->isStatic())
      return unknownResult(entry);
    if (isa<CXXDestructorDecl>(method))
      return {};
  }
  const auto *constructor = dyn_cast<CXXConstructorDecl>(definition);
  if (!function.body && !(constructor && constructor->isDefaulted()))
    return unknownResult(entry);
  if (frames_.size() >= options_.deepestCall) {
    if (!function.isInert) {
      fail(entry.where,
           "the recursion " + cycleOf(function) + " around tasks does not end after " +
               std::to_string(options_.deepestCall) + " calls",
           "recursion-around-tasks");
      return {0, UnknownReasons::nowhere};
    }
    return lose(entry, "a recursion that is too deep to evaluate");
  }
  constexpr std::uint64_t longestCall = 5'000'000;
  if (function.isInert && inertCallStart_ != 0 && steps_ - inertCallStart_ > longestCall)
    return lose(entry, "a computation that is too long to evaluate");

  const bool isOutermostInert = function.isInert && inertCallStart_ == 0;
  if (isOutermostInert)
    inertCallStart_ = steps_;
  std::size_t since = 0;
  if (function.isInert) {
    since = memory_.writes().size();
    memory_.startRecording();
  }
  pushFrame(function, definition->getASTContext());
  frame().self = entry.self;
  frame().result = entry.result;
  frame().call = entry.where;
  frame().arguments = entry.expressions;
  for (unsigned i = 0; i < definition->getNumParams() && i < entry.arguments.size(); ++i) {
    const ParmVarDecl *parameter = definition->getParamDecl(i);
    HostValue passed = entry.arguments[i];
    const QualType type = parameter->getType();
    if (type->isReferenceType() || isIndirect(parameter)) {
      memory_.store(slot(parameter, 8, 8), 8, passed);
      continue;
    }
    passed.reason = passed.reason ? label(passed.reason, parameter) : Reason{0};
    if (!passed.isKnown())
      if (const double *given = parameterFor(parameter))
        passed = converted(*given, type);
    storeScalar(type, slot(parameter, sizeOf(type), 16), passed);
  }
  if (constructor) {
    for (const CXXCtorInitializer *initialiser : constructor->inits()) {
      const ASTRecordLayout &layout = context().getASTRecordLayout(constructor->getParent());
      if (initialiser->isDelegatingInitializer()) {
        construct(initialiser->getInit(), entry.self);
      } else if (initialiser->isBaseInitializer()) {
        const CXXRecordDecl *base = initialiser->getBaseClass()->getAsCXXRecordDecl();
        const CharUnits offset =
            initialiser->isBaseVirtual() ? layout.getVBaseClassOffset(base) : layout.getBaseClassOffset(base);
        construct(initialiser->getInit(), entry.self + static_cast<std::uint64_t>(offset.getQuantity()));
      } else if (const FieldDecl *field = initialiser->getAnyMember(); field && !field->isBitField()) {
        Address at = entry.self;
        if (const IndirectFieldDecl *indirect = initialiser->getIndirectMember()) {
          for (const NamedDecl *step : indirect->chain())
            if (const auto *part = dyn_cast<FieldDecl>(step))
              at += context().getASTRecordLayout(part->getParent()).getFieldOffset(part->getFieldIndex()) / 8;
        } else {
          at += layout.getFieldOffset(field->getFieldIndex()) / 8;
        }
        initialise(initialiser->getInit(), field->getType(), at);
      }
    }
    writeDynamicType(constructor->getParent(), entry.self);
  }
  if (function.body)
    execute(function.body);
  HostValue result = frame().returned;

  if (halt_ == Halt::lostCall && function.isInert) {
    halt_ = Halt::none;
    const Reason reason = lostReason_;
    forgetWrites(function.body, since, reason);
    const QualType type = definition->getReturnType();
    if (shapeOf(type).kind == Kind::aggregate && entry.result != 0)
      memory_.invalidate(entry.result, sizeOf(type), reason);
    result = {0, reason};
  }
  if (!uncertain_.empty() && uncertain_.back().frame + 1 == frames_.size()) {
    const Reason reason = uncertain_.back().reason;
    const QualType type = definition->getReturnType();
    settle(frames_.size() - 1, 0);
    if (shapeOf(type).kind == Kind::aggregate && entry.result != 0)
      memory_.invalidate(entry.result, sizeOf(type), reason);
    result = {0, reason};
  }
  popFrame();
  if (function.isInert)
    memory_.stopRecording();
  if (isOutermostInert)
    inertCallStart_ = 0;
  return result;
}

// "'a' -> 'b' -> 'a'"
std::string Interpreter::cycleOf(const Function &function) const {
  const auto nameOfFunction = [](const Function &one) {
    return one.declaration ? "'" + one.declaration->getNameAsString() + "'" : std::string("?");
  };
  std::string cycle = nameOfFunction(function);
  for (std::size_t i = frames_.size(); i-- > 0;) {
    cycle = nameOfFunction(*frames_[i].function) + " -> " + cycle;
    if (frames_[i].function == &function)
      break;
  }
  return cycle;
}

// Gives up the evaluation of an inert function, if the caller is one, and otherwise only its result.
HostValue Interpreter::lose(const Call &entry, const char *why) {
  const HostValue result = entry.where ? unknown(entry.where, why) : HostValue{0, UnknownReasons::nowhere};
  if (frame().function->isInert) {
    halt_ = Halt::lostCall;
    lostReason_ = result.reason;
  }
  return result;
}

// A function nobody knows: its result is unknown, and so is what its pointers and references let it write.
HostValue Interpreter::unknownResult(const Call &entry) {
  const FunctionDecl *callee = entry.callee;
  const std::string what = "the result of '" + callee->getNameAsString() + "'";
  const QualType type = callee->getReturnType();
  const Reason reason = entry.where ? unknown(entry.where, what).reason : UnknownReasons::nowhere;
  for (unsigned i = 0; i < entry.arguments.size(); ++i) {
    const QualType parameter =
        i < callee->getNumParams() ? callee->getParamDecl(i)->getType() : entry.expressions[i]->getType();
    const bool isReference = parameter->isReferenceType();
    if (!isReference && !parameter->isPointerType())
      continue;
    const QualType target = parameter->getPointeeType();
    if (target.isConstQualified() || target->isFunctionType() || !entry.arguments[i].isKnown())
      continue;
    const Address at = entry.arguments[i].bits;
    // Streams and files are not looked into.
    if (target->isIncompleteType() && !target->isVoidType())
      continue;
    if (const CXXRecordDecl *record = target->getAsCXXRecordDecl();
        record && record->getName().starts_with("basic_"))
      if (record->getName() != "basic_string")
        continue;
    Reason why = reason;
    if (i < entry.expressions.size()) {
      const Expr *written = entry.expressions[i]->IgnoreParenCasts();
      if (const auto *address = dyn_cast<UnaryOperator>(written);
          address && address->getOpcode() == UO_AddrOf)
        written = address->getSubExpr();
      if (const VarDecl *variable = rootVariable(written)) {
        if (shapeOf(variable->getType().getNonReferenceType()).kind != Kind::aggregate)
          why = label(reason, variable);
        if (const double *given = parameterFor(variable);
            given && shapeOf(variable->getType()).kind != Kind::aggregate) {
          storeScalar(variable->getType(), at, converted(*given, variable->getType()));
          continue;
        }
      }
    }
    const HostMemory::Range object = memory_.objectAt(at);
    if (object.size == 0)
      continue;
    const std::uint64_t size = target->isVoidType() ? 1 : std::max<std::uint64_t>(sizeOf(target), 1);
    const HostMemory::Range written = isReference ? HostMemory::Range{at, size} : widened({at, size});
    memory_.invalidate(written.begin, written.size, why);
  }
  if (callee->getReturnType()->isReferenceType()) {
    // operator<< and its like return what they were given.
    if (entry.self != 0)
      return {entry.self, 0};
    for (unsigned i = 0; i < entry.arguments.size() && i < callee->getNumParams(); ++i)
      if (callee->getParamDecl(i)->getType()->isReferenceType())
        return entry.arguments[i];
  }
  if (shapeOf(type).kind == Kind::aggregate && entry.result != 0)
    memory_.invalidate(entry.result, sizeOf(type), reason);
  return {0, reason};
}

//===-- Kernels and buffers --===//

void Interpreter::readDimensions(Address from, std::array<HostValue, 3> &into) {
  for (unsigned i = 0; i < 3; ++i)
    into[i] = memory_.load(from + 4 * i, 4);
}

HostValue Interpreter::kernelCall(const CUDAKernelCallExpr *call) {
  HostLaunch launch;
  launch.where = call;
  const CallExpr *config = call->getConfig();
  for (unsigned i = 0; i < 2 && i < config->getNumArgs(); ++i) {
    const HostValue at = addressOf(config->getArg(i));
    readDimensions(at.bits, i == 0 ? launch.grid : launch.block);
  }
  if (config->getNumArgs() > 2)
    launch.dynamicShared = evaluate(config->getArg(2));
  if (config->getNumArgs() > 3)
    evaluate(config->getArg(3));
  const FunctionDecl *kernel = call->getDirectCallee();
  if (!kernel) {
    const HostValue pointer = evaluate(call->getCallee());
    const auto found = pointer.isKnown() ? addressedFunctions_.find(pointer.bits) : addressedFunctions_.end();
    kernel = found == addressedFunctions_.end() ? nullptr : found->second;
  }
  launch.kernel = kernel;
  for (unsigned i = 0; i < call->getNumArgs(); ++i)
    launch.arguments.push_back(argument(call->getArg(i), kernel && i < kernel->getNumParams()
                                                             ? kernel->getParamDecl(i)->getType()
                                                             : call->getArg(i)->getType()));
  if (halt_ == Halt::none)
    finishLaunch(launch);
  return {};
}

// A kernel may write to whatever it got a pointer to.
void Interpreter::finishLaunch(const HostLaunch &launch) {
  events_.launch(launch);
  if (!launch.kernel)
    return;
  for (unsigned i = 0; i < launch.arguments.size() && i < launch.kernel->getNumParams(); ++i) {
    const QualType type = launch.kernel->getParamDecl(i)->getType();
    const HostValue pointer = launch.arguments[i];
    if (!type->isPointerType() || type->getPointeeType().isConstQualified() || !pointer.isKnown() ||
        isDeviceMemory(pointer.bits))
      continue;
    const HostMemory::Range object = widened({pointer.bits, 1});
    if (memory_.objectAt(pointer.bits).size != 0)
      memory_.invalidate(object.begin, object.size, unknown(launch.where, "a kernel writes it").reason);
  }
}

// cudaLaunchKernel(function, grid, block, arguments, dynamic shared, stream)
void Interpreter::launch(const Call &call) {
  HostLaunch launch;
  launch.where = call.where;
  if (call.arguments.size() < 5)
    return;
  const auto found = call.arguments[0].isKnown() ? addressedFunctions_.find(call.arguments[0].bits)
                                                 : addressedFunctions_.end();
  if (found != addressedFunctions_.end())
    launch.kernel = found->second;
  readDimensions(call.arguments[1].bits, launch.grid);
  readDimensions(call.arguments[2].bits, launch.block);
  launch.dynamicShared = call.arguments[4];
  if (launch.kernel && call.arguments[3].isKnown() && call.arguments[3].bits != 0)
    for (unsigned i = 0; i < launch.kernel->getNumParams(); ++i) {
      const HostValue at = memory_.load(call.arguments[3].bits + 8 * i, 8);
      const QualType type = launch.kernel->getParamDecl(i)->getType();
      if (!at.isKnown() || shapeOf(type).kind == Kind::aggregate)
        launch.arguments.push_back(at);
      else
        launch.arguments.push_back(loadScalar(type, at.bits));
    }
  finishLaunch(launch);
}

void Interpreter::allocateBuffer(const Call &call, HostValue where, HostValue size, AllocationKind kind) {
  if (!where.isKnown())
    return;
  const SourceLocation location = call.where ? ownLocation(call.where) : SourceLocation{};
  std::string name = call.expressions.empty() ? "buffer" : nameOf(call.expressions[0]);
  const Reason contents = kind == AllocationKind::device
                              ? reasons_.add("the contents of device buffer '" + name + "'", location)
                              : reasons_.add("it has no value yet", location);
  // A buffer of unknown size still needs an address of its own.
  const std::uint64_t bytes = size.isKnown() ? size.bits : std::uint64_t{1} << 32;
  const Address at = memory_.allocate(bytes, HostMemory::Fill::unknown, contents);
  if (at == 0) {
    fail(call.where, "an allocation of " + std::to_string(bytes) + " bytes is more than any device has",
         "allocation-too-large");
    return;
  }
  if (kind == AllocationKind::device)
    deviceObjects_.insert(at);
  memory_.store(where.bits, 8, {at, 0});
  ++freshBuffers_;
  freshBuffer_ = at;
  events_.allocated(at, size, kind, std::move(name), location);
}

//===-- Compiler builtins --===//

HostValue Interpreter::builtin(const CallExpr *call, unsigned builtin, bool &isHandled) {
  isHandled = true;
  switch (builtin) {
  case Builtin::BI__builtin_expect:
    return evaluate(call->getArg(0));
  case Builtin::BI__builtin_constant_p:
    return {0, 0};
  case Builtin::BI__builtin_is_constant_evaluated:
    return {0, 0};
  case Builtin::BI__builtin_assume:
  case Builtin::BI__builtin_va_start:
  case Builtin::BI__builtin_va_end:
    return {};
  case Builtin::BI__builtin_addressof:
  case Builtin::BIaddressof:
  case Builtin::BI__addressof:
    return place(call->getArg(0));
  case Builtin::BImove:
  case Builtin::BIforward:
  case Builtin::BImove_if_noexcept:
  case Builtin::BIas_const:
    return place(call->getArg(0));
  case Builtin::BI__builtin_unreachable:
  case Builtin::BI__builtin_trap:
    endProgram(call);
    return {};
  case Builtin::BI__builtin_launder:
  case Builtin::BI__builtin_assume_aligned:
    return evaluate(call->getArg(0));
  default:
    isHandled = false;
    return {};
  }
}

} // namespace streammap
