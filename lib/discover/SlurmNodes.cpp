// `scontrol show node [-d]`, with or without `-o`: one node a paragraph or line, Key=Value. Which GPUs are in
// use stands in the -d form only (GresUsed).
#include "discover/Scan.h"
#include "discover/Slurm.h"
#include "discover/Sources.h"
#include "support/Text.h"
#include <map>

namespace streammap {
namespace {

using Fields = std::map<std::string, std::pair<std::string_view, unsigned>, std::less<>>; ///< value and line

class Reader {
public:
  Reader(const std::string &file, Diagnostics &diagnostics) : file_(file), diagnostics_(diagnostics) {}

  Findings read(std::string_view text) {
    for (LineScanner lines(text); lines.next();) {
      const std::string_view line = trim(lines.line());
      if (line.starts_with("scontrol: error:") || line.starts_with("slurm_load_node"))
        diagnostics_.error(lineOf(file_, lines.number()), "scontrol failed: " + std::string(line),
                           "bad-source");
      // Free text to the end of its line, where an equals sign means nothing.
      if (line.starts_with("Reason=") || line.starts_with("Comment=") || line.starts_with("OS=")) {
        const std::size_t equals = line.find('=');
        fields_[std::string(line.substr(0, equals))] = {line.substr(equals + 1), lines.number()};
        continue;
      }
      for (const auto &[key, value] : keyValues(line)) {
        if (key == "NodeName")
          finishNode();
        fields_[std::string(key)] = {value, lines.number()};
      }
    }
    finishNode();
    if (findings_.nodes.empty() && !diagnostics_.hasErrors())
      diagnostics_.error(lineOf(file_, 1), "no 'NodeName=' in it: not the output of 'scontrol show node'",
                         "bad-source");
    return std::move(findings_);
  }

private:
  std::string_view get(std::string_view key) const {
    const auto found = fields_.find(key);
    return found == fields_.end() ? std::string_view() : found->second.first;
  }
  SourceLocation where(std::string_view key) const {
    const auto found = fields_.find(key);
    return lineOf(file_, found == fields_.end() ? 0 : found->second.second);
  }
  std::optional<unsigned> number(std::string_view key) {
    const std::string_view text = get(key);
    const std::optional<unsigned> value = wholeNumber(text);
    if (!text.empty() && !value)
      diagnostics_.error(where(key),
                         std::string(key) + " is '" + abbreviated(text) + "'; expected a whole number",
                         "bad-source");
    return value;
  }

  void finishNode() {
    if (get("NodeName").empty()) {
      fields_.clear();
      return;
    }
    NodeFindings node;
    node.name = get("NodeName");
    node.where = where("NodeName");
    const std::optional<unsigned> sockets = number("Sockets"), cores = number("CoresPerSocket");
    if (sockets && cores && *sockets <= 4096 && *cores <= 4096 && *sockets * *cores > 0)
      node.cores = {*sockets * *cores, where("CoresPerSocket")};
    if (const std::optional<unsigned> memory = number("RealMemory");
        memory && *memory > 1) // 1 is Slurm's default
      node.memory = {mebibytes(*memory), where("RealMemory")};
    if (fields_.contains("Gres"))
      slurm::addGpus(node, get("Gres"), get("GresUsed"),
                     where(fields_.contains("GresUsed") ? "GresUsed" : "Gres"), diagnostics_);
    if (fields_.contains("State"))
      node.state =
          slurm::stateOf(slurm::stateWords(words(get("State")).empty() ? "" : words(get("State"))[0]),
                         reason(), where("State"), diagnostics_);
    addUnnamedUse(node);
    findings_.nodes.push_back(std::move(node));
    fields_.clear();
  }

  /// Without the "[root@2026-12-01T01:44:50]" of who set it when: it would change every time.
  std::string_view reason() const {
    const std::string_view text = get("Reason");
    const std::size_t bracket = text.rfind(" [");
    return bracket != std::string_view::npos && text.ends_with(']') ? text.substr(0, bracket) : text;
  }

  /// AllocTRES counts the GPUs in use without saying which.
  void addUnnamedUse(NodeFindings &node) {
    if (!get("GresUsed").empty() || node.gpus.empty())
      return;
    for (std::string_view element : split(get("AllocTRES"), ','))
      if (element.starts_with("gres/gpu="))
        if (const std::optional<unsigned> used = wholeNumber(element.substr(9)); used && *used > 0)
          slurm::addUse(node, *used, where("AllocTRES"));
  }

  const std::string &file_;
  Diagnostics &diagnostics_;
  Findings findings_;
  Fields fields_;
};

} // namespace

Findings readSlurmNodes(std::string_view text, const std::string &file, Diagnostics &diagnostics) {
  return Reader(file, diagnostics).read(text);
}

} // namespace streammap
