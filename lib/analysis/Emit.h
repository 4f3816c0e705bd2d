#pragma once
// The transformed source: pragmas and their statements became calls of <streammap/streammap.h>, everything
// else is as it was.
//
//   #pragma streammap task in(a[0:n])     { auto sm_b0 = a; ::streammap::TaskBuilder sm_task(0, "app.cu:7:1",
//   "scale"); scale<<<g, b>>>(a, n);             ->   sm_task.in(::streammap::section(sm_b0, 0, n));
//   sm_task.run([=](...) mutable {
//                                           auto a = sm_context.pointer(0, sm_b0); scale<<<g, b>>>(a, n); });
//                                           }
//
// All of it on the lines of the original, and `#line` names the original, so that compilers, debuggers and
// __FILE__ speak of the file the user wrote. A header with pragmas is written beside the output and its
// `#include` redirected.
#include "analysis/FrontEnd.h"
#include <string>
#include <vector>

namespace streammap {

struct EmittedFile {
  std::string path;
  std::string text;
};

/// The main file first, at `output`; then headers, as `<stem of output>.<header>` in the folder of `output`.
/// Call it only for a unit without errors.
std::vector<EmittedFile> emitTransformed(const ParsedUnit &unit, const std::string &output);

/// "app.streammap.cu" for "src/app.cu": the default name of a transformed source.
std::string emittedName(const std::string &source);

} // namespace streammap
