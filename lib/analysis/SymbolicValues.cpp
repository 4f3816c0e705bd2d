#include "analysis/SymbolicValues.h"
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>

namespace streammap {

using namespace llvm::PatternMatch;
using MaybeExpression = std::optional<Expression>;

Indicator conjunctionOf(const Indicator &a, const Indicator &b) {
  Indicator result;
  for (const Conjunction &left : a)
    for (const Conjunction &right : b) {
      Conjunction both{left.coefficient * right.coefficient, left.constraints};
      both.constraints.insert(both.constraints.end(), right.constraints.begin(), right.constraints.end());
      result.push_back(std::move(both));
    }
  return result;
}

Indicator negationOf(const Indicator &a) {
  // One inequality has a plain complement, which keeps the sums short.
  if (a.size() == 1 && a[0].coefficient == 1 && a[0].constraints.size() == 1)
    return {{1, {-a[0].constraints[0] - 1}}};
  Indicator result{{1, {}}};
  for (const Conjunction &term : a)
    result.push_back({-term.coefficient, term.constraints});
  return result;
}

namespace {

/// Deeper than this an expression is no index computation, but a hash or a generator of random numbers.
constexpr unsigned deepest = 64;
constexpr std::size_t mostTerms = 40, longestText = 1000;

Expression remainder(const Expression &a, const Expression &b) {
  return a - b * floorDiv(a, b);
}

/// 1 where the indicator holds, else 0, as one value.
Expression valueOfIndicator(const Indicator &indicator) {
  Expression result;
  for (const Conjunction &term : indicator) {
    Expression product(term.coefficient);
    for (const Expression &constraint : term.constraints)
      product = product * positive(constraint + 1);
    result += product;
  }
  return result;
}

MaybeExpression both(const MaybeExpression &a, const MaybeExpression &b, auto combine) {
  return a && b ? MaybeExpression(combine(*a, *b)) : std::nullopt;
}

} // namespace

SymbolicValues::SymbolicValues(llvm::ScalarEvolution &evolution, llvm::LoopInfo &loops,
                               const DeclaredKernel &kernel)
    : evolution_(evolution), loops_(loops), kernel_(kernel) {
  for (const char *index : {"threadIdx.", "blockIdx."})
    for (const char *dimension : {"x", "y", "z"})
      nonNegative_.insert(std::string(index) + dimension);
}

void SymbolicValues::nameIterations(const llvm::Loop &loop, const std::string &variable) {
  variables_[&loop] = variable;
  known_.clear();
  nonNegative_.insert(variable);
}

void SymbolicValues::forgetIterations(const llvm::Loop &loop) {
  variables_.erase(&loop);
}

MaybeExpression SymbolicValues::valueOf(const llvm::Value &value, const llvm::Loop *scope) {
  if (value.getType()->isIntegerTy(1))
    return ofBoolean(value, scope);
  auto &mutableValue = const_cast<llvm::Value &>(value); // ScalarEvolution asks for it, and only looks
  if (!evolution_.isSCEVable(value.getType()))
    return std::nullopt;
  const llvm::SCEV *known = evolution_.getSCEV(&mutableValue);
  return valueOf(*evolution_.getSCEVAtScope(known, scope), scope);
}

MaybeExpression SymbolicValues::valueOf(const llvm::SCEV &value, const llvm::Loop *scope) {
  const auto key = std::pair(&value, scope);
  if (const auto known = known_.find(key); known != known_.end())
    return known->second;
  MaybeExpression result = computeValue(value, scope);
  // Values that nobody could read are no formulas: hashes, generators of random numbers.
  if (result && (result->terms().size() > mostTerms || result->text().size() > longestText))
    result.reset();
  return known_[key] = result;
}

MaybeExpression SymbolicValues::computeValue(const llvm::SCEV &value, const llvm::Loop *scope) {
  struct Depth {
    unsigned &depth;
    explicit Depth(unsigned &d) : depth(++d) {}
    ~Depth() { --depth; }
  } level(depth_);
  if (depth_ > deepest)
    return std::nullopt;
  const auto operand = [&](const llvm::SCEV *e) { return valueOf(*e, scope); };
  const auto fold = [&](auto operands, auto combine) {
    MaybeExpression result;
    bool first = true;
    for (const llvm::SCEV *e : operands) {
      const MaybeExpression next = operand(e);
      result = first ? next : both(result, next, combine);
      first = false;
      if (!result)
        break;
    }
    return result;
  };
  switch (value.getSCEVType()) {
  case llvm::scConstant: {
    const llvm::APInt &number = llvm::cast<llvm::SCEVConstant>(value).getAPInt();
    if (number.getSignificantBits() > 62)
      return std::nullopt;
    return Expression(number.getSExtValue());
  }
  case llvm::scPtrToInt:
  case llvm::scTruncate:
  case llvm::scSignExtend:
    return operand(llvm::cast<llvm::SCEVCastExpr>(value).getOperand());
  case llvm::scZeroExtend: {
    const llvm::SCEV *inner = llvm::cast<llvm::SCEVCastExpr>(value).getOperand();
    const unsigned bits = static_cast<unsigned>(evolution_.getTypeSizeInBits(inner->getType()));
    const MaybeExpression result = operand(inner);
    // A mask, x & (2^bits - 1), is written so. Wider truncations are conversions that lose nothing.
    if (result && inner->getSCEVType() == llvm::scTruncate && bits < 32)
      return remainder(*result, std::int64_t{1} << bits);
    return result;
  }
  case llvm::scAddExpr:
    return fold(llvm::cast<llvm::SCEVNAryExpr>(value).operands(),
                [](const Expression &a, const Expression &b) { return a + b; });
  case llvm::scMulExpr:
    return fold(llvm::cast<llvm::SCEVNAryExpr>(value).operands(),
                [](const Expression &a, const Expression &b) { return a * b; });
  case llvm::scSMaxExpr:
  case llvm::scUMaxExpr:
    return fold(llvm::cast<llvm::SCEVNAryExpr>(value).operands(), maximum);
  case llvm::scSMinExpr:
  case llvm::scUMinExpr:
  case llvm::scSequentialUMinExpr:
    return fold(llvm::cast<llvm::SCEVNAryExpr>(value).operands(), minimum);
  case llvm::scUDivExpr: {
    const auto &division = llvm::cast<llvm::SCEVUDivExpr>(value);
    return both(operand(division.getLHS()), operand(division.getRHS()), floorDiv);
  }
  case llvm::scAddRecExpr: {
    const auto &recurrence = llvm::cast<llvm::SCEVAddRecExpr>(value);
    const auto variable = variables_.find(recurrence.getLoop());
    if (variable == variables_.end() || (scope ? !recurrence.getLoop()->contains(scope) : true))
      return std::nullopt;
    // {a, +, b, +, c} at iteration k is a + b*k + c*k*(k-1)/2 + ...
    const Expression k = Expression::symbol(variable->second);
    Expression binomial = 1, result;
    std::int64_t factorial = 1;
    for (unsigned i = 0; i != recurrence.getNumOperands(); ++i) {
      const MaybeExpression coefficient = operand(recurrence.getOperand(i));
      if (!coefficient || i > 3)
        return std::nullopt;
      factorial *= i == 0 ? 1 : i;
      result += (*coefficient * binomial).dividedBy(factorial);
      binomial = binomial * (k - i);
    }
    return result;
  }
  case llvm::scUnknown:
    return unknownValue(*llvm::cast<llvm::SCEVUnknown>(value).getValue(), scope);
  default:
    return std::nullopt;
  }
}

MaybeExpression SymbolicValues::ofBoolean(const llvm::Value &value, const llvm::Loop *scope) {
  const auto indicator = conditionOf(value, scope);
  return indicator ? MaybeExpression(valueOfIndicator(*indicator)) : std::nullopt;
}

Expression SymbolicValues::part(const ParameterPart &part) {
  const Expression symbol = Expression::symbol(part.name);
  if (part.isUnsigned && nonNegative_.insert(part.name).second)
    assumptions_.push_back(symbol);
  return symbol;
}

MaybeExpression SymbolicValues::argument(const llvm::Value &value) {
  const unsigned number = llvm::cast<llvm::Argument>(value).getArgNo();
  if (number >= kernel_.parameters.size())
    return std::nullopt;
  const DeclaredParameter &parameter = kernel_.parameters[number];
  if (value.getType()->isPointerTy())
    return Expression::symbol("&" + parameter.name);
  return parameter.parts.size() == 1 ? MaybeExpression(part(parameter.parts[0])) : std::nullopt;
}

MaybeExpression SymbolicValues::loaded(const llvm::LoadInst &load) {
  const llvm::DataLayout &layout = load.getDataLayout();
  llvm::APInt offset(layout.getIndexTypeSizeInBits(load.getPointerOperand()->getType()), 0);
  const llvm::Value *base =
      load.getPointerOperand()->stripAndAccumulateConstantOffsets(layout, offset, /*AllowNonInbounds=*/true);
  const std::uint64_t at = offset.getZExtValue();
  if (const auto *from = llvm::dyn_cast<llvm::Argument>(base);
      from && from->hasByValAttr() && from->getArgNo() < kernel_.parameters.size()) {
    for (const ParameterPart &candidate : kernel_.parameters[from->getArgNo()].parts)
      if (candidate.offset == at)
        return part(candidate);
    return std::nullopt;
  }
  const auto *global = llvm::dyn_cast<llvm::GlobalVariable>(base);
  if (!global || global->getAddressSpace() != 4 || !load.getType()->isIntegerTy())
    return std::nullopt;
  std::string name = llvm::demangle(global->getName().str());
  if (at != 0)
    name += "." + std::to_string(at);
  if (name.find_first_of(" ,()*/:") != std::string::npos)
    return std::nullopt;
  constants_.insert(name);
  return Expression::symbol(name);
}

Expression SymbolicValues::index(const std::string &name) {
  return Expression::symbol(name);
}

/// The integer functions of CUDA's math library: __nv_min, __nv_ullmax, __nv_abs, ...
MaybeExpression SymbolicValues::mathCall(const llvm::CallBase &call, const llvm::Loop *scope) {
  const llvm::Function *callee = call.getCalledFunction();
  llvm::StringRef name = callee ? callee->getName() : "";
  if (!name.consume_front("__nv_") || !call.getType()->isIntegerTy())
    return std::nullopt;
  const bool isMin = name.ends_with("min"), isMax = name.ends_with("max"), isAbs = name.ends_with("abs");
  if (isAbs)
    if (const MaybeExpression x = valueOf(*call.getArgOperand(0), scope))
      return maximum(*x, -*x);
  if ((!isMin && !isMax) || call.arg_size() != 2)
    return std::nullopt;
  return both(valueOf(*call.getArgOperand(0), scope), valueOf(*call.getArgOperand(1), scope),
              isMin ? minimum : maximum);
}

MaybeExpression SymbolicValues::called(const llvm::CallBase &call, const llvm::Loop *scope) {
  const auto *intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&call);
  if (!intrinsic)
    return mathCall(call, scope);
  llvm::StringRef name = intrinsic->getCalledFunction()->getName();
  if (name.consume_front("llvm.nvvm.read.ptx.sreg.")) {
    for (const auto &[prefix, meaning] : {std::pair{"tid.", "threadIdx."}, std::pair{"ctaid.", "blockIdx."},
                                          std::pair{"ntid.", "blockDim."}, std::pair{"nctaid.", "gridDim."}})
      if (llvm::StringRef rest = name; rest.consume_front(prefix) && rest.size() == 1)
        return index(meaning + rest.str());
    if (name == "warpsize")
      return Expression(32);
    const Expression linear =
        index("threadIdx.x") +
        index("blockDim.x") * (index("threadIdx.y") + index("blockDim.y") * index("threadIdx.z"));
    if (name == "laneid")
      return remainder(linear, 32);
    if (name == "warpid")
      return floorDiv(linear, 32);
    return std::nullopt;
  }
  const auto operand = [&](unsigned i) { return valueOf(*intrinsic->getArgOperand(i), scope); };
  switch (intrinsic->getIntrinsicID()) {
  case llvm::Intrinsic::abs:
    if (const MaybeExpression x = operand(0))
      return maximum(*x, -*x);
    return std::nullopt;
  case llvm::Intrinsic::usub_sat:
    return both(operand(0), operand(1),
                [](const Expression &a, const Expression &b) { return maximum(0, a - b); });
  case llvm::Intrinsic::smin:
  case llvm::Intrinsic::umin:
    return both(operand(0), operand(1), minimum);
  case llvm::Intrinsic::smax:
  case llvm::Intrinsic::umax:
    return both(operand(0), operand(1), maximum);
  default:
    return std::nullopt;
  }
}

/// y where `mask` is y - 1 and y is a power of 2 by construction, exp2(k) times a constant one. InstCombine
/// writes y - 1 as y + 1023 where the masked value has ten bits.
MaybeExpression SymbolicValues::powerAboveMask(const Expression &mask, const llvm::Value &masked) {
  const auto isPower = [](std::int64_t value) { return value > 0 && (value & (value - 1)) == 0; };
  for (const Expression::Term &term : mask.terms()) {
    const Expression power = Expression::ofTerm(term);
    const auto rest = (mask - power).constant();
    if (term.factors.size() != 1 || term.factors[0].first->kind() != Atom::Kind::exp2 ||
        term.denominator != 1 || !isPower(term.numerator) || !rest)
      continue;
    if (*rest == -1)
      return power;
    const llvm::SCEV *value = evolution_.getSCEV(const_cast<llvm::Value *>(&masked));
    if (isPower(*rest + 1) && evolution_.getUnsignedRangeMax(value).ule(static_cast<std::uint64_t>(*rest)))
      return power;
  }
  return std::nullopt;
}

MaybeExpression SymbolicValues::computed(const llvm::BinaryOperator &operation, const llvm::Loop *scope) {
  const MaybeExpression left = valueOf(*operation.getOperand(0), scope);
  const MaybeExpression right = valueOf(*operation.getOperand(1), scope);
  if (!left || !right)
    return std::nullopt;
  const auto constant = right->constant();
  switch (operation.getOpcode()) {
  case llvm::Instruction::Shl:
    return *left * exp2(*right);
  case llvm::Instruction::LShr:
  case llvm::Instruction::AShr:
    return floorDiv(*left, exp2(*right));
  case llvm::Instruction::UDiv:
  case llvm::Instruction::SDiv: // C rounds to 0; the two agree where nothing is negative
    return floorDiv(*left, *right);
  case llvm::Instruction::URem:
  case llvm::Instruction::SRem:
    return remainder(*left, *right);
  case llvm::Instruction::And: {
    if (constant && *constant > 0 && (*constant & (*constant + 1)) == 0)
      return remainder(*left, *constant + 1);
    if (constant && *constant < 0 && (-*constant & (-*constant - 1)) == 0)
      return -*constant * floorDiv(*left, -*constant);
    if (const auto power = powerAboveMask(*right, *operation.getOperand(0)))
      return remainder(*left, *power);
    if (const auto power = powerAboveMask(*left, *operation.getOperand(1)))
      return remainder(*right, *power);
    return std::nullopt;
  }
  case llvm::Instruction::Or:
    if (llvm::cast<llvm::PossiblyDisjointInst>(operation).isDisjoint())
      return *left + *right;
    return std::nullopt;
  case llvm::Instruction::Add:
    return *left + *right;
  case llvm::Instruction::Sub:
    return *left - *right;
  case llvm::Instruction::Mul:
    return *left * *right;
  default:
    return std::nullopt;
  }
}

std::optional<GeometricSequence> SymbolicValues::geometric(const llvm::PHINode &phi) {
  const llvm::Loop *loop = loops_.getLoopFor(phi.getParent());
  if (!loop || loop->getHeader() != phi.getParent() || !loop->getLoopLatch() || !loop->getLoopPredecessor())
    return std::nullopt;
  llvm::Value *next = phi.getIncomingValueForBlock(loop->getLoopLatch());
  std::uint64_t amount = 0;
  auto direction = GeometricSequence::Direction::shrinks;
  if (match(next, m_Shr(m_Specific(&phi), m_ConstantInt(amount))))
    ;
  else if (match(next, m_Shl(m_Specific(&phi), m_ConstantInt(amount))))
    direction = GeometricSequence::Direction::grows;
  else if (llvm::ConstantInt *divisor = nullptr;
           match(next, m_IDiv(m_Specific(&phi), m_ConstantInt(divisor))) && divisor->getValue().isPowerOf2())
    amount = divisor->getValue().logBase2();
  else
    return std::nullopt;
  const llvm::Value *first = phi.getIncomingValueForBlock(loop->getLoopPredecessor());
  const MaybeExpression start = valueOf(*first, loop->getParentLoop());
  if (!start || amount == 0 || amount > 30)
    return std::nullopt;
  return GeometricSequence{*start, static_cast<std::int64_t>(amount), direction};
}

MaybeExpression SymbolicValues::loopPhi(const llvm::PHINode &phi) {
  const llvm::Loop *loop = loops_.getLoopFor(phi.getParent());
  const auto variable = variables_.find(loop);
  if (variable == variables_.end())
    return std::nullopt;
  const auto sequence = geometric(phi);
  if (!sequence)
    return std::nullopt;
  const Expression power = exp2(sequence->shift * Expression::symbol(variable->second));
  return sequence->direction == GeometricSequence::Direction::grows ? sequence->first * power
                                                                    : floorDiv(sequence->first, power);
}

/// The same value whichever way was taken: both sides of a branch computed it.
MaybeExpression SymbolicValues::mergePhi(const llvm::PHINode &phi, const llvm::Loop *scope) {
  MaybeExpression common;
  for (const llvm::Use &incoming : phi.incoming_values()) {
    const MaybeExpression value = valueOf(*incoming.get(), scope);
    if (!value || (common && !(*common == *value)))
      return std::nullopt;
    common = value;
  }
  return common;
}

MaybeExpression SymbolicValues::unknownValue(const llvm::Value &value, const llvm::Loop *scope) {
  if (llvm::isa<llvm::Argument>(value))
    return argument(value);
  if (llvm::isa<llvm::ConstantPointerNull>(value))
    return Expression(0);
  if (llvm::isa<llvm::GlobalVariable>(value))
    return Expression::symbol("&" + value.getName().str());
  if (const auto *load = llvm::dyn_cast<llvm::LoadInst>(&value))
    return loaded(*load);
  if (const auto *call = llvm::dyn_cast<llvm::CallBase>(&value))
    return called(*call, scope);
  if (const auto *operation = llvm::dyn_cast<llvm::BinaryOperator>(&value))
    return computed(*operation, scope);
  if (const auto *phi = llvm::dyn_cast<llvm::PHINode>(&value))
    return loops_.isLoopHeader(phi->getParent()) ? loopPhi(*phi) : mergePhi(*phi, scope);
  if (const auto *frozen = llvm::dyn_cast<llvm::FreezeInst>(&value))
    return valueOf(*frozen->getOperand(0), scope);
  if (const auto *choice = llvm::dyn_cast<llvm::SelectInst>(&value)) {
    const auto condition = conditionOf(*choice->getCondition(), scope);
    const MaybeExpression yes = valueOf(*choice->getTrueValue(), scope),
                          no = valueOf(*choice->getFalseValue(), scope);
    if (condition && yes && no)
      return *no + valueOfIndicator(*condition) * (*yes - *no);
  }
  return std::nullopt;
}

std::optional<Indicator> SymbolicValues::comparison(unsigned predicate, const llvm::Value &left,
                                                    const llvm::Value &right, const llvm::Loop *scope) {
  const MaybeExpression a = valueOf(left, scope), b = valueOf(right, scope);
  if (!a || !b)
    return std::nullopt;
  const auto below = [](const Expression &x, const Expression &y) { return y - x - 1; };
  // As unsigned numbers, a < b with a negative `a` is false; `b` is taken to be no negative number.
  const auto unsignedly = [&](const Expression &smaller, const Expression &constraint) {
    Indicator result{{1, {constraint}}};
    if (!isNonNegative(smaller))
      result[0].constraints.push_back(smaller);
    return result;
  };
  switch (predicate) {
  case llvm::CmpInst::ICMP_SLT:
    return Indicator{{1, {below(*a, *b)}}};
  case llvm::CmpInst::ICMP_SLE:
    return Indicator{{1, {*b - *a}}};
  case llvm::CmpInst::ICMP_SGT:
    return Indicator{{1, {below(*b, *a)}}};
  case llvm::CmpInst::ICMP_SGE:
    return Indicator{{1, {*a - *b}}};
  case llvm::CmpInst::ICMP_ULT:
    return unsignedly(*a, below(*a, *b));
  case llvm::CmpInst::ICMP_ULE:
    return unsignedly(*a, *b - *a);
  case llvm::CmpInst::ICMP_UGE:
    return negationOf(unsignedly(*a, below(*a, *b)));
  case llvm::CmpInst::ICMP_UGT:
    return negationOf(unsignedly(*a, *b - *a));
  case llvm::CmpInst::ICMP_EQ:
    if (isNonNegative(*a - *b))
      return Indicator{{1, {*b - *a}}};
    if (isNonNegative(*b - *a))
      return Indicator{{1, {*a - *b}}};
    return Indicator{{1, {*a - *b, *b - *a}}};
  case llvm::CmpInst::ICMP_NE: {
    // Against a value that `a` cannot go below, "not equal" is "above".
    if (isNonNegative(*a - *b))
      return Indicator{{1, {*a - *b - 1}}};
    if (isNonNegative(*b - *a))
      return Indicator{{1, {*b - *a - 1}}};
    return negationOf({{1, {*a - *b, *b - *a}}});
  }
  default:
    return std::nullopt;
  }
}

std::optional<Indicator> SymbolicValues::conditionOf(const llvm::Value &condition, const llvm::Loop *scope) {
  if (const auto *constant = llvm::dyn_cast<llvm::ConstantInt>(&condition))
    return constant->isZero() ? Indicator{} : Indicator{{1, {}}};
  if (const auto *compare = llvm::dyn_cast<llvm::ICmpInst>(&condition)) {
    if (compare->getOperand(0)->getType()->isPointerTy() &&
        (llvm::isa<llvm::ConstantPointerNull>(compare->getOperand(1)) ||
         llvm::isa<llvm::ConstantPointerNull>(compare->getOperand(0))))
      return std::nullopt; // whether an argument is null is for the caller to know
    return comparison(compare->getPredicate(), *compare->getOperand(0), *compare->getOperand(1), scope);
  }
  if (const auto *frozen = llvm::dyn_cast<llvm::FreezeInst>(&condition))
    return conditionOf(*frozen->getOperand(0), scope);
  auto *pattern = const_cast<llvm::Value *>(&condition); // matchers bind no pointers to const
  llvm::Value *a = nullptr, *b = nullptr;
  if (match(pattern, m_Not(m_Value(a)))) {
    const auto inner = conditionOf(*a, scope);
    return inner ? std::optional(negationOf(*inner)) : std::nullopt;
  }
  const bool isAnd = match(pattern, m_LogicalAnd(m_Value(a), m_Value(b)));
  if (isAnd || match(pattern, m_LogicalOr(m_Value(a), m_Value(b)))) {
    const auto left = conditionOf(*a, scope), right = conditionOf(*b, scope);
    if (!left || !right)
      return std::nullopt;
    return isAnd ? conjunctionOf(*left, *right)
                 : negationOf(conjunctionOf(negationOf(*left), negationOf(*right)));
  }
  if (match(pattern, m_Trunc(m_Value(a))))
    if (const MaybeExpression value = valueOf(*a, scope)) {
      const Expression bit = remainder(*value, 2);
      return Indicator{{1, {bit - 1, 1 - bit}}};
    }
  return std::nullopt;
}

std::string SymbolicValues::whyUnknown(const llvm::Value &value) const {
  llvm::SmallPtrSet<const llvm::Value *, 32> seen;
  std::vector<const llvm::Value *> open{&value};
  std::string reason;
  // Breadth first, so that the nearest cause is named.
  for (std::size_t i = 0; i != open.size() && i != 200; ++i) {
    const auto *instruction = llvm::dyn_cast<llvm::Instruction>(open[i]);
    if (!instruction || !seen.insert(instruction).second)
      continue;
    if (llvm::isa<llvm::LoadInst>(instruction))
      return "depends on loaded data";
    if (llvm::isa<llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(instruction))
      return "depends on the result of an atomic operation";
    if (const auto *call = llvm::dyn_cast<llvm::CallBase>(instruction)) {
      const llvm::Function *callee = call->getCalledFunction();
      if (callee && callee->getName().starts_with("llvm.nvvm.read.ptx.sreg."))
        continue;
      if (callee && callee->getName().starts_with("llvm.nvvm.shfl"))
        return "depends on a value exchanged between threads";
      if (callee && !callee->isIntrinsic())
        return "depends on the result of '" + llvm::demangle(callee->getName().str()) + "'";
    }
    if (instruction->getType()->isFloatingPointTy() && reason.empty())
      reason = "depends on floating-point values";
    for (const llvm::Value *operand : instruction->operands())
      open.push_back(operand);
  }
  return reason.empty() ? "is no formula of indices and arguments that can be counted" : reason;
}

} // namespace streammap
