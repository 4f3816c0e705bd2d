// `nvidia-smi topo -m`: how each pair of GPUs and NICs of one node is connected.
//
//         GPU0    GPU1    mlx5_0  CPU Affinity    NUMA Affinity
//   GPU0   X      NV12    PXB     0-31            0
//
// Drivers differ in nearly everything but the classes: the header may be underlined by escape codes, glued or
// re-flowed to blanks; NICs carry their names or are NIC0, NIC1 with a legend; the last columns come and go.
#include "discover/Scan.h"
#include "discover/Sources.h"
#include "support/Text.h"
#include <algorithm>
#include <map>

namespace streammap {
namespace {

/// Near to far. `self` and `nvlink` are no distances over PCIe.
enum class Connection { self, nvlink, pix, pxb, phb, node, sys };

struct Cell {
  Connection connection = Connection::sys;
  unsigned lanes = 0; ///< of nvlink
};

std::optional<Cell> parseCell(std::string_view text) {
  if (text == "X")
    return Cell{Connection::self, 0};
  if (text == "PIX")
    return Cell{Connection::pix, 0};
  if (text == "PXB")
    return Cell{Connection::pxb, 0};
  if (text == "PHB")
    return Cell{Connection::phb, 0};
  if (text == "NODE")
    return Cell{Connection::node, 0};
  if (text == "SYS" || text == "SOC") // SOC until R384
    return Cell{Connection::sys, 0};
  const std::optional<unsigned> lanes = text.starts_with("NV") ? wholeNumber(text.substr(2)) : std::nullopt;
  if (lanes && *lanes >= 1 && *lanes <= 64)
    return Cell{Connection::nvlink, *lanes};
  return std::nullopt;
}

/// Without the escape codes that underline the header (ESC [ ... letter).
std::string withoutEscapes(std::string_view line) {
  std::string plain;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] != '\x1b') {
      plain += line[i];
      continue;
    }
    if (i + 1 < line.size() && line[i + 1] == '[')
      ++i;
    while (i + 1 < line.size() &&
           !((line[i + 1] >= 'a' && line[i + 1] <= 'z') || (line[i + 1] >= 'A' && line[i + 1] <= 'Z')))
      ++i;
    ++i;
  }
  return plain;
}

/// "GPU0GPU1mlx5_0" as its names; other words unchanged.
void appendNames(std::string_view word, std::vector<std::string> &names) {
  while (word.starts_with("GPU")) {
    std::size_t end = 3;
    while (end < word.size() && word[end] >= '0' && word[end] <= '9')
      ++end;
    names.emplace_back(word.substr(0, end));
    word.remove_prefix(end);
  }
  if (!word.empty())
    names.emplace_back(word);
}

/// The names of the columns, when `line` is the header: it has GPU0, and is no row.
std::vector<std::string> headerNames(const std::string &line) {
  std::vector<std::string> names;
  const std::vector<std::string_view> all = words(line);
  if (all.empty() || !all[0].starts_with("GPU0") || (all.size() > 1 && parseCell(all[1])))
    return {};
  for (std::string_view word : all) {
    if (word == "CPU" || word == "NUMA" || word == "GPU") // "CPU Affinity", "NUMA Affinity", "GPU NUMA ID"
      break;
    appendNames(word, names);
  }
  return names;
}

class Reader {
public:
  Reader(const std::string &file, Diagnostics &diagnostics) : file_(file), diagnostics_(diagnostics) {}

  Findings read(std::string_view text) {
    Findings findings;
    for (LineScanner lines(text); lines.next();)
      readLine(withoutEscapes(lines.line()), lines.number());
    if (names_.empty()) {
      diagnostics_.error(lineOf(file_, 1), "no matrix of 'nvidia-smi topo -m': no line begins with GPU0",
                         "bad-topology");
      return findings;
    }
    for (std::size_t i = 0; i < names_.size(); ++i)
      if (rows_[i].empty())
        diagnostics_.error(lineOf(file_, headerLine_),
                           "the header names " + names_[i] + ", but it has no row", "bad-topology");
    if (!diagnostics_.hasErrors())
      findings.nodes.push_back(node());
    return findings;
  }

private:
  void readLine(const std::string &line, unsigned number) {
    if (names_.empty()) {
      names_ = headerNames(line);
      rows_.assign(names_.size(), {});
      rowLines_.assign(names_.size(), number);
      numa_.assign(names_.size(), std::nullopt);
      headerLine_ = number;
      return;
    }
    const std::string_view start = trim(line);
    inLegend_ = inLegend_ || start.starts_with("Legend:");
    if (const std::size_t colon = start.find(": ");
        start.starts_with("NIC") && colon != std::string_view::npos) {
      legend_[std::string(start.substr(0, colon))] = std::string(trim(start.substr(colon + 2)));
      return;
    }
    if (!inLegend_ && !start.empty())
      readRow(line, number);
  }

  void readRow(const std::string &line, unsigned number) {
    const std::vector<std::string_view> cells = words(line);
    const auto found = std::ranges::find(names_, cells[0]);
    if (found == names_.end()) {
      if (cells[0].starts_with("GPU") || cells.size() > names_.size() / 2 + 1)
        diagnostics_.error(lineOf(file_, number),
                           "row '" + abbreviated(cells[0]) + "' is no column of the header" +
                               didYouMean(cells[0], names_),
                           "bad-topology");
      return;
    }
    const std::size_t row = static_cast<std::size_t>(found - names_.begin());
    if (!rows_[row].empty())
      return diagnostics_.error(lineOf(file_, number), "a second row for " + names_[row], "bad-topology");
    rowLines_[row] = number;
    for (std::size_t i = 1; i <= names_.size(); ++i) {
      const std::optional<Cell> cell = i < cells.size() ? parseCell(cells[i]) : std::nullopt;
      if (!cell) {
        diagnostics_.error(
            lineOf(file_, number,
                   i < cells.size() ? static_cast<unsigned>(cells[i].data() - line.data()) + 1 : 0),
            (i < cells.size()
                 ? "'" + abbreviated(cells[i]) + "' is no connection"
                 : "the row of " + names_[row] + " has " + std::to_string(i - 1) + " connections") +
                "; expected " + std::to_string(names_.size()) + " of X, NV#, PIX, PXB, PHB, NODE, SYS",
            "bad-topology");
        rows_[row].assign(names_.size(), Cell{});
        return;
      }
      rows_[row].push_back(*cell);
    }
    readNuma(line, cells, row);
  }

  /// The first NUMA node of the row's list ("0,3-9,11-17" on GB200), behind the CPU affinity.
  void readNuma(const std::string &line, const std::vector<std::string_view> &cells, std::size_t row) {
    std::string_view text;
    if (line.find('\t') != std::string::npos) {
      const std::vector<std::string_view> tabs = split(line, '\t');
      text = tabs.size() > names_.size() + 2 ? trim(tabs[names_.size() + 2]) : std::string_view();
    } else if (cells.size() > names_.size() + 2) {
      text = cells[names_.size() + 2];
    }
    if (const std::optional<double> first = leadingNumber(text); first && *first >= 0 && *first < 4096)
      numa_[row] = static_cast<unsigned>(*first);
  }

  bool isGpu(std::size_t i) const {
    return names_[i].starts_with("GPU") && wholeNumber(std::string_view(names_[i]).substr(3));
  }

  NodeFindings node() const {
    std::vector<std::size_t> gpus, nics;
    for (std::size_t i = 0; i < names_.size(); ++i)
      (isGpu(i) ? gpus : nics).push_back(i);
    NodeFindings node;
    node.where = lineOf(file_, headerLine_);
    node.linksWhere = node.where;
    node.gpuCount = {static_cast<unsigned>(gpus.size()), node.where};
    for (std::size_t gpu : gpus) {
      node.gpus.emplace_back();
      if (numa_[gpu])
        node.gpus.back().numaNode = {*numa_[gpu], lineOf(file_, rowLines_[gpu])};
    }
    for (std::size_t a = 0; a < gpus.size(); ++a)
      for (std::size_t b = a + 1; b < gpus.size(); ++b)
        addLink(node, gpus, a, b);
    for (std::size_t nic : nics)
      addNic(node, gpus, nics, nic);
    return node;
  }

  void addLink(NodeFindings &node, const std::vector<std::size_t> &gpus, std::size_t a, std::size_t b) const {
    const Cell there = rows_[gpus[a]][gpus[b]], back = rows_[gpus[b]][gpus[a]];
    if (there.connection != back.connection || there.lanes != back.lanes)
      diagnostics_.warning(lineOf(file_, rowLines_[gpus[b]]),
                           "asymmetric: " + names_[gpus[a]] + " and " + names_[gpus[b]] +
                               " are connected differently in their two rows; taken as the slower",
                           "asymmetric-link");
    const Cell &slower =
        there.connection != back.connection
            ? std::max(there, back, [](const Cell &x, const Cell &y) { return x.connection < y.connection; })
            : (there.lanes < back.lanes ? there : back);
    GpuLinkFinding link{
        static_cast<unsigned>(a),         static_cast<unsigned>(b), GpuLinkKind::nvlink, slower.lanes, {},
        lineOf(file_, rowLines_[gpus[a]])};
    if (slower.connection == Connection::pix || slower.connection == Connection::pxb)
      link.kind = GpuLinkKind::pcie;
    else if (slower.connection != Connection::nvlink)
      return;
    node.links.push_back(link);
  }

  /// A GPU is near the NICs it reaches without crossing to another NUMA node, at the least distance any has.
  void addNic(NodeFindings &node, const std::vector<std::size_t> &gpus, const std::vector<std::size_t> &nics,
              std::size_t nic) const {
    NicFindings found;
    const auto name = legend_.find(names_[nic]);
    found.name = name == legend_.end() ? names_[nic] : name->second;
    found.where = lineOf(file_, rowLines_[nic]);
    for (std::size_t gpu = 0; gpu < gpus.size(); ++gpu) {
      const std::vector<Cell> &row = rows_[gpus[gpu]];
      Connection nearest = Connection::sys;
      for (std::size_t other : nics)
        nearest = std::min(nearest, row[other].connection);
      const Connection own = row[nic].connection;
      if (own != Connection::sys && (own <= Connection::pxb || own == nearest))
        found.nearGpus.push_back(static_cast<unsigned>(gpu));
    }
    node.nics.push_back(std::move(found));
  }

  const std::string &file_;
  Diagnostics &diagnostics_;
  std::vector<std::string> names_;
  std::vector<std::vector<Cell>> rows_;
  std::vector<unsigned> rowLines_;
  std::vector<std::optional<unsigned>> numa_;
  std::map<std::string, std::string> legend_;
  unsigned headerLine_ = 1;
  bool inLegend_ = false;
};

} // namespace

Findings readNvidiaSmiTopo(std::string_view text, const std::string &file, Diagnostics &diagnostics) {
  Diagnostics own;
  Findings findings = Reader(file, own).read(text);
  findings.authority = Authority::hardware;
  for (const Diagnostic &diagnostic : own.all())
    diagnostics.report(diagnostic);
  return findings;
}

} // namespace streammap
