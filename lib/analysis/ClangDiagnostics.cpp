#include "analysis/ClangDiagnostics.h"
#include <algorithm>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>
#include <filesystem>
#include <llvm/ADT/SmallString.h>

namespace streammap {

// Full paths below the current folder are shown relative to it: shorter, and the same on every machine.
static std::string shownPath(llvm::StringRef name) {
  static const std::string here = [] {
    std::error_code ignored;
    return std::filesystem::current_path(ignored).string() + "/";
  }();
  while (name.consume_front("./")) {
  }
  if (name.starts_with(here))
    name = name.drop_front(here.size());
  return name.str();
}

SourceLocation locate(const clang::SourceManager &sources, clang::SourceLocation location) {
  if (location.isInvalid())
    return {};
  const clang::PresumedLoc place = sources.getPresumedLoc(sources.getExpansionLoc(location), false);
  if (place.isInvalid())
    return {};
  return {shownPath(place.getFilename()), place.getLine(), place.getColumn(), {}};
}

std::string locationText(const clang::SourceManager &sources, clang::SourceLocation location) {
  return toText(locate(sources, location));
}

// The line of `location` and a second line with '^' under it and '~' under the rest of the range.
static std::string snippetAt(const clang::SourceManager &sources, const clang::LangOptions &language,
                             clang::SourceLocation location, clang::SourceRange range) {
  const auto [file, offset] = sources.getDecomposedLoc(sources.getExpansionLoc(location));
  bool invalid = false;
  const llvm::StringRef text = sources.getBufferData(file, &invalid);
  if (invalid || offset > text.size())
    return {};
  const std::size_t before = text.substr(0, offset).rfind('\n');
  const std::size_t begin = before == llvm::StringRef::npos ? 0 : before + 1;
  const std::size_t end = std::min(text.find('\n', offset), text.size());
  std::string line = text.slice(begin, end).rtrim().str();
  for (char &c : line)
    c = c == '\t' ? ' ' : c;
  std::string marks(std::max<std::size_t>(line.size(), offset - begin + 1), ' ');
  if (range.isValid()) {
    const auto [firstFile, first] = sources.getDecomposedLoc(sources.getExpansionLoc(range.getBegin()));
    const clang::SourceLocation lastToken = sources.getExpansionRange(range.getEnd()).getEnd();
    auto [lastFile, last] = sources.getDecomposedLoc(lastToken);
    last += clang::Lexer::MeasureTokenLength(lastToken, sources, language);
    if (firstFile == file && lastFile == file)
      for (std::size_t i = std::max<std::size_t>(first, begin); i < std::min<std::size_t>(last, end); ++i)
        marks[i - begin] = '~';
  }
  marks[offset - begin] = '^';
  marks.erase(marks.find_last_not_of(' ') + 1);
  return line + "\n" + marks;
}

Diagnostic diagnosticAt(const clang::SourceManager &sources, const clang::LangOptions &language,
                        Severity severity, clang::SourceLocation location, clang::SourceRange range,
                        std::string message, std::string code) {
  Diagnostic diagnostic;
  diagnostic.severity = severity;
  diagnostic.location = locate(sources, location);
  diagnostic.message = std::move(message);
  diagnostic.code = std::move(code);
  if (location.isValid())
    diagnostic.snippet = snippetAt(sources, language, location, range);
  return diagnostic;
}

void DiagnosticRecorder::HandleDiagnostic(clang::DiagnosticsEngine::Level level,
                                          const clang::Diagnostic &clangs) {
  DiagnosticConsumer::HandleDiagnostic(level, clangs);
  const bool isNote = level == clang::DiagnosticsEngine::Note;
  if (isNote && (!keepsNotes_ || found_.empty()))
    return;
  if (!isNote)
    keepsNotes_ = level >= clang::DiagnosticsEngine::Error;
  if (!isNote && !keepsNotes_)
    return;

  llvm::SmallString<128> text;
  clangs.FormatDiagnostic(text);
  Diagnostic ours;
  const clang::LangOptions defaults;
  if (clangs.hasSourceManager() && clangs.getLocation().isValid()) {
    const clang::SourceRange range =
        clangs.getNumRanges() ? clangs.getRange(0).getAsRange() : clang::SourceRange(clangs.getLocation());
    ours = diagnosticAt(clangs.getSourceManager(), language_ ? *language_ : defaults, Severity::error,
                        clangs.getLocation(), range, text.str().str(), "clang");
    if (clangs.getNumFixItHints() != 0)
      ours.fix = clangs.getFixItHint(0).CodeToInsert;
  } else {
    ours.message = text.str().str();
    ours.code = "clang";
  }
  if (isNote) {
    ours.severity = Severity::note;
    ours.code.clear();
    if (found_.back().notes.size() < 6) // candidates of an overload set can be hundreds
      found_.back().notes.push_back(std::move(ours));
    return;
  }
  if (filter_ && !filter_(clangs, ours)) {
    keepsNotes_ = false;
    return;
  }
  found_.push_back(std::move(ours));
}

std::vector<Diagnostic> DiagnosticRecorder::take() {
  return std::exchange(found_, {});
}

} // namespace streammap
