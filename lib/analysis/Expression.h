#pragma once
// What a kernel costs, as a formula over names that are known only at launch: its arguments, blockDim and
// gridDim, and what nobody could count ("trips@csr.cu:14").
//
//   Expression n = Expression::symbol("n"), block = Expression::symbol("blockDim.x");
//   (2 * n * ceilDiv(n, block)).text()                  // "2*n*ceildiv(n, blockDim.x)"
//   sum("i", 0, n, Expression::symbol("i")).text()      // "(max(0, n)*max(0, n) - max(0, n))/2"
//   evaluate(parseExpression("2*n + 1").value(), {{"n", 20.0}})->value   // 41
//
// Every expression is held in one normal form, a polynomial with rational coefficients over atoms (symbols,
// divisions, min, max, sums), sorted by text; so equal formulas mostly have equal text, and the same input
// gives the same bytes. Values are integers unless a binding is not.
//
// Grammar, also that of `kernels[].costs` in tasks.json:
//   sum     := product (("+" | "-") product)*
//   product := ["-"] power ("*" power)* ["/" number]       the division is exact
//   power   := number | name | "(" sum ")" | function "(" arguments ")"
//   floordiv(a, b)  ceildiv(a, b)   for b > 0      min(a, b, ...)  max(a, b, ...)
//   exp2(a): 2 to the a, for a >= 0     log2(a): the exponent of the highest power of 2 that is <= a; -1 for
//   a < 1
//   positive(a): 1 if a > 0, else 0     sum(i, low, high, body): of body for i = low ... high - 1
//   name    := letter (letter | digit | "_" | ".")* ["@" any characters but space , ( ) * /]
#include "support/Expected.h"
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace streammap {

class Atom;

class Expression {
public:
  /// One coefficient * atom^power * ...; the atoms sorted by text.
  struct Term {
    std::int64_t numerator = 1;
    std::int64_t denominator = 1;
    std::vector<std::pair<std::shared_ptr<const Atom>, unsigned>> factors;
  };

  Expression() = default; ///< 0
  Expression(std::int64_t value);
  static Expression symbol(std::string name);
  static Expression ofAtom(Atom atom);
  static Expression ofTerm(const Term &term);

  /// Canonical and readable; parseExpression() gives the expression back.
  std::string text() const;
  /// The terms, sorted; none means 0.
  const std::vector<Term> &terms() const { return terms_; }
  bool isZero() const { return terms_.empty(); }
  /// Its value if it contains no atom and is an integer.
  std::optional<std::int64_t> constant() const;
  /// All names that evaluate() needs; the variables of sums are not among them.
  std::set<std::string> symbols() const;
  bool contains(std::string_view symbol) const;
  /// With each free occurrence of `symbol` replaced.
  Expression substitute(std::string_view symbol, const Expression &value) const;
  /// Coefficients of `symbol` by power, none of which contain it; nothing if it stands inside an atom, so
  /// that this is no polynomial in it. The last coefficient is not 0, except for the expression 0.
  std::optional<std::vector<Expression>> coefficients(std::string_view symbol) const;
  /// A constant that the value never goes below, knowing only that blockDim and gridDim are at least 1 and
  /// that these symbols are not negative.
  std::optional<std::int64_t> lowerBound(const std::set<std::string> &nonNegative = {}) const;
  bool isNonNegative() const { return lowerBound().value_or(-1) >= 0; }
  bool isPositive() const { return lowerBound().value_or(0) > 0; }

  friend Expression operator+(const Expression &a, const Expression &b);
  friend Expression operator-(const Expression &a, const Expression &b);
  friend Expression operator*(const Expression &a, const Expression &b);
  friend bool operator==(const Expression &a, const Expression &b);
  Expression operator-() const;
  Expression &operator+=(const Expression &other) { return *this = *this + other; }
  /// Divided by a constant that is known to divide every value. `divisor` > 0.
  Expression dividedBy(std::int64_t divisor) const;

private:
  void add(const Term &term);
  std::vector<Term> terms_;
};

Expression floorDiv(const Expression &a, const Expression &b);
Expression ceilDiv(const Expression &a, const Expression &b);
Expression minimum(const Expression &a, const Expression &b);
Expression maximum(const Expression &a, const Expression &b);
Expression exp2(const Expression &a);
Expression log2(const Expression &a);
Expression positive(const Expression &a);
/// In closed form where `body` is a polynomial in `variable`. An empty range sums to 0.
Expression sum(const std::string &variable, const Expression &low, const Expression &high,
               const Expression &body);
/// The same, where the caller knows that low <= high: shorter, since no max() guards the ends.
Expression sumOfNonEmpty(const std::string &variable, const Expression &low, const Expression &high,
                         const Expression &body);

/// What a polynomial is made of: a symbol, or a function of expressions.
class Atom {
public:
  enum class Kind { symbol, floorDiv, ceilDiv, min, max, exp2, log2, positive, sum };
  Atom(Kind kind, std::string name, std::vector<Expression> arguments);
  Kind kind() const { return kind_; }
  const std::string &name() const { return name_; } ///< of a symbol, or a sum's variable
  const std::vector<Expression> &arguments() const { return arguments_; }
  const std::string &text() const { return text_; }
  std::optional<std::int64_t> lowerBound(const std::set<std::string> &nonNegative) const;
  bool contains(std::string_view symbol) const;

private:
  Kind kind_;
  std::string name_;
  std::vector<Expression> arguments_;
  std::string text_;
};

/// The error says where in `text` and what was expected: "column 7: expected a name, a number or '('".
Expected<Expression> parseExpression(std::string_view text);

/// Values by name. Whole numbers up to 2^53 stay exact.
using Bindings = std::map<std::string, double, std::less<>>;

struct Evaluated {
  double value = 0;
  std::optional<std::int64_t> exact; ///< the same, when all arithmetic was on integers and fits
};

/// Fails if a symbol has no value ("no value for 'n'", all of them listed), something is divided by 0, or a
/// sum that has no closed form has more than some ten million terms. O(size of the expression), times the
/// terms of the sums in it.
Expected<Evaluated> evaluate(const Expression &expression, const Bindings &bindings);

} // namespace streammap
