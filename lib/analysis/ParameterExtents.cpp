#include "analysis/ParameterExtents.h"
#include "analysis/TouchedBytes.h"
#include <algorithm>
#include <llvm/IR/Argument.h>
#include <map>
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
  Extremes(const IterationSpace &cell, std::set<std::string> nonNegative, End end)
      : cell_(cell), nonNegative_(std::move(nonNegative)), end_(end) {}

  std::optional<Expression> of(const Expression &e) {
    // Inner loops first, threads before blocks: bounds mention what stands further out.
    search(e, cell_.variables.size());
    return best_;
  }

private:
  static constexpr unsigned mostChoices = 200;

  bool isNonNegative(const Expression &e) const { return e.lowerBound(nonNegative_).value_or(-1) >= 0; }

  void search(const Expression &e, std::size_t variables) {
    if (++choices_ > mostChoices)
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
  std::set<std::string> nonNegative_;
  End end_;
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
  void add(const BlockAccesses &block, const MemoryAccess &access, unsigned parameter) {
    ParameterExtent &extent = extents_[parameter];
    extent.parameter = parameter;
    extent.isRead |= access.isRead;
    extent.isWritten |= access.isWritten;
    if (lost_.contains(parameter))
      return;
    if (!access.offset || block.cells.empty()) {
      lost_.insert(parameter);
      return;
    }
    const std::set<std::string> nonNegative = nonNegativeIn(block);
    for (const IterationSpace &cell : block.cells) {
      if ((-cell.weight).isPositive())
        continue; // what is taken away reaches no further
      const auto first = Extremes(cell, nonNegative, End::lowest).of(*access.offset);
      const auto last = Extremes(cell, nonNegative, End::highest).of(*access.offset);
      if (!first || !last || !join(extent.firsts, *first, End::lowest, nonNegative) ||
          !join(extent.ends, *last + static_cast<std::int64_t>(access.size), End::highest, nonNegative))
        lost_.insert(parameter);
    }
  }

  std::vector<ParameterExtent> finish(const ExecutionCounts &counts) {
    std::vector<ParameterExtent> result;
    for (auto &[parameter, extent] : extents_) {
      if (lost_.contains(parameter)) {
        extent.firsts.clear();
        extent.ends.clear();
      }
      extent.writesAll =
          extent.isWritten && extent.firsts.size() == 1 && extent.ends.size() == 1 && fills(counts, extent);
      result.push_back(std::move(extent));
    }
    return result;
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

  /// Whether as many bytes are written as lie between first and end, on two launches large enough for their
  /// arguments.
  static bool fills(const ExecutionCounts &counts, const ParameterExtent &extent) {
    CountingBudget budget{200};
    const TouchedBytes written = touchedBytes(
        counts,
        [&](const MemoryAccess &access) {
          const auto *argument = llvm::dyn_cast_or_null<llvm::Argument>(access.base);
          return access.isWritten && argument && argument->getArgNo() == extent.parameter;
        },
        budget);
    if (!written.unclear.empty())
      return false;
    const Expression all = extent.ends[0] - extent.firsts[0];
    for (const double scale : {1.0, 3.0}) {
      Bindings bindings;
      double next = 16;
      for (const Expression &e : {written.bytes, all})
        for (const std::string &symbol : e.symbols())
          if (!bindings.contains(symbol))
            bindings[symbol] = symbol.starts_with("blockDim.x")  ? 32
                               : symbol.starts_with("blockDim.") ? 1
                               : symbol.starts_with("gridDim.")  ? 64 * scale
                                                                 : (next += 3) * scale;
      for (const char *depth : {"gridDim.z", "blockDim.z"})
        bindings[depth] = 1;
      const auto touched = evaluate(written.bytes, bindings), needed = evaluate(all, bindings);
      if (!touched || !needed || touched->value < needed->value)
        return false;
    }
    return true;
  }

  std::map<unsigned, ParameterExtent> extents_;
  std::set<unsigned> lost_;
};

} // namespace

std::vector<ParameterExtent> parameterExtents(const ExecutionCounts &counts) {
  Collector collector;
  for (const BlockAccesses &block : counts.accesses)
    for (const MemoryAccess &access : block.accesses)
      if (const auto *argument = llvm::dyn_cast_or_null<llvm::Argument>(access.base);
          argument && !access.isShared)
        collector.add(block, access, argument->getArgNo());
  return collector.finish(counts);
}

} // namespace streammap
