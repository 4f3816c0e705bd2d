#pragma once
// What functions without a body do to the evaluated program: the C library, the CUDA runtime API, the few
// parts of the C++ library that are compiled into it, and loops of its headers that are better done at once.
#include "analysis/Interpreter.h"

namespace streammap {

/// Null if there is none: then the function's body is evaluated, or, without one, its result is unknown and
/// so is all that it may have written.
Interpreter::Model libraryModel(const clang::FunctionDecl *function);

} // namespace streammap
