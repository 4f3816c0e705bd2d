#include "analysis/SideEffects.h"
#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Basic/SourceManager.h>
#include <set>

namespace streammap {

using namespace clang;

const VarDecl *changedVariable(const Expr *place) {
  while (true) {
    place = place->IgnoreParenImpCasts();
    if (const auto *member = dyn_cast<MemberExpr>(place); member && !member->isArrow())
      place = member->getBase();
    else if (const auto *subscript = dyn_cast<ArraySubscriptExpr>(place);
             subscript && subscript->getBase()->IgnoreParenImpCasts()->getType()->isArrayType())
      place = subscript->getBase();
    else
      break;
  }
  const auto *reference = dyn_cast<DeclRefExpr>(place);
  return reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
}

namespace {

/// Lives in the function that changes it, and is no reference to something else.
bool isOwn(const Expr *place) {
  const VarDecl *variable = changedVariable(place);
  return variable && variable->hasLocalStorage() && !variable->getType()->isReferenceType();
}

class Finder : public RecursiveASTVisitor<Finder> {
public:
  std::optional<SideEffect> found;

  bool VisitBinaryOperator(BinaryOperator *operation) {
    return !operation->isAssignmentOp() || note(operation->getLHS(), operation->getOperatorLoc());
  }
  bool VisitUnaryOperator(UnaryOperator *operation) {
    return !operation->isIncrementDecrementOp() || note(operation->getSubExpr(), operation->getOperatorLoc());
  }
  bool VisitCallExpr(CallExpr *call) { return follow(call->getDirectCallee()); }
  bool VisitCXXConstructExpr(CXXConstructExpr *construction) {
    return follow(construction->getConstructor());
  }
  bool shouldVisitTemplateInstantiations() const { return true; }

private:
  bool note(const Expr *place, SourceLocation where) {
    if (depth_ != 0 && isOwn(place))
      return true;
    found = SideEffect{where, depth_ == 0};
    return false;
  }

  bool follow(const FunctionDecl *callee) {
    constexpr int deepest = 8;
    const FunctionDecl *definition = nullptr;
    if (!callee || !callee->hasBody(definition) || depth_ == deepest || !seen_.insert(definition).second ||
        definition->getASTContext().getSourceManager().isInSystemHeader(definition->getLocation()))
      return true;
    // A constructor changes what it constructs.
    if (isa<CXXConstructorDecl>(definition))
      return true;
    ++depth_;
    const bool goesOn = TraverseStmt(definition->getBody());
    --depth_;
    return goesOn;
  }

  int depth_ = 0;
  std::set<const FunctionDecl *> seen_;
};

} // namespace

std::optional<SideEffect> sideEffectOf(const Expr &expression) {
  Finder finder;
  finder.TraverseStmt(const_cast<Expr *>(&expression));
  return finder.found;
}

} // namespace streammap
