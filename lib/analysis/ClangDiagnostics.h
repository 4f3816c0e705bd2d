#pragma once
// The border between Clang's source locations and diagnostics and ours.
//
//   diagnostics.report(diagnosticAt(sm, Severity::error, token.getLocation(), "unknown clause 'imout'",
//   "unknown-clause"));
//     cholesky.cu:41:9: error: unknown clause 'imout'
//         #pragma streammap task imout(a)
//                                ^~~~~
#include "support/Diagnostic.h"
#include <clang/Basic/Diagnostic.h>
#include <clang/Basic/SourceLocation.h>
#include <functional>
#include <string>

namespace clang {
class LangOptions;
class SourceManager;
} // namespace clang

namespace streammap {

/// File, line and column where `location` stands in a file (the use, for a macro); the file relative to the
/// current folder where it lies below it.
SourceLocation locate(const clang::SourceManager &sources, clang::SourceLocation location);

/// `locate` as text: "cholesky.cu:102:5".
std::string locationText(const clang::SourceManager &sources, clang::SourceLocation location);

/// A diagnostic with its source line and a caret under `location`, tildes under `range` where one is given
/// (inclusive: the end is the start of the last token).
Diagnostic diagnosticAt(const clang::SourceManager &sources, const clang::LangOptions &language,
                        Severity severity, clang::SourceLocation location, clang::SourceRange range,
                        std::string message, std::string code);

/// Turns what Clang reports into ours: errors, with their notes and first fix-it. Clang's warnings are the
/// user's compiler's business.
class DiagnosticRecorder : public clang::DiagnosticConsumer {
public:
  /// Looks at each error before it is reported and may rephrase it; false: leave it out, with its notes.
  using Filter = std::function<bool(const clang::Diagnostic &, Diagnostic &)>;

  explicit DiagnosticRecorder(Filter filter = {}) : filter_(std::move(filter)) {}
  void BeginSourceFile(const clang::LangOptions &language, const clang::Preprocessor *) override {
    language_ = &language;
  }
  void EndSourceFile() override { language_ = nullptr; }
  void HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic &diagnostic) override;

  /// Everything reported so far, in order; the recorder is empty afterwards.
  std::vector<Diagnostic> take();

private:
  Filter filter_;
  const clang::LangOptions *language_ = nullptr;
  std::vector<Diagnostic> found_;
  bool keepsNotes_ = false;
};

} // namespace streammap
