// Slurm's topology.conf and `scontrol show topology`, which print the same lines; topograph writes them too.
//
//   SwitchName=leaf1 Nodes=n[001-020]
//   SwitchName=spine Switches=leaf[1-10]
//   BlockName=rack1 Nodes=n[001-018] BlockSize=16        (topology/block: nodes that share NVLink)
//
// LinkSpeed is not read: topology.conf(5) calls its units arbitrary.
#include "discover/Scan.h"
#include "discover/Sources.h"
#include "model/Hostlist.h"
#include "support/Text.h"
#include <algorithm>
#include <unordered_map>

namespace streammap {
namespace {

class Reader {
public:
  Reader(const std::string &file, Diagnostics &diagnostics) : file_(file), diagnostics_(diagnostics) {}

  Findings read(std::string_view text) {
    std::string joined; // a line that ends in '\' goes on in the next
    unsigned first = 0;
    bool saidNone = false;
    for (LineScanner lines(text); lines.next();) {
      std::string_view line = lines.line().substr(0, lines.line().find('#'));
      saidNone = saidNone || line.find("No topology information") != std::string_view::npos;
      if (joined.empty())
        first = lines.number();
      const bool goesOn = trim(line).ends_with('\\');
      joined += goesOn ? std::string(trim(line).substr(0, trim(line).size() - 1)) + " " : std::string(line);
      if (!goesOn) {
        readLine(joined, first);
        joined.clear();
      }
    }
    readLine(joined, first);
    if (saidNone)
      findings_.remarks.push_back(
          {"Slurm has no topology plugin: it does not know which node hangs on which switch",
           lineOf(file_, 1)});
    else if (findings_.switches.empty() && findings_.nodes.empty() && !diagnostics_.hasErrors())
      diagnostics_.error(lineOf(file_, 1), "no 'SwitchName=' and no 'BlockName=' in it: not a topology.conf",
                         "bad-source");
    connect();
    return std::move(findings_);
  }

private:
  void readLine(std::string_view line, unsigned number) {
    std::string_view name, nodes, children;
    bool isBlock = false;
    for (const auto &[key, value] : keyValues(line)) {
      if (equalIgnoringCase(key, "SwitchName"))
        name = value;
      else if (equalIgnoringCase(key, "BlockName"))
        name = value, isBlock = true;
      else if (equalIgnoringCase(key, "Nodes"))
        nodes = value;
      else if (equalIgnoringCase(key, "Switches"))
        children = value;
    }
    if (name.empty()) {
      const std::string_view rest = trim(line);
      if (!rest.empty() && rest.find('=') != std::string_view::npos &&
          rest.find("BlockSizes") == std::string_view::npos)
        diagnostics_.error(lineOf(file_, number),
                           "'" + abbreviated(rest) + "' names no switch; expected SwitchName=...",
                           "bad-topology");
      return;
    }
    const SourceLocation where = lineOf(file_, number);
    // `show topology` prints at a spine the nodes below it as well; they hang on its leaves.
    if (children.empty())
      addNodes(name, nodes, isBlock, where);
    if (!isBlock)
      addSwitch(name, children, where);
  }

  void addNodes(std::string_view name, std::string_view list, bool isBlock, const SourceLocation &where) {
    for (std::string &node : expand(list, "Nodes", where)) {
      if (const auto [known, fresh] = nodeLines_.try_emplace(node, where.line); !fresh && !isBlock) {
        diagnostics_.error(
            where, "node '" + node + "' hangs on a switch already, in line " + std::to_string(known->second),
            "bad-topology");
        continue;
      }
      NodeFindings found;
      found.name = std::move(node);
      found.where = where;
      (isBlock ? found.rack : found.leaf) = {std::string(name), where};
      findings_.nodes.push_back(std::move(found));
    }
  }

  void addSwitch(std::string_view name, std::string_view children, const SourceLocation &where) {
    if (!index_.try_emplace(std::string(name), findings_.switches.size()).second)
      return diagnostics_.error(where, "the switch '" + std::string(name) + "' stands there twice",
                                "duplicate-id");
    findings_.switches.push_back({std::string(name), {}, where});
    for (std::string &child : expand(children, "Switches", where))
      below_.push_back({std::move(child), std::string(name), where});
  }

  std::vector<std::string> expand(std::string_view list, const char *key, const SourceLocation &where) {
    if (list.empty())
      return {};
    Expected<std::vector<std::string>> names = expandHostlist(list);
    if (!names || names->size() + expanded_ > mostNodesOfSource) {
      diagnostics_.error(where,
                         std::string(key) + "='" + abbreviated(list) +
                             "': " + (names ? "too many names in one file" : names.error().message),
                         "bad-hostlist");
      return {};
    }
    expanded_ += names->size();
    return std::move(*names);
  }

  void connect() {
    for (const Below &edge : below_) {
      const auto child = index_.find(edge.child);
      if (child == index_.end()) {
        diagnostics_.error(
            edge.where, "the switch '" + edge.child + "' below '" + edge.parent + "' has no line of its own",
            "unknown-switch");
        continue;
      }
      findings_.switches[child->second].uplinks.push_back({edge.parent, 1, {}, edge.where});
    }
  }

  struct Below {
    std::string child, parent;
    SourceLocation where;
  };

  const std::string &file_;
  Diagnostics &diagnostics_;
  Findings findings_;
  std::unordered_map<std::string, std::size_t> index_; ///< of switches
  std::unordered_map<std::string, unsigned> nodeLines_;
  std::vector<Below> below_;
  std::size_t expanded_ = 0;
};

} // namespace

Findings readSlurmTopology(std::string_view text, const std::string &file, Diagnostics &diagnostics) {
  return Reader(file, diagnostics).read(text);
}

} // namespace streammap
