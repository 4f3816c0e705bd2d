#include "analysis/SuggestClauses.h"
#include "analysis/ClangDiagnostics.h"
#include "analysis/Markers.h"
#include "analysis/ParameterUse.h"
#include <algorithm>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/Mangle.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

namespace streammap {

using namespace clang;

namespace {

struct LaunchesOutsideTasks : RecursiveASTVisitor<LaunchesOutsideTasks> {
  explicit LaunchesOutsideTasks(const ParsedUnit &unit) : unit_(unit) {}
  bool TraverseIfStmt(IfStmt *statement) {
    if (taskMarker(statement, unit_.sites()))
      return true;
    return RecursiveASTVisitor::TraverseIfStmt(statement);
  }
  bool VisitCUDAKernelCallExpr(CUDAKernelCallExpr *launch) {
    if (!unit_.sourceManager().isInSystemHeader(launch->getBeginLoc()))
      launches.push_back(launch);
    return true;
  }
  std::vector<const CUDAKernelCallExpr *> launches;

private:
  const ParsedUnit &unit_;
};

std::string symbolOf(const FunctionDecl &kernel) {
  ASTContext &ast = kernel.getASTContext();
  const std::unique_ptr<MangleContext> mangler(ast.createMangleContext());
  if (!mangler->shouldMangleDeclName(&kernel))
    return kernel.getNameAsString();
  std::string text;
  llvm::raw_string_ostream stream(text);
  mangler->mangleName(GlobalDecl(&kernel, KernelReferenceKind::Kernel), stream);
  return text;
}

/// No operator stands outside its brackets: "n", "grid.x", "at(i, j)", "(a + b)".
bool isPrimary(std::string_view text) {
  int depth = 0;
  for (const char c : text) {
    depth += c == '(' || c == '[';
    depth -= c == ')' || c == ']';
    if (depth == 0 && !std::isalnum(static_cast<unsigned char>(c)) && !std::string_view("_.:)]").contains(c))
      return false;
  }
  return true;
}

std::string asOperand(const std::string &text) {
  return isPrimary(text) ? text : "(" + text + ")";
}

/// An argument as `base + offset`.
struct Pointer {
  const Expr *base = nullptr;
  std::string offset = "0";
};

/// What the names in formulas are in the program's own words.
using Words = std::map<std::string, std::string>;

std::optional<std::string> inWords(const Expression &e, const Words &words);

std::optional<std::string> inWords(const Atom &atom, const Words &words) {
  if (atom.kind() == Atom::Kind::symbol) {
    const auto found = words.find(atom.name());
    return found == words.end() ? std::nullopt : std::optional(asOperand(found->second));
  }
  if (atom.kind() != Atom::Kind::floorDiv && atom.kind() != Atom::Kind::ceilDiv)
    return std::nullopt;
  const auto dividend = inWords(atom.arguments()[0], words), divisor = inWords(atom.arguments()[1], words);
  if (!dividend || !divisor)
    return std::nullopt;
  // Nothing here is negative, and C's division rounds to 0.
  const std::string above =
      atom.kind() == Atom::Kind::floorDiv ? *dividend : *dividend + " + " + *divisor + " - 1";
  return "(" + asOperand(above) + " / " + asOperand(*divisor) + ")";
}

std::optional<std::string> inWords(const Expression &e, const Words &words) {
  if (e.terms().size() == 1 && e.terms()[0].numerator == 1 && e.terms()[0].denominator == 1 &&
      e.terms()[0].factors.size() == 1 && e.terms()[0].factors[0].second == 1) {
    const Atom &only = *e.terms()[0].factors[0].first;
    const auto word = words.find(only.name());
    if (only.kind() == Atom::Kind::symbol && word != words.end())
      return word->second; // alone it needs no parentheses
  }
  std::string text;
  // Products first: "n * m + n + 1", not "1 + n + n * m".
  std::vector<Expression::Term> terms = e.terms();
  std::ranges::stable_sort(terms, std::greater{},
                           [](const Expression::Term &term) { return term.factors.size(); });
  std::ranges::stable_partition(terms, [](const Expression::Term &term) { return term.numerator > 0; });
  for (const Expression::Term &term : terms) {
    if (term.denominator != 1)
      return std::nullopt;
    std::string product;
    const std::int64_t number = term.numerator < 0 ? -term.numerator : term.numerator;
    if (number != 1 || term.factors.empty())
      product = std::to_string(number);
    for (const auto &[atom, power] : term.factors) {
      const auto factor = inWords(*atom, words);
      if (!factor)
        return std::nullopt;
      for (unsigned i = 0; i != power; ++i)
        product += (product.empty() ? "" : " * ") + *factor;
    }
    if (text.empty())
      text = (term.numerator < 0 ? "-" : "") + product;
    else
      text += (term.numerator < 0 ? " - " : " + ") + product;
  }
  return text.empty() ? "0" : text;
}

/// `e` counts bytes; the same in elements of `size` bytes, a part of one rounded up or down.
enum class Rounding { down, up };
std::optional<Expression> inElements(const Expression &e, std::int64_t size, Rounding rounding) {
  Expression result;
  for (const Expression::Term &term : e.terms()) {
    Expression::Term divided = term;
    const std::int64_t over = ((term.numerator % size) + size) % size;
    if (term.denominator != 1 || (over != 0 && !term.factors.empty()))
      return std::nullopt;
    divided.numerator = (term.numerator - over) / size + (over != 0 && rounding == Rounding::up ? 1 : 0);
    if (divided.numerator != 0)
      result += Expression::ofTerm(divided);
  }
  return result;
}

class LaunchSuggestion {
public:
  LaunchSuggestion(const ParsedUnit &unit, const CUDAKernelCallExpr &launch, const KernelAnalysis *analysis)
      : unit_(unit), launch_(launch), analysis_(analysis) {}

  Suggestion make() {
    const SourceManager &sources = unit_.sourceManager();
    const clang::SourceLocation where = sources.getExpansionLoc(launch_.getBeginLoc());
    Suggestion result;
    result.location = {sources.getFilename(where).str(), sources.getExpansionLineNumber(where),
                       sources.getExpansionColumnNumber(where), ""};
    const FunctionDecl *kernel = launch_.getDirectCallee();
    result.kernel = kernel ? kernel->getNameAsString() : textOf(*launch_.getCallee());
    if (!kernel || launch_.isInstantiationDependent()) {
      result.notes.push_back(
          "which kernel is launched depends on template arguments; write the clauses by hand");
      return result;
    }
    if (launch_.getBeginLoc().isMacroID())
      result.notes.push_back("the launch comes out of a macro; put the pragma above its use");
    collectWords(*kernel);
    for (unsigned i = 0; i < launch_.getNumArgs() && i < kernel->getNumParams(); ++i)
      addArgument(*kernel, i, result);
    result.pragma = "#pragma streammap task" + clauses();
    return result;
  }

private:
  std::string textOf(const Expr &expression) const {
    const SourceRange range = expression.getSourceRange();
    return Lexer::getSourceText(
               CharSourceRange::getTokenRange(unit_.sourceManager().getExpansionRange(range).getAsRange()),
               unit_.sourceManager(), unit_.context().getLangOpts())
        .str();
  }

  void collectWords(const FunctionDecl &kernel) {
    for (unsigned i = 0; i < launch_.getNumArgs() && i < kernel.getNumParams(); ++i) {
      const std::string name = kernel.getParamDecl(i)->getNameAsString(), text = textOf(*launch_.getArg(i));
      const QualType type = kernel.getParamDecl(i)->getType();
      words_[name] = text;
      if (const auto *record = type->getAsRecordDecl())
        for (const FieldDecl *field : record->fields())
          words_[name + "." + field->getNameAsString()] = asOperand(text) + "." + field->getNameAsString();
    }
    const CallExpr *config = launch_.getConfig();
    for (unsigned i = 0; i < 2 && i < config->getNumArgs(); ++i)
      collectExtents(i == 0 ? "gridDim." : "blockDim.", *config->getArg(i));
  }

  /// For a dim3 variable that never changes, what it is initialised with; else the expression itself.
  static const Expr *initialiserOf(const Expr *expression) {
    const Expr *copied = expression;
    if (const auto *construction = dyn_cast<CXXConstructExpr>(expression);
        construction && construction->getNumArgs() == 1)
      copied = construction->getArg(0)->IgnoreImplicit();
    const auto *reference = dyn_cast<DeclRefExpr>(copied);
    const auto *variable = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
    return variable && variable->getType().isConstQualified() && variable->hasInit() &&
                   variable->isLocalVarDecl()
               ? variable->getInit()->IgnoreImplicit()
               : expression;
  }

  /// `<<<grid, 128>>>`: "grid.x" for a dim3, the number for a number.
  void collectExtents(const std::string &prefix, const Expr &extent) {
    const Expr *inner = initialiserOf(extent.IgnoreImplicit());
    const auto *construction = dyn_cast<CXXConstructExpr>(inner);
    if (const auto *cast = dyn_cast<CXXFunctionalCastExpr>(inner))
      construction = dyn_cast<CXXConstructExpr>(cast->getSubExpr()->IgnoreImplicit());
    const char *const axes[] = {"x", "y", "z"};
    const bool isCopy =
        construction && construction->getNumArgs() == 1 && construction->getArg(0)->getType()->isRecordType();
    for (unsigned axis = 0; axis < 3; ++axis) {
      std::string &word = words_[prefix + axes[axis]];
      if (!construction || isCopy) {
        const Expr &variable = isCopy ? *construction->getArg(0) : extent;
        word = variable.getType()->isRecordType() ? asOperand(textOf(variable)) + "." + axes[axis]
               : axis == 0                        ? textOf(variable)
                                                  : "1";
      } else {
        const bool isGiven =
            axis < construction->getNumArgs() && !isa<CXXDefaultArgExpr>(construction->getArg(axis));
        word = isGiven ? textOf(*construction->getArg(axis)) : "1";
      }
    }
  }

  Pointer pointerOf(const Expr &argument) const {
    const Expr *inner = argument.IgnoreParenImpCasts();
    if (const auto *sum = dyn_cast<BinaryOperator>(inner); sum && sum->isAdditiveOp()) {
      const bool isLeft =
          sum->getLHS()->getType()->isPointerType() || sum->getLHS()->getType()->isArrayType();
      const Expr &pointer = isLeft ? *sum->getLHS() : *sum->getRHS();
      const Expr &number = isLeft ? *sum->getRHS() : *sum->getLHS();
      Pointer result = pointerOf(pointer);
      std::string text = textOf(number);
      if (sum->getOpcode() == BO_Sub)
        text = "-" + asOperand(text);
      result.offset = result.offset == "0" ? text : result.offset + " + " + asOperand(text);
      return result;
    }
    if (const auto *address = dyn_cast<UnaryOperator>(inner); address && address->getOpcode() == UO_AddrOf)
      if (const auto *element = dyn_cast<ArraySubscriptExpr>(address->getSubExpr()->IgnoreParens()))
        return {element->getBase()->IgnoreParenImpCasts(), textOf(*element->getIdx())};
    return {inner, "0"};
  }

  /// What a clause can name: a variable, a member, an element, what a member function returns.
  static bool canBeNamed(const Expr &base) {
    return isa<DeclRefExpr, MemberExpr, ArraySubscriptExpr, CXXMemberCallExpr>(base.IgnoreParenImpCasts());
  }

  void addArgument(const FunctionDecl &kernel, unsigned number, Suggestion &result) {
    const ParmVarDecl &parameter = *kernel.getParamDecl(number);
    if (!parameter.getType()->isPointerType()) {
      if (const auto *record = parameter.getType()->getAsRecordDecl();
          record && std::ranges::any_of(record->fields(), [](const FieldDecl *field) {
            return field->getType()->isPointerType();
          }))
        result.notes.push_back("'" + parameter.getNameAsString() +
                               "' holds pointers; name what they point to by hand");
      return;
    }
    const Expr &argument = *launch_.getArg(number);
    if (argument.isNullPointerConstant(const_cast<ASTContext &>(unit_.context()),
                                       Expr::NPC_ValueDependentIsNull))
      return;
    const Pointer pointer = pointerOf(argument);
    if (!canBeNamed(*pointer.base)) {
      result.notes.push_back("'" + textOf(argument) +
                             "' is no variable plus an offset; name its data by hand");
      return;
    }
    const ParameterExtent *extent = nullptr;
    if (analysis_)
      for (const ParameterExtent &candidate : analysis_->extents)
        if (candidate.parameter == number)
          extent = &candidate;
    const std::string section = sectionOf(parameter, pointer, extent);
    if (section.empty())
      result.notes.push_back(
          "which part of '" + textOf(*pointer.base) + "' kernel '" + kernel.getNameAsString() +
          "' accesses is no formula: its whole allocation is named, which may serialise tasks");
    add(section.empty() ? textOf(*pointer.base) : section, modeOf(kernel, number, extent));
  }

  std::string sectionOf(const ParmVarDecl &parameter, const Pointer &pointer,
                        const ParameterExtent *extent) const {
    const QualType wanted = parameter.getType()->getPointeeType();
    const QualType type = pointer.base->getType();
    const QualType given = type->isPointerType() ? type->getPointeeType()
                           : type->isArrayType() ? unit_.context().getAsArrayType(type)->getElementType()
                                                 : QualType();
    if (!extent || extent->firsts.empty() || extent->ends.empty() || given.isNull() || given->isVoidType() ||
        given->isIncompleteType() || wanted->isVoidType() || given->isArrayType())
      return {};
    const auto size = static_cast<std::int64_t>(unit_.context().getTypeSizeInChars(given).getQuantity());
    if (size != unit_.context().getTypeSizeInChars(wanted).getQuantity())
      return {};
    const auto firstByte = furthest(extent->firsts, -1), endByte = furthest(extent->ends, 1);
    if (!firstByte || !endByte)
      return {};
    const auto first = inElements(*firstByte, size, Rounding::down),
               end = inElements(*endByte, size, Rounding::up);
    if (!first || !end)
      return {};
    const Expression length = *end - *first;
    const auto begin = inWords(*first, words_), count = inWords(length, words_);
    if (!begin || !count)
      return {};
    const std::string start = *begin == "0"           ? pointer.offset
                              : pointer.offset == "0" ? *begin
                                                      : asOperand(pointer.offset) + " + " + *begin;
    return textOf(*pointer.base) + "[" + start + " : " + *count + "]";
  }

  /// Names that are the same words become one, and words that are numbers become numbers.
  Expression unified(Expression e) const {
    for (const std::string &symbol : e.symbols()) {
      const auto word = words_.find(symbol);
      if (word == words_.end())
        continue;
      std::int64_t number = 0;
      if (!llvm::StringRef(word->second).getAsInteger(10, number)) {
        e = e.substitute(symbol, Expression(number));
        continue;
      }
      const auto first =
          std::ranges::find_if(words_, [&](const auto &other) { return other.second == word->second; });
      if (first->first != symbol)
        e = e.substitute(symbol, Expression::symbol(first->first));
    }
    return e;
  }

  /// The highest (`sign` 1) or lowest (-1) of these, where that can be told.
  std::optional<Expression> furthest(const std::vector<Expression> &ends, std::int64_t sign) const {
    std::optional<Expression> best;
    for (const Expression &end : ends) {
      const Expression candidate = unified(end);
      if (!best) {
        best = candidate;
        continue;
      }
      const Expression gain = sign * (candidate - *best);
      if (gain.lowerBound(gain.symbols()).value_or(-1) >= 0)
        best = candidate;
      else if ((-gain).lowerBound(gain.symbols()).value_or(-1) < 0)
        return std::nullopt;
    }
    return best;
  }

  static std::string modeOf(const FunctionDecl &kernel, unsigned number, const ParameterExtent *extent) {
    if (extent)
      return !extent->isWritten ? "in" : extent->isRead || !extent->writesAll ? "inout" : "out";
    const ParameterUse use = useOfParameter(&kernel, number);
    const bool isConst = kernel.getParamDecl(number)->getType()->getPointeeType().isConstQualified();
    return isConst || (!use.isWritten && !use.isUnclear) ? "in" : "inout";
  }

  void add(const std::string &section, const std::string &mode) {
    const auto known = std::ranges::find(items_, section, &std::pair<std::string, std::string>::first);
    if (known == items_.end())
      items_.emplace_back(section, mode);
    else if (known->second != mode)
      known->second = "inout";
  }

  std::string clauses() const {
    std::string text;
    for (const char *mode : {"in", "out", "inout"}) {
      std::string list;
      for (const auto &[section, own] : items_)
        if (own == mode)
          list += (list.empty() ? "" : ", ") + section;
      if (!list.empty())
        text += std::string(" ") + mode + "(" + list + ")";
    }
    return text;
  }

  const ParsedUnit &unit_;
  const CUDAKernelCallExpr &launch_;
  const KernelAnalysis *analysis_;
  Words words_;
  std::vector<std::pair<std::string, std::string>>
      items_; ///< section and mode, in the order of the arguments
};

} // namespace

std::vector<Suggestion> suggestTasks(const ParsedUnit &unit, std::span<const KernelAnalysis> kernels) {
  LaunchesOutsideTasks finder(unit);
  finder.TraverseDecl(unit.context().getTranslationUnitDecl());
  std::vector<Suggestion> suggestions;
  for (const CUDAKernelCallExpr *launch : finder.launches) {
    const KernelAnalysis *analysis = nullptr;
    if (const FunctionDecl *kernel = launch->getDirectCallee(); kernel && !launch->isInstantiationDependent())
      if (const auto found = std::ranges::find(kernels, symbolOf(*kernel), &KernelAnalysis::symbol);
          found != kernels.end())
        analysis = &*found;
    suggestions.push_back(LaunchSuggestion(unit, *launch, analysis).make());
  }
  return suggestions;
}

std::string toText(std::span<const Suggestion> suggestions) {
  std::string text;
  for (const Suggestion &suggestion : suggestions) {
    text += toText(suggestion.location) + ": suggestion: make this launch of '" + suggestion.kernel +
            "' a task\n";
    if (!suggestion.pragma.empty())
      text += suggestion.pragma + "\n";
    for (const std::string &note : suggestion.notes)
      text += toText(suggestion.location) + ": note: " + note + "\n";
  }
  return text;
}

std::string toJson(std::span<const Suggestion> suggestions) {
  nlohmann::ordered_json json{{"schema", "streammap.suggestions/1"},
                              {"suggestions", nlohmann::ordered_json::array()}};
  for (const Suggestion &suggestion : suggestions)
    json["suggestions"].push_back({{"location", toText(suggestion.location)},
                                   {"kernel", suggestion.kernel},
                                   {"pragma", suggestion.pragma},
                                   {"notes", suggestion.notes}});
  return json.dump(1) + "\n";
}

} // namespace streammap
