#pragma once
// A source as text, parsed with our own declarations of CUDA, so that no toolkit is needed.
//
//   ParsedText parsed = parseText("__global__ void k(float *a) {} ...");
//   REQUIRE(toText(parsed.diagnostics) == "");
#include "analysis/FrontEnd.h"
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <unistd.h>

namespace streammap::test {

/// A folder that goes away at the end of the test.
class TemporaryFolder {
public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "streammap-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;

  std::string write(const std::string &name, const std::string &text) const {
    const std::string path = path_ + "/" + name;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path) << text;
    return path;
  }
  const std::string &path() const { return path_; }

private:
  std::string path_;
};

inline void forgetToolkit() {
  setenv("STREAMMAP_NO_CUDA", "1", 1);
}

struct ParsedText {
  Diagnostics diagnostics;
  std::unique_ptr<ParsedUnit> unit;
};

inline ParsedText parseFile(const std::string &path, const std::vector<std::string> &flags = {}) {
  forgetToolkit();
  ParsedText parsed;
  const std::vector<CompileJob> jobs = resolveJobs({path}, {}, flags, parsed.diagnostics);
  if (!jobs.empty())
    parsed.unit = parseHost(jobs[0], parsed.diagnostics);
  return parsed;
}

} // namespace streammap::test
