#pragma once
// What is wrong with the pragmas of a parsed unit beyond their grammar (Pragmas.cpp) and C++ (Clang):
//
//   app.cu:9:31: error: elements 8 to 12 of 'a' lie outside its 10 elements
//   app.cu:14:26: error: 'a' is in(), but kernel 'scale' writes it; did you mean inout(a[0:n])?
//
// Every code is listed in docs/diagnostics.md with an example that triggers it.
#include "analysis/FrontEnd.h"

namespace streammap {

/// Judges templates by their instances. Expressions that Clang found wrong are left alone: no error follows
/// from another.
void checkUnit(const ParsedUnit &unit, Diagnostics &diagnostics);

} // namespace streammap
