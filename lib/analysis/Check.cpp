#include "analysis/Check.h"
#include "analysis/CheckAccesses.h"
#include "analysis/CheckClauses.h"
#include "analysis/Markers.h"
#include <clang/AST/ASTContext.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Basic/SourceManager.h>

namespace streammap {

using namespace clang;

namespace {

/// Jumps out of a statement: they cannot cross into or out of a task.
class LeavingFinder : public RecursiveASTVisitor<LeavingFinder> {
public:
  struct Jump {
    const Stmt *statement;
    const char *word;
  };
  std::vector<Jump> jumps;

  bool VisitReturnStmt(ReturnStmt *statement) { return add(statement, "return"); }
  bool VisitGotoStmt(GotoStmt *statement) { return add(statement, "goto"); }
  bool VisitBreakStmt(BreakStmt *statement) { return breakable_ > 0 || add(statement, "break"); }
  bool VisitContinueStmt(ContinueStmt *statement) { return loops_ > 0 || add(statement, "continue"); }
  bool TraverseLambdaExpr(LambdaExpr *) { return true; } // returns from itself
  bool TraverseForStmt(ForStmt *loop) {
    return inside(1, [&] { return RecursiveASTVisitor::TraverseForStmt(loop); });
  }
  bool TraverseWhileStmt(WhileStmt *loop) {
    return inside(1, [&] { return RecursiveASTVisitor::TraverseWhileStmt(loop); });
  }
  bool TraverseDoStmt(DoStmt *loop) {
    return inside(1, [&] { return RecursiveASTVisitor::TraverseDoStmt(loop); });
  }
  bool TraverseCXXForRangeStmt(CXXForRangeStmt *loop) {
    return inside(1, [&] { return RecursiveASTVisitor::TraverseCXXForRangeStmt(loop); });
  }
  bool TraverseSwitchStmt(SwitchStmt *choice) {
    return inside(0, [&] { return RecursiveASTVisitor::TraverseSwitchStmt(choice); });
  }

private:
  bool add(const Stmt *statement, const char *word) {
    jumps.push_back({statement, word});
    return true;
  }
  template <class Walk>
  bool inside(int loops, Walk walk) {
    loops_ += loops;
    ++breakable_;
    const bool result = walk();
    loops_ -= loops;
    --breakable_;
    return result;
  }
  int loops_ = 0;
  int breakable_ = 0;
};

class UnitChecker : public RecursiveASTVisitor<UnitChecker> {
public:
  UnitChecker(const ParsedUnit &unit, CheckReporter &reporter)
      : unit_(unit), sites_(unit.sites()), reporter_(reporter) {}

  bool shouldVisitTemplateInstantiations() const { return true; }

  bool TraverseDecl(Decl *declaration) {
    if (declaration && !isa<TranslationUnitDecl, NamespaceDecl>(declaration) &&
        unit_.sourceManager().isInSystemHeader(declaration->getLocation()))
      return true;
    const auto *function = dyn_cast_or_null<FunctionDecl>(declaration);
    if (!function)
      return RecursiveASTVisitor::TraverseDecl(declaration);
    const FunctionDecl *outer = std::exchange(function_, function);
    const bool result = RecursiveASTVisitor::TraverseDecl(declaration);
    function_ = outer;
    return result;
  }

  bool TraverseStmt(Stmt *statement) {
    if (!statement)
      return true;
    const bool isTask = isa<IfStmt>(statement) && check(cast<IfStmt>(statement));
    if (const auto *call = dyn_cast<CallExpr>(statement))
      checkWait(call);
    tasks_ += isTask;
    path_.push_back(statement);
    const bool result = RecursiveASTVisitor::TraverseStmt(statement);
    path_.pop_back();
    tasks_ -= isTask;
    return result;
  }

private:
  // True for a task: what is below is its statement.
  bool check(const IfStmt *statement) {
    if (const std::optional<TaskMarker> task = taskMarker(statement, sites_)) {
      checkPlace(task->site);
      checkTask(*task);
      return true;
    }
    if (const std::optional<RootMarker> root = rootMarker(statement, sites_)) {
      checkPlace(root->site);
      checkBody(root->site, root->body);
    } else if (const std::optional<TripsMarker> trips = tripsMarker(statement, sites_)) {
      checkLoop(*trips);
    }
    return false;
  }

  clang::SourceRange wordOf(unsigned site) const {
    return clang::SourceLocation::getFromRawEncoding(sites_[site].rawBegin);
  }

  bool isOnDevice() const {
    return function_ && (function_->hasAttr<CUDAGlobalAttr>() ||
                         (function_->hasAttr<CUDADeviceAttr>() && !function_->hasAttr<CUDAHostAttr>()));
  }

  void checkPlace(unsigned site) {
    const std::string word(toText(sites_[site].directive));
    if (isOnDevice())
      reporter_.error(wordOf(site),
                      "'" + word + "' stands in device code; it belongs to the host code that launches '" +
                          function_->getNameAsString() + "'",
                      "in-device-code");
    else if (tasks_ > 0)
      reporter_.error(wordOf(site),
                      "'" + word + "' stands inside the statement of another task; tasks do not nest",
                      "nested-task");
  }

  // The statement that a task or root stands before.
  bool checkBody(unsigned site, const Stmt *body) {
    const std::string word(toText(sites_[site].directive));
    if (isa<DeclStmt>(body)) {
      reporter_.error(
          wordOf(site),
          "'" + word +
              "' stands before a declaration, whose names would end with it; declare first, then put '" +
              word + "' before the statement that assigns",
          "before-declaration", {}, {{body->getBeginLoc(), "this declaration"}});
      return false;
    }
    if (isa<SwitchCase, LabelStmt>(body)) {
      reporter_.error(wordOf(site), "'" + word + "' stands before a label; put it after the ':'",
                      "not-a-statement");
      return false;
    }
    return true;
  }

  void checkTask(const TaskMarker &task) {
    for (const DataItem &item : task.data)
      checkDataItem(item, reporter_);
    for (const OtherClause &clause : task.clauses)
      checkClause(clause, reporter_);
    if (!checkBody(task.site, task.body))
      return;
    const auto *block = dyn_cast<CompoundStmt>(task.body);
    const bool isEmpty = isa<NullStmt>(task.body) || (block && block->body_empty());
    // A statement that Clang could not read leaves nothing behind either; then Clang has said so.
    if (isEmpty && !unit_.hasParseErrors())
      reporter_.error(wordOf(task.site), "this task has an empty statement", "empty-task");
    LeavingFinder finder;
    finder.TraverseStmt(const_cast<Stmt *>(task.body));
    for (const LeavingFinder::Jump &jump : finder.jumps)
      reporter_.error(jump.statement->getSourceRange(),
                      std::string("'") + jump.word +
                          "' would leave the statement of a task, which runs later and elsewhere",
                      "leaves-task", {}, {{wordOf(task.site).getBegin(), "the task begins here"}});
    if (!isEmpty && !sites_[task.site].hasErrors)
      checkAccesses(task, reporter_);
  }

  void checkWait(const CallExpr *call) {
    const std::optional<WaitMarker> wait = waitMarker(call, sites_);
    if (!wait)
      return;
    checkPlace(wait->site);
    for (const DataItem &item : wait->data)
      checkDataItem(item, reporter_);
    // As the body of an `if` or a loop, a wait would push the next statement out of it: not what the program
    // means without pragmas.
    const Stmt *above = nullptr;
    for (std::size_t i = path_.size(); i-- > 0 && !above;)
      if (!isa<ExprWithCleanups>(path_[i]))
        above = path_[i];
    if (above && !isa<CompoundStmt, SwitchCase, LabelStmt>(above))
      reporter_.error(wordOf(wait->site),
                      "'wait' stands alone and cannot be the body of another statement; add braces",
                      "wait-as-body");
  }

  void checkLoop(const TripsMarker &trips) {
    checkTrips(trips.trips, reporter_);
    const bool isHost =
        !function_ || (!function_->hasAttr<CUDAGlobalAttr>() && !function_->hasAttr<CUDADeviceAttr>());
    if (isHost)
      reporter_.error(wordOf(trips.site),
                      "'trips' stands in host code, where loops are counted exactly; it belongs into kernels",
                      "trips-in-host-code");
    const Stmt *loop = trips.loop;
    while (const auto *attributed = dyn_cast<AttributedStmt>(loop))
      loop = attributed->getSubStmt();
    if (!isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(loop))
      reporter_.error(wordOf(trips.site), "'trips' stands before something that is not a loop",
                      "trips-without-loop");
  }

  const ParsedUnit &unit_;
  const SiteTable &sites_;
  CheckReporter &reporter_;
  const FunctionDecl *function_ = nullptr;
  std::vector<const Stmt *> path_;
  int tasks_ = 0;
};

} // namespace

void checkUnit(const ParsedUnit &unit, Diagnostics &diagnostics) {
  if (unit.sites().empty())
    return;
  Diagnostics found;
  CheckReporter reporter(unit.context(), found);
  UnitChecker checker(unit, reporter);
  checker.TraverseDecl(unit.context().getTranslationUnitDecl());
  for (const Diagnostic &diagnostic : found.all())
    diagnostics.report(diagnostic);
}

} // namespace streammap
