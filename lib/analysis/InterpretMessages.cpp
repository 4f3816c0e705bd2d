// Interpreter: what is said of the program, and how its parts are called.
#include "analysis/ClangDiagnostics.h"
#include "analysis/Interpreter.h"
#include <clang/AST/Mangle.h>

namespace streammap {

using namespace clang;

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
  message += reason == UnknownReasons::divisionByZero ? why.what
             : why.variable.empty()                   ? "a value that is unknown"
                                                      : "'" + why.variable + "', which is unknown";
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

//===-- Names of places --===//

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
