// hwloc's XML (`lstopo topology.xml`), versions 1 to 3: cores, memory, NUMA nodes, PCIe, and NVLinks where
// hwloc was built with NVML. One node, named where the file has its HostName.
//
// One GPU appears as several OS devices (cuda0, nvml0, opencl0d0) below one PCI device, which is what counts.
// osdev_type is a number until version 2 and a bit mask from 3; the names of the devices do without it.
#include "discover/PciNames.h"
#include "discover/Scan.h"
#include "discover/Sources.h"
#include "discover/Xml.h"
#include "support/Text.h"
#include <algorithm>
#include <map>

namespace streammap {
namespace {

std::string_view infoOf(const XmlElement &object, std::string_view name) {
  for (const XmlElement &info : object.children)
    if (info.name == "info" && info.attribute("name") == name)
      return info.attribute("value");
  return {};
}

/// The number of the only NUMA node in "0x00000002"; nothing when there are several.
std::optional<unsigned> onlyNode(std::string_view nodeset) {
  if (!nodeset.starts_with("0x"))
    return std::nullopt;
  std::optional<unsigned> only;
  unsigned base = 0;
  std::vector<std::string_view> parts = split(nodeset, ','); // highest word first
  std::ranges::reverse(parts);
  for (std::string_view part : parts) {
    unsigned word = 0;
    if (part.starts_with("0x"))
      part.remove_prefix(2);
    std::from_chars(part.data(), part.data() + part.size(), word, 16);
    for (unsigned bit = 0; bit < 32; ++bit)
      if ((word >> bit & 1U) != 0) {
        if (only)
          return std::nullopt;
        only = base + bit;
      }
    base += 32;
  }
  return only;
}

struct Place {
  std::optional<unsigned> numa;
  const XmlElement *bridge = nullptr; ///< the outermost PCI-to-PCI bridge above
};

struct GpuDevice {
  const XmlElement *pci;
  Place place;
};

class Reader {
public:
  Reader(const std::string &file, Diagnostics &diagnostics) : file_(file), diagnostics_(diagnostics) {}

  Findings read(const XmlElement &root) {
    for (const XmlElement &child : root.children)
      if (child.name == "object")
        visit(child, {});
    std::ranges::stable_sort(
        gpus_, {}, [](const GpuDevice &gpu) { return std::string(gpu.pci->attribute("pci_busid")); });
    node_.where = lineOf(file_, root.line);
    if (cores_ != 0)
      node_.cores = {cores_, node_.where};
    if (const double memory = numaMemory_ > 0 ? numaMemory_ : machineMemory_; memory > 0)
      node_.memory = {bytes(memory), node_.where};
    for (unsigned i = 0; i < gpus_.size(); ++i)
      addGpu(gpus_[i], i);
    if (sawPci_)
      node_.gpuCount = {static_cast<unsigned>(gpus_.size()), node_.where};
    for (const auto &[pci, place] : nics_)
      addNic(*pci, place);
    for (const XmlElement &child : root.children)
      if (child.name.starts_with("distances") && infoName(child) == "NVLinkBandwidth")
        readNvlinks(child);
    Findings findings;
    findings.nodes.push_back(std::move(node_));
    return findings;
  }

private:
  static std::string_view infoName(const XmlElement &distances) { return distances.attribute("name"); }

  void visit(const XmlElement &object, Place place) {
    const std::string_view type = object.attribute("type");
    if (const std::optional<unsigned> numa = onlyNode(object.attribute("nodeset")))
      place.numa = numa;
    if (type == "Core")
      ++cores_;
    if (const std::optional<double> memory = leadingNumber(object.attribute("local_memory"));
        memory && *memory > 0)
      (type == "NUMANode" ? numaMemory_ : machineMemory_) += *memory;
    if (const std::string_view host = infoOf(object, "HostName");
        !host.empty() && host != "redacted" && type == "Machine")
      node_.name = host;
    if (type == "Bridge" && object.attribute("bridge_type") == "1-1" && place.bridge == nullptr)
      place.bridge = &object;
    if (type == "PCIDev") {
      sawPci_ = true;
      const std::string_view itsClass = object.attribute("pci_type");
      if (itsClass.starts_with("03") && itsClass.find("[10de:") != std::string_view::npos)
        gpus_.push_back({&object, place});
      else if (itsClass.starts_with("02"))
        nics_.emplace_back(&object, place);
    }
    for (const XmlElement &child : object.children)
      if (child.name == "object")
        visit(child, place);
  }

  void addGpu(const GpuDevice &device, unsigned index) {
    GpuFindings gpu;
    const SourceLocation where = lineOf(file_, device.pci->line);
    gpu.busId = normalisedBusId(device.pci->attribute("pci_busid"));
    indexOf_[std::string(device.pci->attribute("gp_index"))] = index;
    if (device.place.numa)
      gpu.numaNode = {*device.place.numa, where};
    if (const std::optional<double> link = leadingNumber(device.pci->attribute("pci_link_speed"));
        link && *link > 0)
      gpu.hostLink = {gigabytesPerSecond(*link), where};
    for (const XmlElement &os : device.pci->children) {
      if (os.name != "object" || os.attribute("type") != "OSDev")
        continue;
      indexOf_[std::string(os.attribute("gp_index"))] = index;
      if (const std::string_view model = infoOf(os, "GPUModel"); !model.empty() && !gpu.product)
        gpu.product = {std::string(model), lineOf(file_, os.line)};
      if (const std::optional<double> memory = leadingNumber(infoOf(os, "CUDAGlobalMemorySize"));
          memory && *memory > 0)
        gpu.memory = {kibibytes(*memory), lineOf(file_, os.line)};
      if (const std::optional<unsigned> count = wholeNumber(infoOf(os, "CUDAMultiProcessors")))
        gpu.multiprocessors = {*count, lineOf(file_, os.line)};
    }
    if (!gpu.product)
      addProductById(gpu, device, where);
    node_.gpus.push_back(std::move(gpu));
  }

  static void addProductById(GpuFindings &gpu, const GpuDevice &device, const SourceLocation &where) {
    const std::string_view text = device.pci->attribute("pci_type");
    const std::size_t id = text.find("[10de:");
    unsigned number = 0;
    std::from_chars(text.data() + id + 6, text.data() + std::min(id + 10, text.size()), number, 16);
    if (const std::string_view name = gpuByPciDevice(number); !name.empty())
      gpu.product = {std::string(name), where};
  }

  /// The HCA's name (mlx5_0) before the interface's (ib0).
  void addNic(const XmlElement &pci, const Place &place) {
    NicFindings nic;
    nic.busId = normalisedBusId(pci.attribute("pci_busid"));
    nic.where = lineOf(file_, pci.line);
    for (const XmlElement &os : pci.children)
      if (os.name == "object" && os.attribute("type") == "OSDev" &&
          (nic.name.empty() || os.attribute("name").starts_with("mlx")))
        nic.name = os.attribute("name");
    if (nic.name.empty())
      return; // a function no driver holds
    if (place.numa)
      nic.numaNode = {*place.numa, nic.where};
    for (unsigned i = 0; i < gpus_.size(); ++i)
      if (place.bridge != nullptr && gpus_[i].place.bridge == place.bridge)
        nic.nearGpus.push_back(i);
    node_.nics.push_back(std::move(nic));
  }

  // --- NVLinks: a matrix in MB/s over GPUs, NVSwitches and processors ---

  void readNvlinks(const XmlElement &matrix) {
    std::vector<std::string> ids;
    std::vector<double> values;
    for (const XmlElement &part : matrix.children)
      for (std::string_view word : words(part.text)) {
        if (part.name == "indexes")
          ids.emplace_back(word.substr(word.find(':') + 1));
        else if (part.name == "u64values")
          values.push_back(leadingNumber(word).value_or(-1));
      }
    if (ids.size() > 4096 || values.size() != ids.size() * ids.size()) {
      diagnostics_.error(lineOf(file_, matrix.line),
                         "the NVLink matrix has " + std::to_string(values.size()) + " values for " +
                             std::to_string(ids.size()) + " devices",
                         "bad-topology");
      return;
    }
    node_.linksWhere = lineOf(file_, matrix.line);
    for (std::size_t row = 0; row < ids.size(); ++row)
      if (const auto gpu = indexOf_.find(ids[row]); gpu != indexOf_.end())
        readRow(gpu->second, ids, std::span(values).subspan(row * ids.size(), ids.size()), *node_.linksWhere);
  }

  void readRow(unsigned gpu, const std::vector<std::string> &ids, std::span<const double> row,
               const SourceLocation &where) {
    double intoSwitches = 0, toProcessor = 0;
    for (std::size_t column = 0; column < ids.size(); ++column) {
      if (row[column] <= 0 || row[column] >= 1e6) // hwloc marks a device's link to itself with 1000000
        continue;
      const auto other = indexOf_.find(ids[column]);
      if (other == indexOf_.end())
        (isProcessor(ids[column]) ? toProcessor : intoSwitches) += row[column];
      else if (other->second > gpu && std::ranges::none_of(node_.links, [&](const GpuLinkFinding &link) {
                 return link.a == gpu &&
                        link.b == other->second; // one GPU may stand there as cuda0 and nvml0
               }))
        node_.links.push_back({gpu, other->second, GpuLinkKind::nvlink, 0,
                               Fact<BytesPerSecond>{bytesPerSecond(row[column] * 1e6), where}, where});
    }
    if (toProcessor > 0) // POWER8 and 9: the host is reached over NVLink, not PCIe
      node_.gpus[gpu].hostLink = {bytesPerSecond(toProcessor * 1e6), where};
    if (intoSwitches > 0 &&
        (!node_.nvswitch || intoSwitches * 1e6 < node_.nvswitch->bandwidth->value.value()))
      node_.nvswitch =
          GpuSwitchFinding{0, Fact<BytesPerSecond>{bytesPerSecond(intoSwitches * 1e6), where}, where};
  }

  bool isProcessor(const std::string &id) const { return packages_.contains(id); }

public:
  /// The gp_index of every package, before read().
  void collectPackages(const XmlElement &element) {
    if (element.attribute("type") == "Package" || element.attribute("type") == "Socket")
      packages_[std::string(element.attribute("gp_index"))] = true;
    for (const XmlElement &child : element.children)
      if (child.name == "object")
        collectPackages(child);
  }

private:
  const std::string &file_;
  Diagnostics &diagnostics_;
  NodeFindings node_;
  std::vector<GpuDevice> gpus_;
  std::vector<std::pair<const XmlElement *, Place>> nics_;
  std::map<std::string, unsigned> indexOf_; ///< of GPUs, by gp_index of any of its objects
  std::map<std::string, bool> packages_;
  unsigned cores_ = 0;
  double numaMemory_ = 0, machineMemory_ = 0;
  bool sawPci_ = false;
};

} // namespace

Findings readHwloc(std::string_view text, const std::string &file, Diagnostics &diagnostics) {
  Findings findings;
  if (const std::optional<XmlElement> root = parseXml(text, file, diagnostics)) {
    if (root->name != "topology") {
      diagnostics.error(lineOf(file, root->line),
                        "expected <topology>, found <" + abbreviated(root->name) + ">", "bad-source");
    } else {
      Reader reader(file, diagnostics);
      reader.collectPackages(*root);
      findings = reader.read(*root);
    }
  }
  findings.authority = Authority::hardware;
  return findings;
}

} // namespace streammap
