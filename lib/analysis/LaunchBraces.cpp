#include "analysis/LaunchBraces.h"
#include <clang/Lex/Preprocessor.h>

namespace streammap {

void LaunchBraces::sawToken(clang::Preprocessor &preprocessor, clang::Token &token) {
  using namespace clang;
  if (token.is(tok::lesslessless)) {
    inLaunch_ = atArgument_ = true;
    depth_ = 0;
    return;
  }
  if (!inLaunch_)
    return;
  const bool beginsArgument = atArgument_;
  atArgument_ = false;
  if (beginsArgument && token.is(tok::l_brace)) {
    found_.push_back(token.getLocation());
    auto brace = std::make_unique<Token[]>(1);
    brace[0] = token;
    token.setKind(tok::identifier);
    token.setIdentifierInfo(preprocessor.getIdentifierInfo("dim3"));
    preprocessor.EnterTokenStream(std::move(brace), 1, /*DisableMacroExpansion=*/true, /*IsReinject=*/false);
    return;
  }
  if (token.isOneOf(tok::l_paren, tok::l_square, tok::l_brace))
    ++depth_;
  else if (depth_ != 0 && token.isOneOf(tok::r_paren, tok::r_square, tok::r_brace))
    --depth_;
  else if (depth_ == 0 && token.is(tok::comma))
    atArgument_ = true;
  else if (depth_ == 0 && token.isOneOf(tok::greatergreatergreater, tok::semi, tok::eof))
    inLaunch_ = false;
}

} // namespace streammap
