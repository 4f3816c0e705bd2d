#include "analysis/ParameterUse.h"
#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <vector>

namespace streammap {

using namespace clang;

namespace {

constexpr unsigned deepest = 8;

ParameterUse use(const FunctionDecl *function, unsigned parameter, unsigned depth);

/// Looks at each mention of the parameter and at what surrounds it.
class MentionFinder : public RecursiveASTVisitor<MentionFinder> {
public:
  MentionFinder(const ParmVarDecl *parameter, unsigned depth) : parameter_(parameter), depth_(depth) {}
  ParameterUse found;

  bool shouldVisitImplicitCode() const { return true; }

  bool TraverseStmt(Stmt *statement) {
    if (!statement)
      return true;
    path_.push_back(statement);
    const bool result = RecursiveASTVisitor::TraverseStmt(statement);
    path_.pop_back();
    return result;
  }

  bool VisitDeclRefExpr(DeclRefExpr *reference) {
    if (reference->getDecl() == parameter_)
      judge();
    return true;
  }

private:
  const Stmt *at(std::size_t above) const {
    return above < path_.size() ? path_[path_.size() - 1 - above] : nullptr;
  }

  // From the mention outwards: pointer arithmetic and casts keep it a pointer; * and [] make it memory; then
  // what happens to that memory decides.
  void judge() {
    std::size_t i = 1;
    for (;; ++i) {
      const Stmt *above = at(i);
      if (isa_and_nonnull<ImplicitCastExpr>(above) || isa_and_nonnull<ParenExpr>(above) ||
          isa_and_nonnull<ExplicitCastExpr>(above))
        continue;
      const auto *sum = dyn_cast_or_null<BinaryOperator>(above);
      if (sum && sum->isAdditiveOp() && sum->getType()->isPointerType())
        continue;
      break;
    }
    const Stmt *above = at(i);
    if (const auto *subscript = dyn_cast_or_null<ArraySubscriptExpr>(above);
        subscript && isWithin(subscript->getBase(), i - 1))
      return judgeMemory(i);
    if (const auto *unary = dyn_cast_or_null<UnaryOperator>(above)) {
      if (unary->getOpcode() == UO_Deref)
        return judgeMemory(i);
      found.isUnclear = true;
      return;
    }
    if (const auto *member = dyn_cast_or_null<MemberExpr>(above); member && member->isArrow())
      return judgeMemory(i);
    if (const auto *call = dyn_cast_or_null<CallExpr>(above))
      return judgeCall(call, i - 1);
    if (const auto *comparison = dyn_cast_or_null<BinaryOperator>(above);
        comparison && comparison->isComparisonOp())
      return;
    found.isUnclear = true;
  }

  bool isWithin(const Expr *expression, std::size_t below) const {
    for (std::size_t i = 0; i <= below; ++i)
      if (at(i) == expression)
        return true;
    return false;
  }

  void judgeMemory(std::size_t i) {
    ++i;
    // a[i].x and a[i][j] are still that memory.
    while (true) {
      const Stmt *above = at(i);
      const auto *member = dyn_cast_or_null<MemberExpr>(above);
      const auto *cast = dyn_cast_or_null<ImplicitCastExpr>(above);
      if ((member && !member->isArrow()) || isa_and_nonnull<ParenExpr>(above) ||
          (cast && (cast->getCastKind() == CK_NoOp || cast->getCastKind() == CK_ArrayToPointerDecay)) ||
          (isa_and_nonnull<ArraySubscriptExpr>(above) && at(i - 1) && isa<ImplicitCastExpr>(at(i - 1)) &&
           cast_or_null<ImplicitCastExpr>(at(i - 1))->getCastKind() == CK_ArrayToPointerDecay))
        ++i;
      else
        break;
    }
    const Stmt *above = at(i);
    const Stmt *self = at(i - 1);
    if (const auto *cast = dyn_cast_or_null<ImplicitCastExpr>(above);
        cast && cast->getCastKind() == CK_LValueToRValue) {
      found.isRead = true;
    } else if (const auto *binary = dyn_cast_or_null<BinaryOperator>(above);
               binary && binary->isAssignmentOp()) {
      if (binary->getLHS() == self) {
        wrote(binary->getOperatorLoc());
        found.isRead |= binary->isCompoundAssignmentOp();
      } else {
        found.isRead = true;
      }
    } else if (const auto *unary = dyn_cast_or_null<UnaryOperator>(above);
               unary && unary->isIncrementDecrementOp()) {
      wrote(unary->getOperatorLoc());
      found.isRead = true;
    } else if (unary && unary->getOpcode() == UO_AddrOf) {
      // &a[i] as an argument: atomicAdd(&a[i], v)
      std::size_t j = i + 1;
      while (isa_and_nonnull<ImplicitCastExpr>(at(j)) || isa_and_nonnull<ParenExpr>(at(j)) ||
             isa_and_nonnull<ExplicitCastExpr>(at(j)))
        ++j;
      if (const auto *call = dyn_cast_or_null<CallExpr>(at(j)))
        judgeCall(call, j - 1);
      else
        found.isUnclear = true;
    } else {
      found.isUnclear = true;
    }
  }

  void judgeCall(const CallExpr *call, std::size_t argumentAt) {
    const FunctionDecl *callee = call->getDirectCallee();
    if (!callee || !callee->getIdentifier()) {
      found.isUnclear = true;
      return;
    }
    for (unsigned i = 0; i < call->getNumArgs(); ++i) {
      if (call->getArg(i) != at(argumentAt))
        continue;
      if (callee->getName().starts_with("atomic")) {
        wrote(call->getBeginLoc());
        found.isRead = true;
        return;
      }
      if (i >= callee->getNumParams()) {
        found.isUnclear = true;
        return;
      }
      const QualType type = callee->getParamDecl(i)->getType();
      if (type->isPointerType() && type->getPointeeType().isConstQualified()) {
        found.isRead = true;
        return;
      }
      const ParameterUse inner =
          depth_ < deepest ? use(callee, i, depth_ + 1) : ParameterUse{false, false, true, {}};
      found.isRead |= inner.isRead;
      found.isUnclear |= inner.isUnclear;
      if (inner.isWritten)
        wrote(inner.firstWrite);
      return;
    }
    found.isUnclear = true;
  }

  void wrote(clang::SourceLocation location) {
    if (!found.isWritten)
      found.firstWrite = location;
    found.isWritten = true;
  }

  const ParmVarDecl *parameter_;
  unsigned depth_;
  std::vector<const Stmt *> path_;
};

ParameterUse use(const FunctionDecl *function, unsigned parameter, unsigned depth) {
  const FunctionDecl *definition = nullptr;
  if (!function->hasBody(definition) || parameter >= definition->getNumParams())
    return {false, false, true, {}};
  MentionFinder finder(definition->getParamDecl(parameter), depth);
  finder.TraverseStmt(definition->getBody());
  return finder.found;
}

} // namespace

ParameterUse useOfParameter(const FunctionDecl *function, unsigned parameter) {
  return use(function, parameter, 0);
}

} // namespace streammap
