// `kubectl describe node`, whole or only its labels: lines of label=value, and the headings around them.
#include "discover/Kubernetes.h"
#include "discover/Scan.h"
#include "discover/Sources.h"
#include "support/Text.h"

namespace streammap {
namespace {

class Reader {
public:
  Reader(const std::string &file, Diagnostics &diagnostics) : file_(file), diagnostics_(diagnostics) {}

  Findings read(std::string_view text) {
    for (LineScanner lines(text); lines.next();)
      readLine(lines.line(), lines.number());
    finish();
    return std::move(findings_);
  }

private:
  void readLine(std::string_view line, unsigned number) {
    const bool isHeading =
        !line.empty() && line[0] != ' ' && line[0] != '\t' && line.find(':') != std::string_view::npos;
    std::string_view rest = trim(line);
    if (isHeading) {
      heading_ = std::string(line.substr(0, line.find(':')));
      rest = trim(line.substr(line.find(':') + 1));
      if (heading_ == "Name") { // the next node
        finish();
        node_.name = rest;
        any_ = true;
        node_.where = lineOf(file_, number);
      }
      if (heading_ == "Unschedulable")
        cordoned_ = rest == "true";
    }
    if (heading_.empty() || heading_ == "Labels")
      readLabel(rest, number);
    else if (heading_ == "Taints")
      readTaint(rest);
    else if (heading_ == "Conditions" && rest.starts_with("Ready ") && words(rest).size() > 1)
      ready_ = words(rest)[1] == "True";
    else if (heading_ == "Capacity")
      readCapacity(rest, number);
    else if (heading_ == "Allocated resources" && rest.starts_with("nvidia.com/gpu ") &&
             words(rest).size() > 1)
      if (const std::optional<unsigned> used = wholeNumber(words(rest)[1]))
        used_ = {*used, lineOf(file_, number)};
  }

  void readLabel(std::string_view text, unsigned number) {
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos || text.substr(0, equals).find(' ') != std::string_view::npos)
      return;
    if (labels_.empty() && node_.where.line == 0)
      node_.where = lineOf(file_, number);
    labels_[std::string(text.substr(0, equals))] = std::string(text.substr(equals + 1));
    any_ = true;
  }

  void readTaint(std::string_view text) {
    const std::size_t colon = text.rfind(':');
    const std::string_view key = text.substr(0, std::min(text.find('='), colon));
    if (colon != std::string_view::npos && kubernetes::keepsJobsAway(key, text.substr(colon + 1)))
      taint_ = key;
  }

  void readCapacity(std::string_view text, unsigned number) {
    const std::size_t colon = text.find(':');
    const std::optional<double> value =
        colon == std::string_view::npos ? std::nullopt : kubernetes::quantity(trim(text.substr(colon + 1)));
    if (value && text.starts_with("cpu:") && *value >= 1 && *value <= 1e6)
      node_.cores = {static_cast<unsigned>(*value), lineOf(file_, number)};
    else if (value && text.starts_with("memory:") && *value > 0)
      node_.memory = {bytes(*value), lineOf(file_, number)};
    else if (value && text.starts_with("nvidia.com/mig-") && *value >= 1 && *value <= 1024)
      mig_[std::string(text.substr(15, colon - 15))] = static_cast<unsigned>(*value);
  }

  void finish() {
    if (any_) {
      if (const auto name = labels_.find("kubernetes.io/hostname");
          node_.name.empty() && name != labels_.end())
        node_.name = name->second;
      kubernetes::applyLabels(node_, findings_, labels_, mig_, node_.where, diagnostics_);
      if (!heading_.empty()) // the whole of `describe`, not only labels
        node_.state = kubernetes::stateOf(ready_, cordoned_, taint_, node_.where);
      if (used_ && node_.gpuCount && used_->value > 0)
        node_.gpusInUse = used_;
      findings_.nodes.push_back(std::move(node_));
    }
    node_ = {};
    labels_.clear();
    mig_.clear();
    taint_.clear();
    used_.reset();
    ready_ = true;
    cordoned_ = any_ = false;
  }

  const std::string &file_;
  Diagnostics &diagnostics_;
  Findings findings_;
  NodeFindings node_;
  kubernetes::Labels labels_;
  std::map<std::string, unsigned> mig_;
  std::string heading_, taint_;
  Maybe<unsigned> used_;
  bool ready_ = true, cordoned_ = false, any_ = false;
};

} // namespace

Findings readKubernetesLabels(std::string_view text, const std::string &file, Diagnostics &diagnostics) {
  return Reader(file, diagnostics).read(text);
}

} // namespace streammap
