// What one node holds: GPUs, their links, NICs, cores.
#include "discover/GpuNames.h"
#include "discover/LinkRates.h"
#include "discover/Merge.h"
#include "discover/Scan.h"
#include "model/GpuCatalogue.h"
#include "support/Text.h"
#include <algorithm>
#include <cmath>

namespace streammap {
namespace {

/// How far two sources may be apart on a size before they disagree: drivers keep some memory to themselves.
constexpr double tolerance = 0.12;

bool differ(Bytes a, Bytes b) {
  return std::abs(a.value() - b.value()) > tolerance * std::max(a.value(), b.value());
}

/// The file alone: a remark that holds for many nodes must not differ by their lines.
std::string fileOf(const SourceLocation &where) {
  return toText(SourceLocation{where.file, 0, 0, {}});
}

int gravity(State state) {
  switch (state) {
  case State::up:
    return 0;
  case State::busy:
    return 1;
  case State::reserved:
    return 2;
  case State::drained:
    return 3;
  case State::down:
    break;
  }
  return 4;
}

/// A slice of `whole`: memory as the slice reports it, rates by its share of multiprocessors, bandwidth by
/// its share of memory (NVIDIA MIG User Guide, "Partitioning": memory slices carry their part of the
/// bandwidth).
GpuModel sliceOf(const GpuModel &whole, const MigSlice &slice) {
  GpuModel model = whole;
  const std::optional<double> computeShare = leadingNumber(slice.profile); // 3 of "3g.40gb"
  const double computeSlices = whole.memory < gibibytes(30) ? 4 : 7;       // A30 has four, all others seven
  const double share = std::clamp(slice.multiprocessors != 0 && whole.multiprocessors != 0
                                      ? static_cast<double>(slice.multiprocessors) / whole.multiprocessors
                                      : computeShare.value_or(computeSlices) / computeSlices,
                                  0.0, 1.0);
  const std::string profile = !slice.profile.empty()
                                  ? slice.profile
                                  : std::to_string(slice.multiprocessors) + "sm." +
                                        shortest(std::round(slice.memory.value() / 1073741824)) + "gb";
  model.name = whole.name + "-MIG-" + profile;
  if (slice.memory.value() > 0 && whole.memory.value() > 0)
    model.memoryBandwidth = whole.memoryBandwidth * std::min(1.0, slice.memory / whole.memory);
  if (slice.memory.value() > 0)
    model.memory = slice.memory;
  for (FlopsPerSecond &rate : model.peak)
    rate = rate * share;
  model.multiprocessors = slice.multiprocessors != 0 ? slice.multiprocessors
                                                     : static_cast<unsigned>(whole.multiprocessors * share);
  model.power = whole.power * share;
  model.source = "share of " + whole.name + " (" + whole.source + ")";
  return model;
}

class Merger {
public:
  Merger(const std::string &node, std::span<const NodeSource> sources, MergeRemarks &remarks)
      : name_(node), sources_(sources), remarks_(remarks) {}

  NodeInside merge() {
    mergeHost();
    mergeGpus();
    mergeLinks();
    mergeNics();
    return std::move(inside_);
  }

private:
  // --- cores and memory ---

  template <class T, class Differ>
  std::optional<Fact<T>> first(const Maybe<T> NodeFindings::*field, const char *what, Differ disagree,
                               std::string (*print)(const T &)) {
    std::optional<Fact<T>> best;
    for (const NodeSource &source : sources_) {
      const Maybe<T> &fact = source.node->*field;
      if (fact && !best)
        best = fact;
      else if (fact && disagree(best->value, fact->value))
        conflict(fact->where, print(fact->value) + " " + what, best->where, print(best->value));
    }
    return best;
  }

  void conflict(const SourceLocation &other, const std::string &said, const SourceLocation &taken,
                const std::string &value) {
    remarks_.conflicts.add(toText(other) + " says " + said + ", " + toText(taken) + " says " + value +
                               "; taken: " + value,
                           name_);
  }

  void mergeHost() {
    // A Kubernetes CPU is a hardware thread, so twice as many are no contradiction.
    const auto cores = first<unsigned>(
        &NodeFindings::cores, "cores",
        [](unsigned a, unsigned b) { return a != b && a != 2 * b && b != 2 * a; },
        [](const unsigned &value) { return std::to_string(value); });
    const auto memory = first<Bytes>(&NodeFindings::memory, "of memory", differ,
                                     [](const Bytes &value) { return toText(value); });
    inside_.type.cpuCores = cores ? cores->value : 0;
    inside_.type.memory = memory ? memory->value : Bytes();
    inside_.isKnown = cores.has_value();
  }

  // --- GPUs ---

  void mergeGpus() {
    const auto count = first<unsigned>(&NodeFindings::gpuCount, "GPUs", std::not_equal_to<>(),
                                       [](const unsigned &value) { return std::to_string(value); });
    if (!count)
      return;
    inside_.isKnown = true;
    std::vector<std::optional<unsigned>> numa;
    for (unsigned index = 0; index < count->value; ++index)
      mergeGpu(index, count->value, numa);
    if (std::ranges::any_of(numa, [](const auto &node) { return node.has_value(); }))
      inside_.type.gpuNuma = numa;
    for (const NodeSource &source : sources_)
      if (source.node->gpusInUse && source.isOfThisNode && !isEachStateKnown(count->value))
        remarks_.unknown.add("which " + std::to_string(source.node->gpusInUse->value) + " GPUs are in use (" +
                                 fileOf(source.node->gpusInUse->where) + " only counts them)",
                             name_);
  }

  bool isEachStateKnown(unsigned count) const {
    return std::ranges::any_of(sources_, [&](const NodeSource &source) {
      return source.isOfThisNode && source.node->gpus.size() == count &&
             std::ranges::all_of(source.node->gpus,
                                 [](const GpuFindings &gpu) { return gpu.state.has_value(); });
    });
  }

  void mergeGpu(unsigned index, unsigned count, std::vector<std::optional<unsigned>> &numa) {
    // GPUs of different sources are the same one by their place in the order of PCI addresses, which all
    // count by.
    std::vector<const GpuFindings *> all, own;
    for (const NodeSource &source : sources_)
      if (source.node->gpus.size() == count) {
        all.push_back(&source.node->gpus[index]);
        if (source.isOfThisNode)
          own.push_back(&source.node->gpus[index]);
      }
    const GpuModel model = modelOf(all);
    std::optional<unsigned> itsNuma;
    GpuReadings readings;
    std::vector<MigSlice> slices;
    bool mig = false;
    for (const GpuFindings *gpu : all) {
      if (gpu->numaNode && itsNuma && *itsNuma != gpu->numaNode->value)
        conflict(gpu->numaNode->where,
                 "NUMA node " + std::to_string(gpu->numaNode->value) + " for GPU " + std::to_string(index),
                 gpu->numaNode->where, std::to_string(*itsNuma));
      else if (gpu->numaNode)
        itsNuma = gpu->numaNode->value;
      mig = mig || gpu->migEnabled;
      if (slices.size() < gpu->slices.size())
        slices = gpu->slices;
      mergeHostLink(*gpu);
    }
    for (const GpuFindings *gpu : own)
      fillReadings(readings, gpu->readings);
    const StateFinding state = mergeGpuState(own, readings, model.memory);
    if (mig && slices.empty())
      remarks_.unknown.add("the MIG devices of GPU " + std::to_string(index) +
                               ", which is in MIG mode (ask 'nvidia-smi -L')",
                           name_);
    hasMig_ = hasMig_ || mig;
    const std::size_t devices = std::max<std::size_t>(1, slices.size());
    for (std::size_t i = 0; i < devices; ++i) {
      inside_.gpus.push_back(slices.empty() ? model : sliceOf(model, slices[i]));
      inside_.gpuStates.push_back(state);
      inside_.gpuReadings.push_back(readings);
      numa.push_back(itsNuma);
    }
  }

  void mergeHostLink(const GpuFindings &gpu) {
    if (!gpu.hostLink)
      return;
    if (hostLink_ &&
        std::abs(gpu.hostLink->value / hostLink_->value - 1) > 0.02) // 15.75 and 15.754 GB/s are one link
      remarks_.assumed.add("GPUs or sources differ in their host link (" + toText(hostLink_->value) + " at " +
                               toText(hostLink_->where) + ", " + toText(gpu.hostLink->value) + " at " +
                               toText(gpu.hostLink->where) + "); the slowest counts for all",
                           name_);
    if (!hostLink_ || gpu.hostLink->value < hostLink_->value)
      hostLink_ = gpu.hostLink;
    inside_.type.hostLink.bandwidth = hostLink_->value;
  }

  /// The catalogue's model that all sources can mean, or one of our own with what is known.
  GpuModel modelOf(const std::vector<const GpuFindings *> &gpus) {
    std::optional<Bytes> memory;
    for (const GpuFindings *gpu : gpus)
      if (gpu->memory && !memory)
        memory = gpu->memory->value;
    std::vector<std::string> candidates;
    const Fact<std::string> *taken = nullptr, *firstNamed = nullptr;
    for (const GpuFindings *gpu : gpus) {
      if (!gpu->product)
        continue;
      const bool isSlice = !migProfileOf(gpu->product->value).empty();
      const std::vector<std::string> &own =
          candidatesOf(gpu->product->value, isSlice || gpu->migEnabled ? std::nullopt : memory);
      if (firstNamed == nullptr)
        firstNamed = &*gpu->product;
      if (own.empty())
        continue;
      if (taken == nullptr) {
        candidates = own;
        taken = &*gpu->product;
        continue;
      }
      std::vector<std::string> both;
      for (const std::string &name : candidates)
        if (std::ranges::find(own, name) != own.end())
          both.push_back(name);
      if (both.empty())
        conflict(gpu->product->where, "'" + gpu->product->value + "'", taken->where,
                 "'" + taken->value + "'");
      else
        candidates = both;
    }
    const Fact<std::string> *named = taken != nullptr ? taken : firstNamed;
    const std::string_view profile = named == nullptr ? std::string_view() : migProfileOf(named->value);
    if (candidates.empty())
      return ownModel(named, gpus, memory);
    if (candidates.size() > 1)
      remarks_.assumed.add("'" + taken->value + "' of " + fileOf(taken->where) + " may be " +
                               join(candidates, ", ") + "; taken: " + candidates.front(),
                           name_);
    const GpuModel model = *catalogueModel(candidates.front());
    if (profile.empty())
      return model;
    return sliceOf(
        model, {std::string(profile), memory.value_or(memoryOfProfile(profile)), multiprocessorsOf(gpus)});
  }

  /// GPUs of a node are mostly alike: the last answer is kept.
  const std::vector<std::string> &candidatesOf(const std::string &product, std::optional<Bytes> memory) {
    if (!asked_ || asked_->first != product || asked_->second != memory) {
      asked_ = std::pair(product, memory);
      candidates_ = catalogueCandidates(product, memory);
    }
    return candidates_;
  }

  static Bytes memoryOfProfile(std::string_view profile) {
    const std::optional<double> size =
        leadingNumber(profile.substr(std::min(profile.find('.') + 1, profile.size())));
    return gibibytes(size && *size > 0 && *size < 1e4 ? *size : 0);
  }

  static unsigned multiprocessorsOf(const std::vector<const GpuFindings *> &gpus) {
    for (const GpuFindings *gpu : gpus)
      if (gpu->multiprocessors)
        return gpu->multiprocessors->value;
    return 0;
  }

  GpuModel ownModel(const Fact<std::string> *product, const std::vector<const GpuFindings *> &gpus,
                    std::optional<Bytes> memory) {
    GpuModel model;
    model.name = product == nullptr ? "unknown-gpu" : modelNameOf(product->value);
    if (model.isCpu())
      model.name = "gpu-" + model.name;
    for (const GpuFindings *gpu : gpus)
      if (gpu->capability && model.capability.empty())
        model.capability = gpu->capability->value;
    const std::string_view profile = product == nullptr ? std::string_view() : migProfileOf(product->value);
    model.memory = memory.value_or(profile.empty() ? Bytes() : memoryOfProfile(profile));
    model.multiprocessors = multiprocessorsOf(gpus);
    model.source = product == nullptr ? "no source names it" : "found at " + toText(product->where);
    if (product == nullptr)
      remarks_.unknown.add("the model of the GPUs (ask 'nvidia-smi -L')", name_);
    else
      remarks_.unknown.add("the rates of '" + product->value +
                               "', which the catalogue does not have: complete gpu_models." + model.name +
                               " or give tasks seconds",
                           name_);
    return model;
  }

  // --- links between GPUs ---

  void mergeLinks() {
    const NodeSource *best = nullptr;
    for (const NodeSource &source : sources_)
      if (source.node->linksWhere && best == nullptr)
        best = &source;
      else if (source.node->linksWhere)
        compareLinks(*best->node, *source.node);
    if (best == nullptr) {
      if (inside_.gpus.size() > 1)
        remarks_.unknown.add("how the GPUs are linked (ask 'nvidia-smi topo -m')", name_);
      return;
    }
    if (hasMig_ || inside_.gpus.empty() || inside_.gpus.size() != best->node->gpus.size())
      return; // MIG devices cannot reach each other directly
    const std::optional<NvlinkGeneration> generation = nvlinkOf(inside_.gpus.front().capability);
    if (best->node->nvswitch)
      return setSwitched(best->node->nvswitch->lanes, best->node->nvswitch->bandwidth, generation);
    if (const unsigned lanes = lanesIfSwitched(*best->node, generation); lanes != 0)
      return setSwitched(lanes, {}, generation);
    for (const GpuLinkFinding &link : best->node->links)
      addPair(link, generation);
    if (!hostLink_)
      remarks_.unknown.add("the bandwidth of the host links (ask 'nvidia-smi -q -x')", name_);
  }

  /// All pairs by equally many NVLinks, and more than a GPU has ports for that: there must be switches.
  unsigned lanesIfSwitched(const NodeFindings &node,
                           const std::optional<NvlinkGeneration> &generation) const {
    const std::size_t gpus = node.gpus.size();
    std::size_t pairs = 0;
    for (const GpuLinkFinding &link : node.links) {
      if (link.kind != GpuLinkKind::nvlink || link.lanes == 0 || link.lanes != node.links.front().lanes)
        return 0;
      ++pairs;
    }
    const unsigned ports = generation ? generation->links : 18;
    const bool isComplete = gpus >= 2 && pairs == gpus * (gpus - 1) / 2;
    return isComplete && (gpus - 1) * node.links.front().lanes > ports ? node.links.front().lanes : 0;
  }

  void setSwitched(unsigned lanes, const Maybe<BytesPerSecond> &bandwidth,
                   const std::optional<NvlinkGeneration> &generation) {
    inside_.type.gpuLinkKind = GpuLinkKind::nvswitch;
    if (bandwidth)
      inside_.type.gpuLink.bandwidth = bandwidth->value;
    else if (generation && lanes != 0)
      inside_.type.gpuLink.bandwidth = generation->perLink * lanes;
    else
      remarks_.unknown.add("the bandwidth of the NVLinks: the GPU's generation is not known", name_);
    if (!hostLink_)
      remarks_.unknown.add("the bandwidth of the host links (ask 'nvidia-smi -q -x')", name_);
  }

  void addPair(const GpuLinkFinding &link, const std::optional<NvlinkGeneration> &generation) {
    GpuPairLink pair{link.a, link.b, link.kind, {}};
    if (link.bandwidth)
      pair.speed.bandwidth = link.bandwidth->value;
    else if (link.kind == GpuLinkKind::pcie && hostLink_)
      pair.speed.bandwidth = hostLink_->value; // through the PCIe switch, at the speed of their own ports
    else if (link.kind == GpuLinkKind::nvlink && generation && link.lanes != 0)
      pair.speed.bandwidth = generation->perLink * link.lanes;
    else if (link.kind == GpuLinkKind::pcie)
      return; // as fast as through the host, for all that is known
    else
      remarks_.unknown.add("the bandwidth of the NVLinks: the GPU's generation is not known", name_);
    inside_.type.gpuPairs.push_back(pair);
  }

  void compareLinks(const NodeFindings &best, const NodeFindings &other) {
    if (best.gpus.size() != other.gpus.size() || best.nvswitch.has_value() != other.nvswitch.has_value())
      return; // topo -m cannot tell a switch from a direct link
    for (const GpuLinkFinding &link : best.links)
      for (const GpuLinkFinding &same : other.links)
        if (link.a == same.a && link.b == same.b && link.lanes != 0 && same.lanes != 0 &&
            link.lanes != same.lanes)
          conflict(same.where,
                   std::to_string(same.lanes) + " NVLinks between GPUs " + std::to_string(link.a) + " and " +
                       std::to_string(link.b),
                   link.where, std::to_string(link.lanes));
  }

  // --- NICs ---

  void mergeNics() {
    const std::vector<NicFindings> nics = streammap::mergeNics(name_, sources_, remarks_);
    if (nics.empty()) {
      remarks_.unknown.add("the NICs and their bandwidth", name_);
      return;
    }
    bool isBandwidthUnknown = false;
    for (const NicFindings &nic : nics) {
      Nic made;
      made.name = nic.name;
      made.speed.bandwidth = nic.bandwidth ? nic.bandwidth->value : unlimitedBandwidth;
      isBandwidthUnknown = isBandwidthUnknown || !nic.bandwidth;
      if (nic.numaNode)
        made.numa = nic.numaNode->value;
      if (!hasMig_)
        for (unsigned gpu : nic.nearGpus)
          if (gpu < inside_.gpus.size())
            made.gpus.push_back(gpu);
      const bool isFirst = inside_.type.nics.empty();
      inside_.type.nic.bandwidth =
          isFirst ? made.speed.bandwidth : std::max(inside_.type.nic.bandwidth, made.speed.bandwidth);
      inside_.type.nics.push_back(std::move(made));
      if (!nic.leaf.empty())
        inside_.nicLeaves.push_back(nic.leaf);
    }
    inside_.type.nicCount = static_cast<unsigned>(inside_.type.nics.size());
    if (inside_.nicLeaves.size() != inside_.type.nics.size())
      inside_.nicLeaves.clear();
    if (isBandwidthUnknown)
      remarks_.unknown.add("the bandwidth of the NICs (ask 'ibnetdiscover', or 'streammap discover --hosts')",
                           name_);
  }

  const std::string &name_;
  std::span<const NodeSource> sources_;
  MergeRemarks &remarks_;
  NodeInside inside_;
  Maybe<BytesPerSecond> hostLink_;
  std::optional<std::pair<std::string, std::optional<Bytes>>> asked_;
  std::vector<std::string> candidates_;
  bool hasMig_ = false;
};

} // namespace

void fillReadings(GpuReadings &into, const GpuReadings &from) {
  if (!into.memoryUsed)
    into.memoryUsed = from.memoryUsed;
  if (!into.temperatureCelsius)
    into.temperatureCelsius = from.temperatureCelsius;
  if (!into.powerDraw)
    into.powerDraw = from.powerDraw;
  if (into.throttle.empty())
    into.throttle = from.throttle;
  if (!into.uncorrectableErrors)
    into.uncorrectableErrors = from.uncorrectableErrors;
}

bool isWorse(State a, State b) {
  return gravity(a) > gravity(b);
}

StateFinding mergeGpuState(std::span<const GpuFindings *const> gpus, const GpuReadings &readings,
                           Bytes memory) {
  StateFinding state;
  bool isSaid = false;
  for (const GpuFindings *gpu : gpus) {
    isSaid = isSaid || gpu->state.has_value();
    if (gpu->state && isWorse(gpu->state->state, state.state))
      state = *gpu->state;
  }
  if (readings.uncorrectableErrors.value_or(0) > 0 && isWorse(State::drained, state.state))
    state = {State::drained, std::to_string(*readings.uncorrectableErrors) + " uncorrectable memory errors",
             state.where};
  // An idle GPU holds some hundred MiB of driver and page tables.
  const Bytes idle = std::max(gibibytes(1), memory * 0.05);
  if (!isSaid && readings.memoryUsed && *readings.memoryUsed > idle && isWorse(State::busy, state.state))
    state = {State::busy, toText(*readings.memoryUsed) + " of its memory in use", state.where};
  return state;
}

NodeInside mergeInside(const std::string &node, std::span<const NodeSource> sources, MergeRemarks &remarks) {
  return Merger(node, sources, remarks).merge();
}

} // namespace streammap
