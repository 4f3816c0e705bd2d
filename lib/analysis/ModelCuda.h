#pragma once
// What the CUDA runtime API, the CUDA libraries and MPI do to the evaluated host program.
#include "analysis/Interpreter.h"

namespace streammap {

/// Null for any other function, and for those that the headers define in terms of others.
Interpreter::Model cudaModel(const clang::FunctionDecl *function);

} // namespace streammap
