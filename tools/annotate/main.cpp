// streammap-annotate: the part of `streammap` that reads CUDA sources. `streammap annotate`, `streammap
// check` and `streammap build` run it.
#include "AnnotateProgram.h"
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

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

/// name=value, where value is a number. Says what is wrong and returns false.
bool takeValues(const std::vector<std::string> &parameters, const std::string &resources,
                AnnotateOptions &options) {
  for (const std::string &parameter : parameters) {
    const std::size_t equals = parameter.find('=');
    char *end = nullptr;
    const double value = equals == std::string::npos ? 0 : std::strtod(parameter.c_str() + equals + 1, &end);
    if (equals == 0 || !end || end == parameter.c_str() + equals + 1 || *end != 0) {
      std::fprintf(stderr, "--param takes name=number, not '%s'\n", parameter.c_str());
      return false;
    }
    options.parameters[parameter.substr(0, equals)] = value;
  }
  options.kernels.resources = resources == "nvcc"    ? ResourceCompiler::nvcc
                              : resources == "clang" ? ResourceCompiler::clang
                              : resources == "none"  ? ResourceCompiler::none
                                                     : ResourceCompiler::automatic;
  if (options.emitOutput.empty() && options.graphOutput.empty() && options.suggestions.empty())
    options.graphOutput = std::filesystem::path(options.sources.front()).stem().string() + ".tasks.json";
  return true;
}

/// The program's arguments, written where the compiler's flags belong: as `streammap run` takes them.
bool saysFlags(const AnnotateOptions &options) {
  if (options.flags.empty() || options.flags.front().starts_with("-") ||
      options.flags.front().starts_with("@"))
    return true;
  std::fprintf(stderr,
               "what follows -- are compiler flags, and '%s' is none; the program's arguments are given with "
               "--arg, one "
               "each: --arg %s ...\n",
               options.flags.front().c_str(), options.flags.front().c_str());
  return false;
}

/// `--arg 8 4096`: --arg takes one value, and the second became a source.
bool namesSources(const AnnotateOptions &options) {
  std::error_code ignored;
  for (const std::string &source : options.sources)
    if (!options.arguments.empty() && !std::filesystem::exists(source, ignored) &&
        source.find_first_not_of("0123456789.-+eE") == std::string::npos) {
      std::fprintf(stderr, "'%s' is no source file; repeat --arg for each value: --arg %s --arg %s\n",
                   source.c_str(), options.arguments.back().c_str(), source.c_str());
      return false;
    }
  return true;
}

} // namespace

int main(int argc, char *argv[]) {
  CLI::App app("Reads CUDA sources with #pragma streammap.", "streammap");
  app.require_subcommand(1);
  app.set_version_flag("--version", "streammap " STREAMMAP_VERSION);
  AnnotateOptions options;
  std::string form = "text";

  CLI::App *annotate =
      app.add_subcommand("annotate", "Writes the task graph (-o), the transformed source (--emit), or both");
  addInputs(*annotate, options, form);
  std::vector<std::string> parameters;
  std::string resources = "auto";
  annotate->add_option("-o,--output", options.graphOutput, "Task graph to write, - for standard output");
  annotate
      ->add_option("--arg", options.arguments,
                   "Command-line argument the program is expanded with; repeat in order")
      ->take_all()
      ->allow_extra_args(false);
  annotate->add_option("--param", parameters, "name=value of a variable that the sources leave open")
      ->take_all()
      ->allow_extra_args(false);
  annotate
      ->add_option("--gpu-arch", options.kernels.architectures,
                   "Architectures to analyse kernels for: sm_80, sm_90 ...")
      ->delimiter(',')
      ->take_all()
      ->allow_extra_args(false);
  annotate
      ->add_option("--max-tasks", options.mostTasks,
                   "A program that makes more tasks is an error, for loops that never end")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  annotate->add_option("--resources", resources, "Who says how many registers kernels need")
      ->check(CLI::IsMember({"auto", "nvcc", "clang", "none"}));
  annotate->add_option("--emit", options.emitOutput,
                       "Transformed source to write; a folder for several sources");
  annotate
      ->add_flag("--suggest{text}", options.suggestions,
                 "Print a pragma for each launch that is no task yet; --suggest=json for programs")
      ->check(CLI::IsMember({"text", "json"}));

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
  if (!saysFlags(options) || !namesSources(options) ||
      (annotate->parsed() && !takeValues(parameters, resources, options)))
    return wrongUsage;
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
