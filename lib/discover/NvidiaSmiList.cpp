// `nvidia-smi -L`: the GPUs of one node and their MIG devices.
//
//   GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-...)
//     MIG 3g.40gb     Device  0: (UUID: MIG-...)
#include "discover/Scan.h"
#include "discover/Sources.h"
#include "support/Text.h"

namespace streammap {
namespace {

/// The memory a profile is named after: 40 GB of "3g.40gb".
Bytes memoryOfProfile(std::string_view profile) {
  const std::size_t dot = profile.find('.');
  const std::optional<double> number =
      dot == std::string_view::npos ? std::nullopt : leadingNumber(profile.substr(dot + 1));
  return gibibytes(number && *number > 0 && *number < 1e4 ? *number : 0);
}

std::string uuidOf(std::string_view line) {
  const std::size_t begin = line.find("(UUID: ");
  return begin == std::string_view::npos
             ? std::string()
             : std::string(line.substr(begin + 7, line.find(')', begin) - begin - 7));
}

} // namespace

Findings readNvidiaSmiList(std::string_view text, const std::string &file, Diagnostics &diagnostics) {
  Findings findings;
  findings.authority = Authority::hardware;
  NodeFindings node;
  node.where = lineOf(file, 1);
  for (LineScanner lines(text); lines.next();) {
    const SourceLocation where = lineOf(file, lines.number());
    const std::string_view line = trim(lines.line());
    const std::size_t colon = line.find(": ");
    if (line.empty())
      continue;
    if (line.starts_with("GPU ") && colon != std::string_view::npos) {
      const std::optional<unsigned> number = wholeNumber(line.substr(4, colon - 4));
      if (!number || *number != node.gpus.size()) {
        diagnostics.error(where,
                          "expected 'GPU " + std::to_string(node.gpus.size()) + ": <name> (UUID: ...)'",
                          "bad-source");
        continue;
      }
      GpuFindings gpu;
      gpu.product = {std::string(trim(line.substr(colon + 2, line.find(" (UUID", colon) - colon - 2))),
                     where};
      gpu.uuid = uuidOf(line);
      node.gpus.push_back(std::move(gpu));
    } else if (line.starts_with("MIG ") && !node.gpus.empty() && words(line).size() >= 3) {
      const std::string_view profile = words(line)[1];
      node.gpus.back().migEnabled = true;
      node.gpus.back().slices.push_back({std::string(profile), memoryOfProfile(profile), 0});
    } else {
      diagnostics.error(where, "'" + abbreviated(line) + "' is no line of 'nvidia-smi -L'", "bad-source");
    }
  }
  node.gpuCount = {static_cast<unsigned>(node.gpus.size()), node.where};
  findings.nodes.push_back(std::move(node));
  return findings;
}

} // namespace streammap
