// From `#pragma streammap ...` to marker tokens (Markers.h).
//
// The handler runs while the parser reads: it lexes the clauses (with macros expanded, where they are
// expressions), cuts data items at their brackets, and enters ordinary C++ tokens into the stream. The user's
// tokens keep their locations, so Clang's own errors point into the pragma; the tokens in between get the
// location of the word before.
#include "analysis/ClangDiagnostics.h"
#include "analysis/ExpansionRecorder.h"
#include "analysis/FrontEnd.h"
#include "analysis/LaunchBraces.h"
#include "support/Text.h"
#include <algorithm>
#include <array>
#include <clang/Basic/SourceManager.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Lex/PPCallbacks.h>
#include <clang/Lex/Pragma.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Sema/Sema.h>
#include <optional>

namespace streammap {

using clang::Preprocessor;
using clang::Token;
namespace tok = clang::tok;

namespace {

using Tokens = std::vector<Token>;
using TokenSpan = std::span<const Token>;

enum class Shape { data, name, figure, figures, word, capability };

struct ClauseRule {
  std::string_view word;
  ClauseKind kind;
  Shape shape;
  Directive directive;
  bool mayRepeat;
};

constexpr ClauseRule rules[] = {
    {"in", ClauseKind::in, Shape::data, Directive::task, true},
    {"out", ClauseKind::out, Shape::data, Directive::task, true},
    {"inout", ClauseKind::inout, Shape::data, Directive::task, true},
    {"name", ClauseKind::name, Shape::name, Directive::task, false},
    {"flops", ClauseKind::flops, Shape::figure, Directive::task, false},
    {"bytes", ClauseKind::bytes, Shape::figure, Directive::task, false},
    {"seconds", ClauseKind::seconds, Shape::figure, Directive::task, false},
    {"memory", ClauseKind::memory, Shape::figure, Directive::task, false},
    {"device", ClauseKind::device, Shape::word, Directive::task, false},
    {"capability", ClauseKind::capability, Shape::capability, Directive::task, false},
    {"model", ClauseKind::model, Shape::figures, Directive::task, false},
    {"together", ClauseKind::together, Shape::figures, Directive::task, false},
    {"apart", ClauseKind::apart, Shape::figures, Directive::task, false},
    {"node", ClauseKind::node, Shape::figure, Directive::task, false},
    {"priority", ClauseKind::priority, Shape::figure, Directive::task, false},
    {"when", ClauseKind::when, Shape::figure, Directive::task, false},
    {"on", ClauseKind::on, Shape::data, Directive::wait, true},
};

constexpr std::array<std::string_view, 4> directives = {"task", "wait", "root", "trips"};

/// Writes the tokens between the user's.
class TokenWriter {
public:
  TokenWriter(Preprocessor &preprocessor, clang::SourceLocation at) : preprocessor_(preprocessor), at_(at) {}

  void moveTo(clang::SourceLocation at) { at_ = at; }
  void add(TokenSpan tokens) { out_.insert(out_.end(), tokens.begin(), tokens.end()); }
  void mark(tok::TokenKind kind) { out_.push_back(blank(kind)); }
  void word(llvm::StringRef text) {
    Token token = blank(tok::identifier);
    clang::IdentifierInfo *identifier = preprocessor_.getIdentifierInfo(text);
    token.setIdentifierInfo(identifier);
    token.setKind(identifier->getTokenID()); // keywords too
    token.setLength(text.size());
    out_.push_back(token);
  }
  void number(std::size_t value) {
    Token token = blank(tok::numeric_constant);
    preprocessor_.CreateString(std::to_string(value), token, at_, at_);
    out_.push_back(token);
  }
  /// `::__streammap::NAME(NUMBER`
  void openCall(llvm::StringRef name, std::size_t index) {
    mark(tok::coloncolon);
    word("__streammap");
    mark(tok::coloncolon);
    word(name);
    mark(tok::l_paren);
    number(index);
  }
  bool empty() const { return out_.empty(); }
  const Tokens &tokens() const { return out_; }
  void enter() {
    auto copy = std::make_unique<Token[]>(out_.size());
    std::copy(out_.begin(), out_.end(), copy.get());
    preprocessor_.EnterTokenStream(std::move(copy), out_.size(), /*DisableMacroExpansion=*/true,
                                   /*IsReinject=*/false);
  }

private:
  Token blank(tok::TokenKind kind) const {
    Token token;
    token.startToken();
    token.setKind(kind);
    token.setLocation(at_);
    token.setLength(0);
    return token;
  }
  Preprocessor &preprocessor_;
  clang::SourceLocation at_;
  Tokens out_;
};

bool isOpening(const Token &token) {
  return token.isOneOf(tok::l_paren, tok::l_square, tok::l_brace);
}
bool isClosing(const Token &token) {
  return token.isOneOf(tok::r_paren, tok::r_square, tok::r_brace);
}

/// The pieces between top-level separators of `tokens`; "" gives one empty piece.
std::vector<TokenSpan> splitAtCommas(TokenSpan tokens) {
  std::vector<TokenSpan> pieces;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    depth += isOpening(tokens[i]) - isClosing(tokens[i]);
    if (depth == 0 && tokens[i].is(tok::comma)) {
      pieces.push_back(tokens.subspan(begin, i - begin));
      begin = i + 1;
    }
  }
  pieces.push_back(tokens.subspan(begin));
  return pieces;
}

/// `lower : length : stride`. The colon of `c ? a : b` is not ours. Where `::` cannot be a scope, as in
/// `a[0::2]`, it is two colons.
std::vector<TokenSpan> splitAtColons(TokenSpan tokens) {
  std::vector<TokenSpan> pieces;
  std::size_t begin = 0;
  int depth = 0;
  int questions = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const Token &token = tokens[i];
    depth += isOpening(token) - isClosing(token);
    if (depth != 0)
      continue;
    questions += token.is(tok::question);
    if (token.is(tok::colon)) {
      if (questions > 0) {
        --questions;
        continue;
      }
      pieces.push_back(tokens.subspan(begin, i - begin));
      begin = i + 1;
    } else if (token.is(tok::coloncolon)) {
      const bool scopeBefore = i > begin && tokens[i - 1].isOneOf(tok::identifier, tok::greater);
      const bool nameAfter = i + 1 < tokens.size() && tokens[i + 1].is(tok::identifier);
      if (nameAfter && (scopeBefore || i == begin))
        continue;
      pieces.push_back(tokens.subspan(begin, i - begin));
      pieces.push_back(tokens.subspan(i + 1, 0));
      begin = i + 1;
    }
  }
  pieces.push_back(tokens.subspan(begin));
  return pieces;
}

/// The index of the bracket that closes the one at `open`; tokens.size() if none does.
std::size_t closingOf(TokenSpan tokens, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < tokens.size(); ++i) {
    depth += isOpening(tokens[i]) - isClosing(tokens[i]);
    if (depth == 0)
      return i;
  }
  return tokens.size();
}

/// A data item cut at its brackets.
struct CutItem {
  TokenSpan base;
  std::vector<TokenSpan> shape;
  std::vector<std::vector<TokenSpan>> brackets; ///< per dimension: the pieces between the colons
  std::vector<Token> openings;                  ///< the '[' of each
};

CutItem cut(TokenSpan tokens) {
  CutItem item;
  // ([rows][cols])base...
  if (tokens.size() > 3 && tokens[0].is(tok::l_paren) && tokens[1].is(tok::l_square)) {
    const std::size_t end = closingOf(tokens, 0);
    std::vector<TokenSpan> shape;
    std::size_t i = 1;
    while (i < end && tokens[i].is(tok::l_square)) {
      const std::size_t close = closingOf(tokens, i);
      if (close >= end)
        break;
      shape.push_back(tokens.subspan(i + 1, close - i - 1));
      i = close + 1;
    }
    if (i == end && end + 1 < tokens.size()) {
      item.shape = std::move(shape);
      tokens = tokens.subspan(end + 1);
    }
  }
  // The bracket groups at the end, left to right.
  std::vector<std::size_t> groups;
  std::size_t end = tokens.size();
  while (end > 1 && tokens[end - 1].is(tok::r_square)) {
    int depth = 0;
    std::size_t open = end;
    do {
      --open;
      depth += isClosing(tokens[open]) - isOpening(tokens[open]);
    } while (depth > 0 && open > 0);
    if (depth != 0 || open == 0)
      break;
    groups.insert(groups.begin(), open);
    end = open;
  }
  std::size_t baseEnd = tokens.size();
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const std::size_t close = g + 1 < groups.size() ? groups[g + 1] - 1 : tokens.size() - 1;
    const TokenSpan inside = tokens.subspan(groups[g] + 1, close - groups[g] - 1);
    std::vector<TokenSpan> pieces = splitAtColons(inside);
    if (item.brackets.empty() && pieces.size() == 1)
      continue; // still an element of the base: plan[i]
    if (item.brackets.empty())
      baseEnd = groups[g];
    item.brackets.push_back(std::move(pieces));
    item.openings.push_back(tokens[groups[g]]);
  }
  item.base = tokens.subspan(0, baseEnd);
  return item;
}

/// Reads one pragma.
class PragmaParser {
public:
  PragmaParser(Preprocessor &preprocessor, Diagnostics &diagnostics, Site &site)
      : preprocessor_(preprocessor), diagnostics_(diagnostics), site_(site), items_(preprocessor, {}) {}

  /// Reads the clauses up to the end of the line; the current token is the first of them.
  void readClauses(Token &token);
  /// Reads `(expression)` of trips; the marker's argument, or nothing after an error.
  Tokens readTrips(Token &token, const Token &directive);
  /// `, ::__streammap::item(0, ...), ...`
  const Tokens &items() const { return items_.tokens(); }
  const std::string &text() const { return text_; }
  clang::SourceLocation lastLocation() const { return last_; }

  std::string spell(TokenSpan tokens) const;
  void error(const Token &at, std::string message, std::string code, std::string fix = {});
  void next(Token &token);
  void nextUnexpanded(Token &token);

private:
  std::optional<Tokens> readParentheses(Token &token, const Token &owner, Shape shape);
  void readClause(const ClauseRule &rule, const Token &word, TokenSpan arguments);
  void readData(const ClauseRule &rule, TokenSpan item);
  bool readDimension(const CutItem &cut, std::size_t index, ItemForms &forms);
  void readName(const Token &word, TokenSpan arguments);
  void readFigures(const ClauseRule &rule, const Token &word, TokenSpan arguments);
  void readWord(const Token &word, TokenSpan arguments);
  void readCapability(const Token &word, TokenSpan arguments);
  ItemForms begin(ClauseKind kind, const Token &first, TokenSpan text) const;
  void write(ItemForms forms, std::span<const TokenSpan> expressions, const Token &at);

  Preprocessor &preprocessor_;
  Diagnostics &diagnostics_;
  Site &site_;
  TokenWriter items_;
  std::string text_;
  clang::SourceLocation last_;
  std::vector<std::pair<ClauseKind, Token>> seen_;
};

std::string PragmaParser::spell(TokenSpan tokens) const {
  std::string text;
  for (const Token &token : tokens) {
    const std::string word = preprocessor_.getSpelling(token);
    const bool wouldJoin = !text.empty() && !word.empty() && clang::isAsciiIdentifierContinue(text.back()) &&
                           clang::isAsciiIdentifierContinue(word.front());
    if (!text.empty() && (token.hasLeadingSpace() || token.isAtStartOfLine() || wouldJoin))
      text += ' ';
    text += word;
  }
  return text;
}

void PragmaParser::error(const Token &at, std::string message, std::string code, std::string fix) {
  site_.hasErrors = true;
  Diagnostic diagnostic = diagnosticAt(
      preprocessor_.getSourceManager(), preprocessor_.getLangOpts(), Severity::error, at.getLocation(),
      at.is(tok::eod) ? clang::SourceRange() : clang::SourceRange(at.getLocation()), std::move(message),
      std::move(code));
  diagnostic.fix = std::move(fix);
  diagnostics_.report(std::move(diagnostic));
}

void PragmaParser::next(Token &token) {
  preprocessor_.Lex(token);
  if (token.isNot(tok::eod)) {
    text_ += (token.hasLeadingSpace() && !text_.empty() ? " " : "") + preprocessor_.getSpelling(token);
    last_ = token.getLocation();
  }
}

void PragmaParser::nextUnexpanded(Token &token) {
  preprocessor_.LexUnexpandedToken(token);
  if (token.isNot(tok::eod)) {
    text_ += (token.hasLeadingSpace() && !text_.empty() ? " " : "") + preprocessor_.getSpelling(token);
    last_ = token.getLocation();
  }
}

std::optional<Tokens> PragmaParser::readParentheses(Token &token, const Token &owner, Shape shape) {
  const std::string word = preprocessor_.getSpelling(owner);
  if (token.isNot(tok::l_paren)) {
    error(token.is(tok::eod) ? owner : token, "expected '(' after '" + word + "'", "malformed-clause",
          word + "(");
    return std::nullopt;
  }
  const Token opening = token;
  Tokens inside;
  int depth = 1;
  // `gemm` in name(gemm, i) and `gpu` in device(gpu) are words, not macros.
  bool isWord = shape == Shape::name || shape == Shape::word;
  while (true) {
    isWord ? nextUnexpanded(token) : next(token);
    isWord = false;
    if (token.is(tok::eod)) {
      error(opening, "expected ')' to close '" + word + "('", "malformed-clause");
      return std::nullopt;
    }
    depth += isOpening(token) - isClosing(token);
    if (depth == 0) {
      if (token.isNot(tok::r_paren)) {
        error(token, "expected ')' to close '" + word + "('", "malformed-clause", ")");
        return std::nullopt;
      }
      nextUnexpanded(token);
      return inside;
    }
    inside.push_back(token);
  }
}

void PragmaParser::readClauses(Token &token) {
  while (token.isNot(tok::eod)) {
    if (token.is(tok::comma)) {
      nextUnexpanded(token);
      continue;
    }
    const Token word = token;
    if (!word.getIdentifierInfo()) {
      error(word, "expected a clause, found '" + preprocessor_.getSpelling(word) + "'", "malformed-clause");
      return;
    }
    const std::string name = preprocessor_.getSpelling(word);
    const auto rule =
        std::find_if(std::begin(rules), std::end(rules), [&](const ClauseRule &r) { return r.word == name; });
    nextUnexpanded(token);
    std::optional<Tokens> arguments;
    if (rule == std::end(rules)) {
      std::vector<std::string_view> candidates;
      for (const ClauseRule &known : rules)
        if (known.directive == site_.directive)
          candidates.push_back(known.word);
      const std::optional<std::string> right = nearest(name, candidates);
      error(word, "unknown clause '" + name + "'" + didYouMean(name, candidates), "unknown-clause",
            right.value_or(""));
      if (token.is(tok::l_paren))
        readParentheses(token, word, Shape::data);
      continue;
    }
    arguments = readParentheses(token, word, rule->shape);
    if (!arguments)
      return;
    if (rule->directive != site_.directive) {
      error(word,
            "clause '" + name + "' is not valid for '" + std::string(toText(site_.directive)) +
                "', only for '" + std::string(toText(rule->directive)) + "'",
            "wrong-directive");
      continue;
    }
    const auto twin =
        std::find_if(seen_.begin(), seen_.end(), [&](const auto &s) { return s.first == rule->kind; });
    if (!rule->mayRepeat && twin != seen_.end()) {
      error(word, "clause '" + name + "' is given twice", "duplicate-clause");
      continue;
    }
    seen_.emplace_back(rule->kind, word);
    readClause(*rule, word, *arguments);
  }
}

void PragmaParser::readClause(const ClauseRule &rule, const Token &word, TokenSpan arguments) {
  if (arguments.empty()) {
    error(word, "clause '" + std::string(rule.word) + "' needs an argument", "missing-argument");
    return;
  }
  switch (rule.shape) {
  case Shape::data:
    for (TokenSpan item : splitAtCommas(arguments)) {
      if (item.empty())
        error(word, "'" + std::string(rule.word) + "' has an empty item in its list", "missing-argument");
      else
        readData(rule, item);
    }
    return;
  case Shape::name:
    return readName(word, arguments);
  case Shape::figure:
  case Shape::figures:
    return readFigures(rule, word, arguments);
  case Shape::word:
    return readWord(word, arguments);
  case Shape::capability:
    return readCapability(word, arguments);
  }
}

ItemForms PragmaParser::begin(ClauseKind kind, const Token &first, TokenSpan text) const {
  ItemForms forms;
  forms.kind = kind;
  forms.text = spell(text);
  forms.location = locate(preprocessor_.getSourceManager(), first.getLocation());
  return forms;
}

void PragmaParser::write(ItemForms forms, std::span<const TokenSpan> expressions, const Token &at) {
  items_.moveTo(at.getLocation());
  items_.mark(tok::comma);
  items_.openCall("item", site_.items.size());
  for (TokenSpan expression : expressions) {
    items_.mark(tok::comma);
    items_.add(expression);
  }
  items_.mark(tok::r_paren);
  site_.items.push_back(std::move(forms));
}

bool PragmaParser::readDimension(const CutItem &item, std::size_t index, ItemForms &forms) {
  const std::vector<TokenSpan> &pieces = item.brackets[index];
  const Token &opening = item.openings[index];
  DimensionForm form;
  form.isIndex = pieces.size() == 1;
  if (pieces.size() > 3) {
    error(opening, "a section has at most three parts: [first : count : stride]", "malformed-section");
    return false;
  }
  form.hasLower = !pieces[0].empty();
  form.hasLength = pieces.size() > 1 && !pieces[1].empty();
  form.hasStride = pieces.size() > 2;
  if (form.isIndex && !form.hasLower) {
    error(opening, "expected an index or a section between '[' and ']'", "malformed-section");
    return false;
  }
  if (form.hasStride && pieces[2].empty()) {
    error(opening, "expected a stride after the second ':'", "malformed-section");
    return false;
  }
  forms.dimensions.push_back(form);
  return true;
}

void PragmaParser::readData(const ClauseRule &rule, TokenSpan tokens) {
  ItemForms forms = begin(rule.kind, tokens.front(), tokens);
  const CutItem item = cut(tokens);
  const bool isOnlyBrackets = tokens.front().is(tok::l_square) && closingOf(tokens, 0) == tokens.size() - 1;
  if (item.base.empty() || isOnlyBrackets) {
    error(tokens.front(), "expected the name of what the task accesses before '['", "malformed-section");
    return;
  }
  forms.baseText = spell(item.base);
  forms.form = !item.shape.empty()     ? ItemForm::shaped
               : item.brackets.empty() ? ItemForm::bare
                                       : ItemForm::section;
  forms.shapeRank = item.shape.size();
  std::vector<TokenSpan> expressions = {item.base};
  for (TokenSpan extent : item.shape) {
    if (extent.empty()) {
      error(tokens.front(), "expected an extent in each '[]' of the shape, as in ([rows][cols])p",
            "malformed-section");
      return;
    }
    expressions.push_back(extent);
  }
  if (item.shape.size() > 2 || item.brackets.size() > 2) {
    error(tokens.front(),
          "a section has at most two dimensions; name the rest by its row, as in t[i][j:n][k:m]",
          "malformed-section");
    return;
  }
  if (!item.shape.empty() && item.brackets.size() > item.shape.size()) {
    error(item.openings.back(), "more sections than extents in the shape", "malformed-section");
    return;
  }
  for (std::size_t i = 0; i < item.brackets.size(); ++i) {
    if (!readDimension(item, i, forms))
      return;
    for (TokenSpan piece : item.brackets[i])
      if (!piece.empty())
        expressions.push_back(piece);
  }
  for (std::size_t i = 1; i < expressions.size(); ++i)
    forms.arguments.push_back(spell(expressions[i]));
  write(std::move(forms), expressions, tokens.front());
}

void PragmaParser::readName(const Token &word, TokenSpan arguments) {
  ItemForms forms = begin(ClauseKind::name, word, arguments);
  const std::vector<TokenSpan> pieces = splitAtCommas(arguments);
  if (pieces[0].size() != 1 || !pieces[0][0].getIdentifierInfo()) {
    error(pieces[0].empty() ? word : pieces[0][0], "expected a name first, as in name(gemm, i, j)",
          "wrong-argument");
    return;
  }
  forms.word = preprocessor_.getSpelling(pieces[0][0]);
  const std::span<const TokenSpan> indices = std::span(pieces).subspan(1);
  for (TokenSpan index : indices) {
    if (index.empty()) {
      error(word, "'name' has an empty index", "missing-argument");
      return;
    }
    forms.arguments.push_back(spell(index));
  }
  write(std::move(forms), indices, word);
}

void PragmaParser::readFigures(const ClauseRule &rule, const Token &word, TokenSpan arguments) {
  ItemForms forms = begin(rule.kind, word, arguments);
  const std::vector<TokenSpan> pieces = splitAtCommas(arguments);
  if (rule.shape == Shape::figure && pieces.size() != 1) {
    error(word,
          "clause '" + std::string(rule.word) + "' takes one argument, " + std::to_string(pieces.size()) +
              " given",
          "wrong-argument");
    return;
  }
  for (TokenSpan piece : pieces) {
    if (piece.empty()) {
      error(word, "clause '" + std::string(rule.word) + "' has an empty argument", "missing-argument");
      return;
    }
    forms.arguments.push_back(spell(piece));
  }
  write(std::move(forms), pieces, word);
}

void PragmaParser::readWord(const Token &word, TokenSpan arguments) {
  ItemForms forms = begin(ClauseKind::device, word, arguments);
  forms.word = spell(arguments);
  constexpr std::array<std::string_view, 3> kinds = {"gpu", "cpu", "any"};
  if (std::find(kinds.begin(), kinds.end(), forms.word) == kinds.end()) {
    const std::optional<std::string> right = nearest(forms.word, kinds);
    error(arguments.front(),
          "expected gpu, cpu or any, found '" + forms.word + "'" + didYouMean(forms.word, kinds),
          "wrong-argument", right.value_or(""));
    return;
  }
  write(std::move(forms), {}, word);
}

void PragmaParser::readCapability(const Token &word, TokenSpan arguments) {
  ItemForms forms = begin(ClauseKind::capability, word, arguments);
  std::string text = spell(arguments);
  if (text.size() > 2 && text.front() == '"' && text.back() == '"')
    text = text.substr(1, text.size() - 2);
  const std::size_t dot = text.find('.');
  auto isNumber = [](std::string_view part) {
    return !part.empty() && part.size() < 4 &&
           std::all_of(part.begin(), part.end(), [](char c) { return c >= '0' && c <= '9'; });
  };
  const bool isVersion = dot == std::string::npos ? isNumber(text)
                                                  : isNumber(std::string_view(text).substr(0, dot)) &&
                                                        isNumber(std::string_view(text).substr(dot + 1));
  if (!isVersion) {
    error(arguments.front(), "expected a compute capability such as 8.0, found '" + text + "'",
          "wrong-argument");
    return;
  }
  forms.word = dot == std::string::npos ? text + ".0" : text;
  write(std::move(forms), {}, word);
}

Tokens PragmaParser::readTrips(Token &token, const Token &directive) {
  std::optional<Tokens> inside = readParentheses(token, directive, Shape::figure);
  if (!inside)
    return {};
  if (inside->empty() || splitAtCommas(*inside).size() != 1) {
    error(directive, "'trips' takes one argument, the expected number of iterations", "wrong-argument");
    return {};
  }
  if (token.isNot(tok::eod))
    error(token, "unexpected '" + preprocessor_.getSpelling(token) + "' after trips(...)",
          "malformed-clause");
  ItemForms forms = begin(ClauseKind::trips, directive, *inside);
  forms.arguments.push_back(forms.text);
  site_.items.push_back(std::move(forms));
  return std::move(*inside);
}

/// The handler proper: decides what a pragma becomes.
class StreammapPragmas : public clang::PragmaHandler {
public:
  StreammapPragmas(clang::CompilerInstance &compiler, Side side, SiteTable &sites, Diagnostics &diagnostics,
                   ExpansionRecorder *recorder)
      : PragmaHandler("streammap"), compiler_(compiler), side_(side), sites_(sites),
        diagnostics_(diagnostics), recorder_(recorder) {}

  void HandlePragma(Preprocessor &preprocessor, clang::PragmaIntroducer introducer, Token &first) override;

private:
  bool standsAtFileScope() const {
    // Before the first declaration there is no context yet.
    const clang::DeclContext *context = compiler_.hasSema() ? compiler_.getSema().CurContext : nullptr;
    return !context || context->getRedeclContext()->isFileContext(); // extern "C" is no scope
  }
  void enter(Preprocessor &preprocessor, TokenWriter &out);
  void enterMarker(Preprocessor &preprocessor, const Token &word, const PragmaParser &parser,
                   Directive directive, const Tokens &trips);

  clang::CompilerInstance &compiler_;
  Side side_;
  SiteTable &sites_;
  Diagnostics &diagnostics_;
  ExpansionRecorder *recorder_;
};

void StreammapPragmas::HandlePragma(Preprocessor &preprocessor, clang::PragmaIntroducer introducer, Token &) {
  Token token;
  Site site;
  // The host side judges everything; the device side only wants its trip counts, and has nobody to tell.
  Diagnostics unheard;
  Diagnostics &heard = side_ == Side::host ? diagnostics_ : unheard;
  PragmaParser parser(preprocessor, heard, site);
  parser.nextUnexpanded(token);
  const Token word = token;
  if (!word.getIdentifierInfo()) {
    parser.error(word, "expected task, wait, root or trips after '#pragma streammap'", "unknown-directive");
    return;
  }
  const std::string name = preprocessor.getSpelling(word);
  const auto known = std::find(directives.begin(), directives.end(), name);
  if (known == directives.end()) {
    parser.error(word, "unknown directive '" + name + "'" + didYouMean(name, directives), "unknown-directive",
                 nearest(name, directives).value_or(""));
    return;
  }
  site.directive = static_cast<Directive>(known - directives.begin());
  if (side_ == Side::device && site.directive != Directive::trips)
    return;
  site.location = locate(preprocessor.getSourceManager(), introducer.Loc);
  site.inMacro = introducer.Loc.isMacroID();
  site.rawStart = introducer.Loc.getRawEncoding();
  site.rawBegin = word.getLocation().getRawEncoding();

  Tokens trips;
  parser.nextUnexpanded(token);
  if (site.directive == Directive::trips)
    trips = parser.readTrips(token, word);
  else
    parser.readClauses(token);
  while (token.isNot(tok::eod)) // after an error: whatever is left of the line
    parser.nextUnexpanded(token);
  site.text = parser.text();
  site.rawEnd = parser.lastLocation().getRawEncoding();
  if (site.directive == Directive::trips && trips.empty())
    return;
  if (standsAtFileScope()) {
    parser.error(word, "'" + name + "' stands outside any function; it belongs directly before a statement",
                 "not-a-statement");
    return;
  }
  const Directive directive = site.directive;
  sites_.push_back(std::move(site));
  enterMarker(preprocessor, word, parser, directive, trips);
}

void StreammapPragmas::enter(Preprocessor &preprocessor, TokenWriter &out) {
  if (recorder_)
    recorder_->sawPragma(preprocessor, sites_.back(), sites_.size() - 1, out.tokens().size());
  out.enter();
}

void StreammapPragmas::enterMarker(Preprocessor &preprocessor, const Token &word, const PragmaParser &parser,
                                   Directive directive, const Tokens &trips) {
  const std::size_t number = sites_.size() - 1;
  TokenWriter out(preprocessor, word.getLocation());
  if (directive == Directive::wait) {
    out.openCall("wait", number);
    out.add(parser.items());
    out.mark(tok::r_paren);
    out.mark(tok::semi);
    enter(preprocessor, out);
    return;
  }
  out.word("if");
  out.mark(tok::l_paren);
  if (directive == Directive::trips) { // ::__streammap_trips(N, (long long)(e)), false
    out.mark(tok::coloncolon);
    out.word("__streammap_trips");
    out.mark(tok::l_paren);
    out.number(number);
    out.mark(tok::comma);
    out.mark(tok::l_paren);
    out.word("long");
    out.word("long");
    out.mark(tok::r_paren);
    out.mark(tok::l_paren);
    out.add(trips);
    out.mark(tok::r_paren);
    out.mark(tok::r_paren);
    out.mark(tok::comma);
    out.word("false");
  } else {
    out.openCall(directive == Directive::task ? "task" : "root", number);
    out.add(parser.items());
    out.mark(tok::r_paren);
  }
  out.mark(tok::r_paren);
  out.mark(tok::l_brace);
  out.mark(tok::r_brace);
  out.word("else");
  enter(preprocessor, out);
}

/// `#pragma streamap task`: the compiler ignores what it does not know, and so would everybody.
class MisspeltPragmas : public clang::PPCallbacks {
public:
  MisspeltPragmas(clang::Preprocessor &preprocessor, Diagnostics &diagnostics)
      : preprocessor_(preprocessor), diagnostics_(diagnostics) {}

  void PragmaDirective(clang::SourceLocation location, clang::PragmaIntroducerKind) override {
    const clang::SourceManager &sources = preprocessor_.getSourceManager();
    if (location.isMacroID() || sources.isInSystemHeader(location))
      return;
    const clang::LangOptions &language = preprocessor_.getLangOpts();
    const auto word = clang::Lexer::findNextToken(location, sources, language); // "pragma"
    const auto name =
        word ? clang::Lexer::findNextToken(word->getLocation(), sources, language) : std::nullopt;
    if (!name || !name->is(clang::tok::raw_identifier))
      return;
    const std::string spelled = name->getRawIdentifier().str();
    if (spelled == "streammap" || !nearest(spelled, {"streammap"}))
      return;
    diagnostics_.report(
        diagnosticAt(sources, language, Severity::warning, name->getLocation(), name->getLocation(),
                     "unknown pragma '" + spelled + "'; did you mean 'streammap'?", "unknown-pragma"));
  }

private:
  clang::Preprocessor &preprocessor_;
  Diagnostics &diagnostics_;
};

} // namespace

void installPragmas(clang::CompilerInstance &compiler, Side side, SiteTable &sites, Diagnostics &diagnostics,
                    LaunchBraces &braces, ExpansionRecorder *recorder) {
  Preprocessor &preprocessor = compiler.getPreprocessor();
  // The preprocessor owns its handlers.
  preprocessor.AddPragmaHandler(new StreammapPragmas(compiler, side, sites, diagnostics, recorder));
  if (side == Side::host)
    preprocessor.addPPCallbacks(std::make_unique<MisspeltPragmas>(preprocessor, diagnostics));
  preprocessor.setTokenWatcher([recorder, &braces, &preprocessor](const Token &token) {
    if (recorder)
      recorder->sawToken(preprocessor, token);
    // A watcher is shown the very token that the parser gets, and before the parser gets it.
    braces.sawToken(preprocessor, const_cast<Token &>(token));
  });
}

} // namespace streammap
