#include "build/CompileAll.h"
#include "build/RunTool.h"
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <optional>
#include <thread>

namespace streammap {
namespace {

SourceLocation inFile(const std::string &file) {
  SourceLocation location;
  location.file = file;
  return location;
}

} // namespace

std::vector<Expected<CompiledSource>>
compileAll(std::size_t count, unsigned jobs,
           const std::function<Expected<CompiledSource>(std::size_t)> &compile) {
  std::vector<Expected<CompiledSource>> results(count);
  std::atomic<std::size_t> next = 0;
  auto work = [&] {
    for (std::size_t i = 0; (i = next.fetch_add(1)) < count;)
      results[i] = compile(i);
  };
  std::vector<std::thread> others;
  for (std::size_t i = 1; i < std::min<std::size_t>(std::max(jobs, 1u), count); ++i)
    others.emplace_back(work);
  work();
  for (std::thread &other : others)
    other.join();
  return results;
}

Expected<std::vector<std::string>> collectObjects(const std::vector<std::string> &sources,
                                                  std::vector<Expected<CompiledSource>> compiled,
                                                  Diagnostics &diagnostics) {
  std::vector<std::string> objects;
  std::optional<Error> failed;
  for (std::size_t i = 0; i != compiled.size(); ++i) {
    if (!compiled[i]) {
      failed = failed ? failed : compiled[i].error();
      continue;
    }
    std::fputs(compiled[i]->messages.c_str(), stderr);
    if (!compiled[i]->failed.empty())
      diagnostics.error(inFile(sources[i]), compiled[i]->failed + " failed", "build-failed");
    objects.insert(objects.end(), compiled[i]->objects.begin(), compiled[i]->objects.end());
  }
  if (failed)
    return std::unexpected(*failed);
  return objects;
}

Expected<void> link(const std::vector<std::string> &command, const std::string &output,
                    Diagnostics &diagnostics) {
  const Expected<ToolRun> run = runTool(command);
  if (!run)
    return std::unexpected(run.error());
  std::fputs(run->output.c_str(), stderr);
  if (run->exitCode != 0)
    diagnostics.error(inFile(output), "linking failed", "build-failed");
  return {};
}

} // namespace streammap
