#pragma once
// Whether evaluating an expression changes anything. Clauses must not: with the pragmas ignored they are not
// evaluated at all, and where they are, nothing fixes their order.
#include <clang/Basic/SourceLocation.h>
#include <optional>

namespace clang {
class Expr;
class VarDecl;
} // namespace clang

namespace streammap {

struct SideEffect {
  clang::SourceLocation where; ///< the assignment, increment or decrement
  bool isInside = false;       ///< in the expression itself, not in a function that it calls
};

/// `x`, `x.y`, `x[3]` of an array: the variable that an assignment changes; null where it goes through a
/// pointer.
const clang::VarDecl *changedVariable(const clang::Expr *place);

/// The first change of anything but a called function's own variables. Follows calls of functions with bodies
/// outside system headers, depth 8; what a body does that is not there is not seen.
std::optional<SideEffect> sideEffectOf(const clang::Expr &expression);

} // namespace streammap
