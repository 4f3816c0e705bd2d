#pragma once
// Changes to the text of a translation unit, collected by source location and applied at the end.
//
// Text that stands in a file is edited in place. Text that comes out of a macro cannot be: where a pragma
// sits in a macro (`_Pragma`), the whole use of that macro is replaced by what it expands to, and edited
// there.
#include "analysis/ExpansionRecorder.h"
#include <clang/Basic/SourceLocation.h>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace clang {
class LangOptions;
class SourceManager;
} // namespace clang

namespace streammap {

class SourceEdits {
public:
  SourceEdits(const clang::SourceManager &sources, const clang::LangOptions &language,
              const std::vector<RecordedExpansion> &expansions);

  /// Locations are those of tokens; in a macro use that is not replaced they mean its first and last
  /// character.
  void insertBefore(clang::SourceLocation token, std::string text);
  void insertAfter(clang::SourceLocation token, std::string text);
  /// Replaces the tokens first..last. False: they are in the body of a macro, and nothing was changed.
  bool replace(clang::SourceRange tokens, std::string text);
  /// Replaces a pragma by `text`, keeping its line breaks.
  void replacePragma(const Site &site, std::size_t number, std::string text);
  /// Replaces the file name of an `#include`, quotes included.
  void replaceInclude(clang::SourceLocation fileName, std::string text);

  /// The ';' that follows a token, if one does.
  std::optional<clang::SourceLocation> semicolonAfter(clang::SourceLocation token) const;

  /// The files touched, each with its text after all changes; in the order of their paths.
  struct File {
    clang::FileID id;
    std::string path;
    std::string text;
  };
  std::vector<File> apply() const;

private:
  struct Change {
    unsigned begin;
    unsigned end;
    std::string text;
    bool operator==(const Change &) const = default;
  };
  struct TokenPlace {
    std::size_t expansion;
    std::size_t token;
  };
  struct TokenChange {
    std::string before, after;
    std::optional<std::string> instead;
  };

  std::optional<TokenPlace> placeOf(clang::SourceLocation location) const;
  void change(clang::FileID file, unsigned begin, unsigned end, std::string text);
  std::string expanded(std::size_t expansion) const;

  const clang::SourceManager &sources_;
  const clang::LangOptions &language_;
  const std::vector<RecordedExpansion> &expansions_;
  std::map<unsigned, TokenPlace> places_; ///< by raw location of the token
  std::vector<std::vector<TokenChange>> tokenChanges_;
  std::map<clang::FileID, std::vector<Change>> changes_;
};

} // namespace streammap
