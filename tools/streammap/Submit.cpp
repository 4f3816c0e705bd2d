// streammap submit: the batch job of a placement, handed to Slurm.
#include "Commands.h"
#include "StartRanks.h"
#include "build/RunTool.h"
#include "build/Tools.h"
#include "launch/ExplainLauncher.h"
#include "launch/LaunchFiles.h"
#include "support/Files.h"
#include "support/Text.h"
#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <thread>
#include <unistd.h>

namespace fs = std::filesystem;

namespace streammap {
namespace {

struct SubmitOptions {
  std::string program;
  std::vector<std::string> arguments;
  std::string placement;
  std::string cluster;
  std::string slurmMpi;
  std::string output; ///< where the job's output goes; Slurm's patterns are allowed
  std::vector<std::string> slurmOptions;
  std::string diagnostics = "text";
  bool wait = false;
};

Expected<std::string> submitScript(const std::string &script) {
  std::string name = (fs::temp_directory_path() / "streammap-job-XXXXXX").string();
  const int file = mkstemp(name.data());
  if (file < 0)
    return failure("cannot make a temporary file in " + fs::temp_directory_path().string());
  close(file);
  if (const Expected<void> written = writeFileWhole(name, script); !written)
    return std::unexpected(written.error());
  const Expected<ToolRun> ran = runTool({"sbatch", "--parsable", name});
  fs::remove(name); // sbatch has read it
  if (!ran)
    return std::unexpected(ran.error());
  if (ran->exitCode != 0)
    return failure("sbatch refused the job: " + std::string(trim(ran->output)) + [&] {
      const auto why = explainLauncherOutput(ran->output);
      return why ? "\n  " + *why : std::string();
    }());
  // "12", or "12;cluster"; warnings of sbatch come on lines before it.
  const std::vector<std::string_view> lines = split(trim(ran->output), '\n');
  return std::string(split(lines.back(), ';').front());
}

/// The value of "Key=value" in one line of `scontrol --oneliner`.
std::string fieldOf(std::string_view line, const std::string &key) {
  const std::size_t at = line.find(" " + key + "=");
  if (at == std::string_view::npos)
    return {};
  const std::string_view rest = line.substr(at + key.size() + 2);
  return std::string(rest.substr(0, rest.find(' ')));
}

struct JobEnd {
  std::string state;
  int exitCode = 0;
};

/// Polls until the job has left the queue: `sbatch --wait` looks only every ten seconds. Slurm remembers a
/// job for some minutes after its end (MinJobAge).
Expected<JobEnd> waitForJob(const std::string &job) {
  for (auto pause = std::chrono::milliseconds(200);;
       pause = std::min(pause * 2, std::chrono::milliseconds(3000))) {
    std::this_thread::sleep_for(pause);
    const Expected<ToolRun> ran = runTool({"scontrol", "--oneliner", "show", "job", job});
    if (!ran)
      return std::unexpected(ran.error());
    const std::string state = fieldOf(ran->output, "JobState");
    if (ran->exitCode != 0 || state.empty())
      return failure("Slurm no longer knows job " + job + ": " + std::string(trim(ran->output)));
    constexpr std::string_view going[] = {"PENDING",     "RUNNING",   "COMPLETING",
                                          "CONFIGURING", "SUSPENDED", "REQUEUED"};
    if (std::ranges::find(going, state) == std::end(going))
      return JobEnd{state, std::atoi(fieldOf(ran->output, "ExitCode").c_str())};
  }
}

ExitCode reportEnd(const JobEnd &end, const std::string &job, const SubmitOptions &options) {
  if (end.state == "COMPLETED")
    return ExitCode::done;
  std::fprintf(stderr, "streammap: error: job %s ended as %s with exit code %d; its output is in %s\n",
               job.c_str(), end.state.c_str(), end.exitCode, options.output.c_str());
  if (end.state == "NODE_FAIL")
    std::fprintf(stderr,
                 "  a node failed: 'streammap discover --state' refreshes the cluster file, 'streammap map' "
                 "then places around it\n");
  return end.exitCode != 0 ? static_cast<ExitCode>(end.exitCode) : ExitCode::environmentFailed;
}

/// The script: every rank under a supervisor, which says what a killed rank was doing.
std::string batchScript(const SubmitOptions &options, const engine::Plan &plan, const std::string &text,
                        const std::string &program, const std::string &slurmMpi) {
  LaunchOptions launch;
  launch.program = {fs::read_symlink("/proc/self/exe"), "supervise-rank", "--", program};
  launch.program.insert(launch.program.end(), options.arguments.begin(), options.arguments.end());
  launch.placement = fs::absolute(options.placement);
  launch.jobName = fs::path(program).filename();
  launch.slurmMpi = slurmMpi;
  launch.slurmOptions = options.slurmOptions;
  launch.slurmOptions.push_back("--output=" + options.output);
  const LaunchPlan ranks = launchPlanOf(plan, text, options.placement, options.cluster);
  return slurmFiles(ranks, launch).front().text;
}

ExitCode submit(SubmitOptions options) {
  const Expected<std::string> text = readFile(options.placement);
  if (!text)
    return environmentFailure(text.error().message);
  Diagnostics diagnostics;
  const std::optional<engine::Plan> plan = engine::readPlan(*text, options.placement, diagnostics);
  printDiagnostics(diagnostics, options.diagnostics);
  if (!plan)
    return ExitCode::inputErrors;
  const std::string program = fs::absolute(options.program).lexically_normal();
  if (access(program.c_str(), X_OK) != 0)
    return environmentFailure("cannot run " + options.program +
                              ": no such program, or it may not be executed");
  const Expected<Launcher> launcher = findLauncher("srun", program, options.slurmMpi);
  if (!launcher)
    return environmentFailure(launcher.error().message);
  if (const Expected<void> usable = requireUsableNodes(plan->nodes); !usable)
    return environmentFailure(usable.error().message);
  if (options.output.empty())
    options.output = fs::path(program).filename().string() + ".%j.out";

  const Expected<std::string> job =
      submitScript(batchScript(options, *plan, *text, program, launcher->slurmMpi));
  if (!job)
    return environmentFailure(job.error().message);
  std::printf("%s\n", job->c_str());
  std::fflush(stdout);
  const std::string pattern = "%j";
  if (const std::size_t at = options.output.find(pattern); at != std::string::npos)
    options.output.replace(at, pattern.size(), *job);
  std::fprintf(stderr, "job %s on %zu nodes; output goes to %s; 'scancel %s' ends it\n", job->c_str(),
               plan->nodes.size(), options.output.c_str(), job->c_str());
  if (!options.wait)
    return ExitCode::done;
  const Expected<JobEnd> end = waitForJob(*job);
  if (!end)
    return environmentFailure(end.error().message);
  return reportEnd(*end, *job, options);
}

} // namespace

void addSubmitCommand(CLI::App &app, const std::vector<std::string> &passedOn, ExitCode &exitCode) {
  auto options = std::make_shared<SubmitOptions>();
  options->arguments = passedOn;
  CLI::App *command =
      app.add_subcommand("submit", "Hand a built program and its placement to Slurm as a batch job");
  command->footer("The program's own arguments follow after --. Prints the job's number.\n"
                  "Example: streammap submit ./app --placement app.placement.json --wait -- 8 32\n"
                  "With --wait the exit code is the job's; 4: it was refused, cancelled or lost a node.");
  command->add_option("program", options->program, "The executable that 'streammap build' made")->required();
  command->add_option("--placement", options->placement, "Who runs what")->required();
  command->add_flag("--wait", options->wait, "Return when the job has ended");
  command->add_option("-o,--output", options->output,
                      "File for what the job prints (default: PROGRAM.%j.out)");
  command->add_option("--mpi", options->slurmMpi,
                      "srun's --mpi (default: pmix for programs of Open MPI, pmi2 for those of MPICH)");
  command
      ->add_option("--slurm-option", options->slurmOptions,
                   "A further option of sbatch, \"--partition=gpu\"; several may be given")
      ->allow_extra_args(false);
  command->add_option("--cluster", options->cluster,
                      "Cluster file for the order of ranks, where the one the placement names is elsewhere");
  command->add_option("--diagnostics", options->diagnostics, "Form of messages about the placement")
      ->check(CLI::IsMember({"text", "json", "sarif"}));
  command->callback([options, &exitCode] { exitCode = submit(*options); });
}

} // namespace streammap
