#include "discover/Slurm.h"
#include "discover/Merge.h"
#include "discover/Scan.h"
#include "support/Text.h"
#include <algorithm>

namespace streammap::slurm {
namespace {

struct Word {
  std::string_view name;
  State state;
};

/// sinfo(1), "NODE STATE CODES", and the flags of `scontrol show node`. Short forms are sinfo's.
constexpr Word knownWords[] = {{"DOWN", State::down},
                               {"ERROR", State::down},
                               {"NOT_RESPONDING", State::down},
                               {"NO_RESPOND", State::down},
                               {"UNKNOWN", State::down},
                               {"UNK", State::down},
                               {"FUTURE", State::down},
                               {"FUTR", State::down},
                               {"INVALID_REG", State::down},
                               {"INVAL", State::down},
                               {"POWERED_DOWN", State::down},
                               {"POWERING_DOWN", State::down},
                               {"POWER_DOWN", State::down},
                               {"POWERING_UP", State::down},
                               {"POWER_UP", State::down},
                               {"REBOOT", State::down},
                               {"REBOOT_ISSUED", State::down},
                               {"REBOOT_REQUESTED", State::drained},
                               {"DRAIN", State::drained},
                               {"DRAINED", State::drained},
                               {"DRAINING", State::drained},
                               {"DRNG", State::drained},
                               {"FAIL", State::drained},
                               {"FAILING", State::drained},
                               {"FAILG", State::drained},
                               {"MAINTENANCE", State::reserved},
                               {"MAINT", State::reserved},
                               {"RESERVED", State::reserved},
                               {"RESV", State::reserved},
                               {"ALLOCATED", State::busy},
                               {"ALLOC", State::busy},
                               {"COMPLETING", State::busy},
                               {"COMP", State::busy},
                               {"IDLE", State::up},
                               {"MIXED", State::up},
                               {"MIX", State::up},
                               {"PLANNED", State::up},
                               {"PLND", State::up},
                               {"CLOUD", State::up},
                               {"DYNAMIC_NORM", State::up},
                               {"DYNAMIC_FUTURE", State::up},
                               {"BLOCKED", State::up},
                               {"PERFCTRS", State::up},
                               {"NPC", State::up},
                               {"POWER_DRAIN", State::up},
                               {"REBOOT_CANCEL", State::up},
                               {"RES", State::up},
                               {"RESUME", State::up}};

/// What a mark behind sinfo's state means (sinfo(1)): "idle~" is powered down.
std::optional<State> markedState(char mark) {
  switch (mark) {
  case '*': // not responding
  case '~': // powered down
  case '#': // powering up or configured
  case '!': // pending power down
  case '%': // powering down
  case '@': // pending reboot
  case '^': // rebooting
    return State::down;
  case '$': // in a maintenance reservation
    return State::reserved;
  case '-': // planned for a job
  case '+':
    return State::up;
  default:
    return std::nullopt;
  }
}

/// "gpu:a100:4(IDX:0-3)" without its parenthesis, split at colons.
std::optional<Resource> resourceOf(std::string_view element) {
  Resource resource;
  const std::size_t open = element.find('(');
  if (open != std::string_view::npos) {
    const std::string_view inside = element.substr(open + 1, element.find(')', open) - open - 1);
    if (inside.starts_with("IDX:") && inside != "IDX:N/A")
      resource.indices = numberList(inside.substr(4));
    else if (inside == "IDX:N/A")
      resource.indices.emplace();
  }
  const std::vector<std::string_view> parts = split(element.substr(0, open), ':');
  resource.name = parts[0];
  if (resource.name.empty() || parts.size() > 4)
    return std::nullopt;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    std::string_view part = parts[i];
    std::size_t scale = 1;
    if (part.size() > 1 && (part.back() == 'K' || part.back() == 'k'))
      scale = 1024, part.remove_suffix(1);
    const std::optional<std::size_t> number = wholeNumber<std::size_t>(part);
    if (number && i + 1 == parts.size() && *number <= 1000000000)
      resource.count = *number * scale;
    else if (parts[i] != "no_consume" && resource.type.empty())
      resource.type = parts[i];
  }
  return resource;
}

} // namespace

std::vector<std::string> stateWords(std::string_view text) {
  std::vector<std::string> found;
  std::string word;
  for (char letter : text) {
    if (letter != '+') {
      word += letter;
    } else if (!word.empty()) {
      found.push_back(std::move(word));
      word.clear();
    }
  }
  if (!word.empty())
    found.push_back(word);
  return found;
}

StateFinding stateOf(std::span<const std::string> stateWords, std::string_view reason,
                     const SourceLocation &where, Diagnostics &diagnostics) {
  StateFinding finding{State::up, {}, where};
  std::string all;
  for (std::string word : stateWords) {
    all += (all.empty() ? "" : "+") + word;
    while (!word.empty() && markedState(word.back())) {
      if (const State marked = *markedState(word.back()); isWorse(marked, finding.state))
        finding.state = marked;
      word.pop_back();
    }
    const auto known =
        std::ranges::find_if(knownWords, [&](const Word &k) { return equalIgnoringCase(k.name, word); });
    if (known == std::end(knownWords))
      diagnostics.warning(where, "unknown node state '" + abbreviated(word) + "', taken as up",
                          "unknown-state");
    else if (isWorse(known->state, finding.state))
      finding.state = known->state;
  }
  if (finding.state != State::up)
    finding.reason = reason.empty() || reason == "(null)" ? "Slurm: " + all : std::string(reason);
  return finding;
}

std::vector<Resource> resources(std::string_view text, const SourceLocation &where,
                                Diagnostics &diagnostics) {
  std::vector<Resource> found;
  text = trim(text);
  if (text.empty() || text == "(null)" || text == "N/A")
    return found;
  std::size_t depth = 0, begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i == text.size() || (text[i] == ',' && depth == 0)) {
      const std::string_view element = text.substr(begin, i - begin);
      begin = i + 1;
      if (const std::optional<Resource> resource = resourceOf(element))
        found.push_back(*resource);
      else
        diagnostics.error(
            where, "'" + abbreviated(element) + "' is no generic resource; expected name[:type][:count]",
            "bad-gres");
    } else if (text[i] == '(') {
      ++depth;
    } else if (text[i] == ')' && depth > 0) {
      --depth;
    }
  }
  return found;
}

void addUse(NodeFindings &node, std::size_t count, const SourceLocation &where) {
  if (count >= node.gpus.size())
    for (GpuFindings &gpu : node.gpus)
      gpu.state = StateFinding{State::busy, "allocated by Slurm", where};
  else
    node.gpusInUse = {static_cast<unsigned>(count), where};
}

void addGpus(NodeFindings &node, std::string_view configured, std::string_view used,
             const SourceLocation &where, Diagnostics &diagnostics) {
  for (const Resource &resource : resources(configured, where, diagnostics)) {
    if (resource.name != "gpu")
      continue;
    if (node.gpus.size() + resource.count > mostGpus) {
      diagnostics.error(where, "more than " + std::to_string(mostGpus) + " GPUs in node '" + node.name + "'",
                        "bad-gres");
      return;
    }
    for (std::size_t i = 0; i < resource.count; ++i) {
      node.gpus.emplace_back();
      if (!resource.type.empty())
        node.gpus.back().product = {resource.type, where};
    }
  }
  node.gpuCount = {static_cast<unsigned>(node.gpus.size()), where};
  for (const Resource &resource : resources(used, where, diagnostics)) {
    if (resource.name != "gpu" || (!resource.indices && resource.count == 0))
      continue;
    if (!resource.indices) {
      addUse(node, resource.count, where);
      continue;
    }
    // What is not among the indices is free, and that is known too.
    for (unsigned i = 0; i < node.gpus.size(); ++i)
      if (!node.gpus[i].state)
        node.gpus[i].state = StateFinding{State::up, "", where};
    for (unsigned index : *resource.indices)
      if (index < node.gpus.size())
        node.gpus[index].state = StateFinding{State::busy, "allocated by Slurm", where};
      else
        diagnostics.error(where,
                          "GPU " + std::to_string(index) + " of '" + node.name + "' is in use, but it has " +
                              std::to_string(node.gpus.size()),
                          "bad-gres");
  }
}

} // namespace streammap::slurm
