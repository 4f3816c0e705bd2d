#pragma once
// Inputs of the parsers' tests: files of test/discover/inputs, and texts written in the test.
#include "discover/Sources.h"
#include "support/Catch.h"
#include "support/Files.h"

namespace streammap::test {

inline std::string inputText(const std::string &name) {
  const Expected<std::string> text =
      readFile(std::string(STREAMMAP_SOURCE_DIR) + "/test/discover/inputs/" + name);
  REQUIRE(text);
  return *text;
}

/// Recognised as `kind`, and read without a word.
inline Findings readAs(const std::string &kind, const std::string &text, const std::string &file) {
  INFO(file);
  const SourceKind *recognised = recognise(text);
  REQUIRE(recognised != nullptr);
  CHECK(recognised->name == kind);
  Diagnostics diagnostics;
  std::optional<Findings> found = readSource(text, file, nullptr, diagnostics);
  INFO(toText(diagnostics));
  REQUIRE(found);
  return std::move(*found);
}

inline Findings readInput(const std::string &kind, const std::string &name) {
  return readAs(kind, inputText(name), name);
}

/// The diagnostics of a text with mistakes, as people read them.
inline std::string mistakes(const std::string &kind, const std::string &text) {
  Diagnostics diagnostics;
  CHECK_FALSE(readSource(text, "in.txt", sourceKindNamed(kind), diagnostics));
  return toText(diagnostics);
}

} // namespace streammap::test
