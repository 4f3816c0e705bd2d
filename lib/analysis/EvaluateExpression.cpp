#include "analysis/Expression.h"
#include <cmath>
#include <limits>
#include <numeric>

namespace streammap {
namespace {

__extension__ using Int128 = __int128;

/// An integer while everything fits, a double from then on.
struct Number {
  bool exact = true;
  Int128 integer = 0;
  double real = 0;

  static Number whole(Int128 value) { return {true, value, 0}; }
  static Number inexact(double value) { return {false, 0, value}; }
  double toDouble() const { return exact ? static_cast<double>(integer) : real; }
};

Number operator+(const Number &a, const Number &b) {
  Int128 result;
  if (a.exact && b.exact && !__builtin_add_overflow(a.integer, b.integer, &result))
    return Number::whole(result);
  return Number::inexact(a.toDouble() + b.toDouble());
}

Number operator*(const Number &a, const Number &b) {
  Int128 result;
  if (a.exact && b.exact && !__builtin_mul_overflow(a.integer, b.integer, &result))
    return Number::whole(result);
  return Number::inexact(a.toDouble() * b.toDouble());
}

bool less(const Number &a, const Number &b) {
  return a.exact && b.exact ? a.integer < b.integer : a.toDouble() < b.toDouble();
}

Int128 floorQuotient(Int128 a, Int128 b) {
  return a / b - (a % b != 0 && ((a < 0) != (b < 0)));
}

/// Walks an expression. The first failure is kept and everything after it is 0.
class Evaluation {
public:
  explicit Evaluation(const Bindings &bindings) : bindings_(bindings) {}

  Number of(const Expression &expression) {
    std::int64_t common = 1;
    for (const Expression::Term &term : expression.terms())
      common = std::lcm(common, term.denominator);
    Number total;
    for (const Expression::Term &term : expression.terms()) {
      Number value = Number::whole(Int128{term.numerator} * (common / term.denominator));
      for (const auto &[atom, power] : term.factors) {
        const Number base = of(*atom);
        for (unsigned i = 0; i != power; ++i)
          value = value * base;
      }
      total = total + value;
    }
    if (common == 1)
      return total;
    if (total.exact && total.integer % common == 0)
      return Number::whole(total.integer / common);
    return Number::inexact(total.toDouble() / static_cast<double>(common));
  }

  const std::string &failure() const { return failure_; }

private:
  static constexpr std::uint64_t termLimit = 10'000'000;

  void fail(std::string why) {
    if (failure_.empty())
      failure_ = std::move(why);
  }

  Number of(const Atom &atom) {
    const std::vector<Expression> &arguments = atom.arguments();
    switch (atom.kind()) {
    case Atom::Kind::symbol:
      return valueOf(atom.name());
    case Atom::Kind::floorDiv:
      return quotient(of(arguments[0]), of(arguments[1]), Rounding::down);
    case Atom::Kind::ceilDiv:
      return quotient(of(arguments[0]), of(arguments[1]), Rounding::up);
    case Atom::Kind::min:
    case Atom::Kind::max: {
      Number best = of(arguments[0]);
      for (std::size_t i = 1; i != arguments.size(); ++i) {
        const Number other = of(arguments[i]);
        if (atom.kind() == Atom::Kind::min ? less(other, best) : less(best, other))
          best = other;
      }
      return best;
    }
    case Atom::Kind::exp2: {
      const Number exponent = of(arguments[0]);
      if (exponent.exact && exponent.integer >= 0 && exponent.integer < 120)
        return Number::whole(Int128{1} << static_cast<int>(exponent.integer));
      return Number::inexact(std::exp2(exponent.toDouble()));
    }
    case Atom::Kind::log2: {
      const double value = of(arguments[0]).toDouble();
      // An exponent of a double is exact, and rounding to double moves no integer below 2^53.
      return Number::whole(value < 1 ? -1 : std::ilogb(value));
    }
    case Atom::Kind::positive:
      return Number::whole(less(Number{}, of(arguments[0])) ? 1 : 0);
    case Atom::Kind::sum:
      return sumOf(atom);
    }
    return {};
  }

  Number valueOf(const std::string &name) {
    for (auto variable = variables_.rbegin(); variable != variables_.rend(); ++variable)
      if (*variable->first == name)
        return variable->second;
    const auto found = bindings_.find(name);
    if (found == bindings_.end()) {
      fail("no value for '" + name + "'");
      return {};
    }
    constexpr double exactBelow = 9007199254740992.0; // 2^53
    const double value = found->second;
    if (std::floor(value) == value && std::fabs(value) <= exactBelow)
      return Number::whole(static_cast<Int128>(value));
    return Number::inexact(value);
  }

  enum class Rounding { down, up };

  Number quotient(const Number &a, const Number &b, Rounding rounding) {
    const bool up = rounding == Rounding::up;
    if (b.toDouble() == 0) {
      fail("division by 0");
      return {};
    }
    if (a.exact && b.exact)
      return Number::whole(up ? -floorQuotient(-a.integer, b.integer) : floorQuotient(a.integer, b.integer));
    const double value = a.toDouble() / b.toDouble();
    return Number::inexact(up ? std::ceil(value) : std::floor(value));
  }

  Number sumOf(const Atom &atom) {
    const Number low = of(atom.arguments()[0]), high = of(atom.arguments()[1]);
    const double count = std::ceil(high.toDouble()) - std::ceil(low.toDouble());
    if (!(count > 0) || !failure_.empty())
      return {};
    if (count > static_cast<double>(termLimit - terms_)) {
      fail("the sum over '" + atom.name() + "' has too many terms");
      return {};
    }
    terms_ += static_cast<std::uint64_t>(count);
    const Int128 first = low.exact ? low.integer : static_cast<Int128>(std::ceil(low.real));
    Number total;
    variables_.emplace_back(&atom.name(), Number{});
    for (Int128 i = 0; i < static_cast<Int128>(count) && failure_.empty(); ++i) {
      variables_.back().second = Number::whole(first + i);
      total = total + of(atom.arguments()[2]);
    }
    variables_.pop_back();
    return total;
  }

  const Bindings &bindings_;
  std::vector<std::pair<const std::string *, Number>> variables_;
  std::uint64_t terms_ = 0;
  std::string failure_;
};

} // namespace

Expected<Evaluated> evaluate(const Expression &expression, const Bindings &bindings) {
  Evaluation evaluation(bindings);
  const Number number = evaluation.of(expression);
  if (!evaluation.failure().empty()) {
    // Several missing values are told at once.
    std::string missing;
    for (const std::string &name : expression.symbols())
      if (!bindings.contains(name))
        missing += (missing.empty() ? "'" : ", '") + name + "'";
    return failure(missing.empty() ? evaluation.failure() : "no value for " + missing);
  }
  Evaluated result{number.toDouble(), std::nullopt};
  if (number.exact && number.integer >= std::numeric_limits<std::int64_t>::min() &&
      number.integer <= std::numeric_limits<std::int64_t>::max())
    result.exact = static_cast<std::int64_t>(number.integer);
  return result;
}

} // namespace streammap
