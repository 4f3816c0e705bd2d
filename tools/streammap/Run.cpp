// streammap run: one rank per node of the placement, each under a supervisor (Supervise.h).
#include "Commands.h"
#include "StartRanks.h"
#include "Supervise.h"
#include "build/Tools.h"
#include "launch/ExplainLauncher.h"
#include "support/Files.h"
#include "support/Units.h"
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
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
  std::string launcher; ///< empty: local for one node, srun in an allocation that has the nodes, else mpirun
  std::string slurmMpi;
  std::string cluster;
  std::string trace;
  std::string record;
  std::string diagnostics = "text";
  double timeoutSeconds = 0;
  bool allOutput = false;
  bool onNodes = false;
  bool quiet = false;
};

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

struct LoadedPlan {
  std::string text;
  engine::Plan plan;
};

/// Nothing, with the reason printed and `exitCode` set, where there is none to use.
std::optional<LoadedPlan> loadPlan(const RunOptions &options, ExitCode &exitCode) {
  Expected<std::string> text = readFile(options.placement);
  if (!text) {
    exitCode = environmentFailure(text.error().message);
    return std::nullopt;
  }
  Diagnostics diagnostics;
  std::optional<engine::Plan> plan = engine::readPlan(*text, options.placement, diagnostics);
  printDiagnostics(diagnostics, options.diagnostics);
  if (!plan) {
    exitCode = ExitCode::inputErrors;
    return std::nullopt;
  }
  return LoadedPlan{std::move(*text), std::move(*plan)};
}

/// The full path of the program; empty if it cannot be run.
std::string resolveProgram(const std::string &name) {
  if (name.find('/') == std::string::npos && !fs::exists(name))
    return findOnPath(name);
  return access(name.c_str(), X_OK) == 0 ? fs::absolute(name).lexically_normal().string() : std::string();
}

/// Whether `streammap build` made it: the runtime inside names the variable that a placement is handed over
/// by. Scripts may start anything and pass.
bool isOurProgram(const std::string &program) {
  const Expected<std::string> bytes = readFile(program);
  return !bytes ||
         !bytes->starts_with("\x7f"
                             "ELF") ||
         bytes->find("STREAMMAP_PLACEMENT") != std::string::npos;
}

ExitCode fromChild(const ChildEnd &end, const RunOptions &options) {
  if (end.passedOn != 0) {
    std::fprintf(stderr, "streammap: ended by signal %d (%s)\n", end.passedOn, strsignal(end.passedOn));
    return static_cast<ExitCode>(128 + end.passedOn);
  }
  if (end.timedOut)
    return environmentFailure(options.program + " was ended: it had not finished within " +
                              std::to_string(options.timeoutSeconds) + " s");
  if (WIFEXITED(end.status))
    return static_cast<ExitCode>(WEXITSTATUS(end.status));
  return environmentFailure("what started the ranks was killed by signal " +
                            std::to_string(WTERMSIG(end.status)) + " (" + strsignal(WTERMSIG(end.status)) +
                            ")");
}

/// "2 ranks, 4 devices, 93 tasks in 1.20 s": what a run that printed nothing else did.
void sayWhatRan(const engine::Plan &plan, Seconds elapsed) {
  const auto count = [](std::size_t number, const char *noun) {
    return std::to_string(number) + " " + noun + (number == 1 ? "" : "s");
  };
  std::fprintf(stderr, "%s, %s, %s in %s, start-up included\n", count(plan.nodes.size(), "rank").c_str(),
               count(static_cast<std::size_t>(plan.gpuCount()), "GPU").c_str(),
               count(plan.tasks.size(), "task").c_str(), toText(elapsed).c_str());
}

std::string chooseLauncher(const RunOptions &options, const engine::Plan *plan) {
  if (!options.launcher.empty())
    return options.launcher;
  if (plan && insideAllocationOf(*plan) && !findOnPath("srun").empty())
    return "srun";
  return plan && (plan->nodes.size() > 1 || options.onNodes) ? "mpirun" : "local";
}

/// Runs the launcher's command; what it says of a failure is put into plainer words where we know them.
ExitCode runLauncher(const StartCommand &start, const RunOptions &options) {
  const ChildEnd end = runChild(start.words, start.environment, options.timeoutSeconds, Listen::toErrors);
  if (!start.temporaryFile.empty())
    fs::remove(start.temporaryFile);
  const bool failed = !WIFEXITED(end.status) || WEXITSTATUS(end.status) != 0;
  if (failed && !end.timedOut && !end.passedOn)
    if (const std::optional<std::string> why = explainLauncherOutput(end.heard))
      return environmentFailure(*why);
  // srun's exit code is the largest of its ranks', and those that are ended for another's sake have 143.
  const bool rankFailed = end.heard.find("streammap: error: rank ") != std::string::npos ||
                          end.heard.find(" was killed by signal ") != std::string::npos;
  if (failed && rankFailed && WIFEXITED(end.status) && WEXITSTATUS(end.status) > 128)
    return ExitCode::environmentFailed;
  return fromChild(end, options);
}

ExitCode startRanks(const std::string &launcherName, const LoadedPlan &loaded, const RunOptions &options,
                    const std::string &program, StartRequest request) {
  const Expected<Launcher> launcher = findLauncher(launcherName, program, options.slurmMpi);
  if (!launcher)
    return environmentFailure(launcher.error().message);
  if (options.onNodes || launcherName == "srun") {
    request.where = Where::onNodes;
    request.plan = launchPlanOf(loaded.plan, loaded.text, options.placement, options.cluster);
    request.environment.merge(commonEnvironment(request.plan, fs::absolute(options.placement)));
  }
  if (launcherName == "srun" && !std::getenv("SLURM_JOB_ID"))
    if (const Expected<void> usable = requireUsableNodes(request.plan.nodes); !usable)
      return environmentFailure(usable.error().message);
  const Expected<StartCommand> start = startCommand(*launcher, request);
  if (!start)
    return environmentFailure(start.error().message);
  return runLauncher(*start, options);
}

ExitCode startProgram(const RunOptions &options) {
  ExitCode exitCode = ExitCode::done;
  std::optional<LoadedPlan> loaded;
  if (!options.placement.empty() && !(loaded = loadPlan(options, exitCode)))
    return exitCode;
  const engine::Plan *plan = loaded ? &loaded->plan : nullptr;
  const std::string program = resolveProgram(options.program);
  if (program.empty())
    return environmentFailure("cannot run " + options.program +
                              ": no such program, or it may not be executed");
  if (plan && !isOurProgram(program)) {
    std::fprintf(stderr,
                 "streammap: error: %s was not made by 'streammap build', or with --serial: a placement has "
                 "no effect on "
                 "it\n",
                 options.program.c_str());
    return ExitCode::inputErrors;
  }
  const Environment environment = environmentFor(options, plan);
  for (const auto &[name, value] : environment)
    setenv(name.c_str(), value.c_str(), 1);

  std::vector<std::string> rank{fs::read_symlink("/proc/self/exe"), "supervise-rank", "--", program};
  rank.insert(rank.end(), options.arguments.begin(), options.arguments.end());
  const std::string launcher = chooseLauncher(options, plan);
  if (launcher == "local" && plan && plan->nodes.size() > 1) {
    std::fprintf(stderr, "streammap: error: %s uses %zu nodes; --launcher local starts one process\n",
                 options.placement.c_str(), plan->nodes.size());
    return ExitCode::wrongUsage;
  }
  if (launcher == "local" || !plan)
    return fromChild(runChild(rank, {}, options.timeoutSeconds), options);
  StartRequest request{.plan = {}, .rank = rank, .environment = environment};
  request.plan.ranks.resize(plan->nodes.size());
  return startRanks(launcher, *loaded, options, program, std::move(request));
}

ExitCode runProgram(const RunOptions &options, const std::vector<std::string> &unexpected) {
  if (!unexpected.empty()) {
    const std::string &first = unexpected.front();
    std::fprintf(stderr, "streammap: %s '%s'; %s\n",
                 first.starts_with("-") ? "unknown option" : "unexpected argument", first.c_str(),
                 first.starts_with("-") ? "see 'streammap run --help'; options of the program follow after --"
                                        : "the program's arguments follow after --");
    return ExitCode::wrongUsage;
  }
  const auto start = std::chrono::steady_clock::now();
  const ExitCode exitCode = startProgram(options);
  const Seconds elapsed(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  if (exitCode == ExitCode::done && !options.quiet && !options.placement.empty()) {
    ExitCode unused = ExitCode::done;
    if (const std::optional<LoadedPlan> loaded = loadPlan(options, unused))
      sayWhatRan(loaded->plan, elapsed);
  }
  return exitCode;
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
                   "How ranks start (default: local for one node, srun inside its allocation, else mpirun)")
      ->check(CLI::IsMember({"srun", "mpirun", "mpiexec", "local"}));
  command->add_option("--mpi", options->slurmMpi,
                      "srun's --mpi (default: pmix for programs of Open MPI, pmi2 for those of MPICH)");
  command->add_flag("--on-nodes", options->onNodes,
                    "Start each rank on the host that has its node's name, as srun always does (default: all "
                    "on this machine)");
  command->add_option("--cluster", options->cluster,
                      "Cluster file for the order of ranks, where the one the placement names is elsewhere");
  command->add_option("--trace", options->trace, "Write what happened as a Chrome trace (Perfetto opens it)");
  command->add_option("--record", options->record,
                      "Skip the kernels and write the tasks that are met as a tasks.json file");
  command->add_flag("--all-output", options->allOutput, "Show what every rank prints, not only rank 0");
  command->add_option("--timeout", options->timeoutSeconds, "End the program after so many seconds")
      ->check(CLI::PositiveNumber);
  command->add_option("--diagnostics", options->diagnostics, "Form of messages about the placement")
      ->check(CLI::IsMember({"text", "json", "sarif"}));
  command->add_flag("-q,--quiet", options->quiet, "No closing line about ranks, GPUs, tasks and time");
  command->allow_extras();
  command->callback([options, command, &exitCode] { exitCode = runProgram(*options, command->remaining()); });

  CLI::App *supervise = app.add_subcommand("supervise-rank", "Run one rank; used by 'run'")->group("");
  supervise->callback([passedOn, &exitCode] {
    exitCode = passedOn.empty() ? ExitCode::wrongUsage : static_cast<ExitCode>(superviseRank(passedOn, {}));
  });
}

} // namespace streammap
