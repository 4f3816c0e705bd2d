#pragma once
// A source as text, parsed with our own declarations of CUDA, so that no toolkit is needed.
//
//   ParsedText parsed = parseText("__global__ void k(float *a) {} ...");
//   REQUIRE(toText(parsed.diagnostics) == "");
#include "analysis/FrontEnd.h"
#include "support/TemporaryFolder.h"
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

namespace streammap::test {

/// A folder with sources in it.
class SourceFolder : public TemporaryFolder {
public:
  std::string write(const std::string &name, const std::string &text) const {
    const std::string path = *this / name;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path) << text;
    return path;
  }
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
