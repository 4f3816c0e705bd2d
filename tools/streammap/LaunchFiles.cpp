// streammap launch-files: a placement in the words of mpirun, mpiexec, Slurm and Kubernetes.
#include "launch/LaunchFiles.h"
#include "Commands.h"
#include "Load.h"
#include "support/Files.h"
#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>

namespace fs = std::filesystem;

namespace streammap {
namespace {

struct LaunchFilesOptions {
  PlacementFiles files;
  std::vector<std::string> targets; ///< empty: all that need no further option
  std::string folder;
  std::string ranksPer = "node";
  std::string placementThere; ///< the placement's path as ranks find it
  LaunchOptions launch;
  std::string diagnostics = "text";
};

/// "out/app.placement.json" -> "app".
std::string stem(const std::string &placement) {
  std::string name = fs::path(placement).filename().string();
  for (std::string_view ending : {".json", ".placement"})
    if (name.ends_with(ending) && name.size() > ending.size())
      name.resize(name.size() - ending.size());
  return name == "-" ? "app" : name;
}

/// The targets asked for; all of them where none is named, Kubernetes only if there is an image to start.
std::vector<const LaunchTarget *> chosenTargets(const LaunchFilesOptions &options) {
  std::vector<const LaunchTarget *> targets;
  for (const LaunchTarget &target : launchTargets()) {
    const bool named = std::ranges::find(options.targets, target.name) != options.targets.end();
    const bool implied =
        options.targets.empty() && (target.name != "kubernetes" || !options.launch.image.empty());
    if (named || implied)
      targets.push_back(&target);
  }
  return targets;
}

/// The program as given after "--", else "./app" with the arguments the placement was made for.
std::vector<std::string> programOf(const LaunchFilesOptions &options, const TaskGraph &graph) {
  if (!options.launch.program.empty())
    return options.launch.program;
  std::vector<std::string> program{"./" + stem(options.files.placement)};
  program.insert(program.end(), graph.program.arguments.begin(), graph.program.arguments.end());
  return program;
}

Expected<void> writeTarget(const LaunchTarget &target, const LaunchPlan &plan,
                           const LaunchFilesOptions &options, const LaunchOptions &launch) {
  for (const LaunchFile &file : target.write(plan, launch)) {
    const std::string path = options.folder + "/" + file.name;
    if (Expected<void> written = writeFileWhole(path, file.text); !written)
      return written;
    std::printf("%s\n", path.c_str());
  }
  std::fprintf(stderr, "%s: start with  %s\n", std::string(target.name).c_str(),
               std::string(target.command).c_str());
  return {};
}

ExitCode writeLaunchFiles(const LaunchFilesOptions &options) {
  const bool kubernetes = std::ranges::find(options.targets, "kubernetes") != options.targets.end();
  if (kubernetes && options.launch.image.empty()) {
    std::fprintf(stderr, "streammap: error: --to kubernetes needs --image: what the pods start\n");
    return ExitCode::wrongUsage;
  }
  Diagnostics diagnostics;
  const Expected<std::optional<LoadedPlacement>> loaded = loadPlacement(options.files, diagnostics);
  if (!loaded)
    return environmentFailure(loaded.error().message);
  printDiagnostics(diagnostics, options.diagnostics);
  if (!*loaded)
    return ExitCode::inputErrors;
  const LoadedPlacement &input = **loaded;

  const LaunchPlan plan = planRanks(nodesInUse(input.placement, input.cluster), &input.cluster,
                                    options.ranksPer == "gpu" ? RanksPer::gpu : RanksPer::node);
  LaunchOptions launch = options.launch;
  launch.program = programOf(options, input.graph);
  launch.placement = options.placementThere.empty() ? options.files.placement : options.placementThere;
  if (launch.jobName.empty())
    launch.jobName = stem(options.files.placement);
  std::error_code error;
  fs::create_directories(options.folder, error);
  if (error)
    return environmentFailure("cannot make the folder " + options.folder + ": " + error.message());
  for (const LaunchTarget *target : chosenTargets(options))
    if (const Expected<void> written = writeTarget(*target, plan, options, launch); !written)
      return environmentFailure(written.error().message);
  std::fprintf(stderr, "%zu ranks on %zu nodes; neighbours in rank order cross leaves %zu times\n",
               plan.ranks.size(), plan.nodes.size(), leafCrossings(plan));
  return ExitCode::done;
}

} // namespace

void addLaunchFilesCommand(CLI::App &app, const std::vector<std::string> &passedOn, ExitCode &exitCode) {
  CLI::App *command = app.add_subcommand(
      "launch-files", "Write what mpirun, mpiexec, sbatch or kubectl need to start a placement");
  auto options = std::make_shared<LaunchFilesOptions>();
  options->launch.program = passedOn;
  options->launch.jobName.clear();
  std::vector<std::string> names;
  for (const LaunchTarget &target : launchTargets())
    names.emplace_back(target.name);
  command->add_option("placement", options->files.placement, "who runs what")->required();
  command
      ->add_option("--to", options->targets,
                   "openmpi, mpich, slurm or kubernetes; several may be given (default: all)")
      ->check(CLI::IsMember(names))
      ->allow_extra_args(false);
  command->add_option("-o,--output", options->folder, "folder the files go to; made where it is missing")
      ->required();
  command
      ->add_option(
          "--ranks-per", options->ranksPer,
          "node: for programs of 'streammap build'; gpu: for MPI programs that take one GPU per rank")
      ->check(CLI::IsMember({"node", "gpu"}))
      ->capture_default_str();
  command->add_option("--remote-placement", options->placementThere,
                      "the placement's path on the nodes or in the containers, where it is another");
  command->add_option("--job-name", options->launch.jobName, "name of the job (default: the placement's)");
  command->add_option("--mpi", options->launch.slurmMpi, "srun's --mpi: pmix for Open MPI, pmi2 for MPICH")
      ->capture_default_str();
  command
      ->add_option("--slurm-option", options->launch.slurmOptions,
                   "a further option of sbatch, \"--partition=gpu\"; several may be given")
      ->allow_extra_args(false);
  command->add_option("--image", options->launch.image, "container image with the program, mpirun and sshd");
  command->add_option("--working-directory", options->launch.workingDirectory, "where containers start")
      ->capture_default_str();
  command->add_option("--tasks", options->files.tasks, "task graph, instead of the one the placement names");
  command->add_option("--cluster", options->files.cluster, "cluster, instead of the one the placement names");
  command->add_option("--diagnostics", options->diagnostics, "text, json or sarif")
      ->check(CLI::IsMember({"text", "json", "sarif"}))
      ->capture_default_str();
  command->footer("The program and its arguments follow after --.\n"
                  "Example: streammap launch-files app.placement.json --to slurm -o launch -- ./app 8 32");
  command->callback([options, &exitCode] { exitCode = writeLaunchFiles(*options); });
}

} // namespace streammap
