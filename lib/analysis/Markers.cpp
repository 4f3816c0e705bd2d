#include "analysis/Markers.h"
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/Expr.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/AST/Stmt.h>

namespace streammap {

using namespace clang;

std::string_view toText(Directive directive) {
  switch (directive) {
  case Directive::task:
    return "task";
  case Directive::wait:
    return "wait";
  case Directive::root:
    return "root";
  case Directive::trips:
    return "trips";
  }
  return "";
}

std::string_view toText(ClauseKind kind) {
  switch (kind) {
  case ClauseKind::in:
    return "in";
  case ClauseKind::out:
    return "out";
  case ClauseKind::inout:
    return "inout";
  case ClauseKind::on:
    return "on";
  case ClauseKind::name:
    return "name";
  case ClauseKind::flops:
    return "flops";
  case ClauseKind::bytes:
    return "bytes";
  case ClauseKind::seconds:
    return "seconds";
  case ClauseKind::memory:
    return "memory";
  case ClauseKind::device:
    return "device";
  case ClauseKind::capability:
    return "capability";
  case ClauseKind::model:
    return "model";
  case ClauseKind::together:
    return "together";
  case ClauseKind::apart:
    return "apart";
  case ClauseKind::node:
    return "node";
  case ClauseKind::priority:
    return "priority";
  case ClauseKind::when:
    return "when";
  case ClauseKind::trips:
    return "trips";
  }
  return "";
}

const OtherClause *TaskMarker::find(ClauseKind kind) const {
  for (const OtherClause &clause : clauses)
    if (clause.forms->kind == kind)
      return &clause;
  return nullptr;
}

namespace {

/// A call of `::__streammap::NAME(number, arguments...)` or of the trips function.
struct MarkerCall {
  llvm::StringRef name;
  unsigned number = 0;
  llvm::SmallVector<const Expr *, 4> arguments;
};

// The declaration that is called, also where overload resolution waits for the instantiation.
const NamedDecl *calleeOf(const CallExpr *call) {
  const Expr *callee = call->getCallee()->IgnoreParenImpCasts();
  if (const auto *reference = dyn_cast<DeclRefExpr>(callee))
    return reference->getDecl();
  if (const auto *lookup = dyn_cast<UnresolvedLookupExpr>(callee))
    return lookup->getNumDecls() == 0 ? nullptr : (*lookup->decls_begin())->getUnderlyingDecl();
  return nullptr;
}

std::optional<MarkerCall> markerCall(const Stmt *statement) {
  const auto *expression = dyn_cast_or_null<Expr>(statement);
  if (!expression)
    return std::nullopt;
  const auto *call = dyn_cast<CallExpr>(expression->IgnoreImplicit());
  const NamedDecl *callee = call && call->getNumArgs() != 0 ? calleeOf(call) : nullptr;
  if (!callee || !callee->getIdentifier())
    return std::nullopt;
  if (callee->getName() != tripsFunction) {
    const auto *scope = dyn_cast<NamespaceDecl>(callee->getDeclContext());
    if (!scope || !scope->getIdentifier() || scope->getName() != "__streammap")
      return std::nullopt;
  }
  const auto *number = dyn_cast<IntegerLiteral>(call->getArg(0)->IgnoreImplicit());
  if (!number)
    return std::nullopt;
  MarkerCall marker{callee->getName(), static_cast<unsigned>(number->getValue().getZExtValue()), {}};
  for (unsigned i = 1; i < call->getNumArgs(); ++i)
    marker.arguments.push_back(call->getArg(i)->IgnoreImplicit());
  return marker;
}

/// Hands out the arguments of an item in the order Pragmas.cpp wrote them.
class Arguments {
public:
  explicit Arguments(llvm::ArrayRef<const Expr *> rest) : rest_(rest) {}
  const Expr *next() {
    if (rest_.empty())
      return nullptr;
    const Expr *first = rest_.front();
    rest_ = rest_.drop_front();
    return first;
  }

private:
  llvm::ArrayRef<const Expr *> rest_;
};

bool isData(ClauseKind kind) {
  return kind == ClauseKind::in || kind == ClauseKind::out || kind == ClauseKind::inout ||
         kind == ClauseKind::on;
}

DataItem dataItem(const ItemForms &forms, llvm::ArrayRef<const Expr *> given) {
  Arguments arguments(given);
  DataItem item{&forms, arguments.next(), {}, {}};
  for (std::size_t i = 0; i < forms.shapeRank; ++i)
    item.shape.push_back(arguments.next());
  for (const DimensionForm &form : forms.dimensions) {
    SectionDimension dimension;
    dimension.isIndex = form.isIndex;
    if (form.hasLower)
      dimension.lower = arguments.next();
    if (form.hasLength)
      dimension.length = arguments.next();
    if (form.hasStride)
      dimension.stride = arguments.next();
    item.dimensions.push_back(dimension);
  }
  return item;
}

// The items among the arguments of a task or wait marker.
void collect(const MarkerCall &marker, const Site &site, std::vector<DataItem> &data,
             std::vector<OtherClause> *others) {
  for (const Expr *argument : marker.arguments) {
    // Through C's "..." a class value is copied: the call is inside a constructor expression.
    const Expr *inner = argument;
    while (const auto *construct = dyn_cast<CXXConstructExpr>(inner)) {
      if (construct->getNumArgs() == 0)
        break;
      inner = construct->getArg(0)->IgnoreImplicit();
    }
    const std::optional<MarkerCall> item = markerCall(inner);
    if (!item || item->name != "item" || item->number >= site.items.size())
      continue;
    const ItemForms &forms = site.items[item->number];
    if (isData(forms.kind)) {
      DataItem one = dataItem(forms, item->arguments);
      if (one.base)
        data.push_back(std::move(one));
    } else if (others) {
      others->push_back({&forms, {item->arguments.begin(), item->arguments.end()}});
    }
  }
}

/// `if (MARKER) {} else BODY`
struct Prefix {
  MarkerCall marker;
  const Stmt *body;
};

std::optional<Prefix> prefix(const Stmt *statement, llvm::StringRef name, const SiteTable &sites) {
  const auto *branch = dyn_cast_or_null<IfStmt>(statement);
  if (!branch || !branch->getElse())
    return std::nullopt;
  const Expr *condition = branch->getCond()->IgnoreImplicit();
  if (const auto *comma = dyn_cast<BinaryOperator>(condition); comma && comma->getOpcode() == BO_Comma)
    condition = comma->getLHS();
  std::optional<MarkerCall> marker = markerCall(condition);
  if (!marker || marker->name != name || marker->number >= sites.size())
    return std::nullopt;
  return Prefix{std::move(*marker), branch->getElse()};
}

} // namespace

std::optional<TaskMarker> taskMarker(const Stmt *statement, const SiteTable &sites) {
  const std::optional<Prefix> found = prefix(statement, "task", sites);
  if (!found)
    return std::nullopt;
  TaskMarker task;
  task.site = found->marker.number;
  task.body = found->body;
  collect(found->marker, sites[task.site], task.data, &task.clauses);
  return task;
}

std::optional<WaitMarker> waitMarker(const Stmt *statement, const SiteTable &sites) {
  const std::optional<MarkerCall> marker = markerCall(statement);
  if (!marker || marker->name != "wait" || marker->number >= sites.size())
    return std::nullopt;
  WaitMarker wait;
  wait.site = marker->number;
  collect(*marker, sites[wait.site], wait.data, nullptr);
  return wait;
}

std::optional<RootMarker> rootMarker(const Stmt *statement, const SiteTable &sites) {
  const std::optional<Prefix> found = prefix(statement, "root", sites);
  if (!found)
    return std::nullopt;
  return RootMarker{found->marker.number, found->body};
}

std::optional<TripsMarker> tripsMarker(const Stmt *statement, const SiteTable &sites) {
  const std::optional<Prefix> found = prefix(statement, tripsFunction, sites);
  if (!found || found->marker.arguments.empty())
    return std::nullopt;
  const Expr *trips = found->marker.arguments.front();
  if (const auto *cast = dyn_cast<CStyleCastExpr>(trips))
    trips = cast->getSubExprAsWritten();
  if (const auto *parentheses = dyn_cast<ParenExpr>(trips))
    trips = parentheses->getSubExpr();
  return TripsMarker{found->marker.number, trips, found->body};
}

namespace {

std::string calledName(const CallExpr *call) {
  if (const NamedDecl *callee = calleeOf(call))
    return callee->getIdentifier() ? callee->getName().str() : "";
  const Expr *callee = call->getCallee()->IgnoreParenImpCasts();
  if (const auto *member = dyn_cast<MemberExpr>(callee))
    return member->getMemberDecl()->getIdentifier() ? member->getMemberDecl()->getName().str() : "";
  if (const auto *member = dyn_cast<CXXDependentScopeMemberExpr>(callee))
    return member->getMember().getAsString();
  if (const auto *member = dyn_cast<UnresolvedMemberExpr>(callee))
    return member->getMemberName().getAsString();
  return "";
}

struct CallFinder : RecursiveASTVisitor<CallFinder> {
  std::string kernel;
  std::string function;
  bool VisitCallExpr(CallExpr *call) {
    const std::string name = calledName(call);
    if (isa<CUDAKernelCallExpr>(call)) {
      if (kernel.empty())
        kernel = name;
    } else if (function.empty() && name != "__cudaPushCallConfiguration" && name != "cudaConfigureCall") {
      function = name;
    }
    return true;
  }
};

} // namespace

std::string defaultTaskName(const TaskMarker &task) {
  CallFinder finder;
  finder.TraverseStmt(const_cast<Stmt *>(task.body));
  return !finder.kernel.empty() ? finder.kernel : !finder.function.empty() ? finder.function : "task";
}

} // namespace streammap
