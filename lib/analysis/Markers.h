#pragma once
// How a pragma appears in the AST, and how to recognise it.
//
//   #pragma streammap task in(a[0:n]) name(scale, i)      if (::__streammap::task(7, ::__streammap::item(0,
//   a, 0, n), scale<<<g, b>>>(a, n);                             -> ::__streammap::item(1, i))) {}
//                                                         else scale<<<g, b>>>(a, n);
//   #pragma streammap wait on(a[0:n])                  -> ::__streammap::wait(8, ::__streammap::item(0, a, 0,
//   n)); #pragma streammap root                             -> if (::__streammap::root(9)) {} else STATEMENT
//   #pragma streammap trips(n / 2)   (device code)     -> if (::__streammap_trips(10, (long long)(n / 2)),
//   false) {} else LOOP
//
// The first argument is the number of the site, the first argument of `item` the number of the item at the
// site. In the uninstantiated body of a template the expressions are dependent; in instances they are
// resolved. Each function works on both. Nothing else in this layer knows what the markers look like.
#include "analysis/Site.h"
#include <optional>
#include <string>
#include <vector>

namespace clang {
class Expr;
class Stmt;
} // namespace clang

namespace streammap {

/// `lower : length : stride`; null: not written (0; up to the end; 1). `lower` alone with `isIndex`: one
/// element.
struct SectionDimension {
  const clang::Expr *lower = nullptr;
  const clang::Expr *length = nullptr;
  const clang::Expr *stride = nullptr;
  bool isIndex = false;
};

/// An item of in(), out(), inout() or on(). All expressions are as the user wrote them, before conversions:
/// lvalues are not yet loaded and arrays have not decayed, so the type of `base` tells what it is:
///   pointer + bare       the whole allocation it points into
///   other + bare         the object itself (scalar, struct, array)
///   pointer/array + one dimension    elements lower, lower + stride, ... (`length` of them) of the pointee
///   array of arrays, or pointer to array, + two dimensions    rows lower.., columns lower..
///   shaped               a pointer to elements, seen as [rows][cols]; no dimensions: all of it
struct DataItem {
  const ItemForms *forms = nullptr;
  const clang::Expr *base = nullptr;
  std::vector<const clang::Expr *> shape; ///< [rows, cols]; empty unless shaped
  std::vector<SectionDimension> dimensions;
};

/// Any other clause, with its arguments in order: name's indices (and not its identifier, which is
/// forms->word), the figure of flops(...), the keys of together(...). `device` and `capability` have no
/// arguments: see forms->word.
struct OtherClause {
  const ItemForms *forms = nullptr;
  std::vector<const clang::Expr *> arguments;
};

struct TaskMarker {
  unsigned site = 0;
  std::vector<DataItem> data;       ///< all lists together in the order written; the mode is forms->kind
  std::vector<OtherClause> clauses; ///< at most one of each kind (Pragmas.cpp refuses duplicates)
  const clang::Stmt *body = nullptr;

  /// The clause of this kind, or null.
  const OtherClause *find(ClauseKind kind) const;
};

struct WaitMarker {
  unsigned site = 0;
  std::vector<DataItem> data; ///< empty: wait for everything
};

struct RootMarker {
  unsigned site = 0;
  const clang::Stmt *body = nullptr;
};

struct TripsMarker {
  unsigned site = 0;
  const clang::Expr *trips = nullptr; ///< as written
  const clang::Stmt *loop = nullptr;
};

/// The marker that `statement` is, if it is one. `statement` is the whole `if` (task, root, trips) or the
/// call (wait, possibly inside an ExprWithCleanups). `sites` is the table of the unit that the AST belongs
/// to. O(clauses).
std::optional<TaskMarker> taskMarker(const clang::Stmt *statement, const SiteTable &sites);
std::optional<WaitMarker> waitMarker(const clang::Stmt *statement, const SiteTable &sites);
std::optional<RootMarker> rootMarker(const clang::Stmt *statement, const SiteTable &sites);
std::optional<TripsMarker> tripsMarker(const clang::Stmt *statement, const SiteTable &sites);

/// What a task without a name clause is called (before its counter): the first kernel launched in its
/// statement, otherwise the first function called, otherwise "task".
std::string defaultTaskName(const TaskMarker &task);

/// The name of the external function that a `trips` marker calls in device code: void(int site, long long
/// trips).
inline constexpr const char *tripsFunction = "__streammap_trips";

} // namespace streammap
