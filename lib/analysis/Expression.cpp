#include "analysis/Expression.h"
#include <algorithm>
#include <array>
#include <cassert>
#include <limits>
#include <numeric>

namespace streammap {
namespace {

using Factor = std::pair<std::shared_ptr<const Atom>, unsigned>;
using Term = Expression::Term;

int compareFactors(const std::vector<Factor> &a, const std::vector<Factor> &b) {
  unsigned degreeA = 0, degreeB = 0;
  for (const Factor &factor : a)
    degreeA += factor.second;
  for (const Factor &factor : b)
    degreeB += factor.second;
  if (degreeA != degreeB)
    return degreeA > degreeB ? -1 : 1;
  for (std::size_t i = 0; i != std::min(a.size(), b.size()); ++i) {
    if (a[i].first != b[i].first)
      if (const int order = a[i].first->text().compare(b[i].first->text()))
        return order;
    if (a[i].second != b[i].second)
      return a[i].second > b[i].second ? -1 : 1;
  }
  return a.size() < b.size() ? -1 : a.size() > b.size();
}

/// Symbols before functions, then by text.
bool factorBefore(const Factor &a, const Factor &b) {
  const bool symbolA = a.first->kind() == Atom::Kind::symbol, symbolB = b.first->kind() == Atom::Kind::symbol;
  return symbolA != symbolB ? symbolA : a.first->text() < b.first->text();
}

void reduce(Term &term) {
  const std::int64_t divisor = std::gcd(term.numerator, term.denominator);
  if (divisor > 1) {
    term.numerator /= divisor;
    term.denominator /= divisor;
  }
}

Term product(const Term &a, const Term &b) {
  // Cross-cancelling first keeps the numbers small.
  const std::int64_t left = std::gcd(a.numerator, b.denominator),
                     right = std::gcd(b.numerator, a.denominator);
  Term result{
      (a.numerator / left) * (b.numerator / right), (a.denominator / right) * (b.denominator / left), {}};
  result.factors = a.factors;
  for (const Factor &factor : b.factors) {
    const auto same = std::find_if(result.factors.begin(), result.factors.end(), [&](const Factor &other) {
      return other.first == factor.first || other.first->text() == factor.first->text();
    });
    if (same != result.factors.end())
      same->second += factor.second;
    else
      result.factors.insert(
          std::lower_bound(result.factors.begin(), result.factors.end(), factor, factorBefore), factor);
  }
  return result;
}

std::string factorsText(const std::vector<Factor> &factors) {
  std::string text;
  for (const auto &[atom, power] : factors)
    for (unsigned i = 0; i != power; ++i) {
      text += text.empty() ? "" : "*";
      text += atom->text();
    }
  return text;
}

std::string_view functionName(Atom::Kind kind) {
  switch (kind) {
  case Atom::Kind::floorDiv:
    return "floordiv";
  case Atom::Kind::ceilDiv:
    return "ceildiv";
  case Atom::Kind::min:
    return "min";
  case Atom::Kind::max:
    return "max";
  case Atom::Kind::exp2:
    return "exp2";
  case Atom::Kind::log2:
    return "log2";
  case Atom::Kind::positive:
    return "positive";
  case Atom::Kind::sum:
    return "sum";
  case Atom::Kind::symbol:
    break;
  }
  return {};
}

/// blockDim.x ... gridDim.z: a launch has at least one thread.
bool isLaunchExtent(std::string_view name) {
  return name.size() == 10 && name.starts_with("blockDim.") ? true
         : name.size() == 9 && name.starts_with("gridDim.") ? true
                                                            : false;
}

/// Symbols of this kind stand for "an atom minus its lower bound" inside lowerBound().
constexpr char shiftedMark = '\'';

} // namespace

Atom::Atom(Kind kind, std::string name, std::vector<Expression> arguments)
    : kind_(kind), name_(std::move(name)), arguments_(std::move(arguments)) {
  if (kind_ == Kind::symbol) {
    text_ = name_;
    return;
  }
  text_ = functionName(kind_);
  text_ += '(';
  if (kind_ == Kind::sum)
    text_ += name_;
  for (const Expression &argument : arguments_) {
    text_ += text_.ends_with('(') ? "" : ", ";
    text_ += argument.text();
  }
  text_ += ')';
}

bool Atom::contains(std::string_view symbol) const {
  if (kind_ == Kind::symbol)
    return name_ == symbol;
  if (kind_ == Kind::sum && name_ == symbol)
    return arguments_[0].contains(symbol) || arguments_[1].contains(symbol);
  return std::ranges::any_of(arguments_,
                             [&](const Expression &argument) { return argument.contains(symbol); });
}

std::optional<std::int64_t> Atom::lowerBound(const std::set<std::string> &nonNegative) const {
  switch (kind_) {
  case Kind::symbol:
    if (name_.starts_with(shiftedMark) || nonNegative.contains(name_))
      return 0;
    return isLaunchExtent(name_) ? std::optional<std::int64_t>(1) : std::nullopt;
  case Kind::floorDiv:
  case Kind::ceilDiv: {
    const auto numerator = arguments_[0].lowerBound(nonNegative),
               divisor = arguments_[1].lowerBound(nonNegative);
    if (!numerator || *numerator < 0 || !divisor || *divisor < 1)
      return std::nullopt;
    if (const auto constant = arguments_[1].constant())
      return kind_ == Kind::floorDiv ? *numerator / *constant : (*numerator + *constant - 1) / *constant;
    return kind_ == Kind::ceilDiv && *numerator > 0 ? 1 : 0;
  }
  case Kind::min: {
    std::optional<std::int64_t> least;
    for (const Expression &argument : arguments_) {
      const auto bound = argument.lowerBound(nonNegative);
      if (!bound)
        return std::nullopt;
      least = least ? std::min(*least, *bound) : *bound;
    }
    return least;
  }
  case Kind::max: {
    std::optional<std::int64_t> greatest;
    for (const Expression &argument : arguments_)
      if (const auto bound = argument.lowerBound(nonNegative))
        greatest = greatest ? std::max(*greatest, *bound) : *bound;
    return greatest;
  }
  case Kind::exp2:
    return 1;
  case Kind::log2:
    return arguments_[0].lowerBound(nonNegative).value_or(0) > 0 ? 0 : -1;
  case Kind::positive:
    return 0;
  case Kind::sum:
    return arguments_[2].lowerBound(nonNegative).value_or(-1) >= 0 ? std::optional<std::int64_t>(0)
                                                                   : std::nullopt;
  }
  return std::nullopt;
}

Expression::Expression(std::int64_t value) {
  if (value != 0)
    terms_.push_back({value, 1, {}});
}

Expression Expression::ofAtom(Atom atom) {
  Expression result;
  result.terms_.push_back({1, 1, {{std::make_shared<const Atom>(std::move(atom)), 1}}});
  return result;
}

Expression Expression::ofTerm(const Term &term) {
  Expression result;
  result.add(term);
  return result;
}

Expression Expression::symbol(std::string name) {
  return ofAtom(Atom(Atom::Kind::symbol, std::move(name), {}));
}

void Expression::add(const Term &term) {
  if (term.numerator == 0)
    return;
  const auto at = std::lower_bound(terms_.begin(), terms_.end(), term, [](const Term &a, const Term &b) {
    return compareFactors(a.factors, b.factors) < 0;
  });
  if (at == terms_.end() || compareFactors(at->factors, term.factors) != 0) {
    terms_.insert(at, term);
    return;
  }
  const std::int64_t common = std::lcm(at->denominator, term.denominator);
  at->numerator = at->numerator * (common / at->denominator) + term.numerator * (common / term.denominator);
  at->denominator = common;
  if (at->numerator == 0)
    terms_.erase(at);
  else
    reduce(*at);
}

Expression operator+(const Expression &a, const Expression &b) {
  const Expression &longer = a.terms_.size() < b.terms_.size() ? b : a;
  const Expression &shorter = a.terms_.size() < b.terms_.size() ? a : b;
  Expression result = longer;
  for (const Term &term : shorter.terms_)
    result.add(term);
  return result;
}

Expression Expression::operator-() const {
  Expression result = *this;
  for (Term &term : result.terms_)
    term.numerator = -term.numerator;
  return result;
}

Expression operator-(const Expression &a, const Expression &b) {
  return a + -b;
}

Expression operator*(const Expression &a, const Expression &b) {
  Expression result;
  for (const Term &left : a.terms_)
    for (const Term &right : b.terms_)
      result.add(product(left, right));
  return result;
}

bool operator==(const Expression &a, const Expression &b) {
  return std::ranges::equal(a.terms_, b.terms_, [](const Term &left, const Term &right) {
    return left.numerator == right.numerator && left.denominator == right.denominator &&
           compareFactors(left.factors, right.factors) == 0;
  });
}

Expression Expression::dividedBy(std::int64_t divisor) const {
  assert(divisor > 0);
  Expression result = *this;
  for (Term &term : result.terms_) {
    const std::int64_t common = std::gcd(term.numerator, divisor);
    term.numerator /= common;
    term.denominator *= divisor / common;
  }
  return result;
}

std::optional<std::int64_t> Expression::constant() const {
  if (terms_.empty())
    return 0;
  if (terms_.size() == 1 && terms_[0].factors.empty() && terms_[0].denominator == 1)
    return terms_[0].numerator;
  return std::nullopt;
}

namespace {

/// What all terms have in common; empty for fewer than two terms.
std::vector<Factor> commonFactors(const std::vector<Term> &terms) {
  std::vector<Factor> common;
  if (terms.size() < 2)
    return common;
  for (const Factor &candidate : terms.front().factors) {
    unsigned power = candidate.second;
    for (const Term &term : terms) {
      const auto same = std::ranges::find_if(
          term.factors, [&](const Factor &other) { return other.first->text() == candidate.first->text(); });
      power = same == term.factors.end() ? 0 : std::min(power, same->second);
    }
    if (power != 0)
      common.emplace_back(candidate.first, power);
  }
  return common;
}

std::vector<Factor> without(std::vector<Factor> factors, const std::vector<Factor> &removed) {
  for (const Factor &gone : removed)
    for (Factor &factor : factors)
      if (factor.first->text() == gone.first->text())
        factor.second -= gone.second;
  std::erase_if(factors, [](const Factor &factor) { return factor.second == 0; });
  return factors;
}

} // namespace

std::string Expression::text() const {
  if (terms_.empty())
    return "0";
  std::int64_t denominator = 1, shared = 0;
  for (const Term &term : terms_)
    denominator = std::lcm(denominator, term.denominator);
  for (const Term &term : terms_)
    shared = std::gcd(shared, term.numerator * (denominator / term.denominator));
  const std::vector<Factor> common = commonFactors(terms_);
  if (common.empty())
    shared = 1; // 2*n + 4 reads better than 2*(n + 2)
  // A sum does not begin with a minus if it can begin without: 1 - n.
  std::vector<Term> ordered = terms_;
  if (const auto plus = std::ranges::find_if(ordered, [](const Term &term) { return term.numerator > 0; });
      plus != ordered.end())
    std::rotate(ordered.begin(), plus, plus + 1);
  std::string text;
  for (const Term &term : ordered) {
    std::int64_t coefficient =
        term.numerator * (denominator / term.denominator) / (terms_.size() > 1 ? shared : 1);
    if (text.empty())
      text += coefficient < 0 ? "-" : "";
    else
      text += coefficient < 0 ? " - " : " + ";
    coefficient = coefficient < 0 ? -coefficient : coefficient;
    const std::string factors = factorsText(without(term.factors, common));
    if (factors.empty() || coefficient != 1)
      text += std::to_string(coefficient) + (factors.empty() ? "" : "*");
    text += factors;
  }
  if (!common.empty())
    text = (shared == 1 ? "" : std::to_string(shared) + "*") + factorsText(common) + "*(" + text + ")";
  else if (denominator != 1 && terms_.size() > 1)
    text = "(" + text + ")";
  return denominator == 1 ? text : text + "/" + std::to_string(denominator);
}

std::set<std::string> Expression::symbols() const {
  std::set<std::string> result;
  for (const Term &term : terms_)
    for (const auto &[atom, power] : term.factors) {
      if (atom->kind() == Atom::Kind::symbol) {
        result.insert(atom->name());
        continue;
      }
      for (std::size_t i = 0; i != atom->arguments().size(); ++i)
        for (const std::string &name : atom->arguments()[i].symbols())
          if (atom->kind() != Atom::Kind::sum || i < 2 || name != atom->name())
            result.insert(name);
    }
  return result;
}

bool Expression::contains(std::string_view symbol) const {
  for (const Term &term : terms_)
    for (const auto &[atom, power] : term.factors)
      if (atom->contains(symbol))
        return true;
  return false;
}

namespace {

/// The same function of other arguments, simplified anew.
Expression rebuilt(const Atom &atom, const std::vector<Expression> &arguments) {
  switch (atom.kind()) {
  case Atom::Kind::floorDiv:
    return floorDiv(arguments[0], arguments[1]);
  case Atom::Kind::ceilDiv:
    return ceilDiv(arguments[0], arguments[1]);
  case Atom::Kind::min:
  case Atom::Kind::max: {
    Expression result = arguments[0];
    for (std::size_t i = 1; i != arguments.size(); ++i)
      result = atom.kind() == Atom::Kind::min ? minimum(result, arguments[i]) : maximum(result, arguments[i]);
    return result;
  }
  case Atom::Kind::exp2:
    return exp2(arguments[0]);
  case Atom::Kind::log2:
    return log2(arguments[0]);
  case Atom::Kind::positive:
    return positive(arguments[0]);
  case Atom::Kind::sum:
    return sum(atom.name(), arguments[0], arguments[1], arguments[2]);
  case Atom::Kind::symbol:
    break;
  }
  return Expression::symbol(atom.name());
}

Expression substituted(const Atom &atom, std::string_view symbol, const Expression &value) {
  if (atom.kind() == Atom::Kind::symbol)
    return value;
  std::vector<Expression> arguments = atom.arguments();
  std::string variable = atom.name();
  if (atom.kind() == Atom::Kind::sum && value.contains(variable)) {
    // The sum's own variable must not capture a name in `value`.
    std::string fresh = variable;
    while (value.contains(fresh) || arguments[2].contains(fresh))
      fresh += '_';
    arguments[2] = arguments[2].substitute(variable, Expression::symbol(fresh));
    variable = fresh;
  }
  for (std::size_t i = 0; i != arguments.size(); ++i)
    if (atom.kind() != Atom::Kind::sum || i < 2 || variable != symbol)
      arguments[i] = arguments[i].substitute(symbol, value);
  if (atom.kind() == Atom::Kind::sum)
    return sum(variable, arguments[0], arguments[1], arguments[2]);
  return rebuilt(atom, arguments);
}

} // namespace

Expression Expression::substitute(std::string_view symbol, const Expression &value) const {
  if (!contains(symbol))
    return *this;
  Expression result;
  for (const Term &term : terms_) {
    Expression replaced;
    replaced.add({term.numerator, term.denominator, {}});
    for (const Factor &factor : term.factors) {
      Expression base;
      if (factor.first->contains(symbol))
        base = substituted(*factor.first, symbol, value);
      else
        base.add({1, 1, {{factor.first, 1}}});
      for (unsigned i = 0; i != factor.second; ++i)
        replaced = replaced * base;
    }
    result += replaced;
  }
  return result;
}

std::optional<std::vector<Expression>> Expression::coefficients(std::string_view symbol) const {
  std::vector<Expression> result(1);
  for (const Term &term : terms_) {
    Term rest{term.numerator, term.denominator, {}};
    unsigned power = 0;
    for (const Factor &factor : term.factors) {
      if (factor.first->kind() == Atom::Kind::symbol && factor.first->name() == symbol)
        power = factor.second;
      else if (factor.first->contains(symbol))
        return std::nullopt;
      else
        rest.factors.push_back(factor);
    }
    if (power >= result.size())
      result.resize(power + 1);
    result[power].add(rest);
  }
  return result;
}

std::optional<std::int64_t> Expression::lowerBound(const std::set<std::string> &nonNegative) const {
  if (const auto value = constant())
    return value;
  // Writes every atom as its lower bound plus something that is not negative; if then no term is negative,
  // the constant term is a bound.
  Expression shifted;
  for (const Term &term : terms_) {
    Expression replaced;
    replaced.add({term.numerator, term.denominator, {}});
    for (const auto &[atom, power] : term.factors) {
      const auto bound = atom->lowerBound(nonNegative);
      const Expression base =
          bound ? symbol(shiftedMark + atom->text()) + *bound : symbol("?" + atom->text());
      for (unsigned i = 0; i != power; ++i)
        replaced = replaced * base;
    }
    shifted += replaced;
  }
  std::int64_t least = 0;
  for (const Term &term : shifted.terms_) {
    if (term.factors.empty())
      least = term.numerator >= 0 ? (term.numerator + term.denominator - 1) / term.denominator
                                  : -(-term.numerator / term.denominator);
    else if (term.numerator < 0)
      return std::nullopt;
    else
      for (const auto &[atom, power] : term.factors)
        if (!atom->name().starts_with(shiftedMark))
          return std::nullopt;
  }
  return least;
}

namespace {

std::int64_t floorOf(std::int64_t a, std::int64_t b) {
  return a / b - (a % b != 0 && (a < 0));
}

/// Splits `a` into a multiple of `b` and the rest, term by term: 3*n*b + n -> {3*n, n}.
std::pair<Expression, Expression> multipleAndRest(const Expression &a, const Expression &b) {
  const std::vector<Term> &divisor = b.terms();
  Expression multiple, rest;
  for (const Term &term : a.terms()) {
    Term quotient = term;
    bool divides = divisor.size() == 1 && term.denominator == 1 && divisor[0].denominator == 1 &&
                   term.numerator % divisor[0].numerator == 0;
    if (divides) {
      quotient.numerator = term.numerator / divisor[0].numerator;
      for (const Factor &factor : divisor[0].factors) {
        const auto same =
            std::find_if(quotient.factors.begin(), quotient.factors.end(),
                         [&](const Factor &other) { return other.first->text() == factor.first->text(); });
        if (same == quotient.factors.end() || same->second < factor.second) {
          divides = false;
          break;
        }
        same->second -= factor.second;
        if (same->second == 0)
          quotient.factors.erase(same);
      }
    }
    (divides ? multiple : rest) += Expression::ofTerm(divides ? quotient : term);
  }
  return {multiple, rest};
}

/// The integer that stands alone in a sum.
std::int64_t constantPart(const Expression &e) {
  for (const Term &term : e.terms())
    if (term.factors.empty() && term.denominator == 1)
      return term.numerator;
  return 0;
}

/// The one atom that `e` is, if it is one.
const Atom *soleAtom(const Expression &e) {
  const std::vector<Term> &terms = e.terms();
  const bool alone = terms.size() == 1 && terms[0].numerator == 1 && terms[0].denominator == 1 &&
                     terms[0].factors.size() == 1 && terms[0].factors[0].second == 1;
  return alone ? terms[0].factors[0].first.get() : nullptr;
}

Expression divided(Atom::Kind kind, const Expression &a, const Expression &b) {
  if (b == Expression(1) || a.isZero())
    return a;
  // Only a divisor that cannot be 0 may be cancelled.
  if (!b.isPositive())
    return Expression::ofAtom(Atom(kind, {}, {a, b}));
  auto [multiple, rest] = multipleAndRest(a, b);
  const auto divisor = b.constant();
  if (divisor) {
    // What the constant part holds beyond the divisor goes too: floordiv(n + 5, 2) is floordiv(n + 1, 2) + 2.
    const std::int64_t whole = floorOf(constantPart(rest), *divisor);
    multiple += whole;
    rest += -whole * *divisor;
  }
  if (const auto value = rest.constant(); value && divisor)
    return multiple + (kind == Atom::Kind::floorDiv ? 0 : (*value > 0));
  if (rest.isZero())
    return multiple;
  // floordiv(floordiv(x, c), b) is floordiv(x, c*b), and likewise for ceildiv.
  if (const Atom *inner = soleAtom(rest);
      inner && inner->kind() == kind && inner->arguments()[1].isPositive())
    return multiple + divided(kind, inner->arguments()[0], inner->arguments()[1] * b);
  // One spelling for floordiv(n + 31, 32), which is ceildiv(n, 32), and for ceildiv(n + 1, 2), which is
  // floordiv(n, 2) + 1: ceildiv has no constant part.
  const std::int64_t constant = constantPart(rest);
  if (kind == Atom::Kind::floorDiv && divisor && constant == *divisor - 1)
    return multiple + Expression::ofAtom(Atom(Atom::Kind::ceilDiv, {}, {rest - constant, b}));
  if (kind == Atom::Kind::floorDiv && constant == -1)
    return multiple + Expression::ofAtom(Atom(Atom::Kind::ceilDiv, {}, {rest + 1, b})) - 1;
  if (kind == Atom::Kind::ceilDiv && constant != 0)
    return multiple + divided(Atom::Kind::floorDiv, rest - 1, b) + 1;
  return multiple + Expression::ofAtom(Atom(kind, {}, {rest, b}));
}

/// Whether `part` is floordiv(whole, d), with nothing negative about it.
bool isPartOf(const Expression &part, const Expression &whole) {
  const Atom *division = soleAtom(part);
  return division && division->kind() == Atom::Kind::floorDiv && division->arguments()[0] == whole &&
         whole.isNonNegative() && division->arguments()[1].isPositive();
}

/// min or max: nested ones flattened, those that another one always beats dropped, sorted by text.
Expression extreme(Atom::Kind kind, const Expression &a, const Expression &b) {
  std::vector<Expression> all;
  for (const Expression *side : {&a, &b}) {
    if (const Atom *nested = soleAtom(*side); nested && nested->kind() == kind)
      all.insert(all.end(), nested->arguments().begin(), nested->arguments().end());
    else
      all.push_back(*side);
  }
  std::vector<Expression> kept;
  for (std::size_t i = 0; i != all.size(); ++i) {
    bool beaten = false;
    for (std::size_t j = 0; j != all.size() && !beaten; ++j) {
      const Expression lead = kind == Atom::Kind::min ? all[i] - all[j] : all[j] - all[i];
      beaten = i != j && lead.isNonNegative() && (!lead.isZero() || j < i);
      const Expression &less = kind == Atom::Kind::min ? all[j] : all[i];
      const Expression &more = kind == Atom::Kind::min ? all[i] : all[j];
      beaten = beaten || isPartOf(less, more);
    }
    if (!beaten)
      kept.push_back(all[i]);
  }
  if (kept.size() == 1)
    return kept[0];
  std::ranges::sort(kept, [](const Expression &x, const Expression &y) {
    const bool constantX = x.constant().has_value(), constantY = y.constant().has_value();
    return constantX != constantY ? constantX : x.text() < y.text();
  });
  return Expression::ofAtom(Atom(kind, {}, std::move(kept)));
}

std::int64_t exponentOf(std::int64_t value) {
  std::int64_t exponent = -1;
  for (; value > 0; value >>= 1)
    ++exponent;
  return exponent;
}

/// 0^p + 1^p + ... + (m-1)^p as a polynomial in m, from (m^(p+1)) = sum over k <= p of C(p+1, k) S_k(m)
/// (telescoping (i+1)^(p+1) - i^(p+1)).
Expression powerSum(unsigned power, const Expression &m) {
  std::vector<Expression> sums; // S_0 ... S_power
  Expression mToThe = m;
  for (unsigned p = 0; p <= power; ++p) {
    Expression rest = mToThe;
    std::int64_t binomial = 1; // C(p+1, k)
    for (unsigned k = 0; k != p; ++k) {
      rest = rest - binomial * sums[k];
      binomial = binomial * static_cast<std::int64_t>(p + 1 - k) / static_cast<std::int64_t>(k + 1);
    }
    sums.push_back(rest.dividedBy(static_cast<std::int64_t>(p) + 1));
    mToThe = mToThe * m;
  }
  return sums[power];
}

/// Beyond this degree the coefficients of powerSum could leave 64 bits.
constexpr std::size_t highestDegree = 8;

} // namespace

Expression floorDiv(const Expression &a, const Expression &b) {
  return divided(Atom::Kind::floorDiv, a, b);
}
Expression ceilDiv(const Expression &a, const Expression &b) {
  return divided(Atom::Kind::ceilDiv, a, b);
}
Expression minimum(const Expression &a, const Expression &b) {
  return extreme(Atom::Kind::min, a, b);
}
Expression maximum(const Expression &a, const Expression &b) {
  return extreme(Atom::Kind::max, a, b);
}

Expression exp2(const Expression &a) {
  if (const auto value = a.constant(); value && *value >= 0 && *value < 62)
    return std::int64_t{1} << *value;
  // exp2(a + 3) is 8*exp2(a), so that products and divisions see the constant.
  for (const Term &term : a.terms())
    if (term.factors.empty() && term.denominator == 1 && term.numerator > 0 && term.numerator < 62)
      return (std::int64_t{1} << term.numerator) *
             Expression::ofAtom(Atom(Atom::Kind::exp2, {}, {a - term.numerator}));
  return Expression::ofAtom(Atom(Atom::Kind::exp2, {}, {a}));
}

Expression log2(const Expression &a) {
  if (const auto value = a.constant())
    return exponentOf(*value);
  return Expression::ofAtom(Atom(Atom::Kind::log2, {}, {a}));
}

Expression positive(const Expression &a) {
  if (a.isPositive())
    return 1;
  if ((-a).isNonNegative())
    return 0;
  // Of a condition and its opposite, one is spelt by the other.
  if (!a.terms().empty() && a.terms().front().numerator < 0)
    return 1 - positive(1 - a);
  return Expression::ofAtom(Atom(Atom::Kind::positive, {}, {a}));
}

namespace {

/// A term that is no polynomial in the variable: what does not depend on it goes in front of the sum.
Expression openSum(const std::string &variable, const Expression &low, const Expression &high,
                   const Term &term) {
  Expression outside = Expression(term.numerator).dividedBy(term.denominator), inside = 1;
  for (const auto &[atom, power] : term.factors) {
    Expression &side = atom->contains(variable) ? inside : outside;
    for (unsigned i = 0; i != power; ++i)
      side = side * Expression::ofAtom(*atom);
  }
  return outside * Expression::ofAtom(Atom(Atom::Kind::sum, variable, {low, high, inside}));
}

bool isPolynomialIn(const std::string &variable, const Term &term) {
  return std::ranges::all_of(term.factors, [&](const Factor &factor) {
    return factor.first->kind() == Atom::Kind::symbol || !factor.first->contains(variable);
  });
}

} // namespace

Expression sumOfNonEmpty(const std::string &variable, const Expression &low, const Expression &high,
                         const Expression &body) {
  Expression polynomial, result;
  for (const Term &term : body.terms()) {
    if (!isPolynomialIn(variable, term)) {
      result += openSum(variable, low, high, term);
      continue;
    }
    polynomial += Expression::ofTerm(term);
  }
  const auto coefficients = polynomial.coefficients(variable);
  if (!coefficients || coefficients->size() > highestDegree)
    return Expression::ofAtom(Atom(Atom::Kind::sum, variable, {low, high, body}));
  for (unsigned power = 0; power != coefficients->size(); ++power)
    if (!(*coefficients)[power].isZero())
      result += (*coefficients)[power] * (powerSum(power, high) - powerSum(power, low));
  return result;
}

Expression sum(const std::string &variable, const Expression &low, const Expression &high,
               const Expression &body) {
  if (body.isZero())
    return 0;
  const auto coefficients = body.coefficients(variable);
  if (!coefficients) {
    Expression result; // term by term, so that each is guarded against an empty range in its own way
    if (body.terms().size() == 1)
      return sumOfNonEmpty(variable, low, high, body);
    for (const Term &term : body.terms())
      result += sum(variable, low, high, Expression::ofTerm(term));
    return result;
  }
  if (coefficients->size() == 1)
    return (*coefficients)[0] * maximum(0, high - low);
  // Terms of 0 in front of the range may join it: from 0 there is less to say about an empty range than
  // from 1.
  Expression first = low;
  while (first.constant().value_or(0) > 0 && body.substitute(variable, first - 1).isZero())
    first = first - 1;
  return sumOfNonEmpty(variable, first, maximum(first, high), body);
}

} // namespace streammap
