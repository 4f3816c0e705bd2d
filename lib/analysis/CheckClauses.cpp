#include "analysis/CheckClauses.h"
#include "analysis/SideEffects.h"
#include <clang/AST/DeclCXX.h>
#include <clang/AST/Expr.h>
#include <optional>

namespace streammap {

using namespace clang;

static std::string spelled(QualType type, const ASTContext &context) {
  PrintingPolicy policy(context.getLangOpts());
  policy.SuppressTagKeyword = true;
  return type.getAsString(policy);
}

static bool isJudged(const Expr *expression) {
  return expression && !expression->isInstantiationDependent() && !expression->containsErrors();
}

static std::optional<long long> constantOf(const Expr *expression, const ASTContext &context) {
  Expr::EvalResult result;
  if (!isJudged(expression) || !expression->getType()->isIntegralOrUnscopedEnumerationType() ||
      !expression->EvaluateAsInt(result, context) || !result.Val.getInt().isRepresentableByInt64())
    return std::nullopt;
  return result.Val.getInt().getExtValue();
}

/// With the pragmas ignored nobody evaluates a clause, so it must change nothing.
static void checkPure(const Expr *expression, CheckReporter &reporter) {
  if (!isJudged(expression))
    return;
  const std::optional<SideEffect> effect = sideEffectOf(*expression);
  if (!effect)
    return;
  std::vector<CheckReporter::Note> notes;
  if (!effect->isInside)
    notes.push_back({effect->where, "changed here"});
  reporter.error(expression->getSourceRange(),
                 "a clause must not change anything: the program means the same with its pragmas ignored; "
                 "compute the value before the pragma",
                 "side-effect", {}, std::move(notes));
}

static void checkInteger(const Expr *expression, const char *role, CheckReporter &reporter) {
  if (!isJudged(expression) || expression->getType()->isIntegralOrUnscopedEnumerationType())
    return;
  // Classes that convert to an integer, such as cuda::std::integral_constant, serve as well.
  if (const CXXRecordDecl *record = expression->getType()->getAsCXXRecordDecl())
    if (record->hasDefinition() && !record->getVisibleConversionFunctions().empty())
      return;
  reporter.error(expression->getSourceRange(),
                 std::string(role) + " must be an integer, but this has type '" +
                     spelled(expression->getType().getUnqualifiedType(), reporter.context()) + "'",
                 "not-an-integer");
}

// ---- sections --------------------------------------------------------------------------------------------

// How many elements one dimension has; unknown for a pointer.
using Extent = std::optional<long long>;

static std::string counted(long long count, const char *noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

static void checkDimension(const DataItem &item, const SectionDimension &dimension, Extent extent,
                           bool hasExtent, const char *noun, CheckReporter &reporter) {
  const ASTContext &context = reporter.context();
  const std::string &base = item.forms->baseText;
  checkInteger(dimension.lower, "the start of a section", reporter);
  checkInteger(dimension.length, "the length of a section", reporter);
  checkInteger(dimension.stride, "the stride of a section", reporter);
  for (const Expr *bound : {dimension.lower, dimension.length, dimension.stride})
    checkPure(bound, reporter);
  const Expr *place = dimension.lower ? dimension.lower : item.base;
  if (!dimension.length && !dimension.isIndex && !hasExtent) {
    reporter.error(place->getSourceRange(),
                   "how much of '" + base + "' is meant cannot be known from a pointer; write '" + base +
                       "[first : count]', or '" + base + "' alone for its whole allocation",
                   "missing-length");
    return;
  }
  const std::optional<long long> lower = dimension.lower ? constantOf(dimension.lower, context) : 0;
  const std::optional<long long> length = dimension.isIndex ? 1 : constantOf(dimension.length, context);
  const std::optional<long long> stride = dimension.stride ? constantOf(dimension.stride, context) : 1;
  if (length && *length < 0)
    return reporter.error(dimension.length->getSourceRange(),
                          "a section cannot have a negative length (" + std::to_string(*length) + ")",
                          "negative-length");
  if (stride && *stride <= 0)
    return reporter.error(dimension.stride->getSourceRange(),
                          "the stride of a section must be at least 1, not " + std::to_string(*stride),
                          "bad-stride");
  if (!extent || !lower)
    return;
  const auto outside = [&](const std::string &what) {
    reporter.error(place->getSourceRange(),
                   what + " of '" + base + "' lie outside its " + counted(*extent, noun), "out-of-bounds");
  };
  if (*lower < 0 || *lower > *extent)
    return outside(std::string(noun) + "s from " + std::to_string(*lower));
  if (!length || !stride || *length == 0)
    return;
  const long long last = *lower + (*length - 1) * *stride;
  if (last >= *extent)
    outside(std::string(noun) + "s " + std::to_string(*lower) + " to " + std::to_string(last));
}

static Extent extentOf(QualType type, const ASTContext &context) {
  if (const ConstantArrayType *array = context.getAsConstantArrayType(type))
    return array->getSize().getSExtValue();
  return std::nullopt;
}

static bool isArray(QualType type) {
  return type->isArrayType() && !type->isIncompleteArrayType();
}

// `v.data()` for containers: what the person most likely meant by `v` or `v[0:n]`.
static std::string dataOf(const DataItem &item) {
  const CXXRecordDecl *record = item.base->getType()->getAsCXXRecordDecl();
  if (!record || !record->hasDefinition())
    return {};
  for (const CXXMethodDecl *method : record->methods())
    if (method->getIdentifier() && method->getName() == "data")
      return item.forms->baseText + ".data()";
  return {};
}

static void checkObject(const DataItem &item, CheckReporter &reporter) {
  const ASTContext &context = reporter.context();
  const QualType type = item.base->getType();
  const std::string &base = item.forms->baseText;
  if (type->isPointerType()) {
    if (type->getPointeeType()->isFunctionType())
      reporter.error(item.base->getSourceRange(), "'" + base + "' is a function, not data", "not-data");
    return;
  }
  if (type->isFunctionType() || type->isVoidType())
    return reporter.error(item.base->getSourceRange(), "'" + base + "' is not data", "not-data");
  if (!item.base->isLValue())
    return reporter.error(item.base->getSourceRange(),
                          "'" + base + "' is a temporary value; name a variable, a member or a pointer",
                          "not-data");
  if (!type.isTriviallyCopyableType(context)) {
    const std::string data = dataOf(item);
    reporter.error(item.base->getSourceRange(),
                   "'" + base + "' is a '" + spelled(type.getUnqualifiedType(), context) +
                       "', which cannot be copied between nodes as bytes" +
                       (data.empty() ? "; name the memory it holds"
                                     : "; did you mean '" + data + "[0:" + base + ".size()]'?"),
                   "not-plain-data", data.empty() ? "" : data + "[0:" + base + ".size()]");
  }
}

// The base of a section must be a pointer or an array of objects with a size.
static bool checkSectionBase(const DataItem &item, CheckReporter &reporter) {
  const ASTContext &context = reporter.context();
  const QualType type = item.base->getType();
  const std::string &base = item.forms->baseText;
  if (!type->isPointerType() && !type->isArrayType()) {
    const std::string data = dataOf(item);
    reporter.error(item.base->getSourceRange(),
                   "'" + base + "' is a '" + spelled(type.getUnqualifiedType(), context) +
                       "'; a section needs a pointer or an array" +
                       (data.empty() ? "" : "; did you mean '" + data + "'?"),
                   "not-a-pointer", data);
    return false;
  }
  const QualType element =
      type->isPointerType() ? type->getPointeeType() : QualType(type->getArrayElementTypeNoTypeQual(), 0);
  if (element->isVoidType()) {
    reporter.error(item.base->getSourceRange(),
                   "'" + base + "' points to void, whose elements have no size; cast it, as in ((float *)" +
                       base + ")[0 : n]",
                   "void-section");
    return false;
  }
  if (element->isFunctionType() || element->isIncompleteType()) {
    reporter.error(item.base->getSourceRange(),
                   "'" + base + "' points to '" + spelled(element, context) +
                       "', whose size is not known here",
                   "not-data");
    return false;
  }
  return true;
}

static void checkShaped(const DataItem &item, CheckReporter &reporter) {
  const QualType type = item.base->getType();
  const QualType element =
      type->isPointerType() ? type->getPointeeType() : QualType(type->getArrayElementTypeNoTypeQual(), 0);
  if (element->isArrayType()) {
    reporter.error(item.base->getSourceRange(),
                   "'" + item.forms->baseText +
                       "' already has rows; leave the shape out: " + item.forms->baseText + "[i:h][j:w]",
                   "needless-shape");
    return;
  }
  for (const Expr *extent : item.shape) {
    checkInteger(extent, "an extent of a shape", reporter);
    if (const std::optional<long long> value = constantOf(extent, reporter.context()); value && *value < 0)
      reporter.error(extent->getSourceRange(), "a shape cannot have a negative extent", "negative-length");
  }
  for (std::size_t i = 0; i < item.dimensions.size() && i < item.shape.size(); ++i)
    checkDimension(item, item.dimensions[i], constantOf(item.shape[i], reporter.context()), true,
                   item.shape.size() == 1 ? "element"
                   : i == 0               ? "row"
                                          : "column",
                   reporter);
}

static void checkUnshaped(const DataItem &item, CheckReporter &reporter) {
  const ASTContext &context = reporter.context();
  QualType type = item.base->getType();
  for (std::size_t i = 0; i < item.dimensions.size(); ++i) {
    if (i > 0 && !isArray(type)) {
      reporter.error(item.base->getSourceRange(),
                     "'" + item.forms->baseText + "' is a '" + spelled(item.base->getType(), context) +
                         "' and has no second dimension; give it a shape, as in ([rows][columns])" +
                         item.forms->baseText + "[i:h][j:w]",
                     "no-second-dimension");
      return;
    }
    const char *noun = item.dimensions.size() == 1 ? "element" : i == 0 ? "row" : "column";
    checkDimension(item, item.dimensions[i], extentOf(type, context), isArray(type), noun, reporter);
    type = type->isPointerType() ? type->getPointeeType() : context.getAsArrayType(type)->getElementType();
  }
}

void checkDataItem(const DataItem &item, CheckReporter &reporter) {
  checkPure(item.base, reporter);
  if (!isJudged(item.base))
    return;
  if (item.forms->form == ItemForm::bare)
    return checkObject(item, reporter);
  if (!checkSectionBase(item, reporter))
    return;
  if (item.dimensions.size() == 2)
    for (const SectionDimension &dimension : item.dimensions)
      if (dimension.stride) {
        reporter.error(dimension.stride->getSourceRange(),
                       "a stride is possible in a section of one dimension only", "bad-stride");
        return;
      }
  item.forms->form == ItemForm::shaped ? checkShaped(item, reporter) : checkUnshaped(item, reporter);
}

// ---- other clauses ---------------------------------------------------------------------------------------

static bool isText(QualType type) {
  if (type->isArrayType())
    return type->getArrayElementTypeNoTypeQual()->isAnyCharacterType();
  return type->isPointerType() && type->getPointeeType()->isAnyCharacterType();
}

// Scalars, and classes that convert to something.
static bool isCondition(QualType type) {
  const CXXRecordDecl *record = type->getAsCXXRecordDecl();
  return type->isScalarType() ||
         (record && record->hasDefinition() && !record->getVisibleConversionFunctions().empty());
}

static void expectType(const Expr *expression, bool isRight, std::string_view clause, const char *expected,
                       CheckReporter &reporter) {
  if (isRight)
    return;
  reporter.error(expression->getSourceRange(),
                 "'" + std::string(clause) + "' takes " + expected + ", but this has type '" +
                     spelled(expression->getType().getUnqualifiedType(), reporter.context()) + "'",
                 "wrong-type");
}

void checkClause(const OtherClause &clause, CheckReporter &reporter) {
  const std::string_view word = toText(clause.forms->kind);
  for (const Expr *argument : clause.arguments) {
    if (!isJudged(argument))
      continue;
    checkPure(argument, reporter);
    const QualType type = argument->getType();
    switch (clause.forms->kind) {
    case ClauseKind::flops:
    case ClauseKind::bytes:
    case ClauseKind::seconds:
    case ClauseKind::memory: {
      expectType(argument, type->isArithmeticType(), word, "a number", reporter);
      Expr::EvalResult value;
      const bool isNegative =
          (type->isIntegralOrEnumerationType() && argument->EvaluateAsInt(value, reporter.context()) &&
           value.Val.getInt().isNegative()) ||
          (type->isRealFloatingType() && argument->EvaluateAsRValue(value, reporter.context()) &&
           value.Val.isFloat() && value.Val.getFloat().isNegative() && !value.Val.getFloat().isZero());
      if (isNegative)
        reporter.error(argument->getSourceRange(), "'" + std::string(word) + "' cannot be negative",
                       "negative-figure");
      break;
    }
    case ClauseKind::priority:
      expectType(argument, type->isArithmeticType(), word, "a number", reporter);
      break;
    case ClauseKind::when:
      expectType(argument, isCondition(type), word, "a condition", reporter);
      break;
    case ClauseKind::name:
      checkInteger(argument, "an index of 'name'", reporter);
      break;
    case ClauseKind::model:
      expectType(argument, isText(type), word, "names in quotes", reporter);
      break;
    case ClauseKind::node:
    case ClauseKind::together:
    case ClauseKind::apart:
      expectType(argument, type->isIntegralOrEnumerationType() || isText(type), word,
                 "numbers or names in quotes", reporter);
      break;
    default:
      break;
    }
  }
}

void checkTrips(const Expr *trips, CheckReporter &reporter) {
  if (isJudged(trips) && !trips->getType()->isArithmeticType())
    expectType(trips, false, "trips", "a number of iterations", reporter);
}

} // namespace streammap
