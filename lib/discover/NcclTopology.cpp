// NCCL's topology XML: a dump of what NCCL found (NCCL_TOPO_DUMP_FILE), or a vendor's hint file
// (NCCL_TOPO_FILE), which has PCIe only. One node, unnamed.
//
//   <cpu numaid="0"> <pci busid="0000:0f:00.0" class="0x030200" link_speed="32.0 GT/s PCIe" link_width="16">
//     <gpu dev="0" sm="90"> <nvlink target="0000:1c:00.0" count="5" tclass="0x068000"/>
#include "discover/LinkRates.h"
#include "discover/PciNames.h"
#include "discover/Scan.h"
#include "discover/Sources.h"
#include "discover/Xml.h"
#include "support/Text.h"
#include <algorithm>
#include <map>

namespace streammap {
namespace {

struct Gpu {
  const XmlElement *pci = nullptr;
  const XmlElement *gpu = nullptr;    ///< null in a hint file
  const XmlElement *bridge = nullptr; ///< the outermost PCIe switch it is behind
  std::optional<unsigned> numa;
};

struct Nic {
  const XmlElement *pci = nullptr;
  const XmlElement *bridge = nullptr;
  std::optional<unsigned> numa;
};

/// "16 GT/s" and "32.0 GT/s PCIe" with a width; nothing for "".
std::optional<BytesPerSecond> linkOf(const XmlElement &pci) {
  const std::optional<double> rate = leadingNumber(pci.attribute("link_speed"));
  const std::optional<unsigned> lanes = wholeNumber(pci.attribute("link_width"));
  if (!rate || !lanes || *rate < 2 || *rate > 128 || *lanes < 1 || *lanes > 32)
    return std::nullopt;
  return pcieBandwidth(*rate, *lanes);
}

std::optional<unsigned> hexadecimal(std::string_view text) {
  if (!text.starts_with("0x"))
    return std::nullopt;
  unsigned number = 0;
  const auto [end, error] = std::from_chars(text.data() + 2, text.data() + text.size(), number, 16);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

class Reader {
public:
  Reader(const std::string &file, Diagnostics &diagnostics) : file_(file), diagnostics_(diagnostics) {}

  Findings read(const XmlElement &root) {
    for (const XmlElement &cpu : root.children)
      if (cpu.name == "cpu")
        for (const XmlElement &device : cpu.children)
          visit(device, wholeNumber(cpu.attribute("numaid")), nullptr);
    sortGpus();
    NodeFindings node;
    node.where = lineOf(file_, root.line);
    node.gpuCount = {static_cast<unsigned>(gpus_.size()), node.where};
    for (const Gpu &gpu : gpus_)
      node.gpus.push_back(describe(gpu));
    for (unsigned i = 0; i < gpus_.size(); ++i)
      addNvlinks(node, i);
    for (const Nic &nic : nics_)
      addNics(node, nic);
    if (gpus_.empty() && nics_.empty())
      diagnostics_.error(node.where, "no <pci> of a GPU or NIC in it", "bad-source");
    findings_.nodes.push_back(std::move(node));
    return std::move(findings_);
  }

private:
  void visit(const XmlElement &element, std::optional<unsigned> numa, const XmlElement *bridge) {
    if (element.name != "pci")
      return;
    const std::string_view itsClass = element.attribute("class");
    if (element.child("gpu") != nullptr || itsClass.starts_with("0x0302") || itsClass.starts_with("0x0300"))
      return gpus_.push_back({&element, element.child("gpu"), bridge, numa});
    if (element.child("nic") != nullptr || itsClass.starts_with("0x02"))
      return nics_.push_back({&element, bridge, numa});
    for (const XmlElement &below : element.children)
      visit(below, numa, bridge == nullptr ? &element : bridge);
  }

  /// As CUDA counts them under CUDA_DEVICE_ORDER=PCI_BUS_ID: `dev`, else the order of PCI addresses.
  void sortGpus() {
    auto number = [](const Gpu &gpu) {
      return gpu.gpu == nullptr ? std::nullopt : wholeNumber(gpu.gpu->attribute("dev"));
    };
    const bool numbered = std::ranges::all_of(gpus_, [&](const Gpu &gpu) { return number(gpu).has_value(); });
    std::ranges::stable_sort(gpus_, [&](const Gpu &a, const Gpu &b) {
      return numbered
                 ? *number(a) < *number(b)
                 : normalisedBusId(a.pci->attribute("busid")) < normalisedBusId(b.pci->attribute("busid"));
    });
    for (unsigned i = 0; i < gpus_.size(); ++i)
      if (!index_.try_emplace(normalisedBusId(gpus_[i].pci->attribute("busid")), i).second)
        diagnostics_.error(lineOf(file_, gpus_[i].pci->line),
                           "two GPUs have the PCI address '" + std::string(gpus_[i].pci->attribute("busid")) +
                               "'",
                           "duplicate-id");
  }

  GpuFindings describe(const Gpu &gpu) {
    GpuFindings found;
    const SourceLocation where = lineOf(file_, gpu.pci->line);
    found.busId = normalisedBusId(gpu.pci->attribute("busid"));
    if (gpu.numa)
      found.numaNode = {*gpu.numa, where};
    if (const std::optional<unsigned> device = hexadecimal(gpu.pci->attribute("device")))
      if (const std::string_view name = gpuByPciDevice(*device); !name.empty())
        found.product = {std::string(name), where};
    if (const std::optional<unsigned> sm =
            gpu.gpu == nullptr ? std::nullopt : wholeNumber(gpu.gpu->attribute("sm"));
        sm && *sm >= 30 && *sm < 1000)
      found.capability = {std::to_string(*sm / 10) + "." + std::to_string(*sm % 10), where};
    if (const std::optional<BytesPerSecond> link = linkOf(*gpu.pci)) {
      found.hostLink = {*link, where};
      if (const std::optional<BytesPerSecond> above =
              gpu.bridge == nullptr ? std::nullopt : linkOf(*gpu.bridge);
          above && *above < *link && findings_.remarks.empty())
        findings_.remarks.push_back(
            {"the PCIe switch above reports a slower link than its GPU; that is often its "
             "management port, so the GPU's own link counts",
             lineOf(file_, gpu.bridge->line)});
    }
    return found;
  }

  void addNvlinks(NodeFindings &node, unsigned index) {
    if (gpus_[index].gpu == nullptr)
      return;
    node.linksWhere = node.where; // a dump: GPUs without <nvlink> have none
    unsigned intoSwitches = 0;
    for (const XmlElement &link : gpus_[index].gpu->children) {
      const std::optional<unsigned> count = wholeNumber(link.attribute("count"));
      if (link.name != "nvlink")
        continue;
      if (!count || *count == 0 || *count > 64) {
        diagnostics_.error(lineOf(file_, link.line),
                           "count='" + abbreviated(link.attribute("count")) +
                               "' of <nvlink>; expected 1 to 64",
                           "bad-source");
        continue;
      }
      const auto target = index_.find(normalisedBusId(link.attribute("target")));
      if (target == index_.end())
        intoSwitches += link.attribute("tclass").starts_with("0x0680") ? *count : 0;
      else if (target->second != index) // some dumps list a GPU as its own neighbour
        addPair(node, index, target->second, *count, lineOf(file_, link.line));
    }
    if (intoSwitches != 0 && (!node.nvswitch || intoSwitches < node.nvswitch->lanes))
      node.nvswitch = GpuSwitchFinding{intoSwitches, {}, lineOf(file_, gpus_[index].gpu->line)};
  }

  void addPair(NodeFindings &node, unsigned from, unsigned to, unsigned count, const SourceLocation &where) {
    const unsigned a = std::min(from, to), b = std::max(from, to);
    auto known = std::ranges::find_if(node.links,
                                      [&](const GpuLinkFinding &link) { return link.a == a && link.b == b; });
    if (known == node.links.end()) {
      node.links.push_back({a, b, GpuLinkKind::nvlink, count, {}, where});
    } else if (from == b && known->lanes != count) {
      diagnostics_.warning(where,
                           "asymmetric: GPU " + std::to_string(b) + " names " + std::to_string(count) +
                               " NVLinks to GPU " + std::to_string(a) + ", which names " +
                               std::to_string(known->lanes) + "; the lower number counts",
                           "asymmetric-link");
      known->lanes = std::min(known->lanes, count);
    }
  }

  /// Every port (<net>) is a NIC; without them the PCI function is one.
  void addNics(NodeFindings &node, const Nic &nic) {
    NicFindings found;
    found.busId = normalisedBusId(nic.pci->attribute("busid"));
    found.where = lineOf(file_, nic.pci->line);
    if (nic.numa)
      found.numaNode = {*nic.numa, found.where};
    const bool anyBridge =
        std::ranges::any_of(nics_, [](const Nic &other) { return other.bridge != nullptr; });
    for (unsigned i = 0; i < gpus_.size(); ++i)
      if (anyBridge ? gpus_[i].bridge != nullptr && gpus_[i].bridge == nic.bridge
                    : gpus_[i].numa && gpus_[i].numa == nic.numa)
        found.nearGpus.push_back(i);
    const XmlElement *ports = nic.pci->child("nic");
    if (ports == nullptr || ports->child("net") == nullptr) {
      found.name = "nic" + std::to_string(node.nics.size());
      return node.nics.push_back(std::move(found));
    }
    for (const XmlElement &net : ports->children) {
      NicFindings port = found;
      port.name = net.attribute("name").empty() ? "nic" + std::to_string(node.nics.size())
                                                : std::string(net.attribute("name"));
      port.where = lineOf(file_, net.line);
      if (const std::optional<double> megabits = leadingNumber(net.attribute("speed"));
          megabits && *megabits > 0)
        port.bandwidth = {gigabitsPerSecond(*megabits / 1000), port.where};
      node.nics.push_back(std::move(port));
    }
  }

  const std::string &file_;
  Diagnostics &diagnostics_;
  Findings findings_;
  std::vector<Gpu> gpus_;
  std::vector<Nic> nics_;
  std::map<std::string, unsigned> index_; ///< of GPUs, by PCI address
};

} // namespace

Findings readNcclTopology(std::string_view text, const std::string &file, Diagnostics &diagnostics) {
  Findings findings;
  const std::optional<XmlElement> root = parseXml(text, file, diagnostics);
  if (root && root->name == "graphs")
    diagnostics.error(
        lineOf(file, root->line),
        "a dump of NCCL's graphs, which describes channels and not the machine; write the topology with "
        "NCCL_TOPO_DUMP_FILE",
        "bad-source");
  else if (root && root->name != "system")
    diagnostics.error(lineOf(file, root->line), "expected <system>, found <" + abbreviated(root->name) + ">",
                      "bad-source");
  else if (root)
    findings = Reader(file, diagnostics).read(*root);
  findings.authority = Authority::hardware;
  return findings;
}

} // namespace streammap
