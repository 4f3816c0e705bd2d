#include "discover/Sources.h"
#include "discover/Scan.h"
#include "discover/Xml.h"
#include "support/Text.h"
#include <algorithm>
#include <cctype>

namespace streammap {
namespace {

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

bool beginsJson(std::string_view text) {
  const std::string_view start = trim(text.substr(0, std::min<std::size_t>(text.size(), 4096)));
  return start.starts_with('{') || start.starts_with('[');
}

/// Whether a line begins with `prefix`, blanks before it not counted.
bool hasLine(std::string_view text, std::string_view prefix) {
  for (LineScanner lines(text); lines.next();) {
    std::string_view line = lines.line();
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (line.starts_with(prefix))
      return true;
  }
  return false;
}

bool isHostReport(std::string_view text) {
  return hasLine(text.substr(0, 4096), "== streammap-host-report ");
}
bool isNvidiaSmiXml(std::string_view text) {
  return beginsWithElement(text, "nvidia_smi_log");
}
bool isNccl(std::string_view text) {
  return beginsWithElement(text, "system") || beginsWithElement(text, "graphs");
}
bool isHwloc(std::string_view text) {
  return beginsWithElement(text, "topology");
}
bool isSlurmJson(std::string_view text) {
  return beginsJson(text) && !contains(text, "\"apiVersion\"") &&
         (contains(text, "\"sinfo\"") || contains(text, "\"nodes\"")) &&
         (contains(text, "\"meta\"") || contains(text, "\"gres\""));
}
bool isKubernetes(std::string_view text) {
  return beginsJson(text) && (contains(text, "\"apiVersion\"") || contains(text, "\"nvidia.com/gpu."));
}
bool isDcgm(std::string_view text) {
  return hasLine(text, "DCGM_FI_");
}
bool isSlurmNodes(std::string_view text) {
  return contains(text, "NodeName=") &&
         (contains(text, "CPUTot=") || contains(text, " State=") || contains(text, "CoresPerSocket="));
}
bool isSlurmTopology(std::string_view text) {
  return contains(text, "SwitchName=") || contains(text, "BlockName=") ||
         contains(text, "No topology information");
}
bool isSlurmGres(std::string_view text) {
  return contains(text, "Name=gpu") || hasLine(text, "AutoDetect=");
}
bool isIbNetDiscover(std::string_view text) {
  return hasLine(text, "switchguid=") || hasLine(text, "caguid=") || hasLine(text, "SW ") ||
         hasLine(text, "CA ") || (hasLine(text, "Switch") && contains(text, "\"S-"));
}
bool isTopo(std::string_view text) {
  for (LineScanner lines(text); lines.next();) {
    const std::vector<std::string_view> parts = words(lines.line());
    const bool first = !parts.empty() && (parts[0].starts_with("GPU0") || parts[0] == "\x1b[4mGPU0");
    if (first && (parts.size() == 1 || parts[1] == "X" || !parts[1].starts_with('(')))
      return true;
  }
  return false;
}
bool isList(std::string_view text) {
  return hasLine(text, "GPU 0: ");
}
bool isLabels(std::string_view text) {
  return contains(text, "nvidia.com/gpu.") || (hasLine(text, "Labels:") && contains(text, "kubernetes.io/"));
}

/// The length of the UTF-8 character at the beginning of `text` (RFC 3629); 0 when there is none.
std::size_t utf8Length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::size_t length = byte(0) < 0x80                      ? 1
                             : byte(0) >= 0xC2 && byte(0) < 0xE0 ? 2
                             : (byte(0) & 0xF0U) == 0xE0         ? 3
                             : byte(0) >= 0xF0 && byte(0) < 0xF5 ? 4
                                                                 : 0;
  if (length == 0 || length > text.size())
    return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xC0U) != 0x80)
      return 0;
  const bool isOverlong = (byte(0) == 0xE0 && byte(1) < 0xA0) || (byte(0) == 0xF0 && byte(1) < 0x90);
  const bool isOutside = (byte(0) == 0xED && byte(1) >= 0xA0) || (byte(0) == 0xF4 && byte(1) >= 0x90);
  return isOverlong || isOutside ? 0 : length;
}

/// With '?' for every byte that is no UTF-8: names and reasons end in JSON, which is.
std::string asUtf8(std::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = utf8Length(text);
    clean += length == 0 ? std::string_view("?") : text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(1, length));
  }
  return clean;
}

constexpr SourceKind kinds[] = {
    {"host-report", "what 'streammap discover --hosts' collects", isHostReport, readHostReport},
    {"nvidia-smi-xml", "nvidia-smi -q -x", isNvidiaSmiXml, readNvidiaSmiXml},
    {"nccl", "NCCL_TOPO_DUMP_FILE=topo.xml of any NCCL program", isNccl, readNcclTopology},
    {"hwloc", "lstopo topology.xml", isHwloc, readHwloc},
    {"kubernetes", "kubectl get nodes -o json", isKubernetes, readKubernetesNodes},
    {"slurm-json", "sinfo --json, scontrol show nodes --json", isSlurmJson, readSlurmJson},
    {"dcgm", "curl <node>:9400/metrics of the DCGM exporter", isDcgm, readDcgm},
    {"slurm-topology", "topology.conf, scontrol show topology, topograph", isSlurmTopology,
     readSlurmTopology},
    {"slurm-nodes", "scontrol show node -d", isSlurmNodes, readSlurmNodes},
    {"slurm-gres", "gres.conf", isSlurmGres, readSlurmGres},
    {"kubernetes-labels", "kubectl describe node", isLabels, readKubernetesLabels},
    {"ibnetdiscover", "ibnetdiscover, with or without -p", isIbNetDiscover, readIbNetDiscover},
    {"nvidia-smi-list", "nvidia-smi -L", isList, readNvidiaSmiList},
    {"nvidia-smi-topo", "nvidia-smi topo -m", isTopo, readNvidiaSmiTopo},
};

} // namespace

std::span<const SourceKind> sourceKinds() {
  return kinds;
}

const SourceKind *sourceKindNamed(std::string_view name) {
  const auto found = std::ranges::find(kinds, name, &SourceKind::name);
  return found == std::end(kinds) ? nullptr : found;
}

const SourceKind *recognise(std::string_view text) {
  const auto found =
      std::ranges::find_if(kinds, [&](const SourceKind &kind) { return kind.recognises(text); });
  return found == std::end(kinds) ? nullptr : found;
}

std::optional<Findings> readSource(std::string_view text, const std::string &file, const SourceKind *kind,
                                   Diagnostics &diagnostics) {
  if (kind == nullptr)
    kind = recognise(text);
  if (kind == nullptr) {
    std::string known;
    for (const SourceKind &each : kinds)
      known += (known.empty() ? "" : "; ") + std::string(each.description);
    diagnostics.error(lineOf(file, 1),
                      (trim(text).empty() ? "the file is empty"
                                          : "nothing that is known as a source begins '" +
                                                abbreviated(split(trim(text), '\n')[0]) + "'") +
                          "; expected one of: " + known,
                      "unknown-source");
    return std::nullopt;
  }
  Diagnostics own;
  Findings findings = kind->read(asUtf8(text), file, own);
  findings.kind = kind->name;
  findings.file = file;
  for (const Diagnostic &diagnostic : own.all())
    diagnostics.report(diagnostic);
  return own.hasErrors() ? std::nullopt : std::optional(std::move(findings));
}

std::string normalisedBusId(std::string_view text) {
  std::string id = lowered(trim(text));
  // "00000000:0f:00.0": nvidia-smi writes eight digits of domain.
  if (id.size() == 16 && id[8] == ':' && id.starts_with("0000"))
    id.erase(0, 4);
  return id;
}

} // namespace streammap
