#include "analysis/CheckAccesses.h"
#include "analysis/DeviceVariables.h"
#include "analysis/ParameterUse.h"
#include "analysis/SideEffects.h"
#include "analysis/StatementUses.h"
#include "support/Text.h"
#include <algorithm>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Basic/SourceManager.h>

namespace streammap {

using namespace clang;

namespace {

/// A pointer that a kernel of the statement takes, or a function that hands it to one.
struct KernelArgument {
  const FunctionDecl *kernel; ///< or that function
  unsigned parameter;
  const Expr *argument;
  const Expr *base; ///< the pointer without offsets and casts
};

struct LaunchFinder : RecursiveASTVisitor<LaunchFinder> {
  std::vector<const CUDAKernelCallExpr *> launches;
  std::vector<const Expr *> mentions;  ///< every variable and member of the statement
  std::vector<const Expr *> writes;    ///< what is assigned, incremented or decremented
  std::vector<const Decl *> inside;    ///< declared in the statement
  std::vector<const CallExpr *> calls; ///< of functions
  bool VisitCallExpr(CallExpr *call) {
    if (const auto *launch = dyn_cast<CUDAKernelCallExpr>(call))
      launches.push_back(launch);
    else if (!isa<CXXOperatorCallExpr>(call))
      calls.push_back(call);
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr *reference) {
    mentions.push_back(reference);
    return true;
  }
  bool VisitDecl(Decl *declaration) {
    inside.push_back(declaration);
    return true;
  }
  bool VisitBinaryOperator(BinaryOperator *operation) {
    if (operation->isAssignmentOp())
      writes.push_back(operation->getLHS());
    return true;
  }
  bool VisitUnaryOperator(UnaryOperator *operation) {
    if (operation->isIncrementDecrementOp())
      writes.push_back(operation->getSubExpr());
    return true;
  }
  bool VisitCXXThisExpr(CXXThisExpr *self) {
    mentions.push_back(self);
    return true;
  }
};

// `d + i * chunk`, `&d[i]`, `(float *)d` -> `d`
const Expr *pointerBase(const Expr *expression) {
  while (true) {
    expression = expression->IgnoreParenCasts();
    // A row of an array of arrays is a place in that array.
    if (const auto *row = dyn_cast<ArraySubscriptExpr>(expression); row && row->getType()->isArrayType()) {
      expression = row->getBase();
      continue;
    }
    if (const auto *sum = dyn_cast<BinaryOperator>(expression); sum && sum->isAdditiveOp()) {
      expression = sum->getLHS()->getType()->isPointerType() || sum->getLHS()->getType()->isArrayType()
                       ? sum->getLHS()
                       : sum->getRHS();
      continue;
    }
    if (const auto *address = dyn_cast<UnaryOperator>(expression);
        address && address->getOpcode() == UO_AddrOf) {
      const Expr *object = address->getSubExpr()->IgnoreParens();
      while (const auto *subscript = dyn_cast<ArraySubscriptExpr>(object)) {
        const Expr *inner = subscript->getBase()->IgnoreParenImpCasts();
        object = inner;
        if (inner->getType()->isPointerType())
          break;
      }
      if (object != address->getSubExpr()->IgnoreParens()) {
        expression = object;
        continue;
      }
      return object;
    }
    return expression;
  }
}

/// Whether a kernel that the function launches, itself or through others, takes its pointer parameter.
bool reachesLaunch(const FunctionDecl *function, unsigned parameter, int depth = 0) {
  constexpr int deepest = 8;
  const FunctionDecl *definition = nullptr;
  if (!function || !function->hasBody(definition) || depth == deepest ||
      parameter >= definition->getNumParams() ||
      definition->getASTContext().getSourceManager().isInSystemHeader(definition->getLocation()))
    return false;
  LaunchFinder finder;
  finder.TraverseStmt(definition->getBody());
  const ParmVarDecl *wanted = definition->getParamDecl(parameter);
  const auto isWanted = [&](const Expr *argument) {
    const auto *reference = dyn_cast<DeclRefExpr>(pointerBase(argument)->IgnoreParenImpCasts());
    return reference && reference->getDecl() == wanted;
  };
  for (const CUDAKernelCallExpr *launch : finder.launches)
    if (std::any_of(launch->arg_begin(), launch->arg_end(), isWanted))
      return true;
  for (const CallExpr *call : finder.calls)
    for (unsigned i = 0; i < call->getNumArgs(); ++i)
      if (isWanted(call->getArg(i)) && reachesLaunch(call->getDirectCallee(), i, depth + 1))
        return true;
  return false;
}

// What messages call it: "kernel 'scale'", or "'launchScale'" where a function stands between.
std::string called(const FunctionDecl *kernel) {
  return (kernel->hasAttr<CUDAGlobalAttr>() ? "kernel '" : "'") + kernel->getNameAsString() + "'";
}

// `o[3]` of a pointer to values, as a clause may name it: where the pointer comes from.
const Expr *arrayOfElement(const Expr *item) {
  const auto *element = dyn_cast<ArraySubscriptExpr>(item->IgnoreParenImpCasts());
  if (!element || element->getType()->isPointerType() ||
      !element->getBase()->IgnoreParenImpCasts()->getType()->isPointerType())
    return nullptr;
  return pointerBase(element->getBase());
}

const ValueDecl *variableOf(const Expr *expression) {
  expression = expression->IgnoreParenImpCasts();
  if (const auto *reference = dyn_cast<DeclRefExpr>(expression))
    return reference->getDecl();
  if (const auto *member = dyn_cast<MemberExpr>(expression))
    return isa<CXXThisExpr>(member->getBase()->IgnoreParenImpCasts()) ? member->getMemberDecl()
                                                                      : variableOf(member->getBase());
  if (const auto *subscript = dyn_cast<ArraySubscriptExpr>(expression))
    return variableOf(subscript->getBase());
  if (const auto *call = dyn_cast<CXXMemberCallExpr>(expression))
    return variableOf(call->getImplicitObjectArgument());
  return nullptr;
}

// h_a, host_a, a_h, d_a, dev_a, a_d, a -> "a"
std::string withoutSide(std::string name) {
  for (const char *prefix : {"host_", "device_", "dev_", "gpu_", "h_", "d_"})
    if (llvm::StringRef(name).starts_with(prefix))
      return name.substr(llvm::StringRef(prefix).size());
  for (const char *suffix : {"_host", "_device", "_dev", "_gpu", "_h", "_d"})
    if (llvm::StringRef(name).ends_with(suffix))
      return name.substr(0, name.size() - llvm::StringRef(suffix).size());
  if (name.size() > 1 && (name[0] == 'h' || name[0] == 'd') && isUppercase(name[1]))
    return name.substr(1);
  return name;
}

std::string modesOf(const std::vector<const DataItem *> &items) {
  bool reads = false, writes = false;
  for (const DataItem *item : items) {
    reads |= item->forms->kind != ClauseKind::out;
    writes |= item->forms->kind != ClauseKind::in;
  }
  return reads && writes ? "inout" : writes ? "out" : "in";
}

class AccessCheck {
public:
  AccessCheck(const TaskMarker &task, CheckReporter &reporter) : task_(task), reporter_(reporter) {
    finder_.TraverseStmt(const_cast<Stmt *>(task.body));
    for (const CUDAKernelCallExpr *launch : finder_.launches)
      collect(launch);
    for (const CallExpr *call : finder_.calls)
      collectThrough(call);
  }

  void run() {
    for (const KernelArgument &argument : arguments_) {
      const std::vector<const DataItem *> items = itemsOf(argument);
      if (items.empty())
        unclaimed_.push_back(&argument);
      else
        checkModes(argument, items);
    }
    checkUnusedClauses();
    warnLostWrites();
    for (const KernelArgument *argument : unclaimed_)
      warnUnclaimed(*argument);
  }

private:
  void collect(const CUDAKernelCallExpr *launch) {
    const FunctionDecl *kernel = launch->getDirectCallee();
    if (!kernel || launch->isInstantiationDependent() || launch->containsErrors())
      return;
    warnDeviceVariables(*launch, *kernel);
    for (unsigned i = 0; i < launch->getNumArgs() && i < kernel->getNumParams(); ++i) {
      const QualType type = kernel->getParamDecl(i)->getType();
      if (!type->isPointerType() || type->getPointeeType()->isFunctionType())
        continue;
      const Expr *argument = launch->getArg(i);
      if (argument->isNullPointerConstant(const_cast<ASTContext &>(reporter_.context()),
                                          Expr::NPC_ValueDependentIsNull))
        continue;
      arguments_.push_back({kernel, i, argument, pointerBase(argument)});
    }
  }

  /// The pointers that a called function hands on to kernels.
  void collectThrough(const CallExpr *call) {
    const FunctionDecl *function = call->getDirectCallee();
    if (!function || call->isInstantiationDependent() || call->containsErrors())
      return;
    for (unsigned i = 0; i < call->getNumArgs() && i < function->getNumParams(); ++i)
      if (function->getParamDecl(i)->getType()->isPointerType() && reachesLaunch(function, i))
        arguments_.push_back({function, i, call->getArg(i), pointerBase(call->getArg(i))});
  }

  void warnDeviceVariables(const CUDAKernelCallExpr &launch, const FunctionDecl &kernel) {
    for (const DeviceVariableChange &change : changedDeviceVariables(&kernel))
      reporter_.warning(launch.getCallee()->getSourceRange(),
                        "kernel '" + kernel.getNameAsString() + "' changes the __device__ variable '" +
                            change.variable->getNameAsString() +
                            "', of which every GPU has its own; pass a buffer and name it in inout()",
                        "device-variable", {}, {{change.where, "changed here"}});
  }

  std::vector<const DataItem *> itemsOf(const KernelArgument &argument) const {
    std::vector<const DataItem *> items;
    for (const DataItem &item : task_.data)
      if (isSameExpression(item.base, argument.base, reporter_.context()) ||
          isSameExpression(pointerBase(item.base), argument.base, reporter_.context()) ||
          isSameExpression(item.base, argument.argument, reporter_.context()) ||
          (arrayOfElement(item.base) &&
           isSameExpression(arrayOfElement(item.base), argument.base, reporter_.context())))
        items.push_back(&item);
    return items;
  }

  void checkModes(const KernelArgument &argument, const std::vector<const DataItem *> &items) {
    const std::string modes = modesOf(items);
    const ParmVarDecl *parameter = argument.kernel->getParamDecl(argument.parameter);
    const bool isConst = parameter->getType()->getPointeeType().isConstQualified();
    const ParameterUse use = useOfParameter(argument.kernel, argument.parameter);
    const std::string kernel = called(argument.kernel);
    const DataItem &first = *items.front();
    if (modes == "in" && !isConst && use.isWritten) {
      reporter_.error(first.base->getSourceRange(),
                      "'" + first.forms->baseText + "' is in(), but " + kernel +
                          " writes it; did you mean inout(" + first.forms->text + ")" +
                          (use.isRead || use.isUnclear ? "?" : " or out(" + first.forms->text + ")?"),
                      "in-is-written", {}, {{use.firstWrite, "written here"}});
      return;
    }
    const bool neverWrites = isConst || (!use.isWritten && !use.isUnclear);
    if (modes == "in" || !neverWrites || isWrittenElsewhere(items))
      return;
    std::string why =
        isConst ? "takes it as '" + parameter->getType().getAsString() + "'" : "never writes it";
    for (const DataItem *item : items)
      if (item->forms->kind != ClauseKind::in)
        reporter_.error(item->base->getSourceRange(),
                        "'" + item->forms->baseText + "' is " + std::string(toText(item->forms->kind)) +
                            "(), but " + kernel + " " + why + "; did you mean in(" + item->forms->text + ")?",
                        "out-is-read-only", {},
                        {{parameter->getLocation(), "the parameter is declared here"}});
  }

  // Another kernel of the statement, or any other mention of the base, may be the writer.
  bool isWrittenElsewhere(const std::vector<const DataItem *> &items) const {
    std::size_t constantUses = 0;
    for (const KernelArgument &argument : arguments_) {
      if (itemsOf(argument) != items)
        continue;
      const bool isConst =
          argument.kernel->getParamDecl(argument.parameter)->getType()->getPointeeType().isConstQualified();
      const ParameterUse use = useOfParameter(argument.kernel, argument.parameter);
      if (!isConst && (use.isWritten || use.isUnclear))
        return true;
      ++constantUses;
    }
    const ValueDecl *variable = variableOf(items.front()->base);
    std::size_t mentions = 0;
    for (const Expr *mention : finder_.mentions)
      if (const auto *reference = dyn_cast<DeclRefExpr>(mention))
        mentions += reference->getDecl() == variable;
    return mentions > constantUses;
  }

  // The base of the clause does not occur in the statement at all.
  void checkUnusedClauses() {
    for (const DataItem &item : task_.data) {
      const ValueDecl *variable = variableOf(item.base);
      if (!isa_and_nonnull<VarDecl>(variable) || cast<VarDecl>(variable)->hasGlobalStorage() ||
          item.base->containsErrors())
        continue;
      bool isMentioned = false;
      for (const Expr *mention : finder_.mentions)
        if (const auto *reference = dyn_cast<DeclRefExpr>(mention))
          isMentioned |= reference->getDecl() == variable;
      if (!isMentioned)
        warnUnused(item, *variable);
    }
  }

  void warnUnused(const DataItem &item, const ValueDecl &variable) {
    const std::string name = variable.getNameAsString();
    for (std::size_t i = 0; i < unclaimed_.size(); ++i) {
      const ValueDecl *taken = variableOf(unclaimed_[i]->base);
      if (!taken || withoutSide(taken->getNameAsString()) != withoutSide(name))
        continue;
      const std::string right = taken->getNameAsString();
      reporter_.warning(item.base->getSourceRange(),
                        "'" + name + "' is in a clause, but " + called(unclaimed_[i]->kernel) + " takes '" +
                            right + "'; did you mean '" + right + "'?",
                        "host-for-device", right,
                        {{unclaimed_[i]->argument->getBeginLoc(), "the kernel takes this"}});
      unclaimed_.erase(unclaimed_.begin() + static_cast<std::ptrdiff_t>(i));
      return;
    }
    reporter_.warning(item.base->getSourceRange(),
                      "'" + name + "' is in a clause, but the statement does not use it", "unused-clause");
  }

  // What a task assigns to the variables around it stays in its closure, on the rank that ran it.
  void warnLostWrites() {
    for (const Expr *place : finder_.writes) {
      const VarDecl *variable = changedVariable(place);
      if (!variable ||
          std::find(finder_.inside.begin(), finder_.inside.end(), variable) != finder_.inside.end())
        continue;
      const bool isNamed = std::any_of(task_.data.begin(), task_.data.end(), [&](const DataItem &item) {
        return item.forms->kind != ClauseKind::in && variableOf(item.base) == variable;
      });
      if (!isNamed)
        reporter_.warning(place->getSourceRange(),
                          "'" + variable->getNameAsString() +
                              "' is assigned in a task, which runs later and elsewhere: the value is lost; "
                              "name it in out() or inout()",
                          "lost-write", {}, {{variable->getLocation(), "declared here, outside the task"}});
    }
  }

  void warnUnclaimed(const KernelArgument &argument) {
    const ValueDecl *variable = variableOf(argument.base);
    const std::string name = variable ? "'" + variable->getNameAsString() + "'" : "this pointer";
    // A device variable or the address of something that lives on the device needs no clause of its own.
    if (variable && (variable->hasAttr<CUDADeviceAttr>() || variable->hasAttr<CUDAConstantAttr>()))
      return;
    reporter_.warning(argument.argument->getSourceRange(),
                      called(argument.kernel) + " takes " + name +
                          ", which is in no clause of its task; name it in in(), out() or inout()",
                      "argument-in-no-clause");
  }

  const TaskMarker &task_;
  CheckReporter &reporter_;
  LaunchFinder finder_;
  std::vector<KernelArgument> arguments_;
  std::vector<const KernelArgument *> unclaimed_;
};

} // namespace

void checkAccesses(const TaskMarker &task, CheckReporter &reporter) {
  AccessCheck(task, reporter).run();
}

} // namespace streammap
