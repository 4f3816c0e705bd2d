#pragma once
// What is wrong with the user's input: where, what was found, what to do. All of them are collected, then the
// program exits 1.
//
//   cluster.json:/nodes/0/swich: error: unknown key 'swich'; did you mean 'switch'?
//   cholesky.cu:41:9: error: unknown clause 'imout'; did you mean 'inout'?
#include <string>
#include <vector>

namespace streammap {

enum class Severity { note, warning, error };

/// Where in the input: a file with line and column (both from 1), or a file with a JSON pointer.
struct SourceLocation {
  std::string file;
  unsigned line = 0;       ///< 0: not a text location
  unsigned column = 0;     ///< 0: the whole line
  std::string jsonPointer; ///< "/nodes/0/type"; empty unless the input is JSON
  bool operator==(const SourceLocation &) const = default;
};

/// `file:line:col`, `file:line`, `file:/json/pointer` or `file`.
std::string toText(const SourceLocation &location);

struct Diagnostic {
  Severity severity = Severity::error;
  SourceLocation location;
  std::string message; ///< lower case, no final period
  std::string code;    ///< stable kebab-case name, e.g. "unknown-clause"; key of docs/diagnostics.md
  std::string snippet; ///< the source line and a caret line under it, or empty
  std::string fix;     ///< replacement text for the underlined range, or empty
  std::vector<Diagnostic> notes; ///< further places that explain this one
};

/// Collects what is found, in order. Passed by reference to every step that judges input.
class Diagnostics {
public:
  void report(Diagnostic diagnostic) {
    errors_ += diagnostic.severity == Severity::error;
    all_.push_back(std::move(diagnostic));
  }
  void error(SourceLocation location, std::string message, std::string code = {}) {
    report({Severity::error, std::move(location), std::move(message), std::move(code), {}, {}, {}});
  }
  void warning(SourceLocation location, std::string message, std::string code = {}) {
    report({Severity::warning, std::move(location), std::move(message), std::move(code), {}, {}, {}});
  }
  bool hasErrors() const { return errors_ != 0; }
  std::size_t errorCount() const { return errors_; }
  const std::vector<Diagnostic> &all() const { return all_; }

private:
  std::vector<Diagnostic> all_;
  std::size_t errors_ = 0;
};

/// The three output forms of `--diagnostics text|json|sarif`. Text is Clang's manner, one block each, with a
/// closing count ("2 errors, 1 warning"); json is an array; sarif is SARIF 2.1.0 (OASIS standard).
std::string toText(const Diagnostics &diagnostics);
std::string toJson(const Diagnostics &diagnostics);
std::string toSarif(const Diagnostics &diagnostics);

} // namespace streammap
