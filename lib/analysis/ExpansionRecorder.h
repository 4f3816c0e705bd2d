#pragma once
// Keeps the tokens of those macro uses that contain a `_Pragma("streammap ...")`, so that Emit can write out
// what they expand to. Watches the preprocessor while the parser reads.
#include "analysis/Site.h"
#include <optional>
#include <string>
#include <vector>

namespace clang {
class Preprocessor;
class Token;
} // namespace clang

namespace streammap {

struct RecordedToken {
  unsigned rawLocation = 0;
  std::string text;
  bool spaceBefore = false;
  std::optional<std::size_t> site; ///< a pragma stood here; no text
};

struct RecordedExpansion {
  unsigned rawUse = 0; ///< where in a file the macro is used
  std::vector<RecordedToken> tokens;
};

class ExpansionRecorder {
public:
  /// A token came out of the preprocessor.
  void sawToken(const clang::Preprocessor &preprocessor, const clang::Token &token);
  /// A pragma became the next `markerTokens` tokens.
  void sawPragma(const clang::Preprocessor &preprocessor, const Site &site, std::size_t number,
                 std::size_t markerTokens);
  /// All uses of macros with pragmas, in the order met.
  std::vector<RecordedExpansion> take();

private:
  void moveTo(unsigned rawUse);

  std::vector<RecordedExpansion> kept_;
  RecordedExpansion current_;
  bool keepsCurrent_ = false;
  std::size_t skip_ = 0;
};

} // namespace streammap
