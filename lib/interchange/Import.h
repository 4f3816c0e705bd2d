#pragma once
// Other people's scheduling problems as a task graph and the cluster it is meant for.
//
//   std::optional<ImportedProblem> problem = importProblem(text, "rand0000.stg", {.processors = 4},
//   diagnostics); writeTaskGraph(problem->graph); writeCluster(*problem->cluster);
//
// Six formats are read, a file of this folder each; docs/import.md says what of each is carried over and in
// which units. The processors of a problem become nodes with one device each. An edge of weight w takes w
// seconds between any two of them: it carries w bytes, and every node has a link of one byte per second;
// transfers do not share it.
#include "model/Cluster.h"
#include "model/TaskGraph.h"
#include "support/Diagnostic.h"
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace streammap {

struct ImportOptions {
  std::string format = "auto"; ///< a name of importFormats(), or "auto": recognised by content
  std::optional<std::size_t> processors =
      std::nullopt; ///< how many, where the format leaves that open or names a number
  std::optional<BytesPerSecond> bandwidth =
      std::nullopt; ///< of each node's link, where sizes are real bytes (WfFormat)
};

struct ImportedProblem {
  TaskGraph graph;
  std::optional<Cluster> cluster; ///< nothing when neither the file nor the options say how many processors
  std::optional<Seconds> optimum; ///< the shortest makespan, where the file claims to know it
  std::vector<std::string> notes; ///< what of the file does not carry over, one sentence each
};

struct ImportFormat {
  std::string_view name;        ///< as `--format` takes it: "stg"
  std::string_view description; ///< one line
  bool (*recognises)(std::string_view text);
  /// `file` is what messages call the text. Nothing when an error was reported.
  std::optional<ImportedProblem> (*read)(std::string_view text, const std::string &file,
                                         const ImportOptions &options, Diagnostics &diagnostics);
};

/// All formats, in the order in which they are tried.
std::span<const ImportFormat> importFormats();

/// Nothing when `diagnostics` has got an error; all of a file's mistakes are listed, each with its line and
/// column (its JSON pointer in WfFormat), what was found and what was expected. O(text).
std::optional<ImportedProblem> importProblem(std::string_view text, const std::string &file,
                                             const ImportOptions &options, Diagnostics &diagnostics);

} // namespace streammap
