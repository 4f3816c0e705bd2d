#include "Commands.h"
#include <cstdio>

namespace streammap {

void printDiagnostics(const Diagnostics &diagnostics, const std::string &form) {
  if (diagnostics.all().empty() && form == "text")
    return;
  const std::string text = form == "json"    ? toJson(diagnostics)
                           : form == "sarif" ? toSarif(diagnostics)
                                             : toText(diagnostics);
  std::fputs(text.c_str(), stderr);
}

ExitCode environmentFailure(const std::string &message) {
  std::fprintf(stderr, "streammap: error: %s\n", message.c_str());
  return ExitCode::environmentFailed;
}

} // namespace streammap
