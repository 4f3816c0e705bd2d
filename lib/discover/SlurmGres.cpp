// Slurm's gres.conf: which GPUs each node has, in the order of their device files.
//
//   NodeName=n[001-008] Name=gpu Type=a100 File=/dev/nvidia[0-3] Cores=0-31
#include "discover/Scan.h"
#include "discover/Slurm.h"
#include "discover/Sources.h"
#include "model/Hostlist.h"
#include "support/Text.h"
#include <unordered_map>

namespace streammap {
namespace {

struct Line {
  std::string_view nodes, name, type, files, count;
};

Line fieldsOf(std::string_view text) {
  Line line;
  for (const auto &[key, value] : keyValues(text)) {
    if (equalIgnoringCase(key, "NodeName"))
      line.nodes = value;
    else if (equalIgnoringCase(key, "Name"))
      line.name = value;
    else if (equalIgnoringCase(key, "Type"))
      line.type = value;
    else if (equalIgnoringCase(key, "File") || equalIgnoringCase(key, "MultipleFiles"))
      line.files = value;
    else if (equalIgnoringCase(key, "Count"))
      line.count = value;
  }
  return line;
}

class Reader {
public:
  Reader(const std::string &file, Diagnostics &diagnostics) : file_(file), diagnostics_(diagnostics) {}

  Findings read(std::string_view text) {
    for (LineScanner lines(text); lines.next();) {
      const std::string_view line = trim(lines.line().substr(0, lines.line().find('#')));
      const SourceLocation where = lineOf(file_, lines.number());
      if (line.empty())
        continue;
      if (keyValues(line).empty()) {
        diagnostics_.error(where,
                           "'" + abbreviated(line) + "' is no line of gres.conf; expected Key=Value pairs",
                           "bad-source");
        continue;
      }
      const Line fields = fieldsOf(line);
      if (fields.name == "gpu")
        addGpus(fields, where);
      else if (fields.name.empty() && line.find("AutoDetect=") != std::string_view::npos &&
               line.find("AutoDetect=off") == std::string_view::npos)
        findings_.remarks.push_back({"Slurm finds GPUs of these nodes itself (" + std::string(line) +
                                         "): ask 'scontrol show node -d' for them",
                                     where});
    }
    return std::move(findings_);
  }

private:
  void addGpus(const Line &fields, const SourceLocation &where) {
    const std::optional<std::size_t> count = countOf(fields, where);
    if (!count)
      return;
    std::vector<std::string> names{""};
    if (!fields.nodes.empty()) {
      Expected<std::vector<std::string>> expanded = expandHostlist(fields.nodes);
      if (!expanded) {
        diagnostics_.error(where, "NodeName='" + abbreviated(fields.nodes) + "': " + expanded.error().message,
                           "bad-hostlist");
        return;
      }
      names = std::move(*expanded);
    }
    for (const std::string &name : names) {
      const auto [found, fresh] = index_.try_emplace(name, findings_.nodes.size());
      if (fresh) {
        findings_.nodes.emplace_back();
        findings_.nodes.back().name = name;
        findings_.nodes.back().where = where;
      }
      NodeFindings &node = findings_.nodes[found->second];
      total_ += *count;
      if (node.gpus.size() + *count > slurm::mostGpus || total_ > mostGpusOfSource ||
          findings_.nodes.size() > mostNodesOfSource) {
        diagnostics_.error(where,
                           "more than " + std::to_string(slurm::mostGpus) + " GPUs in node '" + name +
                               "', or too many in all",
                           "bad-gres");
        return;
      }
      for (std::size_t i = 0; i < *count; ++i) {
        node.gpus.emplace_back();
        if (!fields.type.empty())
          node.gpus.back().product = {std::string(fields.type), where};
      }
      node.gpuCount = {static_cast<unsigned>(node.gpus.size()), where};
    }
  }

  /// Count=, else the number of device files, else 1.
  std::optional<std::size_t> countOf(const Line &fields, const SourceLocation &where) {
    if (!fields.count.empty()) {
      const std::optional<std::size_t> count = wholeNumber<std::size_t>(fields.count);
      if (!count)
        diagnostics_.error(where, "Count='" + abbreviated(fields.count) + "'; expected a whole number",
                           "bad-gres");
      return count;
    }
    if (fields.files.empty())
      return 1;
    const Expected<std::vector<std::string>> files = expandHostlist(fields.files);
    if (!files) {
      diagnostics_.error(where, "File='" + abbreviated(fields.files) + "': " + files.error().message,
                         "bad-gres");
      return std::nullopt;
    }
    return files->size();
  }

  const std::string &file_;
  Diagnostics &diagnostics_;
  Findings findings_;
  std::unordered_map<std::string, std::size_t> index_;
  std::size_t total_ = 0;
};

} // namespace

Findings readSlurmGres(std::string_view text, const std::string &file, Diagnostics &diagnostics) {
  return Reader(file, diagnostics).read(text);
}

} // namespace streammap
