#include "analysis/BlockCounts.h"
#include "analysis/IterationSpace.h"
#include "analysis/Markers.h"
#include "analysis/SymbolicValues.h"
#include "analysis/TripCounts.h"
#include "cpudevice/CountingRules.h"
#include <algorithm>
#include <filesystem>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

namespace streammap {
namespace {

/// A set of points with a weight. The constraints are kept by text, so that equal sets are found equal.
struct Cell {
  std::vector<std::string> variables;
  std::map<std::string, Expression> constraints;
  Expression weight = 1;

  void constrain(const Expression &constraint) {
    if (constraint.isNonNegative())
      return;
    constraints.emplace(constraint.text(), constraint);
  }
  std::string key() const {
    std::string text;
    for (const std::string &variable : variables)
      text += variable + ",";
    for (const auto &[constraint, expression] : constraints)
      text += ";" + constraint;
    return text;
  }
};

/// A sum of cells.
class Domain {
public:
  /// Adds `cell`; with another that differs in the sign of one condition, and weighs the same, it becomes the
  /// cell without the condition.
  void add(Cell cell) {
    if (isLost_ || cell.weight.isZero())
      return;
    if (cell.weight.terms().size() > mostTermsOfWeight)
      return lose();
    for (bool joined = true; joined;) {
      joined = false;
      for (const auto &[text, constraint] : cell.constraints) {
        const Expression opposite = -constraint - 1;
        Cell other = cell;
        other.constraints.erase(text);
        Cell without = other;
        other.constraints.emplace(opposite.text(), opposite);
        const auto found = cells_.find(other.key());
        if (found != cells_.end() && found->second.weight == cell.weight) {
          cells_.erase(found);
          cell = std::move(without);
          joined = true;
          break;
        }
      }
    }
    const std::string key = cell.key();
    const auto found = cells_.find(key);
    if (found == cells_.end()) {
      cells_.emplace(key, std::move(cell));
      loseIfTooMany();
      return;
    }
    found->second.weight += cell.weight;
    if (found->second.weight.isZero())
      cells_.erase(found);
  }
  void add(const Domain &other) {
    if (other.isLost_)
      lose();
    for (const auto &[key, cell] : other.cells_)
      add(cell);
  }
  Domain times(const Expression &factor) const {
    Domain result;
    result.isLost_ = isLost_;
    for (auto [key, cell] : cells_) {
      cell.weight = cell.weight * factor;
      result.add(std::move(cell));
    }
    return result;
  }
  Domain where(const Indicator &condition) const {
    Domain result;
    result.isLost_ = isLost_;
    for (const auto &[key, cell] : cells_)
      for (const Conjunction &term : condition) {
        Cell part = cell;
        part.weight = part.weight * term.coefficient;
        for (const Expression &constraint : term.constraints)
          part.constrain(constraint);
        result.add(std::move(part));
      }
    return result;
  }
  const std::map<std::string, Cell> &cells() const { return cells_; }
  /// Too many cells to go on with: what is derived from this domain is lost, too.
  bool isLost() const { return isLost_; }
  void lose() {
    isLost_ = true;
    cells_.clear();
  }

private:
  /// A domain of more cells than this makes no formula that anyone reads.
  static constexpr std::size_t mostCells = 48;
  /// Each branch on data doubles the terms of a weight.
  static constexpr std::size_t mostTermsOfWeight = 128;

  void loseIfTooMany() {
    if (cells_.size() > mostCells)
      lose();
  }

  std::map<std::string, Cell> cells_;
  bool isLost_ = false;
};

/// A longer formula than this, in terms, gives way to a symbol.
constexpr std::size_t mostTerms = 300;
/// What the counting of one kernel may take (IterationSpace.h): some seconds.
constexpr unsigned partsPerKernel = 6000, partsPerCell = 200;
constexpr unsigned comparisonsPerKernel = 300'000, comparisonsPerCell = 60'000;

class ExecutionCounter {
public:
  ExecutionCounter(llvm::Function &kernel, const DeclaredKernel &declaration,
                   llvm::ScalarEvolution &evolution, llvm::LoopInfo &loops,
                   const llvm::DominatorTree &dominators, const llvm::PostDominatorTree &postDominators)
      : kernel_(kernel), loops_(loops), dominators_(dominators), postDominators_(postDominators),
        evolution_(evolution), values_(evolution, loops, declaration) {}

  ExecutionCounts run();

private:
  using Edge = std::pair<const llvm::BasicBlock *, const llvm::BasicBlock *>;

  void findTraps();
  Domain reaching(const llvm::BasicBlock &block, const llvm::Loop *header);
  const llvm::BasicBlock *runsAsOftenAs(const llvm::BasicBlock &block) const;
  void assignPragmas();
  static Domain allThreads();
  Domain along(const llvm::BasicBlock &from, unsigned successor);
  Domain throughBranch(const llvm::BranchInst &branch, unsigned successor, const Domain &before);
  Domain throughSwitch(const llvm::SwitchInst &choice, unsigned successor, const Domain &before);
  Domain leaving(const llvm::Loop &loop, const llvm::BasicBlock &target);
  Domain iterations(const llvm::Loop &loop, const Domain &entry);
  Domain unknownIterations(const llvm::Loop &loop, const Domain &entry, const std::string &why);
  Domain statedIterations(const llvm::Loop &loop, const llvm::CallBase &pragma);
  Domain knownIterations(const LoopTrips &trips, const Domain &entry) const;
  Expression countOf(const llvm::BasicBlock &block, const Domain &domain);
  IterationSpace spaceOf(const Cell &cell) const;
  void collectAccesses(const llvm::BasicBlock &block, const Expression &count);
  std::vector<MemoryAccess> accessesOf(const llvm::Instruction &instruction);
  MemoryAccess accessAt(const llvm::Instruction &instruction, const llvm::Value &pointer, std::uint64_t size);

  std::string newSymbol(const std::string &kind, const llvm::DebugLoc &location, std::string reason,
                        std::string remedy);
  std::string variableOf(const llvm::Loop &loop);
  bool implies(const Cell &cell, const Expression &constraint) const;

  llvm::Function &kernel_;
  llvm::LoopInfo &loops_;
  const llvm::DominatorTree &dominators_;
  const llvm::PostDominatorTree &postDominators_;
  llvm::ScalarEvolution &evolution_;
  SymbolicValues values_;
  std::set<const llvm::BasicBlock *> traps_;
  std::map<const llvm::BasicBlock *, Domain> domains_;
  std::map<const llvm::Loop *, Domain> entries_;
  std::map<const llvm::Loop *, LoopTrips> trips_;
  std::map<const llvm::Loop *, const llvm::CallBase *> pragmas_;
  std::map<const llvm::Instruction *, std::string> branchSymbols_;
  std::map<std::string, Expression> counted_; ///< by weight and key of a cell
  std::set<std::string> variables_;
  std::vector<Expression> assumptions_;
  unsigned partsLeft_ = partsPerKernel, comparisonsLeft_ = comparisonsPerKernel;
  ExecutionCounts result_;
};

/// Blocks from which every way ends in `unreachable`: failed assertions.
void ExecutionCounter::findTraps() {
  for (const llvm::BasicBlock *block : llvm::post_order(&kernel_)) {
    const llvm::Instruction *end = block->getTerminator();
    bool isTrap = llvm::isa<llvm::UnreachableInst>(end) || end->getNumSuccessors() > 0;
    for (const llvm::BasicBlock *successor : llvm::successors(block))
      isTrap &= traps_.contains(successor);
    if (isTrap)
      traps_.insert(block);
  }
}

llvm::DebugLoc startOf(const llvm::Loop &loop) {
  if (llvm::DebugLoc location = loop.getStartLoc())
    return location;
  return loop.getHeader()->getTerminator()->getDebugLoc();
}

/// A trips pragma speaks of the next loop below it.
void ExecutionCounter::assignPragmas() {
  constexpr unsigned farthest = 8; // lines: other pragmas may stand between
  for (const llvm::BasicBlock &block : kernel_)
    for (const llvm::Instruction &instruction : block) {
      const auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if (!call || !call->getCalledFunction() || call->getCalledFunction()->getName() != tripsFunction)
        continue;
      const llvm::Loop *nearest = nullptr;
      unsigned distance = farthest + 1;
      for (const llvm::Loop *loop : loops_.getLoopsInPreorder()) {
        const llvm::DebugLoc at = startOf(*loop);
        if (!at || !call->getDebugLoc() || at.getLine() < call->getDebugLoc().getLine() ||
            loop->getParentLoop() != loops_.getLoopFor(&block) ||
            !dominators_.dominates(&block, loop->getHeader()))
          continue;
        if (const unsigned lines = at.getLine() - call->getDebugLoc().getLine(); lines < distance) {
          distance = lines;
          nearest = loop;
        }
      }
      if (nearest)
        pragmas_.emplace(nearest, call);
    }
}

std::string fileOf(const llvm::DebugLoc &location) {
  return llvm::cast<llvm::DIScope>(location.getScope())->getFilename().str();
}

std::string textOf(const llvm::DebugLoc &location) {
  return location ? fileOf(location) + ":" + std::to_string(location.getLine()) + ":" +
                        std::to_string(location.getCol())
                  : "";
}

std::string ExecutionCounter::newSymbol(const std::string &kind, const llvm::DebugLoc &location,
                                        std::string reason, std::string remedy) {
  std::string name = kind + "@";
  const UnknownFactor factor{textOf(location), std::move(reason), std::move(remedy)};
  if (location)
    name += std::filesystem::path(fileOf(location)).filename().string() + ":" +
            std::to_string(location.getLine());
  else
    name += kernel_.getName().str();
  std::ranges::replace_if(name, [](char c) { return std::string_view(" ,()*/").contains(c); }, '_');
  // Copies of one loop or branch share a name, others on the same line get their column.
  if (const auto known = result_.unknowns.find(name);
      known != result_.unknowns.end() && known->second.location != factor.location && location)
    name += ":" + std::to_string(location.getCol());
  result_.unknowns.emplace(name, factor);
  return name;
}

std::string ExecutionCounter::variableOf(const llvm::Loop &loop) {
  const llvm::DebugLoc at = startOf(loop);
  const std::string base = "i@" + (at ? std::to_string(at.getLine()) : "loop");
  std::string name = base;
  for (int copy = 2; !variables_.insert(name).second; ++copy)
    name = base + "_" + std::to_string(copy);
  return name;
}

Domain ExecutionCounter::allThreads() {
  Cell cell;
  for (const auto &[index, extent] :
       {std::pair{"blockIdx.", "gridDim."}, std::pair{"threadIdx.", "blockDim."}})
    for (const char *dimension : {"z", "y", "x"}) {
      cell.variables.push_back(std::string(index) + dimension);
      const Expression variable = Expression::symbol(cell.variables.back());
      cell.constrain(variable);
      cell.constrain(Expression::symbol(std::string(extent) + dimension) - 1 - variable);
    }
  Domain domain;
  domain.add(std::move(cell));
  return domain;
}

bool ExecutionCounter::implies(const Cell &cell, const Expression &constraint) const {
  const auto follows = [&](const Expression &fact) {
    return (constraint - fact).lowerBound(values_.nonNegative()).value_or(-1) >= 0;
  };
  if (follows(0))
    return true;
  return std::ranges::any_of(cell.constraints, [&](const auto &entry) { return follows(entry.second); });
}

Domain ExecutionCounter::knownIterations(const LoopTrips &trips, const Domain &entry) const {
  const Expression k = Expression::symbol(trips.variable);
  Domain result;
  if (entry.isLost())
    result.lose();
  for (const auto &[key, cell] : entry.cells()) {
    Cell all = cell;
    all.variables.push_back(trips.variable);
    all.constrain(k);
    for (const auto &[block, stay] : trips.stay)
      for (const Expression &constraint : stay)
        all.constrain(constraint.substitute(trips.variable, k - 1));
    const bool guarded =
        std::ranges::all_of(trips.guards, [&](const Expression &guard) { return implies(cell, guard); });
    if (!guarded) {
      // The first iteration happens whether the condition holds or not.
      all.constrain(k - 1);
      Cell first = cell;
      first.variables.push_back(trips.variable);
      first.constrain(k);
      first.constrain(-k);
      result.add(std::move(first));
    }
    result.add(std::move(all));
  }
  return result;
}

/// The branch around a loop that the compiler turned from `while (c)` into `if (c) do ... while (c)`.
const llvm::BranchInst *guardOf(const llvm::Loop &loop) {
  const llvm::BasicBlock *before = loop.getLoopPredecessor();
  if (before && before->getSingleSuccessor() && before->getSinglePredecessor())
    before = before->getSinglePredecessor();
  const auto *branch = before ? llvm::dyn_cast<llvm::BranchInst>(before->getTerminator()) : nullptr;
  const llvm::BasicBlock *exit = loop.getExitBlock();
  if (!branch || !branch->isConditional() || !exit)
    return nullptr;
  bool avoids = false;
  for (const llvm::BasicBlock *successor : llvm::successors(before))
    avoids |= successor == exit || successor == exit->getSingleSuccessor();
  return avoids ? branch : nullptr;
}

Domain ExecutionCounter::unknownIterations(const llvm::Loop &loop, const Domain &entry,
                                           const std::string &why) {
  const std::string symbol = newSymbol("trips", startOf(loop), why,
                                       "put '#pragma streammap trips(expr)' before the loop, expr being its "
                                       "expected number of iterations");
  // The symbol counts per time the loop is reached, also when a guard finds that it has nothing to do.
  const llvm::BranchInst *guard = guardOf(loop);
  if (guard && loops_.getLoopFor(guard->getParent()) == loop.getParentLoop() &&
      domains_.contains(guard->getParent()) &&
      !values_.conditionOf(*guard->getCondition(), loop.getParentLoop()))
    return domains_.at(guard->getParent()).times(Expression::symbol(symbol));
  return entry.times(Expression::symbol(symbol));
}

Domain ExecutionCounter::statedIterations(const llvm::Loop &loop, const llvm::CallBase &pragma) {
  const Domain &reached = domains_.at(pragma.getParent());
  const auto stated = values_.valueOf(*pragma.getArgOperand(1), loop.getParentLoop());
  if (!stated) {
    const std::string symbol =
        newSymbol("trips", startOf(loop),
                  "the expression of its trips pragma " + values_.whyUnknown(*pragma.getArgOperand(1)),
                  "write trips(expr) with the kernel's arguments, constants and thread indices only");
    return reached.times(Expression::symbol(symbol));
  }
  const std::string variable = variableOf(loop);
  values_.nameIterations(loop, variable);
  const Expression k = Expression::symbol(variable);
  return knownIterations({true, variable, {{nullptr, {*stated - 2 - k}}}, {}, {}, {}}, reached);
}

Domain ExecutionCounter::iterations(const llvm::Loop &loop, const Domain &entry) {
  CountedLoop &counted = result_.loops.emplace_back(CountedLoop{textOf(startOf(loop)), {}});
  if (const auto pragma = pragmas_.find(&loop); pragma != pragmas_.end())
    return statedIterations(loop, *pragma->second);
  const LoopTrips trips = tripsOf(loop, variableOf(loop), values_, evolution_, dominators_, traps_);
  counted.whyUnknown = trips.isKnown ? "" : trips.whyUnknown;
  if (!trips.isKnown)
    return unknownIterations(loop, entry, trips.whyUnknown);
  assumptions_.insert(assumptions_.end(), trips.assumptions.begin(), trips.assumptions.end());
  return knownIterations(trips_[&loop] = trips, entry);
}

/// What leaves `loop` towards `target`. Loops end, so all that enters leaves; where there are several
/// targets, only data tells which, unless it is the one that the condition in front of all others leads to.
Domain ExecutionCounter::leaving(const llvm::Loop &loop, const llvm::BasicBlock &target) {
  std::vector<const llvm::BasicBlock *> targets;
  std::vector<const llvm::BasicBlock *> sources;
  llvm::SmallVector<std::pair<llvm::BasicBlock *, llvm::BasicBlock *>, 4> edges;
  loop.getExitEdges(edges);
  for (const auto &[from, to] : edges)
    if (!traps_.contains(to) && std::ranges::find(targets, to) == targets.end()) {
      targets.push_back(to);
      sources.push_back(from);
    }
  const Domain &entry = entries_.at(&loop);
  if (targets.size() == 1)
    return entry;
  Expression others;
  for (std::size_t i = 0; i + 1 != targets.size(); ++i) {
    const Expression share =
        Expression::symbol(newSymbol("taken", sources[i]->getTerminator()->getDebugLoc(),
                                     "the loop is left in several ways, as its data decides",
                                     "give the task a flops(...) or bytes(...) clause"));
    if (targets[i] == &target)
      return entry.times(share);
    others += share;
  }
  return entry.times(1 - others);
}

Domain ExecutionCounter::throughBranch(const llvm::BranchInst &branch, unsigned successor,
                                       const Domain &before) {
  const llvm::BasicBlock *block = branch.getParent();
  if (!branch.isConditional() || branch.getSuccessor(0) == branch.getSuccessor(1) ||
      traps_.contains(branch.getSuccessor(1 - successor)))
    return before;
  const llvm::Loop *loop = loops_.getLoopFor(block);
  if (loop && !loop->contains(branch.getSuccessor(1 - successor))) {
    // The way that stays: the loop's trip count has told how often.
    const auto trips = trips_.find(loop);
    if (trips == trips_.end() || !trips->second.stay.contains(block))
      return before;
    return before.where({{1, trips->second.stay.at(block)}});
  }
  auto condition = values_.conditionOf(*branch.getCondition(), loop);
  if (condition)
    return before.where(successor == 0 ? *condition : negationOf(*condition));
  std::string &symbol = branchSymbols_[&branch];
  if (symbol.empty())
    symbol = newSymbol("taken", branch.getDebugLoc(),
                       "which way the branch goes " + values_.whyUnknown(*branch.getCondition()),
                       "give the task a flops(...) or bytes(...) clause");
  const Expression taken = Expression::symbol(symbol);
  return before.times(successor == 0 ? taken : 1 - taken);
}

Domain ExecutionCounter::throughSwitch(const llvm::SwitchInst &choice, unsigned successor,
                                       const Domain &before) {
  const auto value = values_.valueOf(*choice.getCondition(), loops_.getLoopFor(choice.getParent()));
  const auto equal = [&](const llvm::ConstantInt &constant) {
    const Expression difference = *value - constant.getSExtValue();
    return Indicator{{1, {difference, -difference}}};
  };
  if (value) {
    if (successor != 0)
      return before.where(equal(*(choice.case_begin() + (successor - 1))->getCaseValue()));
    Indicator none{{1, {}}};
    for (const auto &option : choice.cases())
      for (const Conjunction &term : equal(*option.getCaseValue()))
        none.push_back({-1, term.constraints});
    return before.where(none);
  }
  const auto share = [&](unsigned i) {
    return Expression::symbol(newSymbol("case" + std::to_string(i), choice.getDebugLoc(),
                                        "which case is taken " + values_.whyUnknown(*choice.getCondition()),
                                        "give the task a flops(...) or bytes(...) clause"));
  };
  if (successor != 0)
    return before.times(share(successor));
  Expression others;
  for (unsigned i = 1; i != choice.getNumSuccessors(); ++i)
    others += share(i);
  return before.times(1 - others);
}

Domain ExecutionCounter::along(const llvm::BasicBlock &from, unsigned successor) {
  const llvm::Instruction *end = from.getTerminator();
  const Domain &before = domains_.at(&from);
  if (const auto *branch = llvm::dyn_cast<llvm::BranchInst>(end))
    return throughBranch(*branch, successor, before);
  if (const auto *choice = llvm::dyn_cast<llvm::SwitchInst>(end))
    return throughSwitch(*choice, successor, before);
  const Expression share =
      Expression::symbol(newSymbol("case" + std::to_string(successor), end->getDebugLoc(), "an indirect jump",
                                   "give the task a flops(...) clause"));
  return before.times(share);
}

IterationSpace ExecutionCounter::spaceOf(const Cell &cell) const {
  IterationSpace space{cell.variables, {}, cell.weight, assumptions_};
  space.assumptions.insert(space.assumptions.end(), values_.assumptions().begin(),
                           values_.assumptions().end());
  for (const auto &[text, constraint] : cell.constraints)
    space.constraints.push_back(constraint);
  return space;
}

MemoryAccess ExecutionCounter::accessAt(const llvm::Instruction &instruction, const llvm::Value &pointer,
                                        std::uint64_t size) {
  MemoryAccess access;
  access.instruction = &instruction;
  access.isShared = memorySpace(&pointer) == MemorySpace::shared;
  access.size = size;
  const llvm::Loop *scope = loops_.getLoopFor(instruction.getParent());
  const llvm::SCEV *address =
      evolution_.getSCEVAtScope(evolution_.getSCEV(const_cast<llvm::Value *>(&pointer)), scope);
  const auto *base = llvm::dyn_cast<llvm::SCEVUnknown>(evolution_.getPointerBase(address));
  if (!base)
    return access;
  access.base = base->getValue();
  // A base that an iteration loads or chooses anew is a different array each time.
  if (const auto *from = llvm::dyn_cast<llvm::Instruction>(access.base);
      from && loops_.getLoopFor(from->getParent()))
    return access;
  if (const llvm::SCEV *offset = evolution_.removePointerBase(address);
      !llvm::isa<llvm::SCEVCouldNotCompute>(offset))
    access.offset = values_.valueOf(*offset, scope);
  return access;
}

std::vector<MemoryAccess> ExecutionCounter::accessesOf(const llvm::Instruction &instruction) {
  const llvm::DataLayout &layout = instruction.getModule()->getDataLayout();
  std::vector<MemoryAccess> found;
  const auto add = [&](const llvm::Value *pointer, std::uint64_t size, bool isRead, bool isWritten) {
    const MemorySpace space = memorySpace(pointer);
    if (space != MemorySpace::global && space != MemorySpace::shared)
      return;
    found.push_back(accessAt(instruction, *pointer, size));
    found.back().isRead = isRead;
    found.back().isWritten = isWritten;
  };
  const auto sizeOf = [&](const llvm::Value *value) -> std::uint64_t {
    return layout.getTypeStoreSize(value->getType());
  };
  if (const auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
    add(load->getPointerOperand(), sizeOf(load), true, false);
  } else if (const auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
    add(store->getPointerOperand(), sizeOf(store->getValueOperand()), false, true);
  } else if (const auto *update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction)) {
    add(update->getPointerOperand(), sizeOf(update->getValOperand()), true, true);
  } else if (const auto *exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) {
    add(exchange->getPointerOperand(), sizeOf(exchange->getNewValOperand()), true, true);
  } else if (const auto *memory = llvm::dyn_cast<llvm::MemIntrinsic>(&instruction)) {
    if (const auto *length = llvm::dyn_cast<llvm::ConstantInt>(memory->getLength())) {
      add(memory->getRawDest(), length->getZExtValue(), false, true);
      if (const auto *copy = llvm::dyn_cast<llvm::MemTransferInst>(memory))
        add(copy->getRawSource(), length->getZExtValue(), true, false);
    }
  }
  return found;
}

void ExecutionCounter::collectAccesses(const llvm::BasicBlock &block, const Expression &count) {
  BlockAccesses found{count, {}, {}};
  for (const llvm::Instruction &instruction : block)
    for (MemoryAccess &access : accessesOf(instruction))
      found.accesses.push_back(std::move(access));
  if (found.accesses.empty() || count.isZero())
    return;
  for (const auto &[key, cell] : domains_.at(&block).cells())
    found.cells.push_back(spaceOf(cell));
  result_.accesses.push_back(std::move(found));
}

Expression ExecutionCounter::countOf(const llvm::BasicBlock &block, const Domain &domain) {
  Expression total;
  std::string failed;
  if (domain.isLost())
    failed = "its execution count falls into too many cases";
  for (const auto &[key, cell] : domain.cells()) {
    if (!failed.empty())
      break;
    const std::string full = cell.weight.text() + "|" + key;
    auto known = counted_.find(full);
    if (known == counted_.end()) {
      const IterationSpace space = spaceOf(cell);
      const CountingBudget given{std::min(partsPerCell, partsLeft_),
                                 std::min(comparisonsPerCell, comparisonsLeft_)};
      CountingBudget budget = given;
      const Expected<Expression> count = countPoints(space, budget);
      partsLeft_ -= given.parts - budget.parts;
      comparisonsLeft_ -= given.comparisons - budget.comparisons;
      if (!count) {
        failed = count.error().message;
        break;
      }
      known = counted_.emplace(full, *count).first;
    }
    total += known->second;
    if (total.terms().size() > mostTerms)
      failed = "its execution count falls into too many cases";
  }
  if (failed.empty())
    return total;
  return Expression::symbol(newSymbol("count", block.getTerminator()->getDebugLoc(), failed,
                                      "give the task a flops(...) or bytes(...) clause"));
}

/// The block in front of an `if`, for the block behind it: they run equally often, so nothing has to be added
/// up.
const llvm::BasicBlock *ExecutionCounter::runsAsOftenAs(const llvm::BasicBlock &block) const {
  const auto *node = dominators_.getNode(&block);
  const llvm::BasicBlock *before = node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
  const llvm::Loop *loop = loops_.getLoopFor(&block);
  if (!before || loops_.getLoopFor(before) != loop || !domains_.contains(before) ||
      !postDominators_.dominates(&block, before))
    return nullptr;
  // In a loop, an iteration must not get back to the header around it.
  if (loop && (!loop->getLoopLatch() || !dominators_.dominates(&block, loop->getLoopLatch())))
    return nullptr;
  return before;
}

/// What comes along all edges into `block`, back edges excepted. `header` is its loop if it is a header.
Domain ExecutionCounter::reaching(const llvm::BasicBlock &block, const llvm::Loop *header) {
  if (!header)
    if (const llvm::BasicBlock *before = runsAsOftenAs(block))
      return domains_.at(before);
  Domain domain;
  std::set<const llvm::Loop *> left;
  std::set<const llvm::BasicBlock *> seen;
  for (const llvm::BasicBlock *from : llvm::predecessors(&block)) {
    if (!seen.insert(from).second || (header && header->contains(from)) || !domains_.contains(from))
      continue;
    const llvm::Loop *exited = loops_.getLoopFor(from);
    while (exited && exited->getParentLoop() && !exited->getParentLoop()->contains(&block))
      exited = exited->getParentLoop();
    if (exited && !exited->contains(&block)) {
      if (left.insert(exited).second)
        domain.add(leaving(*exited, block));
      continue;
    }
    for (unsigned i = 0; i != from->getTerminator()->getNumSuccessors(); ++i)
      if (from->getTerminator()->getSuccessor(i) == &block)
        domain.add(along(*from, i));
  }
  return domain;
}

ExecutionCounts ExecutionCounter::run() {
  findTraps();
  assignPragmas();
  const llvm::ReversePostOrderTraversal<llvm::Function *> order(&kernel_);
  for (const llvm::BasicBlock *block : order) {
    if (traps_.contains(block))
      continue;
    const llvm::Loop *header = loops_.isLoopHeader(block) ? loops_.getLoopFor(block) : nullptr;
    Domain domain = block == &kernel_.getEntryBlock() ? allThreads() : reaching(*block, header);
    if (header) {
      entries_[header] = domain;
      domain = iterations(*header, domain);
    }
    domains_[block] = std::move(domain);
  }
  for (const llvm::BasicBlock &block : kernel_)
    if (const auto domain = domains_.find(&block); domain != domains_.end())
      result_.blocks.emplace_back(&block, countOf(block, domain->second));
  for (const auto &[block, count] : result_.blocks)
    collectAccesses(*block, count);
  for (const std::string &name : values_.constants())
    result_.unknowns.emplace(name, UnknownFactor{"", "depends on the __constant__ variable '" + name + "'",
                                                 "pass --param " + name + "=VALUE"});
  return std::move(result_);
}

} // namespace

ExecutionCounts countExecutions(llvm::Function &kernel, const DeclaredKernel &declaration,
                                llvm::ScalarEvolution &evolution, llvm::LoopInfo &loops,
                                const llvm::DominatorTree &dominators,
                                const llvm::PostDominatorTree &postDominators) {
  return ExecutionCounter(kernel, declaration, evolution, loops, dominators, postDominators).run();
}

} // namespace streammap
