// streammap-annotate: the part of `streammap` that reads CUDA sources. `streammap annotate`, `streammap
// check` and `streammap build` run it.
#include "AnnotateProgram.h"
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>

using namespace streammap;

namespace {

enum ExitCode { done = 0, inputErrors = 1, wrongUsage = 2, environmentFailed = 4 };

void print(const Diagnostics &diagnostics, const std::string &form) {
  if (diagnostics.all().empty() && form == "text")
    return;
  const std::string text = form == "json"    ? toJson(diagnostics)
                           : form == "sarif" ? toSarif(diagnostics)
                                             : toText(diagnostics);
  std::fputs(text.c_str(), stderr);
}

void addInputs(CLI::App &command, AnnotateOptions &options, std::string &diagnosticsForm) {
  command.add_option("sources", options.sources, "CUDA or C++ sources of one program")->required();
  command.add_option("--compile-commands", options.compileCommands,
                     "compile_commands.json, or its folder (default: one in a folder above the source)");
  command.add_option("--diagnostics", diagnosticsForm, "Form of the messages")
      ->check(CLI::IsMember({"text", "json", "sarif"}));
  command.footer("Compiler flags follow after --, as in: ... -- -O3 -Iinclude -DN=8");
}

} // namespace

int main(int argc, char *argv[]) {
  CLI::App app("Reads CUDA sources with #pragma streammap.", "streammap-annotate");
  app.require_subcommand(1);
  app.set_version_flag("--version", "streammap " STREAMMAP_VERSION);
  AnnotateOptions options;
  std::string form = "text";

  CLI::App *annotate =
      app.add_subcommand("annotate", "Writes the task graph, the transformed source, or both");
  addInputs(*annotate, options, form);
  annotate->add_option("--emit", options.emitOutput,
                       "Transformed source to write; a folder for several sources");

  CLI::App *check = app.add_subcommand("check", "Looks for mistakes in the pragmas, writes nothing");
  addInputs(*check, options, form);

  char **dashes = std::find(argv, argv + argc, std::string_view("--"));
  if (dashes != argv + argc)
    options.flags.assign(dashes + 1, argv + argc);
  try {
    app.parse(static_cast<int>(dashes - argv), argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? done : wrongUsage;
  }

  Diagnostics diagnostics;
  Expected<void> result;
  if (check->parsed())
    checkProgram(options, diagnostics);
  else
    result = annotateProgram(options, diagnostics);
  print(diagnostics, form);
  if (!result) {
    std::fprintf(stderr, "streammap-annotate: error: %s\n", result.error().message.c_str());
    return environmentFailed;
  }
  return diagnostics.hasErrors() ? inputErrors : done;
}
