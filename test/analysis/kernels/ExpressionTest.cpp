// Formulas: normal form, printing and parsing, evaluation; the simplifications against plain arithmetic.
#include "analysis/Expression.h"
#include "support/Catch.h"
#include <chrono>
#include <functional>
#include <iostream>
#include <random>

using namespace streammap;

namespace {

Expression name(const char *text) {
  return Expression::symbol(text);
}

double valueOf(const Expression &expression, const Bindings &bindings) {
  const Expected<Evaluated> result = evaluate(expression, bindings);
  INFO(expression.text());
  REQUIRE(result.has_value());
  return result->value;
}

std::string parsed(const char *text) {
  const Expected<Expression> result = parseExpression(text);
  return result ? result->text() : result.error().message;
}

/// A formula beside the function it stands for.
struct Sample {
  Expression expression;
  std::function<long long(const Bindings &)> value;
};

long long floorQuotient(long long a, long long b) {
  return a / b - (a % b != 0 && a < 0);
}

Sample randomSample(std::mt19937 &random, int depth) {
  const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  if (depth == 0 || pick(6) == 0) {
    if (pick(2) == 0) {
      const int constant = pick(9) - 4;
      return {constant, [constant](const Bindings &) { return constant; }};
    }
    static const char *const names[] = {"a", "b", "c", "blockDim.x", "gridDim.x"};
    const std::string symbol = names[pick(5)];
    return {Expression::symbol(symbol),
            [symbol](const Bindings &values) { return static_cast<long long>(values.at(symbol)); }};
  }
  const Sample x = randomSample(random, depth - 1), y = randomSample(random, depth - 1);
  const auto with = [&](const Expression &e, auto operation) {
    return Sample{
        e, [=](const Bindings &values) -> long long { return operation(x.value(values), y.value(values)); }};
  };
  const int divisor = 1 + pick(5);
  switch (pick(8)) {
  case 0:
    return with(x.expression + y.expression, [](auto a, auto b) { return a + b; });
  case 1:
    return with(x.expression - y.expression, [](auto a, auto b) { return a - b; });
  case 2:
    return with(x.expression * y.expression, [](auto a, auto b) { return a * b; });
  case 3:
    return with(minimum(x.expression, y.expression), [](auto a, auto b) { return std::min(a, b); });
  case 4:
    return with(maximum(x.expression, y.expression), [](auto a, auto b) { return std::max(a, b); });
  case 5:
    return with(floorDiv(x.expression, divisor), [=](auto a, auto) { return floorQuotient(a, divisor); });
  case 6:
    return with(ceilDiv(x.expression, divisor), [=](auto a, auto) { return -floorQuotient(-a, divisor); });
  default:
    return with(positive(x.expression), [](auto a, auto) { return a > 0; });
  }
}

} // namespace

TEST_CASE("a formula is printed in one readable order") {
  const Expression n = name("n"), m = name("m"), block = name("blockDim.x");
  CHECK((2 * n * ceilDiv(n, block)).text() == "2*n*ceildiv(n, blockDim.x)");
  CHECK((m * n - n * m).text() == "0");
  CHECK((3 - n + n * n).text() == "n*n - n + 3");
  CHECK((n * n - n).dividedBy(2).text() == "n*(n - 1)/2");
  CHECK((4 * n * m + 2 * n).text() == "2*n*(2*m + 1)");
  CHECK((n * n + m).dividedBy(2).text() == "(n*n + m)/2");
  CHECK((n * n).dividedBy(2).text() == "n*n/2");
  CHECK(Expression::symbol("trips@csr.cu:14").text() == "trips@csr.cu:14");
}

TEST_CASE("divisions and extremes simplify where that is always right") {
  const Expression n = name("n"), block = name("blockDim.x"), grid = name("gridDim.x");
  CHECK(floorDiv(32 * n + 5, 32).text() == "n");
  CHECK(ceilDiv(32 * n + 5, 32).text() == "n + 1");
  CHECK(floorDiv(floorDiv(n, 2), 4).text() == "floordiv(n, 8)");
  CHECK(floorDiv(block * grid, block).text() == "gridDim.x");
  CHECK(floorDiv(n * n, n).text() == "floordiv(n*n, n)"); // n may be 0
  CHECK(maximum(0, block * grid - 1).text() == "blockDim.x*gridDim.x - 1");
  CHECK(minimum(n, n + 1).text() == "n");
  CHECK(minimum(minimum(n, 7), minimum(5, n)).text() == "min(5, n)");
  CHECK(positive(block).text() == "1");
  CHECK(exp2(name("k") + 3).text() == "8*exp2(k)");
  CHECK(log2(Expression(1023)).text() == "9");
}

TEST_CASE("sums of polynomials are closed, others stay") {
  const Expression n = name("n"), i = name("i");
  CHECK(sum("i", 0, 10, i * i).text() == "285");
  CHECK(sum("i", n, n, i).text() == "0");
  CHECK(sum("i", 0, n, 3).text() == "3*max(0, n)");
  CHECK(sum("i", 0, n, floorDiv(n, exp2(i))).text() == "sum(i, 0, n, floordiv(n, exp2(i)))");
  CHECK(sum("i", 0, n, 3 * n * exp2(i) + 1).text() == "3*n*sum(i, 0, n, exp2(i)) + max(0, n)");
  CHECK(valueOf(sum("i", 0, n, i * i * i), {{"n", 100}}) == 24502500);
  CHECK(valueOf(sum("i", 0, n, i), {{"n", -3}}) == 0);
  CHECK(valueOf(parseExpression("sum(i, 0, n, floordiv(n, exp2(i)))").value(), {{"n", 5}}) == 5 + 2 + 1);
}

TEST_CASE("a sum's variable captures nothing") {
  const Expression i = name("i"), k = name("k");
  const Expression inner = sum("i", 0, 4, floorDiv(k, exp2(i)));
  CHECK(valueOf(inner.substitute("k", i), {{"i", 8}}) == 8 + 4 + 2 + 1);
  CHECK(inner.symbols() == std::set<std::string>{"k"});
}

TEST_CASE("what is printed is parsed back") {
  for (const char *text :
       {"2*n*ceildiv(n, blockDim.x)", "n*(n - 1)/2", "(n*n + m)/2", "3 - n", "-n - 3", "min(5, a, b)",
        "sum(i, 0, n, exp2(i))", "nnz*trips@csr-v2.cu:14 + 1", "log2(p.rows)", "positive(n - 1)", "0", "-7"})
    CHECK(parsed(text) == text);
}

TEST_CASE("a text that is no formula is refused with its column") {
  CHECK(parsed("2*") == "column 3: expected a name, a number or '('");
  CHECK(parsed("min(a)").starts_with("column 1: expected floordiv(a, b)"));
  CHECK(parsed("(a + b") == "column 7: expected ')'");
  CHECK(parsed("a b") == "column 3: expected an operator or the end");
  CHECK(parsed("99999999999999999999") == "column 1: expected a number below 2^63");
  CHECK(parsed("a / 0") == "column 6: expected a positive number");
  CHECK(parsed(std::string(500, '(').c_str()).ends_with("expected less nesting"));
}

TEST_CASE("evaluation names what it lacks and refuses what has no value") {
  CHECK(evaluate(name("n") * name("m"), {}).error().message == "no value for 'm', 'n'");
  CHECK(evaluate(floorDiv(1, name("n")), {{"n", 0}}).error().message == "division by 0");
  CHECK(evaluate(sum("i", 0, name("n"), exp2(name("i"))), {{"n", 1e9}}).error().message ==
        "the sum over 'i' has too many terms");
}

TEST_CASE("large integers stay exact, others become doubles") {
  const Expression n = name("n");
  CHECK(evaluate(2 * n * n * n, {{"n", 1 << 20}})->exact == std::int64_t{1} << 61);
  CHECK_FALSE(evaluate(n * n * n, {{"n", 1e7}})->exact.has_value());
  CHECK(evaluate(n * n * n, {{"n", 1e7}})->value == Approx(1e21));
  CHECK(evaluate(2 * n, {{"n", 2.5}})->value == 5.0);
}

TEST_CASE("every simplification agrees with plain arithmetic") {
  const unsigned seed = 20260;
  std::mt19937 random(seed);
  for (int round = 0; round != 3000; ++round) {
    const Sample sample = randomSample(random, 3);
    const Expected<Expression> again = parseExpression(sample.expression.text());
    INFO("seed " << seed << " round " << round << ": " << sample.expression.text());
    REQUIRE(again.has_value());
    for (int point = 0; point != 4; ++point) {
      Bindings values;
      for (const char *symbol : {"a", "b", "c"})
        values[symbol] = static_cast<double>(random() % 13) - 6;
      for (const char *symbol : {"blockDim.x", "gridDim.x"})
        values[symbol] = 1 + static_cast<double>(random() % 5);
      const long long expected = sample.value(values);
      CHECK(evaluate(sample.expression, values)->exact == expected);
      CHECK(evaluate(*again, values)->exact == expected);
      if (const auto bound = sample.expression.lowerBound())
        CHECK(*bound <= expected);
    }
  }
}

TEST_CASE("a hundred thousand evaluations take well under a second", "[.][performance]") {
  const Expression formula =
      parseExpression("(2*max(0, min(n, blockDim.x*gridDim.x))*n*n + 3*n*ceildiv(n, blockDim.x))/1 + n")
          .value();
  const auto begin = std::chrono::steady_clock::now();
  double total = 0;
  for (int i = 0; i != 6500 * 15; ++i)
    total += evaluate(formula, {{"n", i}, {"blockDim.x", 256}, {"gridDim.x", 64}})->value;
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  std::cout << "97,500 evaluations: " << seconds.count() << " s\n";
  CHECK(total > 0);
}
