#pragma once
// Errors of the outside world (a file, a tool, a device) are values:
//
//   Expected<std::string> text = readFile(path);
//   if (!text)
//     return std::unexpected(text.error());
//
// Errors of the user's input are Diagnostics instead (Diagnostic.h): there all of them are collected.
#include <expected>
#include <string>
#include <utility>

namespace streammap {

/// What failed, in one lower-case sentence without a final period: "cannot write out.json: No space left".
struct Error {
  std::string message;
};

template <class T>
using Expected = std::expected<T, Error>;

/// Shorthand for `std::unexpected(Error{...})`.
inline std::unexpected<Error> failure(std::string message) {
  return std::unexpected<Error>(Error{std::move(message)});
}

} // namespace streammap
