// Counting points: known loop nests by their formula, random ones against enumeration.
#include "analysis/IterationSpace.h"
#include "support/Catch.h"
#include <random>

using namespace streammap;

namespace {

/// A space from text: "i j; i; n - 1 - i; j; i - j; weight".
IterationSpace space(const std::vector<std::string> &variables, const std::vector<const char *> &constraints,
                     const char *weight = "1") {
  IterationSpace result;
  result.variables = variables;
  for (const char *constraint : constraints)
    result.constraints.push_back(parseExpression(constraint).value());
  result.weight = parseExpression(weight).value();
  return result;
}

Expected<Expression> countPoints(const IterationSpace &s) {
  CountingBudget budget;
  return streammap::countPoints(s, budget);
}

std::string counted(const IterationSpace &s) {
  const Expected<Expression> result = countPoints(s);
  return result ? result->text() : result.error().message;
}

/// The slow, obvious way: tries every point in [-range, range] of each variable.
double enumerate(const IterationSpace &s, Bindings values, std::size_t next, int range) {
  if (next == s.variables.size()) {
    for (const Expression &constraint : s.constraints)
      if (evaluate(constraint, values)->value < 0)
        return 0;
    return evaluate(s.weight, values)->value;
  }
  double total = 0;
  for (int value = -range; value <= range; ++value) {
    values[s.variables[next]] = value;
    total += enumerate(s, values, next + 1, range);
  }
  return total;
}

const std::vector<std::string> threads{"blockIdx.x", "threadIdx.x"};

} // namespace

TEST_CASE("a guarded global index counts to the smaller of n and the threads") {
  CHECK(counted(space(threads,
                      {"blockIdx.x", "gridDim.x - 1 - blockIdx.x", "threadIdx.x",
                       "blockDim.x - 1 - threadIdx.x", "n - 1 - blockIdx.x*blockDim.x - threadIdx.x"})) ==
        "max(0, min(blockDim.x*gridDim.x, n))");
}

TEST_CASE("a grid-stride loop over n runs n times in all, whatever the launch") {
  IterationSpace s = space(
      threads, {"blockIdx.x", "gridDim.x - 1 - blockIdx.x", "threadIdx.x", "blockDim.x - 1 - threadIdx.x"});
  s.variables.push_back("k");
  s.constraints.push_back(parseExpression("k").value());
  s.constraints.push_back(
      parseExpression("n - 1 - blockIdx.x*blockDim.x - threadIdx.x - k*blockDim.x*gridDim.x").value());
  CHECK(counted(s) == "max(0, n)");
}

TEST_CASE("a triangular loop is counted in closed form") {
  CHECK(counted(space({"i", "j"}, {"i", "n - 1 - i", "j", "i - j"})) == "max(0, n)*(max(0, n) + 1)/2");
}

TEST_CASE("a guard that the loop bounds imply leaves no trace") {
  CHECK(counted(space({"i"}, {"n - 1", "i", "n - 1 - i"})) == "max(0, n)");
  CHECK(counted(space({"i"}, {"m - 1", "i", "n - 1 - i"})) == "max(0, n)*positive(m)");
}

TEST_CASE("every 32nd thread is counted") {
  CHECK(counted(space({"t"}, {"t", "blockDim.x - 1 - t", "t - 32*floordiv(t, 32)",
                              "32*floordiv(t, 32) - t"})) == "ceildiv(blockDim.x, 32)");
}

TEST_CASE("a halving loop stays a sum over its few iterations") {
  const IterationSpace s = space({"t", "k"}, {"t", "blockDim.x - 1 - t", "k", "log2(blockDim.x) - 1 - k",
                                              "floordiv(blockDim.x, 2*exp2(k)) - 1 - t"});
  const Expression count = countPoints(s).value();
  CHECK(evaluate(count, {{"blockDim.x", 256}})->exact == 255);
}

TEST_CASE("a spent budget is an error, not an endless search") {
  CountingBudget budget{3};
  const IterationSpace s =
      space({"i", "j"}, {"i", "n - i", "j", "m - j", "a + i - j", "b - i - j", "c + j - 2*i"});
  const Expected<Expression> result = streammap::countPoints(s, budget);
  REQUIRE_FALSE(result.has_value());
  CHECK(result.error().message == "its execution count falls into too many cases");
}

TEST_CASE("a set without a bound is refused") {
  CHECK(counted(space({"i"}, {"i"})) == "no bound is known");
}

TEST_CASE("random spaces count as many points as enumeration finds") {
  const unsigned seed = 7;
  std::mt19937 random(seed);
  const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  for (int round = 0; round != 400; ++round) {
    IterationSpace s;
    s.variables = {"i", "j"};
    if (pick(3) == 0)
      s.variables.push_back("k");
    const Expression n = Expression::symbol("n"), m = Expression::symbol("m");
    for (const std::string &variable : s.variables) {
      const Expression v = Expression::symbol(variable);
      s.constraints.push_back(v + pick(3) - 1);
      s.constraints.push_back((pick(2) == 0 ? n : m) - v - pick(3));
    }
    const int more = pick(3);
    for (int c = 0; c != more; ++c) {
      Expression e = pick(7) - 3;
      for (const std::string &variable : s.variables)
        e += (pick(3) - 1) * Expression::symbol(variable);
      switch (pick(6)) {
      case 0:
        e += pick(2) == 0 ? n : m;
        break;
      case 1:
        e += minimum(Expression::symbol("i"), n - Expression::symbol("j"));
        break;
      case 2:
        e = e - maximum(Expression::symbol("i"), Expression::symbol("j") + 1) + n;
        break;
      case 3:
        e += 2 * floorDiv(Expression::symbol("j"), 3) - Expression::symbol("j");
        break;
      case 4:
        e += 2 * Expression::symbol("i");
        break;
      default:
        break;
      }
      s.constraints.push_back(e);
    }
    if (pick(3) == 0)
      s.weight = Expression::symbol("i") + 2 * n;
    const Expected<Expression> count = countPoints(s);
    std::string text;
    for (const Expression &constraint : s.constraints)
      text += constraint.text() + " >= 0; ";
    INFO("seed " << seed << " round " << round << ": " << text << " weight " << s.weight.text());
    REQUIRE(count.has_value());
    INFO(count->text());
    for (int point = 0; point != 3; ++point) {
      const Bindings values{{"n", pick(8) - 1.0}, {"m", pick(8) - 1.0}};
      INFO("n " << values.at("n") << " m " << values.at("m"));
      const Expected<Evaluated> value = evaluate(*count, values);
      REQUIRE(value.has_value());
      CHECK(value->value == enumerate(s, values, 0, 8));
    }
  }
}
