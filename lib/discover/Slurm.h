#pragma once
// What the parsers of Slurm's outputs share: its states, and its lists of generic resources.
#include "discover/Findings.h"
#include <span>
#include <string_view>

namespace streammap::slurm {

/// A node's state from its words, of any version and either spelling: "MIXED+DRAIN", "DOWN*+DRAIN", "idle~",
/// {"IDLE", "DRAIN"}. The worst word decides: down before drained before reserved before busy. Words that do
/// not matter to placement (CLOUD, PLANNED) pass; words nobody knows are reported as a warning.
StateFinding stateOf(std::span<const std::string> stateWords, std::string_view reason,
                     const SourceLocation &where, Diagnostics &diagnostics);

/// "MIXED+DRAIN" as its words.
std::vector<std::string> stateWords(std::string_view text);

/// One element of a GRES list: "gpu:a100:4(IDX:0-3)".
struct Resource {
  std::string name; ///< "gpu"
  std::string type; ///< "a100"; may be empty
  std::size_t count = 1;
  std::optional<std::vector<unsigned>> indices; ///< of (IDX:...); empty when not said
};

/// The elements of a GRES list, whose commas may stand inside parentheses. "(null)" and "" are none.
std::vector<Resource> resources(std::string_view text, const SourceLocation &where, Diagnostics &diagnostics);

/// Gives `node` the GPUs of `configured` (Gres=), and marks those of `used` (GresUsed=) busy.
void addGpus(NodeFindings &node, std::string_view configured, std::string_view used,
             const SourceLocation &where, Diagnostics &diagnostics);

/// `count` GPUs of the node are in use, nobody says which: all of them, when there are no more.
void addUse(NodeFindings &node, std::size_t count, const SourceLocation &where);

/// No more GPUs than the cluster file allows in a node.
inline constexpr std::size_t mostGpus = 1024;

} // namespace streammap::slurm
