#pragma once
// Which code of the host program can start a task, a launch or an allocation, directly or through what it
// calls. All other code is *inert*: it can be left half-way without missing one.
//
//   CallGraph graph(units, mainFunction);
//   graph.isInert(loop)                 // true for one that only fills an array
#include "analysis/FrontEnd.h"
#include <clang/Basic/SourceLocation.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace clang {
class CXXMethodDecl;
class FunctionDecl;
class SourceManager;
class Stmt;
class VarDecl;
} // namespace clang

namespace streammap {

/// In a header of the system, the toolkit, or our own declarations of it.
bool isSystemCode(const clang::SourceManager &sources, clang::SourceLocation location);

class CallGraph {
public:
  explicit CallGraph(std::span<const std::unique_ptr<ParsedUnit>> units);

  /// `main` with its body; null if no unit defines it.
  const clang::FunctionDecl *mainFunction() const { return main_; }
  /// The declaration with the body, in whichever unit it is; `function` itself if there is none.
  const clang::FunctionDecl *definitionOf(const clang::FunctionDecl *function);
  /// The definition of a global variable, in whichever unit it is; null if there is none.
  const clang::VarDecl *definitionOf(const clang::VarDecl *variable);
  bool isInert(const clang::FunctionDecl *function);
  bool isInert(const clang::Stmt *statement);

private:
  struct Node {
    bool acts = false;                   ///< itself
    std::set<std::string> indirectCalls; ///< signatures of the pointers it calls through
    bool isReached = false;              ///< acts, or calls one that does
    std::vector<const clang::FunctionDecl *> callees;
  };
  void visit(const clang::FunctionDecl *function);
  void scan(const clang::Stmt *statement, Node &node);
  void propagate();
  bool actsIndirectly(const Node &node) const;
  void addOverriders(const clang::FunctionDecl *function, Node &node);
  void index();

  std::span<const std::unique_ptr<ParsedUnit>> units_;
  const clang::FunctionDecl *main_ = nullptr;
  llvm::DenseMap<const clang::FunctionDecl *, std::unique_ptr<Node>> nodes_;
  std::vector<const clang::FunctionDecl *> pending_;
  llvm::DenseSet<const clang::FunctionDecl *> addressTaken_;
  llvm::DenseMap<const clang::Stmt *, bool> inertStatements_;
  std::unordered_map<std::string, const clang::FunctionDecl *> definitions_; ///< by mangled name
  std::unordered_map<std::string, const clang::VarDecl *> variables_;        ///< likewise
  llvm::DenseMap<const clang::FunctionDecl *, const clang::FunctionDecl *> resolved_;
  llvm::DenseMap<const clang::CXXMethodDecl *, std::vector<const clang::CXXMethodDecl *>> overriders_;
  std::set<std::string> indirectActions_; ///< signatures of acting functions whose address is taken
};

} // namespace streammap
