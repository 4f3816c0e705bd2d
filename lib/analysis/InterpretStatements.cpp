// Interpreter: statements. A condition that is unknown is survived where nothing that matters depends on it.
#include "analysis/ClangDiagnostics.h"
#include "analysis/Interpreter.h"

namespace streammap {

using namespace clang;

using Kind = TypeShape::Kind;

Flow Interpreter::execute(const Stmt *statement) {
  if (halt_ != Halt::none)
    return Flow::stops;
  if (!statement)
    return Flow::next;
  switch (statement->getStmtClass()) {
  case Stmt::NullStmtClass:
    return Flow::next;
  case Stmt::CompoundStmtClass:
    for (const Stmt *child : cast<CompoundStmt>(statement)->body())
      if (const Flow flow = execute(child); flow != Flow::next)
        return flow;
    return Flow::next;
  case Stmt::DeclStmtClass:
    return executeDeclarations(cast<DeclStmt>(statement));
  case Stmt::ReturnStmtClass: {
    const Expr *result = cast<ReturnStmt>(statement)->getRetValue();
    if (result && !result->getType()->isVoidType()) {
      const auto *function = dyn_cast_or_null<FunctionDecl>(frame().function->declaration);
      const QualType type = function ? function->getReturnType() : result->getType();
      if (type->isReferenceType()) {
        frame().returned = place(result);
      } else if (shapeOf(type).kind == Kind::aggregate) {
        if (frame().result != 0)
          construct(result, frame().result);
        else
          discard(result);
      } else {
        const HostValue returned = evaluate(result);
        frame().returned = returned;
      }
    } else if (result) {
      discard(result);
    }
    if (frame().function->declaration == graph_.mainFunction())
      leftMainAt_ = locationOf(statement);
    return halt_ == Halt::none ? Flow::returns : Flow::stops;
  }
  case Stmt::IfStmtClass:
    return executeIf(cast<IfStmt>(statement));
  case Stmt::ForStmtClass: {
    const auto *loop = cast<ForStmt>(statement);
    if (const Flow flow = execute(loop->getInit()); flow != Flow::next)
      return flow;
    return executeLoop({.statement = loop,
                        .condition = loop->getCond(),
                        .conditionVariable = loop->getConditionVariableDeclStmt(),
                        .body = loop->getBody(),
                        .step = loop->getInc()});
  }
  case Stmt::WhileStmtClass: {
    const auto *loop = cast<WhileStmt>(statement);
    return executeLoop({.statement = loop,
                        .condition = loop->getCond(),
                        .conditionVariable = loop->getConditionVariableDeclStmt(),
                        .body = loop->getBody()});
  }
  case Stmt::DoStmtClass: {
    const auto *loop = cast<DoStmt>(statement);
    return executeLoop(
        {.statement = loop, .condition = loop->getCond(), .body = loop->getBody(), .testsFirst = false});
  }
  case Stmt::CXXForRangeStmtClass: {
    const auto *loop = cast<CXXForRangeStmt>(statement);
    for (const Stmt *before :
         {loop->getInit(), static_cast<const Stmt *>(loop->getRangeStmt()),
          static_cast<const Stmt *>(loop->getBeginStmt()), static_cast<const Stmt *>(loop->getEndStmt())})
      if (const Flow flow = execute(before); flow != Flow::next)
        return flow;
    return executeLoop({.statement = loop,
                        .condition = loop->getCond(),
                        .beforeBody = loop->getLoopVarStmt(),
                        .body = loop->getBody(),
                        .step = loop->getInc()});
  }
  case Stmt::SwitchStmtClass:
    return executeSwitch(cast<SwitchStmt>(statement));
  case Stmt::CaseStmtClass:
  case Stmt::DefaultStmtClass:
    return execute(cast<SwitchCase>(statement)->getSubStmt());
  case Stmt::BreakStmtClass:
    return Flow::breaks;
  case Stmt::ContinueStmtClass:
    return Flow::continues;
  case Stmt::LabelStmtClass:
    return execute(cast<LabelStmt>(statement)->getSubStmt());
  case Stmt::AttributedStmtClass:
    return execute(cast<AttributedStmt>(statement)->getSubStmt());
  case Stmt::CXXTryStmtClass:
    return executeTry(cast<CXXTryStmt>(statement));
  case Stmt::GotoStmtClass:
  case Stmt::IndirectGotoStmtClass:
    fail(statement, "'goto' is not followed when the tasks of a program are found; use a loop or a function",
         "goto-in-host-code");
    return Flow::stops;
  case Stmt::GCCAsmStmtClass:
  case Stmt::MSAsmStmtClass:
    return Flow::next;
  default:
    break;
  }
  if (const auto *expression = dyn_cast<Expr>(statement)) {
    if (const Marker *marker = isa<CallExpr, ExprWithCleanups>(expression) ? markerOf(expression) : nullptr;
        marker && marker->wait) {
      if (const ParsedUnit *unit = unitOf(context()))
        events_.wait(*unit, *marker->wait);
    } else {
      discard(expression);
    }
    return halt_ == Halt::none ? Flow::next : Flow::stops;
  }
  return Flow::next;
}

Flow Interpreter::executeDeclarations(const DeclStmt *statement) {
  for (const Decl *declaration : statement->decls()) {
    const auto *variable = dyn_cast<VarDecl>(declaration);
    if (!variable)
      continue;
    if (variable->isStaticLocal()) {
      const bool isMet = globals_.contains(variable->getCanonicalDecl());
      const Address at = global(variable);
      if (!isMet)
        initialiseVariable(variable, at);
    } else if (variable->hasLocalStorage()) {
      const QualType type = variable->getType();
      if (type->isVariableArrayType()) {
        fail(statement, "arrays of variable length are not evaluated; use std::vector",
             "variable-length-array");
        return Flow::stops;
      }
      const std::uint64_t size = type->isReferenceType() ? 8 : sizeOf(type);
      const Address at = slot(variable, size, 16, type->isArrayType());
      initialiseVariable(variable, at);
      if (const auto *bindings = dyn_cast<DecompositionDecl>(variable))
        for (const BindingDecl *binding : bindings->bindings())
          if (const VarDecl *holder = binding->getHoldingVar())
            initialiseVariable(holder, slot(holder, 8, 8));
    } else {
      global(variable);
    }
    if (halt_ != Halt::none)
      return Flow::stops;
  }
  return Flow::next;
}

//===-- Branches --===//

Flow Interpreter::executeIf(const IfStmt *branch) {
  if (const Marker *marker = markerOf(branch)) {
    if (marker->root)
      return execute(marker->root->body);
    refuseUncertainTask();
    for (Diagnostic &assumption : assumed_)
      diagnostics_.report(std::move(assumption));
    assumed_.clear();
    if (const ParsedUnit *unit = unitOf(context()))
      events_.task(*unit, *marker->task);
    return halt_ == Halt::none ? Flow::next : Flow::stops;
  }
  if (const Flow flow = execute(branch->getInit()); flow != Flow::next)
    return flow;
  if (branch->getConditionVariableDeclStmt())
    if (const Flow flow = executeDeclarations(branch->getConditionVariableDeclStmt()); flow != Flow::next)
      return flow;
  if (branch->isConsteval())
    return execute(branch->isNonNegatedConsteval() ? branch->getElse() : branch->getThen());
  const HostValue condition = value(branch->getCond());
  if (halt_ != Halt::none)
    return Flow::stops;
  if (!condition.isKnown())
    return unknownIf(branch, condition);
  return execute(condition.bits ? branch->getThen() : branch->getElse());
}

namespace {

/// How control can leave a statement other than by its end.
struct Exits {
  bool returns = false;
  bool leavesLoop = false;
};

void findExits(const Stmt *statement, unsigned loops, unsigned switches, Exits &exits) {
  if (!statement || isa<LambdaExpr>(statement))
    return;
  if (isa<ReturnStmt>(statement) || isa<GotoStmt>(statement))
    exits.returns = true;
  else if (isa<BreakStmt>(statement))
    exits.leavesLoop = exits.leavesLoop || (loops == 0 && switches == 0);
  else if (isa<ContinueStmt>(statement))
    exits.leavesLoop = exits.leavesLoop || loops == 0;
  const bool isLoop = isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(statement);
  for (const Stmt *child : statement->children())
    findExits(child, loops + isLoop, switches + isa<SwitchStmt>(statement), exits);
}

Exits exitsOf(const Stmt *statement) {
  Exits exits;
  findExits(statement, 0, 0, exits);
  return exits;
}

} // namespace

// Which way control goes is unknown. Error exits are taken not to happen; where nothing else depends on it,
// both sides are evaluated and what they write is forgotten; otherwise the loop or function is left if it is
// inert.
Flow Interpreter::unknownIf(const IfStmt *branch, HostValue condition) {
  const Stmt *yes = branch->getThen(), *no = branch->getElse();
  const bool yesFails = endsInFailure(yes), noFails = endsInFailure(no);
  if (yesFails != noFails) {
    assumeNoFailure(branch->getCond(), condition.reason);
    return execute(yesFails ? no : yes);
  }
  const bool isInert = graph_.isInert(yes) && (!no || graph_.isInert(no));
  if (!isInert) {
    failUnknown(branch->getCond(), "whether a task or an allocation is reached here", condition.reason,
                "unknown-condition");
    return Flow::stops;
  }
  Exits exits = exitsOf(yes);
  if (no) {
    const Exits other = exitsOf(no);
    exits.returns = exits.returns || other.returns;
    exits.leavesLoop = exits.leavesLoop || other.leavesLoop;
  }
  if (exits.returns || exits.leavesLoop) {
    const bool canLeave = exits.returns ? frame().function->isInert : frame().inertLoops != 0;
    if (canLeave) {
      halt_ = exits.returns ? Halt::lostCall : Halt::lostLoop;
      lostReason_ = condition.reason;
      return Flow::stops;
    }
  }
  Flow flows[2] = {Flow::next, Flow::next};
  for (const Stmt *arm : {yes, no}) {
    if (!arm)
      continue;
    const std::size_t since = memory_.writes().size();
    memory_.startRecording();
    const Flow flow = execute(arm);
    forgetRecorded(since, condition.reason);
    memory_.stopRecording();
    if (halt_ == Halt::ended || halt_ == Halt::thrown) {
      endedAt_.reset();
      halt_ = Halt::none; // one side ends the program: then the other is what goes on
    }
    if (halt_ != Halt::none)
      return Flow::stops;
    flows[arm == no] = flow == Flow::stops ? Flow::next : flow;
  }
  return uncertain(flows[0], flows[1], branch->getCond(), condition.reason);
}

Flow Interpreter::executeSwitch(const SwitchStmt *statement) {
  if (const Flow flow = execute(statement->getInit()); flow != Flow::next)
    return flow;
  if (statement->getConditionVariableDeclStmt())
    if (const Flow flow = executeDeclarations(statement->getConditionVariableDeclStmt()); flow != Flow::next)
      return flow;
  const HostValue condition = value(statement->getCond());
  if (halt_ != Halt::none)
    return Flow::stops;
  const auto *body = dyn_cast<CompoundStmt>(statement->getBody());
  if (!body)
    return Flow::next;
  if (!condition.isKnown()) {
    if (!graph_.isInert(statement) || exitsOf(body).returns) {
      if (frame().function->isInert) {
        halt_ = Halt::lostCall;
        lostReason_ = condition.reason;
      } else {
        failUnknown(statement->getCond(), "which case is taken here", condition.reason, "unknown-condition");
      }
      return Flow::stops;
    }
    forgetWrites(body, memory_.writes().size(), condition.reason);
    return Flow::next;
  }
  const Stmt *from = nullptr;
  for (const SwitchCase *label = statement->getSwitchCaseList(); label; label = label->getNextSwitchCase()) {
    if (isa<DefaultStmt>(label)) {
      from = from ? from : label;
      continue;
    }
    const auto *one = cast<CaseStmt>(label);
    const auto low = static_cast<std::int64_t>(value(one->getLHS()).bits);
    const std::int64_t high = one->getRHS() ? static_cast<std::int64_t>(value(one->getRHS()).bits) : low;
    const auto found = static_cast<std::int64_t>(condition.bits);
    if (found >= low && found <= high) {
      from = label;
      break;
    }
  }
  if (!from)
    return Flow::next;
  // Labels may be nested: `case 1: case 2: ...` is a case whose statement is a case.
  bool isRunning = false;
  for (const Stmt *child : body->body()) {
    const Stmt *start = child;
    if (!isRunning)
      for (const Stmt *label = child; const auto *one = dyn_cast_or_null<SwitchCase>(label);
           label = one->getSubStmt())
        if (one == from) {
          isRunning = true;
          start = one;
          break;
        }
    if (!isRunning)
      continue;
    const Flow flow = execute(start);
    if (flow == Flow::breaks)
      return Flow::next;
    if (flow != Flow::next)
      return flow;
  }
  return Flow::next;
}

//===-- Loops --===//

Flow Interpreter::abandon(const Loop &loop, std::size_t since, Reason reason) {
  forgetWrites(loop.statement, since, reason);
  return Flow::next;
}

Flow Interpreter::executeLoop(const Loop &loop) {
  const bool isInert = graph_.isInert(loop.statement);
  const std::uint64_t start = steps_;
  const std::uint64_t allowed =
      inertSteps_ < options_.totalLoopSteps ? options_.loopSteps : options_.loopSteps / 100;
  const std::size_t since = memory_.writes().size();
  const auto *asExpression = loop.condition;
  if (isInert) {
    memory_.startRecording();
    ++frame().inertLoops;
  }
  const std::size_t frameIndex = frames_.size() - 1;
  const unsigned depth = ++frame().loops;
  Flow result = Flow::next;
  bool tests = loop.testsFirst;
  while (true) {
    if (tests && loop.condition) {
      if (loop.conditionVariable)
        executeDeclarations(loop.conditionVariable);
      const HostValue condition = value(loop.condition);
      if (halt_ == Halt::none && !condition.isKnown()) {
        if (isInert) {
          execute(loop.beforeBody);
          execute(loop.body); // once, for what it writes
          if (halt_ == Halt::lostLoop || halt_ == Halt::ended || halt_ == Halt::thrown) {
            endedAt_.reset();
            halt_ = Halt::none;
          }
          abandon(loop, since, condition.reason);
        } else {
          failUnknown(loop.condition, "how many tasks this loop makes", condition.reason,
                      "unknown-trip-count");
        }
        break;
      }
      if (halt_ != Halt::none || condition.bits == 0)
        break;
    }
    tests = true;
    Flow flow = execute(loop.beforeBody);
    if (flow == Flow::next)
      flow = execute(loop.body);
    if (flow == Flow::breaks)
      break;
    if (flow == Flow::returns) {
      result = flow;
      break;
    }
    if (halt_ == Halt::lostLoop && isInert) {
      halt_ = Halt::none;
      abandon(loop, since, lostReason_);
      break;
    }
    if (halt_ != Halt::none)
      break;
    if (!uncertain_.empty() && uncertain_.back().isIteration && uncertain_.back().loop == depth)
      settle(frameIndex, depth); // whether the iteration ended earlier no longer matters
    if (loop.step)
      discard(loop.step);
    if (isInert && steps_ - start > allowed) {
      Reason &reason = reasonCache_[asExpression];
      if (reason == 0)
        reason =
            reasons_.add("it is computed by a loop that is too long to evaluate", locationOf(loop.statement));
      abandon(loop, since, reason);
      break;
    }
  }
  --frame().loops;
  settle(frameIndex, depth);
  if (isInert) {
    --frame().inertLoops;
    memory_.stopRecording();
    if (frame().inertLoops == 0)
      inertSteps_ += steps_ - start;
  }
  return halt_ == Halt::none ? result : Flow::stops;
}

Flow Interpreter::executeTry(const CXXTryStmt *statement) {
  const Flow flow = execute(statement->getTryBlock());
  if (halt_ != Halt::thrown || statement->getNumHandlers() == 0)
    return flow;
  halt_ = Halt::none;
  endedAt_.reset();
  return execute(statement->getHandler(0)->getHandlerBlock());
}

} // namespace streammap
