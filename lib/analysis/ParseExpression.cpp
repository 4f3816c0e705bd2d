#include "analysis/Expression.h"
#include <cctype>
#include <charconv>
#include <limits>

namespace streammap {
namespace {

/// By recursive descent over the grammar in Expression.h.
class Parser {
public:
  explicit Parser(std::string_view text) : text_(text) {}

  Expected<Expression> parse() {
    Expected<Expression> result = parseSum();
    if (result && !atEnd())
      return expected("an operator or the end");
    return result;
  }

private:
  static constexpr unsigned deepest = 200; ///< nesting beyond this is no formula of ours

  void skipSpace() {
    while (at_ != text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])))
      ++at_;
  }
  bool atEnd() {
    skipSpace();
    return at_ == text_.size();
  }
  bool accept(char c) {
    skipSpace();
    if (at_ == text_.size() || text_[at_] != c)
      return false;
    ++at_;
    return true;
  }
  std::unexpected<Error> expected(std::string_view what) {
    skipSpace();
    return failure("column " + std::to_string(at_ + 1) + ": expected " + std::string(what));
  }

  Expected<Expression> parseSum() {
    if (++depth_ > deepest)
      return expected("less nesting");
    Expected<Expression> result = parseProduct();
    while (result) {
      const bool plus = accept('+');
      if (!plus && !accept('-'))
        break;
      const Expected<Expression> next = parseProduct();
      if (!next)
        return next;
      result = plus ? *result + *next : *result - *next;
    }
    --depth_;
    return result;
  }

  Expected<Expression> parseProduct() {
    bool negative = false;
    while (accept('-'))
      negative = !negative;
    Expected<Expression> result = parsePower();
    while (result && accept('*')) {
      const Expected<Expression> next = parsePower();
      if (!next)
        return next;
      result = *result * *next;
    }
    if (result && accept('/')) {
      const Expected<std::int64_t> divisor = parseNumber();
      if (!divisor || *divisor < 1)
        return expected("a positive number");
      result = result->dividedBy(*divisor);
    }
    return result && negative ? Expected<Expression>(-*result) : result;
  }

  Expected<std::int64_t> parseNumber() {
    skipSpace();
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error == std::errc::result_out_of_range)
      return expected("a number below 2^63");
    if (error != std::errc{})
      return expected("a number");
    at_ = static_cast<std::size_t>(end - text_.data());
    return value;
  }

  static bool beginsName(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }

  std::string parseName() {
    std::string name;
    while (at_ != text_.size() && (beginsName(text_[at_]) ||
                                   std::isdigit(static_cast<unsigned char>(text_[at_])) || text_[at_] == '.'))
      name += text_[at_++];
    if (at_ != text_.size() && text_[at_] == '@')
      while (at_ != text_.size() && std::string_view(" ,()*/").find(text_[at_]) == std::string_view::npos)
        name += text_[at_++];
    return name;
  }

  Expected<Expression> parsePower() {
    skipSpace();
    if (at_ == text_.size())
      return expected("a name, a number or '('");
    if (std::isdigit(static_cast<unsigned char>(text_[at_]))) {
      const Expected<std::int64_t> number = parseNumber();
      if (!number)
        return std::unexpected(number.error());
      return Expression(*number);
    }
    if (accept('(')) {
      Expected<Expression> inner = parseSum();
      if (inner && !accept(')'))
        return expected("')'");
      return inner;
    }
    if (!beginsName(text_[at_]))
      return expected("a name, a number or '('");
    const std::size_t begin = at_;
    const std::string name = parseName();
    if (!accept('('))
      return Expression::symbol(name);
    return parseCall(name, begin);
  }

  Expected<Expression> parseCall(const std::string &name, std::size_t begin) {
    std::vector<Expression> arguments;
    do {
      Expected<Expression> argument = parseSum();
      if (!argument)
        return argument;
      arguments.push_back(std::move(*argument));
    } while (accept(','));
    if (!accept(')'))
      return expected("',' or ')'");
    const std::size_t count = arguments.size();
    if (name == "floordiv" && count == 2)
      return floorDiv(arguments[0], arguments[1]);
    if (name == "ceildiv" && count == 2)
      return ceilDiv(arguments[0], arguments[1]);
    if ((name == "min" || name == "max") && count >= 2) {
      Expression result = arguments[0];
      for (std::size_t i = 1; i != count; ++i)
        result = name == "min" ? minimum(result, arguments[i]) : maximum(result, arguments[i]);
      return result;
    }
    if (name == "exp2" && count == 1)
      return exp2(arguments[0]);
    if (name == "log2" && count == 1)
      return log2(arguments[0]);
    if (name == "positive" && count == 1)
      return positive(arguments[0]);
    if (name == "sum" && count == 4) {
      const std::string variable = arguments[0].text();
      if (arguments[0] == Expression::symbol(variable) && beginsName(variable[0]))
        return sum(variable, arguments[1], arguments[2], arguments[3]);
    }
    at_ = begin;
    return expected("floordiv(a, b), ceildiv(a, b), min(a, b), max(a, b), exp2(a), log2(a), positive(a) or "
                    "sum(i, low, high, body)");
  }

  std::string_view text_;
  std::size_t at_ = 0;
  unsigned depth_ = 0;
};

} // namespace

Expected<Expression> parseExpression(std::string_view text) {
  return Parser(text).parse();
}

} // namespace streammap
