// streammap run: one rank per node of the placement, each under a supervisor (Supervise.h).
#include "Commands.h"
#include "Supervise.h"
#include "build/RunTool.h"
#include "build/Tools.h"
#include "streammap/Plan.h"
#include "support/Files.h"
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <sys/wait.h>
#include <unistd.h>

namespace fs = std::filesystem;

namespace streammap {
namespace {

struct RunOptions {
  std::string program;
  std::vector<std::string> arguments;
  std::string placement;
  std::string launcher; ///< empty: local for one node, mpirun for more
  std::string trace;
  std::string record;
  std::string diagnostics = "text";
  double timeoutSeconds = 0;
  bool allOutput = false;
  bool onNodes = false;
};

using Environment = std::map<std::string, std::string>;

/// How one launcher starts `ranks` copies of a command.
struct Launcher {
  std::string path;
  enum class Kind { openMpi, mpich } kind = Kind::openMpi;
};

Expected<Launcher> findLauncher() {
  Launcher launcher;
  launcher.path = findOnPath("mpirun");
  if (launcher.path.empty())
    return failure("cannot find mpirun on PATH (apt-get install openmpi-bin)");
  const Expected<ToolRun> version = runTool({launcher.path, "--version"});
  if (!version)
    return std::unexpected(version.error());
  if (version->output.find("Open MPI") == std::string::npos)
    launcher.kind = Launcher::Kind::mpich;
  return launcher;
}

std::vector<std::string> launchCommand(const Launcher &launcher, const std::vector<std::string> &nodes,
                                       const RunOptions &options, const Environment &environment) {
  std::vector<std::string> command{launcher.path};
  const bool openMpi = launcher.kind == Launcher::Kind::openMpi;
  if (openMpi) {
    // Quiet: supervisors report failures. Unbound: a rank's devices and threads want all of its node's cores.
    command.insert(command.end(), {"-q", "--bind-to", "none"});
    if (geteuid() == 0)
      command.push_back("--allow-run-as-root");
    for (const auto &[name, value] : environment)
      command.insert(command.end(), {"-x", name});
  }
  if (options.onNodes) {
    std::string hosts;
    for (const std::string &node : nodes)
      hosts += (hosts.empty() ? "" : ",") + node + (openMpi ? ":1" : "");
    command.insert(command.end(), {openMpi ? "--host" : "-hosts", hosts});
  } else if (openMpi) {
    command.push_back("--oversubscribe");
  }
  command.insert(command.end(), {"-n", std::to_string(nodes.size())});
  return command;
}

Environment environmentFor(const RunOptions &options, const engine::Plan *plan) {
  Environment environment;
  if (plan) {
    environment["STREAMMAP_PLACEMENT"] = fs::absolute(options.placement);
    int devices = 1;
    for (std::size_t rank = 0; rank < plan->nodes.size(); ++rank)
      devices = std::max(devices, plan->devicesOf(static_cast<int>(rank)));
    if (!std::getenv("STREAMMAP_CPU_DEVICES")) // only programs built for the CPU device look at it
      environment["STREAMMAP_CPU_DEVICES"] = std::to_string(devices);
  }
  if (!options.trace.empty())
    environment["STREAMMAP_TRACE"] = fs::absolute(options.trace);
  if (!options.record.empty())
    environment["STREAMMAP_RECORD"] = fs::absolute(options.record);
  if (options.allOutput)
    environment["STREAMMAP_ALL_OUTPUT"] = "1";
  return environment;
}

/// Nothing, with the reason printed and `exitCode` set, where there is none to use.
std::optional<engine::Plan> loadPlan(const RunOptions &options, ExitCode &exitCode) {
  const Expected<std::string> text = readFile(options.placement);
  if (!text) {
    exitCode = environmentFailure(text.error().message);
    return std::nullopt;
  }
  Diagnostics diagnostics;
  std::optional<engine::Plan> plan = engine::readPlan(*text, options.placement, diagnostics);
  printDiagnostics(diagnostics, options.diagnostics);
  if (!plan)
    exitCode = ExitCode::inputErrors;
  return plan;
}

/// The full path of the program; empty if it cannot be run.
std::string resolveProgram(const std::string &name) {
  if (name.find('/') == std::string::npos && !fs::exists(name))
    return findOnPath(name);
  return access(name.c_str(), X_OK) == 0 ? fs::absolute(name).string() : std::string();
}

ExitCode fromChild(const ChildEnd &end, const RunOptions &options) {
  if (end.timedOut)
    return environmentFailure(options.program + " was ended: it had not finished within " +
                              std::to_string(options.timeoutSeconds) + " s");
  if (WIFEXITED(end.status))
    return static_cast<ExitCode>(WEXITSTATUS(end.status));
  return static_cast<ExitCode>(128 + WTERMSIG(end.status));
}

ExitCode runProgram(const RunOptions &options) {
  ExitCode exitCode = ExitCode::done;
  std::optional<engine::Plan> plan;
  if (!options.placement.empty() && !(plan = loadPlan(options, exitCode)))
    return exitCode;
  const std::string program = resolveProgram(options.program);
  if (program.empty())
    return environmentFailure("cannot run " + options.program +
                              ": no such program, or it may not be executed");
  const Environment environment = environmentFor(options, plan ? &*plan : nullptr);
  for (const auto &[name, value] : environment)
    setenv(name.c_str(), value.c_str(), 1);

  std::vector<std::string> rank{fs::read_symlink("/proc/self/exe"), "supervise-rank", "--", program};
  rank.insert(rank.end(), options.arguments.begin(), options.arguments.end());
  const std::size_t ranks = plan ? plan->nodes.size() : 1;
  if (options.launcher == "local" && ranks > 1) {
    std::fprintf(stderr, "streammap: error: %s uses %zu nodes; --launcher local starts one process\n",
                 options.placement.c_str(), ranks);
    return ExitCode::wrongUsage;
  }
  if (ranks == 1 && options.launcher != "mpirun" && !options.onNodes)
    return fromChild(runChild(rank, {}, options.timeoutSeconds), options);

  const Expected<Launcher> launcher = findLauncher();
  if (!launcher)
    return environmentFailure(launcher.error().message);
  std::vector<std::string> command = launchCommand(
      *launcher, plan ? plan->nodes : std::vector<std::string>{"localhost"}, options, environment);
  command.insert(command.end(), rank.begin(), rank.end());
  return fromChild(runChild(command, {}, options.timeoutSeconds), options);
}

} // namespace

void addRunCommand(CLI::App &app, const std::vector<std::string> &passedOn, ExitCode &exitCode) {
  auto options = std::make_shared<RunOptions>();
  options->arguments = passedOn;
  CLI::App *command = app.add_subcommand("run", "Start a built program on the nodes of its placement");
  command->footer(
      "The program's own arguments follow after --.\n"
      "Example: streammap run ./cholesky --placement cholesky.placement.json --trace run.json -- 8 32\n"
      "The exit code is the program's own; 1: its tasks are not those of the placement; 4: a rank was "
      "killed, or a device or MPI failed (the message names rank, node, device and task).");
  command->add_option("program", options->program, "The executable that 'streammap build' made")->required();
  command->add_option("--placement", options->placement, "Who runs what; without one all runs on one GPU");
  command
      ->add_option("--launcher", options->launcher,
                   "How ranks start (default: local for one node, else mpirun)")
      ->check(CLI::IsMember({"mpirun", "local"}));
  command->add_flag("--on-nodes", options->onNodes,
                    "Start each rank on the host that has its node's name (default: all on this machine)");
  command->add_option("--trace", options->trace, "Write what happened as a Chrome trace (Perfetto opens it)");
  command->add_option("--record", options->record,
                      "Skip the kernels and write the tasks that are met as a tasks.json file");
  command->add_flag("--all-output", options->allOutput, "Show what every rank prints, not only rank 0");
  command->add_option("--timeout", options->timeoutSeconds, "End the program after so many seconds")
      ->check(CLI::PositiveNumber);
  command->add_option("--diagnostics", options->diagnostics, "Form of messages about the placement")
      ->check(CLI::IsMember({"text", "json", "sarif"}));
  command->callback([options, &exitCode] { exitCode = runProgram(*options); });

  CLI::App *supervise = app.add_subcommand("supervise-rank", "Run one rank; used by 'run'")->group("");
  supervise->callback([passedOn, &exitCode] {
    exitCode = passedOn.empty() ? ExitCode::wrongUsage : static_cast<ExitCode>(superviseRank(passedOn, {}));
  });
}

} // namespace streammap
