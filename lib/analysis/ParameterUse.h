#pragma once
// Whether a function reads or writes through one of its pointer parameters, as far as its body tells for
// sure.
#include <clang/Basic/SourceLocation.h>

namespace clang {
class FunctionDecl;
}

namespace streammap {

struct ParameterUse {
  bool isRead = false;
  bool isWritten = false;
  bool isUnclear = false; ///< it goes where we do not follow: anything may happen
  clang::SourceLocation firstWrite;
};

/// Follows calls of functions with bodies; a pointer to const is not written through. O(body), recursion cut
/// at depth 8.
ParameterUse useOfParameter(const clang::FunctionDecl *function, unsigned parameter);

} // namespace streammap
