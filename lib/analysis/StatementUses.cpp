#include "analysis/StatementUses.h"
#include <algorithm>
#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <map>

namespace streammap {

using namespace clang;

bool isSameExpression(const Expr *a, const Expr *b, const ASTContext &context) {
  a = a->IgnoreParenImpCasts();
  b = b->IgnoreParenImpCasts();
  if (isa<CXXThisExpr>(a) && isa<CXXThisExpr>(b))
    return true;
  const auto *memberA = dyn_cast<MemberExpr>(a), *memberB = dyn_cast<MemberExpr>(b);
  if (memberA && memberB)
    return memberA->getMemberDecl() == memberB->getMemberDecl() &&
           isSameExpression(memberA->getBase(), memberB->getBase(), context);
  if (a->getStmtClass() != b->getStmtClass())
    return false;
  // Inside a lambda a captured variable is the same declaration with other flags.
  const auto *referenceA = dyn_cast<DeclRefExpr>(a), *referenceB = dyn_cast<DeclRefExpr>(b);
  if (referenceA && referenceB)
    return referenceA->getDecl() == referenceB->getDecl();
  const auto *subscriptA = dyn_cast<ArraySubscriptExpr>(a), *subscriptB = dyn_cast<ArraySubscriptExpr>(b);
  if (subscriptA && subscriptB)
    return isSameExpression(subscriptA->getLHS(), subscriptB->getLHS(), context) &&
           isSameExpression(subscriptA->getRHS(), subscriptB->getRHS(), context);
  llvm::FoldingSetNodeID idA, idB;
  a->Profile(idA, context, true);
  b->Profile(idB, context, true);
  return idA == idB;
}

static bool isIdentifier(llvm::StringRef text) {
  return !text.empty() && !isDigit(text.front()) &&
         std::all_of(text.begin(), text.end(), [](char c) { return isAsciiIdentifierContinue(c); });
}

std::vector<TaskBase> basesOf(const TaskMarker &task, const ASTContext &context) {
  std::vector<TaskBase> bases;
  for (std::size_t i = 0; i < task.data.size(); ++i) {
    const DataItem &item = task.data[i];
    const bool isKnown = std::any_of(bases.begin(), bases.end(), [&](const TaskBase &base) {
      return isSameExpression(base.expression, item.base, context);
    });
    if (isKnown)
      continue;
    const QualType type = item.base->getType();
    const bool isPointer = item.forms->form != ItemForm::bare || type->isPointerType();
    bases.push_back({item.base, item.forms->baseText, i, isPointer, isIdentifier(item.forms->baseText)});
  }
  return bases;
}

namespace {

/// One variable from outside, over all its uses.
struct Outside {
  const ValueDecl *declaration;
  std::string text; ///< of its first use
  std::vector<const Expr *> qualifiedUses;
  bool isOnlyRead = true;
  bool isOnlyConst = true;
};

class UseFinder : public RecursiveASTVisitor<UseFinder> {
public:
  UseFinder(const std::vector<TaskBase> &bases, const ASTContext &context, StatementUses &uses)
      : bases_(bases), context_(context), uses_(uses) {}

  std::vector<Outside> outsides;

  bool TraverseStmt(Stmt *statement) {
    if (!statement)
      return true;
    if (auto *expression = dyn_cast<Expr>(statement))
      if (replaceBase(expression))
        return true;
    parents_.push_back(statement);
    const bool result = RecursiveASTVisitor::TraverseStmt(statement);
    parents_.pop_back();
    return result;
  }

  bool VisitDecl(Decl *declaration) {
    inside_.insert(declaration);
    return true;
  }

  bool VisitDeclRefExpr(DeclRefExpr *reference) {
    const ValueDecl *declaration = reference->getDecl();
    if (isa<VarDecl, BindingDecl>(declaration) && !inside_.contains(declaration))
      note(declaration, reference, reference->hasQualifier());
    return true;
  }

  bool VisitMemberExpr(MemberExpr *member) {
    const auto *self = dyn_cast<CXXThisExpr>(member->getBase()->IgnoreParenImpCasts());
    if (self && isa<FieldDecl>(member->getMemberDecl()))
      note(member->getMemberDecl(), member, !self->isImplicit());
    return true;
  }

private:
  bool replaceBase(const Expr *expression) {
    if (isa<ImplicitCastExpr, ParenExpr>(expression))
      return false;
    for (std::size_t i = 0; i < bases_.size(); ++i) {
      if (!isSameExpression(bases_[i].expression, expression, context_))
        continue;
      const auto *reference = dyn_cast<DeclRefExpr>(expression);
      const auto *member = dyn_cast<MemberExpr>(expression);
      const bool isImplicitMember =
          member && isa<CXXThisExpr>(member->getBase()) && cast<CXXThisExpr>(member->getBase())->isImplicit();
      const bool isShadowed =
          bases_[i].isPlain && ((reference && !reference->hasQualifier()) || isImplicitMember);
      if (!isShadowed)
        uses_.replacements.push_back({expression->getSourceRange(), i, true});
      return true;
    }
    return false;
  }

  void note(const ValueDecl *declaration, const Expr *use, bool isQualified) {
    auto found = std::find_if(outsides.begin(), outsides.end(),
                              [&](const Outside &outside) { return outside.declaration == declaration; });
    if (found == outsides.end())
      found = outsides.insert(outsides.end(), {declaration, declaration->getNameAsString(), {}, true, true});
    if (isQualified)
      found->qualifiedUses.push_back(use);
    found->isOnlyRead &= isRead();
    found->isOnlyConst &= isConst();
  }

  // The parent of the node being visited, parentheses left out (the node itself is on top).
  const Stmt *parent() const {
    for (std::size_t i = parents_.size(); i-- > 1;)
      if (!isa<ParenExpr>(parents_[i - 1]))
        return parents_[i - 1];
    return nullptr;
  }
  bool isRead() const {
    const Stmt *above = parent();
    if (const auto *cast = dyn_cast_or_null<ImplicitCastExpr>(above))
      return cast->getCastKind() == CK_LValueToRValue;
    // In a template the conversions are not known yet; kernels take their arguments by value.
    return isa_and_nonnull<CUDAKernelCallExpr>(above) || isa_and_nonnull<CallExpr>(above);
  }
  bool isConst() const {
    const auto *cast = dyn_cast_or_null<ImplicitCastExpr>(parent());
    return cast && (cast->getCastKind() == CK_LValueToRValue || cast->getType().isConstQualified());
  }

  const std::vector<TaskBase> &bases_;
  const ASTContext &context_;
  StatementUses &uses_;
  std::vector<const Stmt *> parents_;
  std::set<const Decl *> inside_;
};

bool isOnDevice(const ValueDecl *declaration) {
  return declaration->hasAttr<CUDADeviceAttr>() || declaration->hasAttr<CUDAConstantAttr>() ||
         declaration->hasAttr<HIPManagedAttr>() || declaration->hasAttr<CUDASharedAttr>();
}

bool needsSnapshot(const Outside &outside) {
  const QualType type = outside.declaration->getType().getNonReferenceType();
  if (isa<BindingDecl>(outside.declaration) || type->isVariablyModifiedType())
    return true;
  if (!outside.isOnlyRead || isOnDevice(outside.declaration) || !type->isScalarType() ||
      type.isConstQualified())
    return false;
  const auto *variable = dyn_cast<VarDecl>(outside.declaration);
  return isa<FieldDecl>(outside.declaration) || (variable && variable->hasGlobalStorage());
}

/// A closure can hold a copy: the copy constructor is not deleted, by the user or by a member, and is public.
bool isCopyable(const CXXRecordDecl &record) {
  for (const CXXConstructorDecl *constructor : record.ctors())
    if (constructor->isCopyConstructor())
      return !constructor->isDeleted() && constructor->getAccess() == AS_public;
  return !record.defaultedCopyConstructorIsDeleted();
}

bool needsReference(const Outside &outside) {
  const auto *variable = dyn_cast<VarDecl>(outside.declaration);
  if (!variable || variable->hasGlobalStorage())
    return false;
  const QualType type = variable->getType().getNonReferenceType();
  const CXXRecordDecl *record = type->getAsCXXRecordDecl();
  if (type->isDependentType() || !record || !record->hasDefinition())
    return false;
  if (!isCopyable(*record))
    return true;
  return !record->isTriviallyCopyable() && !outside.isOnlyConst;
}

} // namespace

StatementUses usesOf(const Stmt *statement, const std::vector<TaskBase> &bases, const ASTContext &context) {
  StatementUses uses;
  UseFinder finder(bases, context, uses);
  finder.TraverseStmt(const_cast<Stmt *>(statement));
  for (const Outside &outside : finder.outsides) {
    if (needsSnapshot(outside)) {
      const std::string text = isa<FieldDecl>(outside.declaration) ? "this->" + outside.text
                               : outside.qualifiedUses.empty()
                                   ? outside.text
                                   : outside.declaration->getQualifiedNameAsString();
      for (const Expr *use : outside.qualifiedUses)
        uses.replacements.push_back({use->getSourceRange(), uses.snapshots.size(), false});
      uses.snapshots.push_back({outside.text, text});
    } else if (needsReference(outside)) {
      uses.byReference.push_back(outside.text);
    }
  }
  return uses;
}

} // namespace streammap
