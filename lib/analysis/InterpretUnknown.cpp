// Interpreter: leaving code half-way. What the code wrote so far was recorded; what else it may write is read
// off its text: assigned variables, what pointers lead to, arguments that may be written through.
#include "analysis/ClangDiagnostics.h"
#include "analysis/Interpreter.h"
#include <algorithm>
#include <clang/AST/Attr.h>
#include <llvm/ADT/SmallPtrSet.h>

namespace streammap {

using namespace clang;

using Kind = TypeShape::Kind;

namespace {

/// Calls `write(target, reachesBeyond)` for each expression that `code` may write to, and collects the
/// variables that it declares.
template <class Write>
void forEachWrite(const Stmt *code, llvm::SmallPtrSetImpl<const VarDecl *> &own, const Write &write) {
  if (!code || isa<LambdaExpr>(code))
    return;
  if (const auto *declarations = dyn_cast<DeclStmt>(code)) {
    for (const Decl *declaration : declarations->decls())
      if (const auto *variable = dyn_cast<VarDecl>(declaration))
        own.insert(variable);
  } else if (const auto *operation = dyn_cast<BinaryOperator>(code);
             operation && operation->isAssignmentOp()) {
    write(operation->getLHS(), false);
  } else if (const auto *step = dyn_cast<UnaryOperator>(code); step && step->isIncrementDecrementOp()) {
    write(step->getSubExpr(), false);
  } else if (const auto *call = dyn_cast<CallExpr>(code)) {
    const FunctionDecl *callee = call->getDirectCallee();
    const auto *method = dyn_cast_or_null<CXXMethodDecl>(callee);
    unsigned first = 0;
    if (method && method->isInstance() && !method->isConst()) {
      const auto *member = dyn_cast<CXXMemberCallExpr>(call);
      const Expr *object = member ? member->getImplicitObjectArgument() : call->getArg(0);
      first = member ? 0 : 1;
      // Access to an element is no change of the container; a write through it stands on its own.
      const bool isAccess =
          method->getReturnType()->isReferenceType() || method->getReturnType()->isPointerType() ||
          (method->getIdentifier() && (method->getName() == "begin" || method->getName() == "end"));
      if (object && !(isAccess && method->getOverloadedOperator() != OO_Equal))
        write(object, true);
    } else if (isa<CXXOperatorCallExpr>(call) && method) {
      first = 1;
    }
    for (unsigned i = first; callee && i < call->getNumArgs() && i - first < callee->getNumParams(); ++i) {
      const QualType parameter = callee->getParamDecl(i - first)->getType();
      if ((parameter->isReferenceType() || parameter->isPointerType()) &&
          !parameter->getPointeeType().isConstQualified())
        write(call->getArg(i), true);
    }
  }
  for (const Stmt *child : code->children())
    forEachWrite(child, own, write);
}

} // namespace

// What was written since `since` may have been written or not.
void Interpreter::forgetRecorded(std::size_t since, Reason reason) {
  for (const HostMemory::Range &range : memory_.writesSince(since))
    memory_.invalidate(range.begin, range.size, reason);
}

// `yes` and `no`: how control leaves the two sides of a branch whose condition is unknown. Returns the way
// that is followed; that the other may have been taken is kept in mind.
Flow Interpreter::uncertain(Flow yes, Flow no, const Expr *condition, Reason reason) {
  if (yes == no) {
    if (yes == Flow::returns)
      frame().returned = {0, reason};
    return yes;
  }
  const Flow followed = yes == Flow::next || (no != Flow::next && yes != Flow::returns) ? yes : no;
  const Flow other = followed == yes ? no : yes;
  const bool returns = other == Flow::returns;
  uncertain_.push_back({frames_.size() - 1, returns ? 0 : frame().loops, other == Flow::continues,
                        memory_.writes().size(), reason,
                        unknownDiagnostic(condition,
                                          returns ? "whether the tasks after this point are reached"
                                                  : "how many tasks this loop makes",
                                          reason, "unknown-condition")});
  memory_.startRecording();
  return followed;
}

// The function or loop that control may have left earlier is at its end.
void Interpreter::settle(std::size_t frameIndex, unsigned loop) {
  while (!uncertain_.empty() && uncertain_.back().frame >= frameIndex &&
         (uncertain_.back().frame > frameIndex || uncertain_.back().loop >= loop)) {
    forgetRecorded(uncertain_.back().since, uncertain_.back().reason);
    memory_.stopRecording();
    uncertain_.pop_back();
  }
}

void Interpreter::refuseUncertainTask() {
  if (uncertain_.empty() || halt_ != Halt::none)
    return;
  diagnostics_.report(uncertain_.front().diagnostic);
  halt_ = Halt::failed;
}

// `code` is left: everything it wrote since `since` and everything it may write is unknown from here on.
void Interpreter::forgetWrites(const Stmt *code, std::size_t since, Reason reason) {
  const Address top = frame().base + frame().function->frameSize;
  HostMemory::Range last;
  for (HostMemory::Range range : memory_.writesSince(since)) {
    if (range.begin >= last.begin && range.begin + range.size <= last.begin + last.size)
      continue; // in what was just forgotten
    range = last = widened(range);
    if (!memory_.isStack(range.begin) || range.begin < top) // above: frames that are gone
      memory_.invalidate(range.begin, range.size, reason);
  }
  if (!code)
    return;
  llvm::SmallPtrSet<const VarDecl *, 8> own;
  std::vector<std::pair<const Expr *, bool>> targets;
  forEachWrite(code, own, [&](const Expr *target, bool reaches) { targets.emplace_back(target, reaches); });
  for (const auto &[target, reaches] : targets) {
    const VarDecl *root = nullptr;
    for (const Expr *inner = target->IgnoreParenCasts(); inner && !root;) {
      if (const auto *reference = dyn_cast<DeclRefExpr>(inner))
        root = dyn_cast<VarDecl>(reference->getDecl());
      if (const auto *member = dyn_cast<MemberExpr>(inner))
        inner = member->getBase()->IgnoreParenCasts();
      else if (const auto *subscript = dyn_cast<ArraySubscriptExpr>(inner))
        inner = subscript->getBase()->IgnoreParenCasts();
      else if (const auto *operation = dyn_cast<UnaryOperator>(inner))
        inner = operation->getSubExpr()->IgnoreParenCasts();
      else if (const auto *call = dyn_cast<CXXOperatorCallExpr>(inner); call && call->getNumArgs() != 0)
        inner = call->getArg(0)->IgnoreParenCasts();
      else if (const auto *method = dyn_cast<CXXMemberCallExpr>(inner);
               method && method->getImplicitObjectArgument())
        inner = method->getImplicitObjectArgument()->IgnoreParenCasts();
      else
        break;
    }
    if (!root || own.contains(root))
      continue; // its own variables are gone with it; what they lead to was recorded
    forgetTarget(target, reason, reaches);
  }
}

void Interpreter::forgetTarget(const Expr *target, Reason reason, bool reachable) {
  const Expr *inner = target->IgnoreParenCasts();
  if (const auto *address = dyn_cast<UnaryOperator>(inner); address && address->getOpcode() == UO_AddrOf)
    inner = address->getSubExpr()->IgnoreParenCasts();
  const auto invalidate = [&](HostMemory::Range range) {
    if (memory_.objectAt(range.begin).size != 0 && range.size != 0)
      memory_.invalidate(range.begin, range.size, reason);
  };
  if (const auto *reference = dyn_cast<DeclRefExpr>(inner)) {
    const auto *root = dyn_cast<VarDecl>(reference->getDecl());
    if (!root || (root->hasLocalStorage() && !frame().function->slots.contains(root) &&
                  !frame().function->captures.contains(root)))
      return;
    const HostValue at = variable(root);
    if (!at.isKnown())
      return;
    const HostMemory::Range object{at.bits, sizeOf(root->getType().getNonReferenceType())};
    const bool isPointer = root->getType().getNonReferenceType()->isPointerType();
    if (reachable && target->getType()->isPointerType() && isPointer && inner == target->IgnoreParenCasts()) {
      const HostValue pointee = memory_.load(at.bits, 8); // p passed by value: what it points to
      if (pointee.isKnown())
        invalidate(widened({pointee.bits, 1}));
      return;
    }
    if (reachable)
      forgetReachable(object, reason);
    invalidate(object);
    return;
  }
  // An element or what a pointer leads to: the whole object that it lies in. Indices may be anything, so only
  // the base is evaluated.
  const Expr *base = nullptr;
  bool baseIsPointer = false;
  if (const auto *member = dyn_cast<MemberExpr>(inner)) {
    if (!member->isArrow())
      return forgetTarget(member->getBase(), reason, false);
    base = member->getBase()->IgnoreParenCasts();
    baseIsPointer = true;
  } else if (const auto *subscript = dyn_cast<ArraySubscriptExpr>(inner)) {
    base = subscript->getBase()->IgnoreParenCasts();
    baseIsPointer = base->getType()->isPointerType();
  } else if (const auto *deref = dyn_cast<UnaryOperator>(inner); deref && deref->getOpcode() == UO_Deref) {
    base = deref->getSubExpr()->IgnoreParenCasts();
    baseIsPointer = true;
  } else if (const auto *call = dyn_cast<CXXOperatorCallExpr>(inner); call && call->getNumArgs() != 0) {
    base = call->getArg(0)->IgnoreParenCasts();
  } else if (const auto *method = dyn_cast<CXXMemberCallExpr>(inner)) {
    base = method->getImplicitObjectArgument();
  }
  const VarDecl *root = base ? rootVariable(base) : nullptr;
  if (!root) {
    if (base && !isa<CXXThisExpr>(base))
      forgetTarget(base, reason, false);
    return;
  }
  if (root->hasLocalStorage() && !frame().function->slots.contains(root) &&
      !frame().function->captures.contains(root))
    return;
  const HostValue at = variable(root);
  if (!at.isKnown())
    return;
  if (baseIsPointer) {
    const HostValue pointee = memory_.load(at.bits, 8);
    if (pointee.isKnown())
      invalidate(widened({pointee.bits, 1}));
  } else if (root->getType().getNonReferenceType()->isArrayType()) {
    invalidate({at.bits, sizeOf(root->getType().getNonReferenceType())});
  } else {
    forgetReachable({at.bits, sizeOf(root->getType().getNonReferenceType())}, reason);
  }
}

// The storage that the pointers inside an object lead to: the elements of a vector.
void Interpreter::forgetReachable(HostMemory::Range object, Reason reason) {
  constexpr std::uint64_t mostWords = 16;
  for (std::uint64_t offset = 0; offset + 8 <= object.size && offset < 8 * mostWords; offset += 8) {
    const HostValue word = memory_.load(object.begin + offset, 8);
    if (!word.isKnown() || word.bits == 0 || memory_.isStack(word.bits))
      continue;
    const HostMemory::Range storage = memory_.objectAt(word.bits);
    if (storage.size != 0)
      memory_.invalidate(storage.begin, storage.size, reason);
  }
}

// Whether the code writes to the stream of errors.
static bool complains(const Stmt *code) {
  if (!code)
    return false;
  if (const auto *reference = dyn_cast<DeclRefExpr>(code))
    if (const IdentifierInfo *name = reference->getDecl()->getIdentifier())
      if (name->isStr("stderr") || name->isStr("cerr") || name->isStr("perror"))
        return true;
  for (const Stmt *child : code->children())
    if (complains(child))
      return true;
  return false;
}

// Error handling: a side that leaves the program, or main with a failure, or complains and returns.
bool Interpreter::endsInFailure(const Stmt *arm) {
  if (!arm || !graph_.isInert(arm))
    return false;
  const Stmt *last = arm;
  while (const auto *block = dyn_cast<CompoundStmt>(last)) {
    if (block->body_empty())
      return false;
    last = block->body_back();
  }
  if (const auto *result = dyn_cast<ReturnStmt>(last)) {
    const auto *function = frame().function->declaration;
    if (complains(arm))
      return true;
    if (!function || !function->isMain() || !result->getRetValue())
      return false;
    Expr::EvalResult folded;
    return !result->getRetValue()->isValueDependent() &&
           result->getRetValue()->EvaluateAsInt(folded, context()) && folded.Val.getInt().getBoolValue();
  }
  const auto *expression = dyn_cast<Expr>(last);
  if (!expression)
    return false;
  expression = expression->IgnoreImplicit();
  if (isa<CXXThrowExpr>(expression))
    return true;
  const auto *call = dyn_cast<CallExpr>(expression);
  const FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
  return callee && (callee->isNoReturn() || callee->hasAttr<NoReturnAttr>());
}

void Interpreter::assumeNoFailure(const Expr *condition, Reason reason) {
  if (frame().function->isSystem || !warned_.insert(condition).second)
    return;
  const UnknownReason &why = reasons_[reason];
  const std::string cause = why.variable.empty() ? "" : " (it depends on '" + why.variable + "')";
  assumed_.push_back(diagnosticAt(context().getSourceManager(), context().getLangOpts(), Severity::warning,
                                  condition->getBeginLoc(), condition->getSourceRange(),
                                  "whether the program ends here is unknown" + cause +
                                      "; the tasks are those of a run that goes on",
                                  "assumed-no-failure"));
}

} // namespace streammap
