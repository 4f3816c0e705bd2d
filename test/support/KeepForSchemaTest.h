#pragma once
// Files a test has written, kept in the build tree for test/model/validate_schemas.py.
#include "support/Catch.h"
#include "support/Files.h"
#include <filesystem>

namespace streammap {

inline void keepForSchemaTest(const std::string &name, std::string_view text) {
  const std::string folder = STREAMMAP_BINARY_DIR "/test-files/model";
  std::filesystem::create_directories(folder);
  REQUIRE(writeFileWhole(folder + "/" + name, text));
}

} // namespace streammap
