#pragma once
// What the statement of a task uses from outside, and how its closure gets it.
//
// A task runs later than its statement is reached, so the closure owns what it reads: values are captured.
// Four kinds need more than `[=]`:
//   the bases of the clauses      become pointers to the task's device; other spellings of them are replaced
//   globals, members              are read when the statement is reached, because they may change before the
//   task runs structured bindings, VLAs     cannot be captured: likewise objects that are no plain bytes and
//   are changed or cannot be copied     are captured by reference
#include "analysis/Markers.h"
#include <clang/Basic/SourceLocation.h>
#include <set>
#include <string>
#include <vector>

namespace clang {
class ASTContext;
class ValueDecl;
} // namespace clang

namespace streammap {

/// One distinct base of a task's clauses.
struct TaskBase {
  const clang::Expr *expression = nullptr;
  std::string text;
  std::size_t firstItem = 0; ///< number of the section in order of appearance
  bool isPointer = false;    ///< pointer or array of a section; otherwise an object
  bool isPlain = false;      ///< its text is one identifier, which can be shadowed
};

/// A value read when the statement is reached; inside, `name` stands for it.
struct Snapshot {
  std::string name; ///< an identifier
  std::string text; ///< what to read
};

struct StatementUses {
  std::vector<Snapshot> snapshots;
  std::vector<std::string> byReference;
  /// Tokens to replace by the name of a base (index into the bases given) or of a snapshot.
  struct Replacement {
    clang::SourceRange range;
    std::size_t index;
    bool isBase;
  };
  std::vector<Replacement> replacements;
};

/// The distinct bases of `task` in the order of their first appearance.
std::vector<TaskBase> basesOf(const TaskMarker &task, const clang::ASTContext &context);

StatementUses usesOf(const clang::Stmt *statement, const std::vector<TaskBase> &bases,
                     const clang::ASTContext &context);

/// Both mean the same object, spelled alike up to parentheses and `this->`.
bool isSameExpression(const clang::Expr *a, const clang::Expr *b, const clang::ASTContext &context);

} // namespace streammap
