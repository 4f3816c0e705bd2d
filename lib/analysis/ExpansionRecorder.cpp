#include "analysis/ExpansionRecorder.h"
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Preprocessor.h>
#include <utility>

namespace streammap {

void ExpansionRecorder::moveTo(unsigned rawUse) {
  if (rawUse == current_.rawUse)
    return;
  if (keepsCurrent_)
    kept_.push_back(std::move(current_));
  current_ = {rawUse, {}};
  keepsCurrent_ = false;
}

void ExpansionRecorder::sawToken(const clang::Preprocessor &preprocessor, const clang::Token &token) {
  if (skip_ > 0) {
    --skip_;
    return;
  }
  if (token.isAnnotation() || !token.getLocation().isMacroID())
    return;
  moveTo(preprocessor.getSourceManager().getExpansionLoc(token.getLocation()).getRawEncoding());
  current_.tokens.push_back({token.getLocation().getRawEncoding(), preprocessor.getSpelling(token),
                             token.hasLeadingSpace() || token.isAtStartOfLine(), std::nullopt});
}

void ExpansionRecorder::sawPragma(const clang::Preprocessor &preprocessor, const Site &site,
                                  std::size_t number, std::size_t markerTokens) {
  skip_ += markerTokens;
  if (!site.inMacro)
    return;
  const auto location = clang::SourceLocation::getFromRawEncoding(site.rawStart);
  moveTo(preprocessor.getSourceManager().getExpansionLoc(location).getRawEncoding());
  keepsCurrent_ = true;
  current_.tokens.push_back({site.rawStart, {}, true, number});
}

std::vector<RecordedExpansion> ExpansionRecorder::take() {
  moveTo(0);
  return std::exchange(kept_, {});
}

} // namespace streammap
