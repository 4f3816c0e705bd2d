#pragma once
// What functions without a body do to the evaluated program: the C library, the CUDA runtime API, the few
// parts of the C++ library that are compiled into it, and loops of its headers that are better done at once.
#include "analysis/Interpreter.h"
#include <span>
#include <string_view>

namespace streammap {

/// Null if there is none: then the function's body is evaluated, or, without one, its result is unknown and
/// so is all that it may have written.
Interpreter::Model libraryModel(const clang::FunctionDecl *function);

// The parts it is put together of.
struct NamedModel {
  std::string_view name;
  Interpreter::Model model;
};
Interpreter::Model modelNamed(std::span<const NamedModel> models, std::string_view name);
std::span<const NamedModel> textModels();   ///< ModelText.cpp: functions of the C library
std::span<const NamedModel> stringModels(); ///< ModelText.cpp: members of std::string
std::span<const NamedModel> memoryModels(); ///< ModelMemory.cpp
/// For std::__fill_a1, to which all of std::fill and the initialisation of std::vector come down: at once,
/// where the elements are plain memory.
Interpreter::Model fillModel(const clang::FunctionDecl *function);

} // namespace streammap
