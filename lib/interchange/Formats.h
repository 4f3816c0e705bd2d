#pragma once
// The readers behind importFormats(), one source file each. `recognises...` looks at the beginning of a text
// or for a word that only this format has; it accepts spoilt files too, so that their mistakes are judged by
// the right reader.
#include "interchange/Import.h"

namespace streammap {

/// Standard Task Graph Set (Tobita and Kasahara, J. Scheduling 5(5), 2002).
bool recognisesStg(std::string_view text);
std::optional<ImportedProblem> readStg(std::string_view text, const std::string &file,
                                       const ImportOptions &options, Diagnostics &diagnostics);

/// Graphviz digraphs with weights, as Sinnen's group (University of Auckland) publishes them.
bool recognisesDot(std::string_view text);
std::optional<ImportedProblem> readDot(std::string_view text, const std::string &file,
                                       const ImportOptions &options, Diagnostics &diagnostics);

/// Unrelated processors with communication (Santiago et al., Appl. Sci. 10(21):7500, 2020).
bool recognisesHeteroDag(std::string_view text);
std::optional<ImportedProblem> readHeteroDag(std::string_view text, const std::string &file,
                                             const ImportOptions &options, Diagnostics &diagnostics);

/// Recorded workflows, WfFormat 1.5 (Coleman et al., "WfCommons", FGCS 128, 2022).
bool recognisesWfFormat(std::string_view text);
std::optional<ImportedProblem> readWfFormat(std::string_view text, const std::string &file,
                                            const ImportOptions &options, Diagnostics &diagnostics);

/// Flexible job shops (Brandimarte, Annals of OR 41, 1993, and the sets that share the format).
bool recognisesFjspLib(std::string_view text);
std::optional<ImportedProblem> readFjspLib(std::string_view text, const std::string &file,
                                           const ImportOptions &options, Diagnostics &diagnostics);

/// Project scheduling with renewable resources (Kolisch and Sprecher, "PSPLIB", EJOR 96, 1997), one mode a
/// job.
bool recognisesPsplib(std::string_view text);
std::optional<ImportedProblem> readPsplib(std::string_view text, const std::string &file,
                                          const ImportOptions &options, Diagnostics &diagnostics);

} // namespace streammap
