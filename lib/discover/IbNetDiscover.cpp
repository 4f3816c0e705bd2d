// `ibnetdiscover`: every switch and adapter of an InfiniBand fabric with its cables; and `ibnetdiscover -p`,
// the same as one line per port.
//
//   Switch  65 "S-e000000000000002"    # "MF0;LEAF-01:MQM9701/U1" enhanced port 0 lid 73 lmc 0
//   [1]     "H-e000000000000003"[1](e000000000000003)    # "n001 mlx5_5" lid 647 4xNDR
//
// Hosts are known by what their adapters call themselves ("n001 mlx5_5"), so an adapter that still bears its
// vendor's name belongs to nobody. Which switches are leaves follows from where hosts hang: up is away from
// them.
#include "discover/LinkRates.h"
#include "discover/Scan.h"
#include "discover/Sources.h"
#include "support/Text.h"
#include <algorithm>
#include <deque>
#include <limits>
#include <map>

namespace streammap {
namespace {

struct Element {
  bool isSwitch = false;
  std::string description;
  unsigned line = 0;
};

/// One end of a cable.
struct Port {
  std::string element; ///< "S-..." or "H-..."
  unsigned number = 0;
  auto operator<=>(const Port &) const = default;
};

struct Cable {
  std::string speed; ///< "4xNDR"
  unsigned line = 0;
  unsigned ends = 0; ///< how many of its two ends the file lists
};

std::string_view quoted(std::string_view text, char quote, std::size_t from = 0) {
  const std::size_t begin = text.find(quote, from);
  if (begin == std::string_view::npos)
    return {};
  const std::size_t end = text.find(quote, begin + 1);
  return end == std::string_view::npos ? std::string_view() : text.substr(begin + 1, end - begin - 1);
}

/// "LEAF-01" of "MF0;LEAF-01:MQM9701/U1"; other descriptions unchanged.
std::string switchName(std::string_view description) {
  if (const std::size_t semicolon = description.find(';'); semicolon != std::string_view::npos)
    return std::string(description.substr(semicolon + 1, description.find(':', semicolon) - semicolon - 1));
  return std::string(description);
}

/// "n001" and "mlx5_5" of "n001 mlx5_5"; nothing when the description names no host.
std::optional<std::pair<std::string, std::string>> hostAndAdapter(std::string_view description) {
  const std::vector<std::string_view> parts = words(description);
  if (parts.size() != 2 || parts[0] == "localhost")
    return std::nullopt;
  const bool isAdapter = parts[1].starts_with("HCA-") || parts[1].starts_with("mlx") ||
                         parts[1].starts_with("hfi") || parts[1].starts_with("ib") ||
                         parts[1].starts_with("rocep");
  return isAdapter ? std::optional(std::pair(std::string(parts[0]), std::string(parts[1]))) : std::nullopt;
}

class Reader {
public:
  Reader(const std::string &file, Diagnostics &diagnostics) : file_(file), diagnostics_(diagnostics) {}

  Findings read(std::string_view text) {
    for (LineScanner lines(text); lines.next();)
      readLine(lines.line(), lines.number());
    if (elements_.empty() && !diagnostics_.hasErrors())
      diagnostics_.error(lineOf(file_, 1),
                         "no switch and no adapter in it: not the output of 'ibnetdiscover'", "bad-source");
    nameSwitches();
    addHosts();
    addSwitches();
    return std::move(findings_);
  }

private:
  // --- the two forms ---

  void readLine(std::string_view line, unsigned number) {
    if (line.starts_with("CA ") || line.starts_with("SW ") || line.starts_with("RT "))
      return readPortLine(line, number);
    const std::vector<std::string_view> parts = words(line);
    if (parts.empty() || line.starts_with('#'))
      return;
    if (parts[0] == "Switch" || parts[0] == "Ca" || parts[0] == "Rt")
      return readHeading(line, parts[0], number);
    if (line.starts_with('['))
      readCable(line, number);
  }

  void readHeading(std::string_view line, std::string_view kind, unsigned number) {
    current_ = quoted(line, '"');
    if (current_.size() < 3 || current_[1] != '-') {
      diagnostics_.error(lineOf(file_, number),
                         "expected " + std::string(kind) + " <ports> \"<kind>-<guid>\"", "bad-source");
      current_.clear();
      return;
    }
    const std::size_t hash = line.find('#');
    describe(current_, hash == std::string_view::npos ? std::string_view() : quoted(line, '"', hash), number);
  }

  /// [1](guid)  "S-e000000000000002"[65]  # "name" lid 193 4xNDR
  void readCable(std::string_view line, unsigned number) {
    const std::size_t close = line.find(']');
    const std::string_view peer = quoted(line, '"');
    const std::size_t peerOpen = line.find("\"[");
    const std::size_t peerClose = peerOpen == std::string_view::npos ? peerOpen : line.find(']', peerOpen);
    const std::optional<unsigned> own =
        close == std::string_view::npos ? std::nullopt : wholeNumber(line.substr(1, close - 1));
    const std::optional<unsigned> other =
        peerClose == std::string_view::npos
            ? std::nullopt
            : wholeNumber(line.substr(peerOpen + 2, peerClose - peerOpen - 2));
    if (current_.empty() || !own || !other || peer.size() < 3) {
      diagnostics_.error(lineOf(file_, number),
                         current_.empty()
                             ? "a port before any Switch or Ca line"
                             : "expected [port] \"<kind>-<guid>\"[port] # \"name\" lid <n> <width>x<speed>",
                         "bad-source");
      return;
    }
    const std::size_t hash = line.find('#');
    if (current_.starts_with("S-") && hash != std::string_view::npos)
      describe(std::string(peer), quoted(line, '"', hash), number);
    connect({current_, *own}, {std::string(peer), *other}, words(line).back(), number);
  }

  /// SW  1719 10 0xe0...02 4x EDR - CA  134  1 0xe0...01 ( 'ib-i1l1s01' - 'o0001 HCA-1' )
  void readPortLine(std::string_view line, unsigned number) {
    const std::vector<std::string_view> parts = words(line.substr(0, line.find('(')));
    if (parts.size() >= 6 && parts[5] == "???") // a port without a cable
      return;
    const bool isDown = parts.size() < 11 || parts[6] != "-";
    if (isDown && line.find('\'') != std::string_view::npos && parts.size() >= 6)
      return;
    const std::optional<unsigned> own = isDown ? std::nullopt : wholeNumber(parts[2]);
    const std::optional<unsigned> other = isDown ? std::nullopt : wholeNumber(parts[9]);
    if (!own || !other || (parts[7] != "CA" && parts[7] != "SW" && parts[7] != "RT")) {
      diagnostics_.error(lineOf(file_, number),
                         "expected <kind> <lid> <port> <guid> <width> <speed> - and the same "
                         "of the other end",
                         "bad-source");
      return;
    }
    const std::string here = (parts[0] == "SW" ? "S-" : "H-") + std::string(parts[3]);
    const std::string there = (parts[7] == "SW" ? "S-" : "H-") + std::string(parts[10]);
    const std::size_t open = line.find('(');
    const std::string_view names = open == std::string_view::npos ? std::string_view() : line.substr(open);
    const std::string_view first = quoted(names, '\'');
    describe(here, first, number);
    describe(there,
             first.empty() ? std::string_view() : quoted(names, '\'', names.find(first) + first.size() + 1),
             number);
    connect({here, *own}, {there, *other}, std::string(parts[4]) + std::string(parts[5]), number);
  }

  void describe(const std::string &id, std::string_view description, unsigned number) {
    Element &element = elements_[id];
    element.isSwitch = id.starts_with("S-");
    if (element.line == 0)
      element.line = number;
    if (element.description.empty())
      element.description = std::string(trim(description));
  }

  void connect(Port here, Port there, std::string_view speed, unsigned number) {
    if (there < here)
      std::swap(here, there);
    Cable &cable = cables_[{here, there}];
    cable.speed = std::string(speed);
    cable.ends += 1;
    if (cable.line == 0)
      cable.line = number;
    for (const Port &end : {here, there})
      describe(end.element, "", number);
  }

  // --- what they mean ---

  /// By description where that is unique, else by GUID.
  void nameSwitches() {
    std::map<std::string, unsigned> uses;
    for (const auto &[id, element] : elements_)
      if (element.isSwitch)
        ++uses[switchName(element.description)];
    for (const auto &[id, element] : elements_)
      if (element.isSwitch) {
        const std::string name = switchName(element.description);
        const bool isVendor = name.find(' ') != std::string::npos;
        names_[id] = name.empty() || isVendor || uses[name] > 1 ? id : name;
      }
  }

  void addHosts() {
    std::map<std::string, NodeFindings> hosts;
    unsigned unnamed = 0, aggregation = 0;
    for (const auto &[ends, cable] : cables_) {
      const Element &a = elements_[ends.first.element], &b = elements_[ends.second.element];
      if (a.isSwitch == b.isSwitch)
        continue;
      const std::string &leaf = a.isSwitch ? ends.first.element : ends.second.element;
      const Element &element = a.isSwitch ? b : a;
      const auto host = hostAndAdapter(element.description);
      if (!host) {
        (element.description.find("Aggregation Node") != std::string::npos ? aggregation : unnamed) += 1;
        continue;
      }
      ++hostsOf_[leaf];
      NodeFindings &node = hosts[host->first];
      node.name = host->first;
      node.where = lineOf(file_, element.line);
      NicFindings nic;
      nic.name = host->second;
      nic.leaf = names_[leaf];
      nic.where = lineOf(file_, cable.line);
      if (const auto bandwidth = infinibandBandwidth(cable.speed))
        nic.bandwidth = {*bandwidth, nic.where};
      node.nics.push_back(std::move(nic));
    }
    for (auto &[name, node] : hosts) {
      std::ranges::sort(node.nics, [](const NicFindings &x, const NicFindings &y) {
        return std::pair(x.name.size(), x.name) < std::pair(y.name.size(), y.name);
      });
      findings_.nodes.push_back(std::move(node));
    }
    if (unnamed != 0)
      findings_.remarks.push_back({std::to_string(unnamed) +
                                       " adapters bear no host's name, so their nodes are unknown; "
                                       "set node descriptions (rdma-ndd) or name them by hand",
                                   lineOf(file_, 0)});
    if (aggregation != 0)
      findings_.remarks.push_back(
          {std::to_string(aggregation) + " aggregation nodes of switches (SHARP) are no hosts",
           lineOf(file_, 0)});
  }

  /// 0 where hosts hang, one more per hop away. A management host or two on a spine make no leaf of it: it
  /// takes a quarter of the hosts of the fullest switch.
  std::map<std::string, unsigned> levels() const {
    unsigned most = 0;
    for (const auto &[id, hosts] : hostsOf_)
      most = std::max(most, hosts);
    std::map<std::string, unsigned> level;
    std::deque<std::string> queue;
    for (const auto &[id, hosts] : hostsOf_)
      if (hosts * 4 >= most) {
        level[id] = 0;
        queue.push_back(id);
      }
    std::map<std::string, std::vector<std::string>> neighbours;
    for (const auto &[ends, cable] : cables_)
      if (ends.first.element.starts_with("S-") && ends.second.element.starts_with("S-")) {
        neighbours[ends.first.element].push_back(ends.second.element);
        neighbours[ends.second.element].push_back(ends.first.element);
      }
    for (; !queue.empty(); queue.pop_front())
      for (const std::string &next : neighbours[queue.front()])
        if (level.try_emplace(next, level[queue.front()] + 1).second)
          queue.push_back(next);
    return level;
  }

  void addSwitches() {
    const std::map<std::string, unsigned> level = levels();
    auto rank = [&](const std::string &id) {
      const auto found = level.find(id);
      return std::pair(found == level.end() ? std::numeric_limits<unsigned>::max() : found->second,
                       names_.at(id));
    };
    std::map<std::string, std::map<std::string, UplinkFinding>> uplinks; // by switch, by the one above
    unsigned oneSided = 0;
    for (const auto &[ends, cable] : cables_) {
      const std::string &a = ends.first.element, &b = ends.second.element;
      if (!elements_[a].isSwitch || !elements_[b].isSwitch || a == b)
        continue;
      oneSided += cable.ends == 1;
      const bool aIsBelow = rank(a) < rank(b);
      addCable(uplinks[aIsBelow ? a : b][names_[aIsBelow ? b : a]], names_[aIsBelow ? b : a], cable);
    }
    if (oneSided != 0)
      diagnostics_.warning(lineOf(file_, 0),
                           std::to_string(oneSided) + " cables between switches are listed at one end "
                                                      "only: the file is incomplete",
                           "asymmetric-link");
    for (const auto &[id, element] : elements_) {
      if (!element.isSwitch)
        continue;
      SwitchFindings found{names_[id], {}, lineOf(file_, element.line)};
      for (auto &[to, uplink] : uplinks[id])
        found.uplinks.push_back(std::move(uplink));
      findings_.switches.push_back(std::move(found));
    }
  }

  /// Cables to the same switch are one uplink of several; at different speeds, at the slowest's.
  void addCable(UplinkFinding &uplink, const std::string &to, const Cable &cable) {
    const std::optional<BytesPerSecond> bandwidth = infinibandBandwidth(cable.speed);
    if (uplink.to.empty())
      uplink = {to, 0, {}, lineOf(file_, cable.line)};
    ++uplink.count;
    if (bandwidth && (!uplink.bandwidth || *bandwidth < uplink.bandwidth->value))
      uplink.bandwidth = {*bandwidth, lineOf(file_, cable.line)};
  }

  const std::string &file_;
  Diagnostics &diagnostics_;
  Findings findings_;
  std::string current_;
  std::map<std::string, Element> elements_;
  std::map<std::pair<Port, Port>, Cable> cables_;
  std::map<std::string, std::string> names_; ///< of switches
  std::map<std::string, unsigned> hostsOf_;  ///< by switch
};

} // namespace

Findings readIbNetDiscover(std::string_view text, const std::string &file, Diagnostics &diagnostics) {
  Diagnostics own;
  Findings findings = Reader(file, own).read(text);
  findings.authority = Authority::hardware;
  for (const Diagnostic &diagnostic : own.all())
    diagnostics.report(diagnostic);
  return findings;
}

} // namespace streammap
