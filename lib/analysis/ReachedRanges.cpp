#include "analysis/ReachedRanges.h"
#include <algorithm>
#include <set>

namespace streammap {
namespace {

enum class End { lowest, highest };

bool dependsOnLaunch(const Expression &e) {
  return std::ranges::any_of(e.symbols(), [](const std::string &symbol) {
    return symbol.starts_with("gridDim.") || symbol.starts_with("blockDim.");
  });
}

/// a / b where b is one product that divides every term of a.
std::optional<Expression> quotient(const Expression &a, const Expression &b) {
  if (b.terms().size() != 1 || b.terms()[0].denominator != 1)
    return std::nullopt;
  const Expression::Term &divisor = b.terms()[0];
  Expression result;
  for (Expression::Term term : a.terms()) {
    for (const auto &[atom, power] : divisor.factors) {
      const auto own = std::ranges::find_if(
          term.factors, [&](const auto &factor) { return factor.first->text() == atom->text(); });
      if (own == term.factors.end() || own->second < power)
        return std::nullopt;
      own->second -= power;
      if (own->second == 0)
        term.factors.erase(own);
    }
    if (term.numerator % divisor.numerator != 0)
      return std::nullopt;
    term.numerator /= divisor.numerator;
    result += Expression::ofTerm(term);
  }
  return result;
}

/// The lowest or highest value of a formula over a set of points. Each choice of bounds for its variables
/// gives a bound of the formula; the one kept depends on arguments alone if there is such a one, and is the
/// tightest as far as that can be told.
class Extremes {
public:
  /// `choicesLeft` is counted down, so that one budget serves a kernel.
  Extremes(const IterationSpace &cell, const std::set<std::string> &nonNegative, End end,
           unsigned &choicesLeft)
      : cell_(cell), nonNegative_(nonNegative), end_(end), choicesLeft_(choicesLeft) {}

  std::optional<Expression> of(const Expression &e) {
    // Inner loops first, threads before blocks: bounds mention what stands further out.
    search(e, cell_.variables.size());
    return best_;
  }

private:
  bool isNonNegative(const Expression &e) const { return e.lowerBound(nonNegative_).value_or(-1) >= 0; }

  void search(const Expression &e, std::size_t variables) {
    constexpr unsigned mostChoices = 100;
    if (choicesLeft_ == 0 || ++choices_ > mostChoices)
      return;
    --choicesLeft_;
    if (searchExtremes(e, variables))
      return;
    while (variables > 0 && !e.contains(cell_.variables[variables - 1]))
      --variables;
    if (variables == 0) {
      if (!best_ || isBetter(e))
        best_ = e;
      return;
    }
    const std::string &variable = cell_.variables[variables - 1];
    const auto coefficients = e.coefficients(variable);
    if (!coefficients || coefficients->size() != 2)
      return;
    const Expression &slope = (*coefficients)[1];
    const bool rises = isNonNegative(slope);
    if (!rises && !isNonNegative(-slope))
      return;
    const End wanted = rises == (end_ == End::highest) ? End::highest : End::lowest;
    for (const Expression &product : boundsOf(variable, wanted, slope))
      search(product + (*coefficients)[0], variables - 1);
  }

  /// Takes the first min() or max() that holds a variable apart. False if there is none.
  bool searchExtremes(const Expression &e, std::size_t variables) {
    for (const Expression::Term &term : e.terms())
      for (std::size_t i = 0; i != term.factors.size(); ++i) {
        const Atom &atom = *term.factors[i].first;
        const bool isMin = atom.kind() == Atom::Kind::min, isMax = atom.kind() == Atom::Kind::max;
        if ((!isMin && !isMax) || term.factors[i].second != 1 || !holdsVariable(atom))
          continue;
        Expression::Term others = term;
        others.factors.erase(others.factors.begin() + static_cast<std::ptrdiff_t>(i));
        const Expression factor = Expression::ofTerm(others), rest = e - Expression::ofTerm(term);
        if (!isNonNegative(factor) && !isNonNegative(-factor))
          return true; // of unknown sign: no bound this way
        const End wanted = isNonNegative(factor) == (end_ == End::highest) ? End::highest : End::lowest;
        if (isMin == (wanted == End::highest)) {
          for (const Expression &argument : atom.arguments()) // each of them bounds it
            search(rest + factor * argument, variables);
        } else if (isMin) {
          search(rest, variables); // nothing here is negative: at least 0
        } else if (const auto argument = std::ranges::find_if(
                       atom.arguments(), [&](const Expression &a) { return a.constant() != 0; });
                   argument != atom.arguments().end()) {
          search(rest + factor * *argument, variables); // max(a, 0), where a reaches above 0
        }
        return true;
      }
    return false;
  }

  bool holdsVariable(const Atom &atom) const {
    return std::ranges::any_of(cell_.variables,
                               [&](const std::string &variable) { return atom.contains(variable); });
  }

  /// Bounds of slope * variable, at its lowest or highest.
  std::vector<Expression> boundsOf(const std::string &variable, End wanted, const Expression &slope) const {
    std::vector<Expression> bounds;
    for (const Expression &constraint : cell_.constraints) {
      if (!constraint.contains(variable))
        continue;
      const auto coefficients = constraint.coefficients(variable);
      if (!coefficients || coefficients->size() != 2)
        continue;
      // factor * v <= rest, or factor * v >= -rest
      const Expression factor = wanted == End::highest ? -(*coefficients)[1] : (*coefficients)[1];
      const Expression &rest = (*coefficients)[0];
      if (!factor.isPositive())
        continue;
      if (factor == Expression(1))
        bounds.push_back(slope * (wanted == End::highest ? rest : -rest));
      else if (factor.constant() && wanted == End::highest)
        bounds.push_back(slope * floorDiv(rest, factor));
      else if (const auto ratio = quotient(slope, factor); ratio && wanted == End::highest)
        bounds.push_back(*ratio * rest);
    }
    return bounds;
  }

  bool isBetter(const Expression &candidate) const {
    if (dependsOnLaunch(candidate) != dependsOnLaunch(*best_))
      return dependsOnLaunch(*best_);
    const Expression gain = end_ == End::highest ? *best_ - candidate : candidate - *best_;
    if (isNonNegative(gain))
      return true;
    return !isNonNegative(-gain) && candidate.text().size() < best_->text().size();
  }

  const IterationSpace &cell_;
  const std::set<std::string> &nonNegative_;
  End end_;
  unsigned &choicesLeft_;
  std::optional<Expression> best_;
  unsigned choices_ = 0;
};

/// Thread indices, iterations, and every argument that stands alone in front of an index.
std::set<std::string> nonNegativeIn(const BlockAccesses &block) {
  std::set<std::string> symbols;
  for (const IterationSpace &cell : block.cells) {
    symbols.insert(cell.variables.begin(), cell.variables.end());
    for (const Expression &constraint : cell.constraints)
      symbols.merge(constraint.symbols());
  }
  for (const MemoryAccess &access : block.accesses)
    if (access.offset)
      symbols.merge(access.offset->symbols());
  return symbols;
}

class Collector {
public:
  void add(const BlockAccesses &block, const MemoryAccess &access) {
    ReachedRange &range = ranges_[access.base];
    if (lost_.contains(access.base))
      return;
    if (!access.offset || block.cells.empty()) {
      lost_.insert(access.base);
      return;
    }
    const std::set<std::string> &nonNegative = nonNegativeOf(block);
    for (const IterationSpace &cell : block.cells) {
      if ((-cell.weight).isPositive())
        continue; // what is taken away reaches no further
      const auto first = Extremes(cell, nonNegative, End::lowest, choicesLeft_).of(*access.offset);
      const auto last = Extremes(cell, nonNegative, End::highest, choicesLeft_).of(*access.offset);
      if (!first || !last || !join(range.firsts, *first, End::lowest, nonNegative) ||
          !join(range.ends, *last + static_cast<std::int64_t>(access.size), End::highest, nonNegative))
        lost_.insert(access.base);
    }
  }

  std::map<const llvm::Value *, ReachedRange> finish() {
    for (const llvm::Value *base : lost_)
      ranges_[base] = {};
    return std::move(ranges_);
  }

private:
  /// Adds an end, unless a known one reaches further for certain. False if there are too many.
  static bool join(std::vector<Expression> &known, const Expression &found, End end,
                   const std::set<std::string> &nonNegative) {
    constexpr std::size_t mostEnds = 8;
    const auto reachesFurther = [&](const Expression &a, const Expression &b) {
      return (end == End::highest ? a - b : b - a).lowerBound(nonNegative).value_or(-1) >= 0;
    };
    if (std::ranges::any_of(known, [&](const Expression &other) { return reachesFurther(other, found); }))
      return true;
    std::erase_if(known, [&](const Expression &other) { return reachesFurther(found, other); });
    known.push_back(found);
    return known.size() <= mostEnds;
  }

  const std::set<std::string> &nonNegativeOf(const BlockAccesses &block) {
    if (&block != lastBlock_) {
      lastBlock_ = &block;
      nonNegative_ = nonNegativeIn(block);
    }
    return nonNegative_;
  }

  static constexpr unsigned choicesPerKernel = 4000; ///< some microseconds each
  unsigned choicesLeft_ = choicesPerKernel;
  const BlockAccesses *lastBlock_ = nullptr;
  std::set<std::string> nonNegative_; ///< of the last block
  std::map<const llvm::Value *, ReachedRange> ranges_;
  std::set<const llvm::Value *> lost_;
};

} // namespace

std::map<const llvm::Value *, ReachedRange>
reachedRanges(const ExecutionCounts &counts, const std::function<bool(const MemoryAccess &)> &isWanted) {
  Collector collector;
  for (const BlockAccesses &block : counts.accesses)
    for (const MemoryAccess &access : block.accesses)
      if (!access.isShared && access.base && isWanted(access))
        collector.add(block, access);
  return collector.finish();
}

} // namespace streammap
