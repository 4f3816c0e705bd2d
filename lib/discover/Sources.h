#pragma once
// Every kind of text the cluster can be read from. Each parser is a pure function of the text and has a file
// of its own; the kind is recognised by content.
//
//   const SourceKind *kind = recognise(text);            // "slurm-nodes" for `scontrol show node`
//   std::optional<Findings> found = readSource(text, "nodes.txt", nullptr, diagnostics);
#include "discover/Findings.h"
#include <span>
#include <string_view>

namespace streammap {

/// What one source may describe: more is a mistake, and would only fill memory.
inline constexpr std::size_t mostNodesOfSource = 100'000;
inline constexpr std::size_t mostGpusOfSource = 500'000;

struct SourceKind {
  std::string_view name;        ///< of `--from`: "nvidia-smi-topo"
  std::string_view description; ///< the command that prints it
  bool (*recognises)(std::string_view text);
  /// Facts of `text`; mistakes go to `diagnostics` with line and, where it helps, column.
  Findings (*read)(std::string_view text, const std::string &file, Diagnostics &diagnostics);
};

/// In the order they are tried.
std::span<const SourceKind> sourceKinds();

const SourceKind *sourceKindNamed(std::string_view name);

/// The first kind that recognises `text`; null when none does.
const SourceKind *recognise(std::string_view text);

/// Reads `text` as `kind`, or as what it is recognised for. Nothing, with errors reported, when it is no
/// source or has mistakes.
std::optional<Findings> readSource(std::string_view text, const std::string &file, const SourceKind *kind,
                                   Diagnostics &diagnostics);

// --- the parsers, one file each ---

Findings readNvidiaSmiTopo(std::string_view text, const std::string &file, Diagnostics &diagnostics);
Findings readNvidiaSmiXml(std::string_view text, const std::string &file, Diagnostics &diagnostics);
Findings readNvidiaSmiList(std::string_view text, const std::string &file, Diagnostics &diagnostics);
Findings readSlurmNodes(std::string_view text, const std::string &file, Diagnostics &diagnostics);
Findings readSlurmTopology(std::string_view text, const std::string &file, Diagnostics &diagnostics);
Findings readSlurmGres(std::string_view text, const std::string &file, Diagnostics &diagnostics);
Findings readSlurmJson(std::string_view text, const std::string &file, Diagnostics &diagnostics);
Findings readNcclTopology(std::string_view text, const std::string &file, Diagnostics &diagnostics);
Findings readHwloc(std::string_view text, const std::string &file, Diagnostics &diagnostics);
Findings readIbNetDiscover(std::string_view text, const std::string &file, Diagnostics &diagnostics);
Findings readKubernetesNodes(std::string_view text, const std::string &file, Diagnostics &diagnostics);
Findings readKubernetesLabels(std::string_view text, const std::string &file, Diagnostics &diagnostics);
Findings readDcgm(std::string_view text, const std::string &file, Diagnostics &diagnostics);
Findings readHostReport(std::string_view text, const std::string &file, Diagnostics &diagnostics);

} // namespace streammap
