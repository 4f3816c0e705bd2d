#include "Load.h"
#include "model/ClusterJson.h"
#include "model/TaskGraphJson.h"
#include "support/Digest.h"
#include "support/Files.h"
#include <filesystem>

namespace streammap {
namespace {

struct InputFile {
  std::string path, text;
};

/// Reads the file as named, or, where that does not exist, one of the same name beside the placement.
Expected<InputFile> readInput(const std::string &given, const std::string &named,
                              const std::string &placement) {
  if (!given.empty()) {
    Expected<std::string> text = readFile(given);
    if (!text)
      return std::unexpected(text.error());
    return InputFile{given, std::move(*text)};
  }
  Expected<std::string> text = readFile(named);
  if (text)
    return InputFile{named, std::move(*text)};
  const std::filesystem::path folder = std::filesystem::path(placement).parent_path();
  for (const std::filesystem::path &beside :
       {folder / named, folder / std::filesystem::path(named).filename()}) {
    if (Expected<std::string> other = readFile(beside.string()))
      return InputFile{beside.string(), std::move(*other)};
  }
  return failure(text.error().message + " (named by " + placement +
                 ", and not beside it either; give it with --tasks or --cluster)");
}

void requireDigest(const InputFile &file, const std::string &wanted, const std::string &placement,
                   Diagnostics &diagnostics) {
  if (!wanted.empty() && digest(file.text) != wanted)
    diagnostics.error({file.path, 0, 0, ""},
                      "changed since " + placement + " was made from it; run 'streammap map' again",
                      "stale-placement");
}

} // namespace

Expected<std::optional<LoadedPlacement>> loadPlacement(const PlacementFiles &files,
                                                       Diagnostics &diagnostics) {
  const std::string placementName = files.placement == "-" ? "<stdin>" : files.placement;
  const Expected<std::string> text = readFile(files.placement);
  if (!text)
    return std::unexpected(text.error());
  const std::optional<PlacementInputs> inputs = readPlacementInputs(*text, placementName, diagnostics);
  if (!inputs)
    return std::nullopt;
  const Expected<InputFile> tasks = readInput(files.tasks, inputs->tasksFile, files.placement);
  if (!tasks)
    return std::unexpected(tasks.error());
  const Expected<InputFile> clusterFile = readInput(files.cluster, inputs->clusterFile, files.placement);
  if (!clusterFile)
    return std::unexpected(clusterFile.error());
  requireDigest(*tasks, inputs->tasksDigest, placementName, diagnostics);
  requireDigest(*clusterFile, inputs->clusterDigest, placementName, diagnostics);
  if (diagnostics.hasErrors())
    return std::nullopt;

  std::optional<TaskGraph> graph = readTaskGraph(tasks->text, tasks->path, diagnostics);
  std::optional<Cluster> cluster = readCluster(clusterFile->text, clusterFile->path, diagnostics);
  if (!graph || !cluster)
    return std::nullopt;
  std::optional<Placement> placement = readPlacement(*text, placementName, *graph, *cluster, diagnostics);
  if (!placement)
    return std::nullopt;
  return LoadedPlacement{std::move(*graph), std::move(*cluster), std::move(*placement)};
}

} // namespace streammap
