#include "discover/HostReport.h"
#include "discover/Scan.h"
#include "discover/Sources.h"
#include "support/Text.h"
#include <map>

namespace streammap {
namespace {

struct Section {
  std::string text;
  unsigned line = 0; ///< of its heading
};

using Sections = std::map<std::string, Section, std::less<>>;

class Reader {
public:
  Reader(const std::string &file, Diagnostics &diagnostics) : file_(file), diagnostics_(diagnostics) {}

  Findings read(std::string_view text) {
    std::string name;
    for (LineScanner lines(text); lines.next();) {
      const std::string_view line = lines.line();
      if (line.starts_with("== ") && words(line).size() > 1) {
        if (line.starts_with("== streammap-host-report "))
          finish();
        name = words(line)[1];
        sections_[name].line = lines.number();
      } else if (!name.empty()) {
        sections_[name].text += std::string(line) + "\n";
      }
    }
    finish();
    if (findings_.nodes.empty() && !diagnostics_.hasErrors())
      diagnostics_.error(lineOf(file_, 1), "no '== streammap-host-report' in it", "bad-source");
    return std::move(findings_);
  }

private:
  void finish() {
    if (sections_.empty())
      return;
    NodeFindings node;
    node.where = lineOf(file_, sections_.begin()->second.line);
    const auto text = [&](std::string_view name) {
      const auto found = sections_.find(name);
      return found == sections_.end() ? std::string_view() : trim(std::string_view(found->second.text));
    };
    const auto where = [&](std::string_view name) {
      return lineOf(file_, sections_.find(name)->second.line);
    };
    node.name = trim(split(text("hostname"), '\n')[0]);
    if (const std::optional<unsigned> cores = wholeNumber(trim(text("cores")));
        cores && *cores > 0 && *cores <= 1000000)
      node.cores = {*cores, where("cores")};
    if (const std::optional<double> memory = leadingNumber(text("memory-kib")); memory && *memory > 0)
      node.memory = {kibibytes(*memory), where("memory-kib")};
    addGpus(node);
    addNics(node);
    findings_.nodes.push_back(std::move(node));
    sections_.clear();
  }

  /// What the nested texts say, with their lines moved to where they stand in this one.
  NodeFindings nested(std::string_view name,
                      Findings (*parse)(std::string_view, const std::string &, Diagnostics &)) {
    const auto found = sections_.find(name);
    if (found == sections_.end() || trim(std::string_view(found->second.text)).empty())
      return {};
    const std::string place =
        file_ + " (" + std::string(name) + ", from line " + std::to_string(found->second.line + 1) + ")";
    Findings findings = parse(found->second.text, place, diagnostics_);
    return findings.nodes.empty() ? NodeFindings() : std::move(findings.nodes[0]);
  }

  void addGpus(NodeFindings &node) {
    NodeFindings detail = nested("nvidia-smi-xml", readNvidiaSmiXml);
    NodeFindings matrix = nested("nvidia-smi-topo", readNvidiaSmiTopo);
    if (!detail.gpuCount) { // nvidia-smi is absent or sees nothing
      node.gpuCount = {0, node.where};
      return;
    }
    node.gpuCount = detail.gpuCount;
    node.gpus = std::move(detail.gpus);
    if (!matrix.gpuCount || matrix.gpus.size() != node.gpus.size())
      return;
    for (std::size_t i = 0; i < node.gpus.size(); ++i)
      node.gpus[i].numaNode = matrix.gpus[i].numaNode;
    node.linksWhere = matrix.linksWhere;
    node.links = std::move(matrix.links);
    node.nics = std::move(matrix.nics);
  }

  /// Speeds of the NICs of the matrix, and all NICs where there is no matrix. Ports that are down do not
  /// count.
  void addNics(NodeFindings &node) {
    const auto found = sections_.find("nics");
    if (found == sections_.end())
      return;
    const bool hasMatrix = !node.nics.empty();
    std::vector<NicFindings> nics;
    unsigned line = found->second.line;
    for (LineScanner lines(found->second.text); lines.next();) {
      ++line;
      const std::vector<std::string_view> parts = words(lines.line());
      if (parts.empty())
        continue;
      if (parts.size() != 5) {
        diagnostics_.error(lineOf(file_, line),
                           "expected name, PCI address, NUMA node, Gb/s and state of a NIC", "bad-source");
        continue;
      }
      if (parts[4] != "up")
        continue;
      NicFindings nic;
      nic.name = parts[0];
      nic.busId = normalisedBusId(parts[1]);
      nic.where = lineOf(file_, line);
      if (const std::optional<unsigned> numa = wholeNumber(parts[2]))
        nic.numaNode = {*numa, nic.where};
      if (const std::optional<double> rate = leadingNumber(parts[3]); rate && *rate > 0 && *rate < 1e5)
        nic.bandwidth = {gigabitsPerSecond(*rate), nic.where};
      for (const NicFindings &known : node.nics)
        if (known.name == nic.name)
          nic.nearGpus = known.nearGpus;
      nics.push_back(std::move(nic));
    }
    if (!nics.empty() || hasMatrix)
      node.nics = std::move(nics);
  }

  const std::string &file_;
  Diagnostics &diagnostics_;
  Findings findings_;
  Sections sections_;
};

} // namespace

std::string hostReportScript(unsigned seconds) {
  // Only sh, cat, sort, wc, awk, basename, readlink and timeout: what a rescue system has.
  const std::string limit = "timeout " + std::to_string(seconds) + " ";
  return R"sh(LC_ALL=C; export LC_ALL
echo '== streammap-host-report 1'
echo '== hostname'
n=$(cat /proc/sys/kernel/hostname); echo "${n%%.*}"
echo '== cores'
cat /sys/devices/system/cpu/cpu[0-9]*/topology/thread_siblings_list 2>/dev/null | sort -u | wc -l
echo '== memory-kib'
awk '/^MemTotal:/ {print $2}' /proc/meminfo
echo '== nics'
for d in /sys/class/infiniband/*; do
  [ -e "$d/ports/1/rate" ] || continue
  s=down; grep -q ACTIVE "$d/ports/1/state" && s=up
  echo "$(basename "$d") $(basename "$(readlink -f "$d/device")") $(cat "$d/device/numa_node" 2>/dev/null || echo -1) $(awk '{print $1}' "$d/ports/1/rate") $s"
done
for d in /sys/class/net/*; do
  [ -e "$d/device" ] || continue
  [ -e "$d/device/infiniband" ] && continue
  s=down; [ "$(cat "$d/operstate" 2>/dev/null)" = up ] && s=up
  echo "$(basename "$d") $(basename "$(readlink -f "$d/device")") $(cat "$d/device/numa_node" 2>/dev/null || echo -1) $(cat "$d/speed" 2>/dev/null | awk '{print ($1 > 0 ? $1 / 1000 : "?")}') $s" | awk 'NF == 5'
done
if command -v nvidia-smi >/dev/null 2>&1; then
  echo '== nvidia-smi-xml'
  )sh" + limit +
         R"sh(nvidia-smi -q -x 2>/dev/null
  echo '== nvidia-smi-topo'
  )sh" + limit +
         R"sh(nvidia-smi topo -m 2>/dev/null
fi
echo '== end'
)sh";
}

Findings readHostReport(std::string_view text, const std::string &file, Diagnostics &diagnostics) {
  Diagnostics own;
  Findings findings = Reader(file, own).read(text);
  findings.authority = Authority::hardware;
  for (const Diagnostic &diagnostic : own.all())
    diagnostics.report(diagnostic);
  return findings;
}

} // namespace streammap
