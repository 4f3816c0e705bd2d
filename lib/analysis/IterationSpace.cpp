#include "analysis/IterationSpace.h"
#include <algorithm>
#include <optional>
#include <set>

namespace streammap {
namespace {

using Kind = Atom::Kind;

/// A bound of one variable: coefficient * v >= -rest (lower) or coefficient * v <= rest (upper), the
/// coefficient positive.
struct Bound {
  Expression coefficient;
  Expression rest;
};

class Counter {
public:
  Counter(const IterationSpace &space, CountingBudget &budget)
      : assumptions_(space.assumptions), budget_(budget) {}

  Expected<Expression> count(IterationSpace space);

private:
  /// A longer weight than this is of no use to anyone.
  static constexpr std::size_t mostTerms = 200;
  /// Rewritings of one set: each removes a variable, a division or an extreme, so more would be a circle.
  static constexpr unsigned mostSteps = 100;
  static constexpr std::size_t longestConstraint = 1000; ///< in characters
  /// Six thread indices and a deep nest of guarded loops have 40; a chain of conditions has no end.
  static constexpr std::size_t mostConstraints = 48;

  enum class Step { nothing, changed, empty, tooLong };

  Step normalise(IterationSpace &space) const;
  Step solveEqualities(IterationSpace &space) const;
  Step fuseIndices(IterationSpace &space) const;
  bool fusePair(IterationSpace &space, const std::string &inner, const std::string &outer) const;
  Step splitQuotients(IterationSpace &space);
  Step liftDivisions(IterationSpace &space) const;
  Step liftExtremes(IterationSpace &space) const;
  Step lowerExtremes(IterationSpace &space, std::vector<IterationSpace> &parts) const;
  void dropImplied(IterationSpace &space);

  std::optional<std::pair<std::vector<Bound>, std::vector<Bound>>>
  boundsOf(const IterationSpace &space, const std::string &variable) const;
  Expected<Expression> eliminate(const IterationSpace &space, const std::string &variable);
  Expected<Expression> eliminateBetween(const IterationSpace &rest, const std::string &variable,
                                        std::vector<Expression> lowers, std::vector<Expression> uppers);
  Expected<Expression> keepAsSum(const IterationSpace &space);
  Expression finish(const IterationSpace &space) const;

  int score(const IterationSpace &space, const std::string &variable) const;
  bool isPositive(const Expression &e) const;
  bool mentions(const Expression &e, const IterationSpace &space) const;

  std::vector<Expression> assumptions_;
  CountingBudget &budget_;
  unsigned freshNames_ = 0;
};

void substituteAll(IterationSpace &space, const std::string &variable, const Expression &value) {
  for (Expression &constraint : space.constraints)
    constraint = constraint.substitute(variable, value);
  space.weight = space.weight.substitute(variable, value);
}

void remove(IterationSpace &space, const std::string &variable) {
  std::erase(space.variables, variable);
}

/// `e` as coefficient * variable + rest, if it is that.
std::optional<std::pair<Expression, Expression>> affine(const Expression &e, const std::string &variable) {
  auto coefficients = e.coefficients(variable);
  if (!coefficients || coefficients->size() > 2)
    return std::nullopt;
  if (coefficients->size() == 1)
    return std::pair{Expression(0), (*coefficients)[0]};
  return std::pair{(*coefficients)[1], (*coefficients)[0]};
}

/// All atoms of `kind` anywhere inside `e`, outermost first.
void collectAtoms(const Expression &e, Kind kind, std::vector<std::shared_ptr<const Atom>> &found) {
  for (const Expression::Term &term : e.terms())
    for (const auto &[atom, power] : term.factors) {
      if (atom->kind() == kind)
        found.push_back(atom);
      for (const Expression &argument : atom->arguments())
        collectAtoms(argument, kind, found);
    }
}

bool Counter::isPositive(const Expression &e) const {
  if (e.isPositive())
    return true;
  return std::ranges::any_of(assumptions_,
                             [&](const Expression &fact) { return (e - 1 - fact).isNonNegative(); });
}

bool Counter::mentions(const Expression &e, const IterationSpace &space) const {
  return std::ranges::any_of(space.variables, [&](const std::string &v) { return e.contains(v); });
}

/// Removes what is always true and repetitions; `empty` if something is always false.
Counter::Step Counter::normalise(IterationSpace &space) const {
  std::vector<Expression> kept;
  std::set<std::string> seen;
  for (const Expression &constraint : space.constraints) {
    if (constraint.isNonNegative())
      continue;
    if ((-constraint).isPositive())
      return Step::empty;
    const std::string text = constraint.text();
    if (text.size() > longestConstraint)
      return Step::tooLong;
    if (seen.insert(text).second)
      kept.push_back(constraint);
  }
  space.constraints = std::move(kept);
  if (space.constraints.size() > mostConstraints)
    return Step::tooLong;
  return space.weight.isZero() ? Step::empty : Step::nothing;
}

/// a >= 0 and -a >= 0 together, with a coefficient of 1: the variable is known.
Counter::Step Counter::solveEqualities(IterationSpace &space) const {
  for (std::size_t i = 0; i != space.constraints.size(); ++i)
    for (std::size_t j = i + 1; j != space.constraints.size(); ++j) {
      if (!(space.constraints[i] + space.constraints[j]).isZero())
        continue;
      for (const std::string &variable : space.variables) {
        const auto parts = affine(space.constraints[i], variable);
        if (!parts || (parts->first != Expression(1) && parts->first != Expression(-1)))
          continue;
        const Expression value = parts->first == Expression(1) ? -parts->second : parts->second;
        const std::string solved = variable;
        remove(space, solved);
        substituteAll(space, solved, value);
        return Step::changed;
      }
    }
  return Step::nothing;
}

/// Where `inner` in [0, extent) and `outer` >= 0 appear only as inner + extent * outer: one variable for
/// both.
bool Counter::fusePair(IterationSpace &space, const std::string &inner, const std::string &outer) const {
  // The extent of `inner`: from a constraint extent - 1 - inner >= 0 in which no variable but inner stands.
  for (const Expression &upper : space.constraints) {
    const auto parts = affine(upper, inner);
    if (!parts || parts->first != Expression(-1) || mentions(parts->second, space))
      continue;
    const Expression extent = parts->second + 1;
    const Expression low = Expression::symbol(inner), other = Expression::symbol(outer);
    std::vector<Expression> rest;
    std::optional<Expression> outerExtent;
    bool lowerInner = false, lowerOuter = false;
    for (const Expression &constraint : space.constraints) {
      if (constraint == upper)
        continue;
      if (constraint == low) {
        lowerInner = true;
        continue;
      }
      if (constraint == other) {
        lowerOuter = true;
        continue;
      }
      const auto own = affine(constraint, outer);
      if (!outerExtent && own && own->first == Expression(-1) && !mentions(own->second, space)) {
        outerExtent = own->second + 1;
        continue;
      }
      rest.push_back(constraint.substitute(inner, low - extent * other));
    }
    const Expression weight = space.weight.substitute(inner, low - extent * other);
    const auto free = [&](const Expression &e) { return !e.contains(outer); };
    if (!lowerInner || !lowerOuter || !std::ranges::all_of(rest, free) || !free(weight))
      continue;
    rest.push_back(low);
    if (outerExtent)
      rest.push_back(extent * *outerExtent - 1 - low);
    space.constraints = std::move(rest);
    space.weight = weight;
    remove(space, outer);
    return true;
  }
  return false;
}

Counter::Step Counter::fuseIndices(IterationSpace &space) const {
  for (const std::string &inner : space.variables)
    for (const std::string &outer : space.variables) {
      // What a quotient was split into would only be put together again.
      if (inner == outer || inner.starts_with("r@") || inner.starts_with("q@"))
        continue;
      // Variables that no constraint or weight joins are better left apart: (min(n, b)) * g, not a fused one.
      const auto joint = [&](const Expression &e) { return e.contains(inner) && e.contains(outer); };
      if (!std::ranges::any_of(space.constraints, joint) && !joint(space.weight))
        continue;
      if (fusePair(space, std::string(inner), std::string(outer)))
        return Step::changed;
    }
  return Step::nothing;
}

/// floordiv(v + k, m): v = m*q + r with 0 <= r < m.
Counter::Step Counter::splitQuotients(IterationSpace &space) {
  std::vector<std::shared_ptr<const Atom>> atoms;
  for (const Expression &constraint : space.constraints)
    collectAtoms(constraint, Kind::floorDiv, atoms);
  collectAtoms(space.weight, Kind::floorDiv, atoms);
  std::optional<std::pair<std::string, Expression>> best;
  for (const auto &atom : atoms) {
    const Expression &divisor = atom->arguments()[1];
    if (!isPositive(divisor))
      continue;
    for (const std::string &variable : space.variables) {
      if (atom->arguments()[0] != Expression::symbol(variable) || divisor.contains(variable))
        continue;
      // The largest divisor first: the others then divide its quotient's multiple.
      if (!best || divisor.constant().value_or(0) > best->second.constant().value_or(0))
        best = std::pair{variable, divisor};
    }
  }
  if (!best)
    return Step::nothing;
  const auto &[variable, divisor] = *best;
  const std::string suffix = std::to_string(freshNames_++);
  const Expression quotient = Expression::symbol("q@" + suffix), rest = Expression::symbol("r@" + suffix);
  // floorDiv(divisor*quotient + rest, divisor) simplifies to quotient + floordiv(rest, divisor), and the
  // latter is 0.
  const Expression zero = floorDiv(rest, divisor);
  const auto replace = [&](const Expression &e) {
    Expression result = e.substitute(variable, divisor * quotient + rest);
    if (!zero.terms().empty()) {
      Expression cleaned;
      for (const Expression::Term &term : result.terms()) {
        const bool vanishes = std::ranges::any_of(
            term.factors, [&](const auto &factor) { return Expression::ofAtom(*factor.first) == zero; });
        if (!vanishes)
          cleaned += Expression::ofTerm(term);
      }
      result = cleaned;
    }
    return result;
  };
  for (Expression &constraint : space.constraints)
    constraint = replace(constraint);
  space.weight = replace(space.weight);
  remove(space, std::string(variable));
  space.variables.push_back("q@" + suffix);
  space.variables.push_back("r@" + suffix);
  space.constraints.push_back(rest);
  space.constraints.push_back(divisor - 1 - rest);
  return Step::changed;
}

/// Rounded divisions that a constraint has as its only such term become multiplications:
///   rest >= floordiv(x, m)  is  m*(rest + 1) - 1 >= x      floordiv(x, m) >= -rest  is  x >= -m*rest
///   rest >= ceildiv(x, m)   is  m*rest >= x                ceildiv(x, m) >= -rest   is  x - 1 >= -m*(rest +
///   1)
Counter::Step Counter::liftDivisions(IterationSpace &space) const {
  for (Expression &constraint : space.constraints)
    for (const Expression::Term &term : constraint.terms()) {
      if (term.factors.size() != 1 || term.factors[0].second != 1 || term.denominator != 1 ||
          (term.numerator != 1 && term.numerator != -1))
        continue;
      const Atom &atom = *term.factors[0].first;
      if (atom.kind() != Kind::floorDiv && atom.kind() != Kind::ceilDiv)
        continue;
      const Expression &x = atom.arguments()[0], &m = atom.arguments()[1];
      if (!mentions(x, space) || mentions(m, space) || !isPositive(m))
        continue;
      const Expression rest = constraint - Expression::ofTerm(term);
      const bool floors = atom.kind() == Kind::floorDiv;
      if (term.numerator < 0)
        constraint = floors ? m * (rest + 1) - 1 - x : m * rest - x;
      else
        constraint = floors ? x + m * rest : x - 1 + m * (rest + 1);
      return Step::changed;
    }
  return Step::nothing;
}

/// rest + min(a, b) >= 0 is both rest + a >= 0 and rest + b >= 0; likewise rest - max(a, b).
Counter::Step Counter::liftExtremes(IterationSpace &space) const {
  for (std::size_t i = 0; i != space.constraints.size(); ++i) {
    const Expression constraint = space.constraints[i];
    if (!mentions(constraint, space))
      continue;
    for (const Expression::Term &term : constraint.terms()) {
      if (term.factors.size() != 1 || term.factors[0].second != 1 || term.denominator != 1)
        continue;
      const Atom &atom = *term.factors[0].first;
      if (atom.kind() != (term.numerator > 0 ? Kind::min : Kind::max))
        continue;
      const Expression rest = constraint - Expression::ofTerm(term);
      space.constraints.erase(space.constraints.begin() + static_cast<std::ptrdiff_t>(i));
      for (const Expression &argument : atom.arguments())
        space.constraints.push_back(rest + term.numerator * argument);
      return Step::changed;
    }
  }
  return Step::nothing;
}

/// min and max of expressions with variables: both sides, or one of two cases.
Counter::Step Counter::lowerExtremes(IterationSpace &space, std::vector<IterationSpace> &parts) const {
  const auto splitIn = [&](const Expression &e) -> std::shared_ptr<const Atom> {
    for (const Expression::Term &term : e.terms())
      for (const auto &[atom, power] : term.factors)
        if ((atom->kind() == Kind::min || atom->kind() == Kind::max) && atom->arguments().size() >= 2)
          if (mentions(Expression::ofAtom(*atom), space))
            return atom;
    return nullptr;
  };
  std::shared_ptr<const Atom> atom;
  for (const Expression &constraint : space.constraints)
    if ((atom = splitIn(constraint)))
      break;
  if (!atom)
    atom = splitIn(space.weight);
  if (!atom)
    return Step::nothing;
  // In each part one argument wins: against those before it strictly, so that no point is in two parts.
  const Expression whole = Expression::ofAtom(*atom);
  const auto replace = [&](const Expression &e, const Expression &value) {
    Expression result;
    for (const Expression::Term &term : e.terms()) {
      Expression product = Expression(term.numerator).dividedBy(term.denominator);
      for (const auto &[factor, power] : term.factors)
        for (unsigned i = 0; i != power; ++i)
          product = product * (factor->text() == atom->text() ? value : Expression::ofAtom(*factor));
      result += product;
    }
    return result;
  };
  const std::vector<Expression> &arguments = atom->arguments();
  for (std::size_t i = 0; i != arguments.size(); ++i) {
    IterationSpace part = space;
    for (Expression &constraint : part.constraints)
      constraint = replace(constraint, arguments[i]);
    part.weight = replace(part.weight, arguments[i]);
    for (std::size_t j = 0; j != arguments.size(); ++j)
      if (j != i) {
        const Expression lead =
            atom->kind() == Kind::min ? arguments[j] - arguments[i] : arguments[i] - arguments[j];
        part.constraints.push_back(j < i ? lead - 1 : lead);
      }
    parts.push_back(std::move(part));
  }
  return Step::changed;
}

/// log2(x) >= 0 says x - 1 >= 0.
static std::optional<Expression> atLeastOneBy(const Expression &fact) {
  if (fact.terms().size() != 1 || fact.terms()[0].factors.size() != 1)
    return std::nullopt;
  const Atom &atom = *fact.terms()[0].factors[0].first;
  if (atom.kind() != Kind::log2 || fact.terms()[0].numerator < 0)
    return std::nullopt;
  return atom.arguments()[0] - 1;
}

/// Drops constraints without `v` that follow from a lower and an upper bound of some v: `n > 0` beside
/// 0 <= v < n, and the guard in front of a strided loop. One at a time, so that no two imply each other away.
/// Plain `v >= 0` stays, as fusing indices asks for it.
void Counter::dropImplied(IterationSpace &space) {
  const auto dropOne = [&](const std::vector<Expression> &facts, const std::string *variable) {
    const auto implied = std::ranges::find_if(space.constraints, [&](const Expression &constraint) {
      if (variable && constraint.contains(*variable))
        return false;
      if (std::ranges::any_of(space.variables,
                              [&](const std::string &v) { return constraint == Expression::symbol(v); }))
        return false;
      if (budget_.comparisons < facts.size())
        return false;
      budget_.comparisons -= static_cast<unsigned>(facts.size());
      return std::ranges::any_of(facts,
                                 [&](const Expression &fact) { return (constraint - fact).isNonNegative(); });
    });
    if (implied == space.constraints.end())
      return false;
    space.constraints.erase(implied);
    return true;
  };
  while (dropOne(assumptions_, nullptr))
    ;
  for (const std::string &variable : space.variables)
    for (bool dropped = true; dropped;) {
      dropped = false;
      const auto bounds = boundsOf(space, variable);
      if (!bounds)
        break;
      const std::size_t pairs = bounds->first.size() * bounds->second.size();
      if (budget_.comparisons < pairs * space.constraints.size()) {
        budget_.comparisons = 0; // one such pass would take all of it
        return;
      }
      std::vector<Expression> facts;
      for (const Bound &lower : bounds->first)
        for (const Bound &upper : bounds->second)
          facts.push_back(upper.rest * lower.coefficient + lower.rest * upper.coefficient);
      for (std::size_t i = 0, known = facts.size(); i != known; ++i)
        if (const std::optional<Expression> least = atLeastOneBy(facts[i]))
          facts.push_back(*least);
      dropped = dropOne(facts, &variable);
    }
}

std::optional<std::pair<std::vector<Bound>, std::vector<Bound>>>
Counter::boundsOf(const IterationSpace &space, const std::string &variable) const {
  std::pair<std::vector<Bound>, std::vector<Bound>> bounds;
  for (const Expression &constraint : space.constraints) {
    if (!constraint.contains(variable))
      continue;
    const auto parts = affine(constraint, variable);
    if (!parts || mentions(parts->first, space))
      return std::nullopt;
    if (isPositive(parts->first))
      bounds.first.push_back({parts->first, parts->second});
    else if (isPositive(-parts->first))
      bounds.second.push_back({-parts->first, parts->second});
    else
      return std::nullopt;
  }
  return bounds;
}

/// How much work eliminating `variable` makes; negative: it cannot be done in closed form.
int Counter::score(const IterationSpace &space, const std::string &variable) const {
  const auto bounds = boundsOf(space, variable);
  if (!bounds || bounds->first.empty() || bounds->second.empty())
    return -1;
  if (!space.weight.coefficients(variable))
    return -1;
  int open[2] = {0, 0}, fixed = 0;
  int side = 0;
  for (const std::vector<Bound> *list : {&bounds->first, &bounds->second}) {
    bool closed = false;
    for (const Bound &bound : *list) {
      if (!mentions(bound.rest, space)) {
        closed = true;
        continue;
      }
      // A rounded bound is no polynomial in the other variables.
      if (bound.coefficient != Expression(1))
        return -1;
      // Splitting by bounds that are no polynomials would leave conditions nobody can solve.
      for (const std::string &other : space.variables)
        if (!bound.rest.coefficients(other))
          return -1;
      ++open[side];
    }
    fixed += closed;
    open[side] += closed;
    ++side;
  }
  return open[0] * open[1] * 4 - fixed;
}

Expected<Expression> Counter::eliminate(const IterationSpace &space, const std::string &variable) {
  const auto bounds = boundsOf(space, variable);
  IterationSpace rest = space;
  remove(rest, variable);
  std::erase_if(rest.constraints,
                [&](const Expression &constraint) { return constraint.contains(variable); });
  // Bounds that only parameters determine are one bound, their max or min.
  std::vector<Expression> lowers, uppers; // uppers are exclusive
  std::optional<Expression> lowest, highest;
  for (const Bound &bound : bounds->first) {
    const Expression value =
        bound.coefficient == Expression(1) ? -bound.rest : ceilDiv(-bound.rest, bound.coefficient);
    if (mentions(bound.rest, rest))
      lowers.push_back(value);
    else
      lowest = lowest ? maximum(*lowest, value) : value;
  }
  for (const Bound &bound : bounds->second) {
    const Expression value =
        (bound.coefficient == Expression(1) ? bound.rest : floorDiv(bound.rest, bound.coefficient)) + 1;
    if (mentions(bound.rest, rest))
      uppers.push_back(value);
    else
      highest = highest ? minimum(*highest, value) : value;
  }
  if (lowest)
    lowers.push_back(*lowest);
  if (highest)
    uppers.push_back(*highest);
  return eliminateBetween(rest, variable, std::move(lowers), std::move(uppers));
}

/// Drops a bound that another one always beats, given the other constraints.
void dropWeaker(std::vector<Expression> &bounds, const IterationSpace &rest, int sign) {
  for (std::size_t i = 0; i < bounds.size();) {
    bool weaker = false;
    for (std::size_t j = 0; j != bounds.size() && !weaker; ++j) {
      if (i == j)
        continue;
      const Expression lead = sign > 0 ? bounds[j] - bounds[i] : bounds[i] - bounds[j];
      weaker =
          lead.isNonNegative() || std::ranges::any_of(rest.constraints, [&](const Expression &constraint) {
            return (lead - constraint).isNonNegative();
          });
    }
    if (weaker)
      bounds.erase(bounds.begin() + static_cast<std::ptrdiff_t>(i));
    else
      ++i;
  }
}

Expected<Expression> Counter::eliminateBetween(const IterationSpace &rest, const std::string &variable,
                                               std::vector<Expression> lowers,
                                               std::vector<Expression> uppers) {
  dropWeaker(lowers, rest, 1);
  dropWeaker(uppers, rest, -1);
  Expression total;
  for (std::size_t i = 0; i != lowers.size(); ++i)
    for (std::size_t j = 0; j != uppers.size(); ++j) {
      IterationSpace part = rest;
      const Expression &low = lowers[i];
      const Expression &high = uppers[j];
      for (std::size_t k = 0; k != lowers.size(); ++k)
        if (k != i)
          part.constraints.push_back(k < i ? low - lowers[k] - 1 : low - lowers[k]);
      for (std::size_t k = 0; k != uppers.size(); ++k)
        if (k != j)
          part.constraints.push_back(k < j ? uppers[k] - uppers[j] - 1 : uppers[k] - uppers[j]);
      if (mentions(high - low, rest)) {
        part.constraints.push_back(high - low - 1);
        part.weight = sumOfNonEmpty(variable, low, high, rest.weight);
      } else {
        part.weight = sum(variable, low, high, rest.weight);
      }
      Expected<Expression> counted = count(std::move(part));
      if (!counted)
        return counted;
      total += *counted;
    }
  return total;
}

/// No variable can be eliminated: adds up over one of them at evaluation. The best is one that only
/// parameters bound and that stands inside atoms, since with it fixed the rest is solvable.
Expected<Expression> Counter::keepAsSum(const IterationSpace &space) {
  std::optional<std::string> chosen;
  int bestScore = 0;
  for (const std::string &variable : space.variables) {
    std::optional<Expression> low, high;
    int nonAffine = 0;
    for (const Expression &constraint : space.constraints) {
      if (!constraint.contains(variable))
        continue;
      const auto parts = affine(constraint, variable);
      if (!parts || mentions(parts->first, space)) {
        nonAffine += 4;
        continue;
      }
      if (mentions(parts->second, space)) {
        nonAffine += parts->first != Expression(1) && parts->first != Expression(-1);
        continue;
      }
      if (isPositive(parts->first))
        low = constraint;
      else if (isPositive(-parts->first))
        high = constraint;
    }
    if (!low || !high)
      continue;
    nonAffine += space.weight.coefficients(variable) ? 0 : 4;
    // A thread index has the longest range of all: the last to choose.
    const int value =
        1 + 2 * nonAffine - (variable.starts_with("threadIdx") || variable.starts_with("blockIdx"));
    if (!chosen || value > bestScore) {
      chosen = variable;
      bestScore = value;
    }
  }
  if (!chosen)
    return failure("no bound is known");
  IterationSpace inner = space;
  remove(inner, *chosen);
  std::optional<Expression> low, high; // high is exclusive
  std::erase_if(inner.constraints, [&](const Expression &constraint) {
    const auto parts = affine(constraint, *chosen);
    if (!parts || parts->first.isZero() || mentions(parts->first, space) || mentions(parts->second, space))
      return false;
    if (isPositive(parts->first)) {
      const Expression value = ceilDiv(-parts->second, parts->first);
      low = low ? maximum(*low, value) : value;
      return true;
    }
    if (isPositive(-parts->first)) {
      const Expression value = floorDiv(parts->second, -parts->first) + 1;
      high = high ? minimum(*high, value) : value;
      return true;
    }
    return false;
  });
  Expected<Expression> counted = count(std::move(inner));
  if (!counted)
    return counted;
  return sum(*chosen, *low, *high, *counted);
}

/// No variables are left: the weight, if all conditions on the parameters hold.
Expression Counter::finish(const IterationSpace &space) const {
  Expression result = space.weight;
  for (const Expression &constraint : space.constraints)
    if (!(constraint.isNonNegative()))
      result = result * positive(constraint + 1);
  return result;
}

Expected<Expression> Counter::count(IterationSpace space) {
  for (unsigned steps = 0;; ++steps) {
    if (steps == mostSteps)
      return failure("its execution count is too entangled");
    const Step state = normalise(space);
    if (state == Step::empty)
      return Expression(0);
    if (state == Step::tooLong)
      return failure("its execution count is too entangled");
    dropImplied(space);
    // Indices are fused before an equality takes one of them away.
    if (liftDivisions(space) == Step::changed || liftExtremes(space) == Step::changed ||
        fuseIndices(space) == Step::changed || solveEqualities(space) == Step::changed ||
        splitQuotients(space) == Step::changed)
      continue;
    break;
  }
  if (budget_.parts == 0 || budget_.comparisons == 0 || space.weight.terms().size() > mostTerms)
    return failure("its execution count falls into too many cases");
  --budget_.parts;
  if (space.variables.empty())
    return finish(space);
  std::vector<IterationSpace> parts;
  if (lowerExtremes(space, parts) == Step::changed) {
    Expression total;
    for (IterationSpace &part : parts) {
      Expected<Expression> counted = count(std::move(part));
      if (!counted)
        return counted;
      total += *counted;
    }
    return total;
  }
  std::optional<std::string> chosen;
  int cheapest = 0;
  // From the back: inner loops first, thread indices last, so that ties keep to the order of the program.
  for (auto variable = space.variables.rbegin(); variable != space.variables.rend(); ++variable) {
    const int cost = score(space, *variable);
    if (cost >= 0 && (!chosen || cost < cheapest)) {
      chosen = *variable;
      cheapest = cost;
    }
  }
  return chosen ? eliminate(space, *chosen) : keepAsSum(space);
}

} // namespace

Expected<Expression> countPoints(const IterationSpace &space, CountingBudget &budget) {
  return Counter(space, budget).count(space);
}

} // namespace streammap
