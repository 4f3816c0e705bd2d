#pragma once
// What the labels of a Kubernetes node say of its GPUs and its place in the network: shared by the readers of
// `kubectl get nodes -o json` and of `kubectl describe node`.
#include "discover/Findings.h"
#include <map>
#include <string>
#include <string_view>

namespace streammap::kubernetes {

using Labels = std::map<std::string, std::string, std::less<>>;

/// A quantity of the API: "16367668Ki", "2", "1900m"; nothing when it is none.
std::optional<double> quantity(std::string_view text);

/// GPUs by the labels of NVIDIA's GPU feature discovery; levels of the network by those of topograph, AWS and
/// Google. `mig` is what the node offers of MIG resources ("1g.5gb" to count).
void applyLabels(NodeFindings &node, Findings &findings, const Labels &labels,
                 const std::map<std::string, unsigned> &mig, const SourceLocation &where,
                 Diagnostics &diagnostics);

/// up, unless it is not ready, cordoned or tainted against pods that ask for nothing special.
StateFinding stateOf(bool ready, bool unschedulable, std::string_view taint, const SourceLocation &where);

/// Whether a taint keeps ordinary GPU jobs away: "nvidia.com/gpu" and the like do not.
bool keepsJobsAway(std::string_view key, std::string_view effect);

} // namespace streammap::kubernetes
