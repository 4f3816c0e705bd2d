#pragma once
// What launchers say when something fails, in words that help. Their own messages are shown as they come;
// this adds one line.
//
//   explainLauncherOutput("srun: error: Node failure on n003\n")
//     -> "node n003 failed. 'streammap discover --state' refreshes the cluster file, 'streammap map' then
//         places around it"
#include <optional>
#include <string>
#include <string_view>

namespace streammap {

/// Nothing where no known failure is in `output` (what the launcher wrote to standard error).
std::optional<std::string> explainLauncherOutput(std::string_view output);

} // namespace streammap
