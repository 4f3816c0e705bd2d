#pragma once
// `kernel<<<grid, {x, y, z}>>>(...)`: nvcc takes a braced list for a dim3, Clang's parser expects an
// expression there. So the list is read as if `dim3` stood in front of it.
#include <clang/Basic/SourceLocation.h>
#include <vector>

namespace clang {
class Preprocessor;
class Token;
} // namespace clang

namespace streammap {

class LaunchBraces {
public:
  /// A token on its way from the preprocessor to the parser. A brace that begins an argument of a launch
  /// becomes `dim3`, and itself the next token.
  void sawToken(clang::Preprocessor &preprocessor, clang::Token &token);
  /// The braces of all launches so far.
  const std::vector<clang::SourceLocation> &found() const { return found_; }

private:
  bool inLaunch_ = false;
  bool atArgument_ = false; ///< the next token begins an argument
  unsigned depth_ = 0;      ///< of parentheses inside the launch's arguments
  std::vector<clang::SourceLocation> found_;
};

} // namespace streammap
