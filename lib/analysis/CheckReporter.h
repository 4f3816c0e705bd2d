#pragma once
// Where the checks of a unit report to. A statement in a template is judged once per instance: the same words
// at the same place are said once.
#include "analysis/ClangDiagnostics.h"
#include <clang/AST/ASTContext.h>
#include <clang/AST/Stmt.h>
#include <set>
#include <string>
#include <utility>

namespace streammap {

class CheckReporter {
public:
  CheckReporter(const clang::ASTContext &context, Diagnostics &diagnostics)
      : context_(context), diagnostics_(diagnostics) {}

  struct Note {
    clang::SourceLocation location;
    std::string message;
  };

  void report(Severity severity, clang::SourceRange range, std::string message, std::string code,
              std::string fix = {}, std::vector<Note> notes = {}) {
    if (!said_.emplace(range.getBegin().getRawEncoding(), message).second)
      return;
    Diagnostic diagnostic = diagnosticAt(context_.getSourceManager(), context_.getLangOpts(), severity,
                                         range.getBegin(), range, std::move(message), std::move(code));
    diagnostic.fix = std::move(fix);
    for (Note &note : notes)
      diagnostic.notes.push_back(diagnosticAt(context_.getSourceManager(), context_.getLangOpts(),
                                              Severity::note, note.location, {}, std::move(note.message),
                                              {}));
    diagnostics_.report(std::move(diagnostic));
  }
  void error(clang::SourceRange range, std::string message, std::string code, std::string fix = {},
             std::vector<Note> notes = {}) {
    report(Severity::error, range, std::move(message), std::move(code), std::move(fix), std::move(notes));
  }
  void warning(clang::SourceRange range, std::string message, std::string code, std::string fix = {},
               std::vector<Note> notes = {}) {
    report(Severity::warning, range, std::move(message), std::move(code), std::move(fix), std::move(notes));
  }

  const clang::ASTContext &context() const { return context_; }

private:
  const clang::ASTContext &context_;
  Diagnostics &diagnostics_;
  std::set<std::pair<unsigned, std::string>> said_;
};

} // namespace streammap
