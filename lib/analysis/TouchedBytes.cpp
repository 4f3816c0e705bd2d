#include "analysis/TouchedBytes.h"
#include "analysis/ReachedRanges.h"
#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace streammap {
namespace {

constexpr std::size_t mostConstraints = 40;
constexpr unsigned partsPerCount = 60, comparisonsPerCount = 20'000;

/// Removes one variable: each lower bound must lie below each upper bound.
bool removeVariable(IterationSpace &space, const std::string &variable) {
  struct Bound {
    Expression coefficient, rest;
  };
  std::vector<Bound> lowers, uppers;
  std::vector<Expression> others;
  if (space.weight.contains(variable))
    return false;
  for (const Expression &constraint : space.constraints) {
    if (!constraint.contains(variable)) {
      others.push_back(constraint);
      continue;
    }
    const auto coefficients = constraint.coefficients(variable);
    if (!coefficients || coefficients->size() != 2)
      return false;
    const Expression &slope = (*coefficients)[1];
    if (slope.isPositive())
      lowers.push_back({slope, (*coefficients)[0]});
    else if ((-slope).isPositive())
      uppers.push_back({-slope, (*coefficients)[0]});
    else
      return false;
  }
  std::set<std::string> known;
  for (const Expression &constraint : others)
    known.insert(constraint.text());
  for (const Bound &lower : lowers)
    for (const Bound &upper : uppers) {
      const Expression between = upper.coefficient * lower.rest + lower.coefficient * upper.rest;
      if (!between.isNonNegative() && known.insert(between.text()).second)
        others.push_back(between);
    }
  if (others.size() > mostConstraints)
    return false;
  space.constraints = std::move(others);
  std::erase(space.variables, variable);
  return true;
}

/// What an offset is made of: the terms with variables of the domain, those with arguments only, and a
/// number.
struct Parts {
  Expression moving, fixed;
  std::int64_t constant = 0;
};

Parts partsOf(const Expression &offset, const std::set<std::string> &variables) {
  Parts parts;
  for (const Expression::Term &term : offset.terms()) {
    const Expression one = Expression::ofTerm(term);
    const std::set<std::string> symbols = one.symbols();
    if (std::ranges::any_of(symbols, [&](const std::string &symbol) { return variables.contains(symbol); }))
      parts.moving += one;
    else if (const auto number = one.constant())
      parts.constant = *number;
    else
      parts.fixed += one;
  }
  return parts;
}

/// The greatest common divisor of the numbers in front of the terms: addresses are this far apart at least.
std::int64_t strideOf(const Expression &moving) {
  std::int64_t stride = 0;
  for (const Expression::Term &term : moving.terms()) {
    if (term.denominator != 1)
      return 1;
    stride = std::gcd(stride, term.numerator);
  }
  return stride;
}

/// Accesses that touch the same bytes but for the border.
struct Window {
  Expression fixed;
  std::int64_t constant = 0;
  std::set<std::int64_t> positions; ///< bytes touched at each point, modulo the stride
};

/// Accesses to one array whose addresses move alike.
struct Group {
  const llvm::Value *base = nullptr;
  Expression moving;
  std::vector<Window> windows;
  std::vector<const BlockAccesses *> blocks;
};

/// Whether `difference` is a small number of steps of some variable: a neighbour in a stencil.
bool isStep(const Expression &difference, const Expression &moving, const std::set<std::string> &variables) {
  constexpr std::int64_t farthest = 8;
  for (const std::string &symbol : moving.symbols()) {
    if (!variables.contains(symbol))
      continue;
    const auto coefficients = moving.coefficients(symbol);
    if (!coefficients || coefficients->size() != 2)
      continue;
    for (std::int64_t steps = 1; steps <= farthest; ++steps)
      if (difference == steps * (*coefficients)[1] || difference == -(steps * (*coefficients)[1]))
        return true;
  }
  return false;
}

/// Whether two variables move the address by the same amount, or one by a number of times the other: x and d
/// in in[x + d]. Then fewer addresses are different than there are points.
bool overlapsItself(const Expression &moving, const std::set<std::string> &variables) {
  std::vector<Expression> slopes;
  for (const std::string &symbol : moving.symbols()) {
    if (!variables.contains(symbol))
      continue;
    const auto coefficients = moving.coefficients(symbol);
    if (!coefficients || coefficients->size() != 2)
      return true; // a quotient, a minimum: who knows
    slopes.push_back((*coefficients)[1]);
  }
  for (std::size_t i = 0; i != slopes.size(); ++i)
    for (std::size_t j = i + 1; j != slopes.size(); ++j) {
      if (slopes[i].terms().size() != 1 || slopes[j].terms().size() != 1)
        return true;
      Expression::Term a = slopes[i].terms()[0], b = slopes[j].terms()[0];
      a.numerator = b.numerator = 1;
      if (Expression::ofTerm(a) == Expression::ofTerm(b))
        return true;
    }
  return false;
}

class Toucher {
public:
  explicit Toucher(CountingBudget &budget) : budget_(budget) {}

  void add(const BlockAccesses &block, const MemoryAccess &access) {
    std::set<std::string> variables;
    for (const IterationSpace &cell : block.cells)
      variables.insert(cell.variables.begin(), cell.variables.end());
    const Parts parts = partsOf(*access.offset, variables);
    Group &group = groups_[{access.base, parts.moving.text()}];
    group.base = access.base;
    group.moving = parts.moving;
    overlaps_[access.base] = overlaps_[access.base] || overlapsItself(parts.moving, variables);
    const std::int64_t stride = strideOf(parts.moving);
    Window &window = windowOf(group, parts, std::max<std::int64_t>(stride, 1), variables);
    for (std::uint64_t byte = 0; byte != std::min<std::uint64_t>(access.size, 64); ++byte) {
      const std::int64_t at = parts.constant + static_cast<std::int64_t>(byte);
      window.positions.insert(stride == 0 ? at : ((at % stride) + stride) % stride);
    }
    if (std::ranges::find(group.blocks, &block) == group.blocks.end())
      group.blocks.push_back(&block);
  }

  /// `ranges` bound what several windows, or one that overlaps itself, touch together.
  Expression total(const std::map<const llvm::Value *, ReachedRange> &ranges) {
    struct Sum {
      Expression bytes;
      std::size_t windows = 0;
    };
    std::map<const llvm::Value *, Sum> byBase;
    for (auto &[key, group] : groups_) {
      std::int64_t each = 0;
      for (const Window &window : group.windows)
        each += static_cast<std::int64_t>(window.positions.size());
      Sum &sum = byBase[group.base];
      sum.bytes += each * pointsOf(group);
      sum.windows += group.windows.size();
    }
    Expression all; // sums are kept sorted, so the order of addresses does not matter
    for (const auto &[base, sum] : byBase) {
      const auto range = ranges.find(base);
      const bool isBounded = range != ranges.end() && !range->second.ends.empty();
      all += isBounded && (sum.windows > 1 || overlaps_.at(base)) ? bounded(sum.bytes, range->second)
                                                                  : sum.bytes;
    }
    return all;
  }

  /// Nothing was bounded by its range alone.
  bool isExact() const {
    return std::ranges::none_of(overlaps_, [](const auto &entry) { return entry.second; });
  }

private:
  static Expression bounded(const Expression &bytes, const ReachedRange &range) {
    constexpr std::size_t mostTerms = 12; ///< of a formula that is worth keeping beside the range
    Expression first = range.firsts[0], end = range.ends[0];
    for (const Expression &other : range.firsts)
      first = minimum(first, other);
    for (const Expression &other : range.ends)
      end = maximum(end, other);
    const Expression between = maximum(0, end - first);
    return bytes.terms().size() > mostTerms ? between : minimum(bytes, between);
  }

  static Window &windowOf(Group &group, const Parts &parts, std::int64_t stride,
                          const std::set<std::string> &variables) {
    constexpr std::int64_t farthest = 8; ///< steps to a neighbour in a stencil
    for (Window &window : group.windows) {
      const Expression difference = parts.fixed - window.fixed;
      const std::int64_t distance = parts.constant - window.constant;
      if ((difference.isZero() || isStep(difference, parts.moving, variables)) &&
          distance <= farthest * stride && distance >= -farthest * stride)
        return window;
    }
    group.windows.push_back({parts.fixed, parts.constant, {}});
    return group.windows.back();
  }

  /// Different addresses: the largest of what the blocks of the group reach.
  Expression pointsOf(const Group &group) {
    constexpr std::size_t mostBlocks = 4;
    std::optional<Expression> most;
    for (std::size_t i = 0; i != std::min(mostBlocks, group.blocks.size()); ++i) {
      const Expression points = pointsOf(*group.blocks[i], group.moving);
      if (!most)
        most = points;
      else if (!(*most == points))
        most = maximum(*most, points);
    }
    return most.value_or(Expression());
  }

  Expression pointsOf(const BlockAccesses &block, const Expression &moving) {
    const std::string key = moving.text() + "|" + block.count.text();
    if (const auto known = known_.find(key); known != known_.end())
      return known->second;
    return known_[key] = countOf(block, moving);
  }

  Expression countOf(const BlockAccesses &block, const Expression &moving) {
    if (moving.isZero())
      return minimum(1, block.count); // one address, if any
    // With a negative part, the set is a difference, and those do not project one by one: the largest part is
    // an upper bound.
    const IterationSpace *largest = nullptr;
    for (const IterationSpace &cell : block.cells)
      if (!(-cell.weight).isPositive() && (!largest || cell.constraints.size() < largest->constraints.size()))
        largest = &cell;
    const bool isDifference = std::ranges::any_of(
        block.cells, [](const IterationSpace &cell) { return (-cell.weight).isPositive(); });
    Expression sum;
    for (const IterationSpace &cell : block.cells) {
      if (isDifference && &cell != largest)
        continue;
      std::vector<std::string> kept;
      for (const std::string &variable : cell.variables)
        if (moving.contains(variable))
          kept.push_back(variable);
      const auto space = projected(cell, kept);
      const CountingBudget given{std::min(partsPerCount, budget_.parts),
                                 std::min(comparisonsPerCount, budget_.comparisons)};
      CountingBudget budget = given;
      const Expected<Expression> count =
          space ? countPoints(*space, budget) : Expected<Expression>(failure("no projection"));
      budget_.parts -= given.parts - budget.parts;
      budget_.comparisons -= given.comparisons - budget.comparisons;
      if (!count)
        return block.count;
      sum += *count;
    }
    return sum;
  }

  CountingBudget &budget_;
  std::map<std::pair<const llvm::Value *, std::string>, Group> groups_;
  std::map<const llvm::Value *, bool> overlaps_;
  std::map<std::string, Expression> known_;
};

} // namespace

std::optional<IterationSpace> projected(IterationSpace space, const std::vector<std::string> &kept) {
  const std::vector<std::string> variables = space.variables;
  // Inner loops first: their bounds mention outer variables, not the other way round.
  for (auto variable = variables.rbegin(); variable != variables.rend(); ++variable)
    if (std::ranges::find(kept, *variable) == kept.end() && !removeVariable(space, *variable))
      return std::nullopt;
  return space;
}

TouchedBytes touchedBytes(const ExecutionCounts &counts,
                          const std::function<bool(const MemoryAccess &)> &isWanted, CountingBudget &budget) {
  TouchedBytes result;
  Toucher toucher(budget);
  for (const BlockAccesses &block : counts.accesses)
    for (const MemoryAccess &access : block.accesses) {
      if (access.isShared || !isWanted(access))
        continue;
      if (!result.first)
        result.first = access.instruction;
      if (access.offset && access.base && !block.cells.empty()) {
        toucher.add(block, access);
        continue;
      }
      result.bytes += static_cast<std::int64_t>(access.size) * block.count;
      result.unclear.push_back(&access);
    }
  result.bytes += toucher.total(reachedRanges(counts, isWanted));
  result.isExact = toucher.isExact() && result.unclear.empty();
  return result;
}

} // namespace streammap
