#pragma once
// What a pragma looked like: the table that Pragmas.cpp fills while Clang parses, one entry per pragma met.
// The expressions of the clauses are in the AST (Markers.h); here is everything that is not an expression.
#include "support/Diagnostic.h"
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace streammap {

enum class Directive { task, wait, root, trips };
std::string_view toText(Directive directive);

enum class ClauseKind {
  in,
  out,
  inout,
  on,   // lists of data
  name, // name(id, index...)
  flops,
  bytes,
  seconds,
  memory, // one figure each
  device,
  capability,
  model, // which devices
  together,
  apart,
  node, // where
  priority,
  when,
  trips // the argument of the trips directive
};
std::string_view toText(ClauseKind kind);

/// How an item of a data list is written.
enum class ItemForm {
  bare,    ///< `v`, `p`, `plan[i].buf`: a pointer means its whole allocation, anything else is an object
  section, ///< `a[lo:len:stride]`, `m[i:h][j:w]`, with one or two dimensions
  shaped   ///< `([rows][cols])p` with or without sections: a pointer seen as a 2-D array
};

/// Which of `lower : length : stride` were written in one pair of brackets. A subscript to the right of a
/// section without a colon, `m[0:n][j]`, is `lower` alone with `isIndex`: one element from there.
struct DimensionForm {
  bool hasLower = false;
  bool hasLength = false;
  bool hasStride = false;
  bool isIndex = false;
};

/// One call of the marker `::__streammap::item(index, args...)`: an item of a data list, or a whole other
/// clause.
struct ItemForms {
  ClauseKind kind = ClauseKind::in;
  ItemForm form = ItemForm::bare;
  std::vector<DimensionForm> dimensions;
  std::size_t shapeRank = 0; ///< shaped: how many extents are written, 1 or 2
  std::string text;          ///< as written: "a[0:n]", "gemm, i, j"
  std::string baseText;      ///< data items: the base as written: "a", "plan[i].buf"
  std::vector<std::string>
      arguments;           ///< the text of each expression after the base, macros expanded, in marker order
  std::string word;        ///< name: the identifier; device: gpu, cpu or any; capability: "8.0"
  SourceLocation location; ///< of its first token
};

/// One pragma, met once by the parser. A macro with a `_Pragma` has a site per expansion; a header, one per
/// inclusion.
struct Site {
  Directive directive = Directive::task;
  SourceLocation location;      ///< of the `#`, or of the macro use that holds the `_Pragma`
  std::string text;             ///< the pragma as written, from the directive on
  std::vector<ItemForms> items; ///< in the order written
  bool hasErrors = false;       ///< parts of it were reported and left out
  bool inMacro = false;
  unsigned rawStart = 0; ///< clang::SourceLocation encodings, for Emit: of the '#' or `_Pragma`; ...
  unsigned rawBegin = 0; ///< clang::SourceLocation encodings of the directive's word ...
  unsigned rawEnd = 0;   ///< ... and of the pragma's last token
};

/// Sites by number: the first argument of each marker call.
using SiteTable = std::vector<Site>;

} // namespace streammap
