#include "analysis/CallGraph.h"
#include "analysis/VirtualHeaders.h"
#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/Mangle.h>
#include <clang/AST/StmtCXX.h>
#include <clang/Basic/SourceManager.h>

namespace streammap {

using namespace clang;

bool isSystemCode(const SourceManager &sources, clang::SourceLocation location) {
  return location.isInvalid() || sources.isInSystemHeader(location) ||
         sources.getFilename(sources.getExpansionLoc(location)).starts_with(virtualRoot);
}

namespace {

// Calls that the task graph is made of. Memory that only the host sees is not among them.
bool isAction(const FunctionDecl *function) {
  const IdentifierInfo *identifier = function->getIdentifier();
  if (!identifier)
    return false;
  const llvm::StringRef name = identifier->getName();
  if (const auto *scope = dyn_cast<NamespaceDecl>(function->getDeclContext());
      scope && scope->getIdentifier() && scope->getName() == "__streammap")
    return name == "task" || name == "wait" || name == "root";
  return name.starts_with("cudaMalloc") || name.starts_with("cudaHostAlloc") ||
         name.starts_with("cudaHostRegister") || name.starts_with("cudaLaunch");
}

/// "int (float *)": what a pointer must have to lead to a function. A method counts without its class,
/// because what std::function calls is a function that calls the method. Nothing known: "*".
std::string signatureOf(QualType type) {
  if (const auto *pointer = type->getAs<PointerType>())
    type = pointer->getPointeeType();
  const auto *function = type->getAs<FunctionProtoType>();
  if (!function)
    return "*";
  std::string text = function->getReturnType().getCanonicalType().getAsString() + "(";
  for (const QualType parameter : function->param_types())
    text += parameter.getCanonicalType().getAsString() + ",";
  return text + ")";
}

/// Calls `visit` for each function and each variable outside functions and system headers.
template <class Visit>
void forEachEntity(const DeclContext *scope, const SourceManager &sources, const Visit &visit) {
  for (const Decl *declaration : scope->decls()) {
    if (declaration->getLocation().isValid() && isSystemCode(sources, declaration->getLocation()))
      continue;
    if (const auto *function = dyn_cast<FunctionDecl>(declaration)) {
      visit(function);
    } else if (const auto *variable = dyn_cast<VarDecl>(declaration)) {
      visit(variable);
    } else if (const auto *templated = dyn_cast<FunctionTemplateDecl>(declaration)) {
      for (const FunctionDecl *instance : templated->specializations())
        visit(instance);
    } else if (const auto *classes = dyn_cast<ClassTemplateDecl>(declaration)) {
      for (const ClassTemplateSpecializationDecl *instance : classes->specializations())
        forEachEntity(instance, sources, visit);
    } else if (const auto *inner = dyn_cast<DeclContext>(declaration)) {
      if (isa<NamespaceDecl, LinkageSpecDecl, CXXRecordDecl>(declaration))
        forEachEntity(inner, sources, visit);
    }
  }
}

} // namespace

CallGraph::CallGraph(std::span<const std::unique_ptr<ParsedUnit>> units) : units_(units) {
  index();
  if (!main_)
    return;
  visit(main_);
  while (!pending_.empty()) {
    const FunctionDecl *next = pending_.back();
    pending_.pop_back();
    visit(next);
  }
  propagate();
}

void CallGraph::index() {
  for (const auto &unit : units_) {
    ASTContext &context = unit->context();
    ASTNameGenerator names(context);
    forEachEntity(context.getTranslationUnitDecl(), unit->sourceManager(), [&](const ValueDecl *entity) {
      if (const auto *variable = dyn_cast<VarDecl>(entity)) {
        if (units_.size() > 1 && variable->isExternallyVisible() && !variable->getType()->isDependentType() &&
            variable->isThisDeclarationADefinition() == VarDecl::Definition)
          variables_.emplace(names.getName(variable), variable);
        return;
      }
      const auto *function = cast<FunctionDecl>(entity);
      if (const auto *method = dyn_cast<CXXMethodDecl>(function))
        for (const CXXMethodDecl *base : method->overridden_methods())
          overriders_[base->getCanonicalDecl()].push_back(method);
      if (!function->doesThisDeclarationHaveABody() || function->isDependentContext())
        return;
      if (function->isMain() && !main_)
        main_ = function;
      if (units_.size() > 1 && function->isExternallyVisible())
        definitions_.emplace(names.getName(function), function);
    });
  }
}

const FunctionDecl *CallGraph::definitionOf(const FunctionDecl *function) {
  const FunctionDecl *definition = nullptr;
  if (function->hasBody(definition))
    return definition;
  const auto [found, isNew] = resolved_.try_emplace(function, function);
  if (isNew && !definitions_.empty() && function->isExternallyVisible() && !function->isDependentContext()) {
    ASTNameGenerator names(function->getASTContext());
    if (const auto named = definitions_.find(names.getName(function)); named != definitions_.end())
      found->second = named->second;
  }
  return found->second;
}

const VarDecl *CallGraph::definitionOf(const VarDecl *variable) {
  if (const VarDecl *definition = variable->getDefinition())
    return definition;
  if (variables_.empty() || !variable->isExternallyVisible())
    return variable->getActingDefinition();
  ASTNameGenerator names(variable->getASTContext());
  const auto found = variables_.find(names.getName(variable));
  return found == variables_.end() ? variable->getActingDefinition() : found->second;
}

void CallGraph::addOverriders(const FunctionDecl *function, Node &node) {
  const auto *method = dyn_cast<CXXMethodDecl>(function);
  if (!method || !method->isVirtual())
    return;
  if (const auto found = overriders_.find(method->getCanonicalDecl()); found != overriders_.end())
    for (const CXXMethodDecl *overrider : found->second) {
      node.callees.push_back(definitionOf(overrider));
      addOverriders(overrider, node);
    }
}

void CallGraph::visit(const FunctionDecl *function) {
  function = definitionOf(function);
  auto &node = nodes_[function];
  if (node)
    return;
  node = std::make_unique<Node>();
  Node &here = *node; // `nodes_` may grow below
  if (const auto *constructor = dyn_cast<CXXConstructorDecl>(function))
    for (const CXXCtorInitializer *initialiser : constructor->inits())
      scan(initialiser->getInit(), here);
  if (function->hasBody())
    scan(function->getBody(), here);
  for (const FunctionDecl *callee : here.callees)
    if (!nodes_.contains(definitionOf(callee)))
      pending_.push_back(callee);
}

void CallGraph::scan(const Stmt *statement, Node &node) {
  if (!statement)
    return;
  const auto callee = [&](const FunctionDecl *function) {
    if (!function)
      return;
    if (isAction(function))
      node.acts = true;
    else
      node.callees.push_back(definitionOf(function));
    addOverriders(function, node);
  };
  if (isa<CUDAKernelCallExpr>(statement)) {
    node.acts = true;
  } else if (const auto *construct = dyn_cast<CXXConstructExpr>(statement)) {
    callee(construct->getConstructor());
  } else if (const auto *lambda = dyn_cast<LambdaExpr>(statement)) {
    // Whoever calls it names its operator; whoever calls through std::function only knows an address.
    addressTaken_.insert(lambda->getCallOperator());
    pending_.push_back(lambda->getCallOperator());
    for (const Expr *capture : lambda->capture_inits())
      scan(capture, node);
    return;
  } else if (const auto *argument = dyn_cast<CXXDefaultArgExpr>(statement)) {
    scan(argument->getExpr(), node);
  } else if (const auto *member = dyn_cast<CXXDefaultInitExpr>(statement)) {
    scan(member->getExpr(), node);
  } else if (const auto *call = dyn_cast<CallExpr>(statement)) {
    if (const FunctionDecl *direct = call->getDirectCallee()) {
      callee(direct);
      for (const Stmt *child : call->children())
        if (child != call->getCallee() || isa<MemberExpr>(call->getCallee()->IgnoreParenImpCasts()))
          scan(child, node);
      return;
    }
    node.indirectCalls.insert(signatureOf(call->getCallee()->getType()));
  } else if (const auto *reference = dyn_cast<DeclRefExpr>(statement)) {
    if (const auto *function = dyn_cast<FunctionDecl>(reference->getDecl())) {
      addressTaken_.insert(definitionOf(function));
      pending_.push_back(function);
    }
  }
  for (const Stmt *child : statement->children())
    scan(child, node);
}

void CallGraph::propagate() {
  for (bool changes = true; changes;) {
    changes = false;
    for (auto &[function, node] : nodes_) {
      if (node->isReached)
        continue;
      bool reaches = node->acts || actsIndirectly(*node);
      for (const FunctionDecl *callee : node->callees) {
        const auto found = nodes_.find(definitionOf(callee));
        reaches = reaches || (found != nodes_.end() && found->second->isReached);
      }
      if (!reaches)
        continue;
      node->isReached = changes = true;
      if (addressTaken_.contains(function))
        indirectActions_.insert(signatureOf(function->getType()));
    }
  }
}

bool CallGraph::actsIndirectly(const Node &node) const {
  if (indirectActions_.empty())
    return false;
  for (const std::string &signature : node.indirectCalls)
    if (signature == "*" || indirectActions_.contains(signature))
      return true;
  return false;
}

bool CallGraph::isInert(const FunctionDecl *function) {
  const auto found = nodes_.find(definitionOf(function));
  return found == nodes_.end() ? !isAction(function) : !found->second->isReached;
}

bool CallGraph::isInert(const Stmt *statement) {
  const auto [known, isNew] = inertStatements_.try_emplace(statement, true);
  if (!isNew)
    return known->second;
  Node node;
  scan(statement, node);
  pending_.clear();
  bool acts = node.acts || actsIndirectly(node);
  for (const FunctionDecl *callee : node.callees)
    acts = acts || !isInert(callee);
  return inertStatements_[statement] = !acts;
}

} // namespace streammap
