#include "analysis/DeviceVariables.h"
#include <algorithm>
#include <clang/AST/Attr.h>
#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <set>

namespace streammap {

using namespace clang;

namespace {

constexpr unsigned deepest = 8;

class ChangeFinder : public RecursiveASTVisitor<ChangeFinder> {
public:
  std::vector<DeviceVariableChange> changes;

  void look(const FunctionDecl *function) {
    const FunctionDecl *definition = nullptr;
    if (!function->hasBody(definition) || depth_ == deepest || !seen_.insert(definition).second)
      return;
    ++depth_;
    TraverseStmt(definition->getBody());
    --depth_;
  }

  bool shouldVisitImplicitCode() const { return true; }

  bool VisitImplicitCastExpr(ImplicitCastExpr *cast) {
    if (cast->getCastKind() == CK_LValueToRValue)
      reads_.insert(variableIn(cast->getSubExpr()));
    return true;
  }

  bool VisitDeclRefExpr(DeclRefExpr *reference) {
    if (const auto *callee = dyn_cast<FunctionDecl>(reference->getDecl())) {
      look(callee);
      return true;
    }
    const auto *variable = dyn_cast<VarDecl>(reference->getDecl());
    if (!variable || !variable->hasAttr<CUDADeviceAttr>() || variable->hasAttr<CUDAConstantAttr>() ||
        variable->getType().isConstQualified() || reads_.contains(reference))
      return true;
    if (std::ranges::find(changes, variable, &DeviceVariableChange::variable) == changes.end())
      changes.push_back({variable, reference->getBeginLoc()});
    return true;
  }

private:
  /// The variable that `x`, `x[i]`, `x.member` and combinations of them are part of.
  static const Expr *variableIn(const Expr *expression) {
    while (true) {
      expression = expression->IgnoreParenImpCasts();
      if (const auto *subscript = dyn_cast<ArraySubscriptExpr>(expression))
        expression = subscript->getBase();
      else if (const auto *member = dyn_cast<MemberExpr>(expression); member && !member->isArrow())
        expression = member->getBase();
      else
        return expression;
    }
  }

  unsigned depth_ = 0;
  std::set<const FunctionDecl *> seen_;
  std::set<const Expr *> reads_; // parents are visited first, so a read is known before its variable is met
};

} // namespace

std::vector<DeviceVariableChange> changedDeviceVariables(const FunctionDecl *kernel) {
  ChangeFinder finder;
  finder.look(kernel);
  return std::move(finder.changes);
}

} // namespace streammap
