// `sinfo --json` and `scontrol show nodes --json`. 21.08 to 23.02 list "nodes" with "state": "mixed" and
// "state_flags"; from 23.11 states are lists and numbers {"set", "infinite", "number"}; `sinfo --json` then
// groups alike nodes under "sinfo".
#include "discover/JsonFields.h"
#include "discover/Scan.h"
#include "discover/Slurm.h"
#include "discover/Sources.h"
#include "model/Hostlist.h"
#include "support/Text.h"
#include <unordered_set>

namespace streammap {
namespace {

std::vector<std::string> textsOf(std::optional<JsonValue> value) {
  std::vector<std::string> texts;
  if (value && value->kind() == JsonKind::text)
    texts.emplace_back(value->text());
  else if (value && value->kind() == JsonKind::array)
    for (JsonValue element : value->children())
      if (element.kind() == JsonKind::text)
        texts.emplace_back(element.text());
  return texts;
}

class Reader {
public:
  explicit Reader(Diagnostics &diagnostics) : diagnostics_(diagnostics) {}

  Findings read(JsonValue root) {
    const std::optional<JsonValue> nodes = member(root, "nodes"), groups = member(root, "sinfo");
    if (groups && groups->kind() == JsonKind::array) {
      for (JsonValue group : groups->children())
        readGroup(group);
    } else if (nodes && nodes->kind() == JsonKind::array) {
      for (JsonValue node : nodes->children())
        readNode(node);
    } else {
      diagnostics_.error(root.location(), "expected Slurm's list under 'nodes' or 'sinfo'", "bad-source");
    }
    return std::move(findings_);
  }

private:
  void readNode(JsonValue value) {
    NodeFindings node;
    node.name = textMember(value, "name");
    node.where = value.location();
    if (node.name.empty())
      return diagnostics_.error(node.where, "a node without 'name'", "bad-source");
    addSize(node, numberMember(value, "sockets"), numberMember(value, "cores"),
            numberMember(value, "real_memory"));
    if (member(value, "gres"))
      slurm::addGpus(node, textMember(value, "gres"), textMember(value, "gres_used"), node.where,
                     diagnostics_);
    std::vector<std::string> state = textsOf(member(value, "state"));
    for (std::string &flag : textsOf(member(value, "state_flags")))
      state.push_back(std::move(flag));
    if (!state.empty())
      node.state = slurm::stateOf(state, textMember(value, "reason"), node.where, diagnostics_);
    add(std::move(node));
  }

  /// Nodes that are alike, once for each partition they are in.
  void readGroup(JsonValue group) {
    NodeFindings like;
    like.where = group.location();
    auto least = [&](std::string_view key) -> std::optional<std::uint64_t> {
      const std::optional<JsonValue> range = member(group, key);
      return range ? numberMember(*range, "minimum") : std::nullopt;
    };
    addSize(like, least("sockets"), least("cores"), least("memory"));
    if (const std::optional<JsonValue> gres = member(group, "gres"))
      slurm::addGpus(like, textMember(*gres, "total"), textMember(*gres, "used"), like.where, diagnostics_);
    const std::vector<std::string> state = textsOf(memberAt(group, {"node", "state"}));
    const std::optional<JsonValue> reason = member(group, "reason");
    const std::string why = reason && reason->kind() == JsonKind::object ? textMember(*reason, "description")
                                                                         : textMember(group, "reason");
    if (!state.empty())
      like.state = slurm::stateOf(state, why, like.where, diagnostics_);
    for (const std::string &list : textsOf(memberAt(group, {"nodes", "nodes"}))) {
      const Expected<std::vector<std::string>> names = expandHostlist(list);
      if (!names || names->size() + findings_.nodes.size() > mostNodesOfSource ||
          (names->size() + findings_.nodes.size()) * like.gpus.size() > mostGpusOfSource) {
        diagnostics_.error(like.where,
                           "node list '" + abbreviated(list) +
                               "': " + (names ? "too many nodes" : names.error().message),
                           "bad-hostlist");
        continue;
      }
      for (const std::string &name : *names) {
        like.name = name;
        add(like);
      }
    }
  }

  static void addSize(NodeFindings &node, std::optional<std::uint64_t> sockets,
                      std::optional<std::uint64_t> cores, std::optional<std::uint64_t> mebibytesOfMemory) {
    if (sockets && cores && *sockets <= 4096 && *cores <= 4096 && *sockets * *cores > 0)
      node.cores = {static_cast<unsigned>(*sockets * *cores), node.where};
    if (mebibytesOfMemory && *mebibytesOfMemory > 1 && *mebibytesOfMemory < (std::uint64_t{1} << 40))
      node.memory = {mebibytes(static_cast<double>(*mebibytesOfMemory)), node.where};
  }

  void add(NodeFindings node) {
    if (seen_.insert(node.name).second) // listed once for each partition
      findings_.nodes.push_back(std::move(node));
  }

  Diagnostics &diagnostics_;
  Findings findings_;
  std::unordered_set<std::string> seen_;
};

} // namespace

Findings readSlurmJson(std::string_view text, const std::string &file, Diagnostics &diagnostics) {
  const std::optional<JsonDocument> document = JsonDocument::parse(text, file, diagnostics);
  return document ? Reader(diagnostics).read(document->root()) : Findings();
}

} // namespace streammap
