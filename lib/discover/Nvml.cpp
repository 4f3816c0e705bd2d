// GPUs of this machine by NVML, opened at run time so that nothing depends on a driver at build time. Types
// and numbers are those of nvml.h (API version 2 and 3 entry points, which drivers keep).
#include "discover/LinkRates.h"
#include "discover/Live.h"
#include "discover/Scan.h"
#include <algorithm>
#include <array>
#include <dlfcn.h>
#include <fstream>
#include <map>
#include <memory>

namespace streammap {
namespace {

using Device = struct NvmlDeviceTag *;

struct Memory {
  unsigned long long total, free, used;
};

struct PciInfo {
  char busIdLegacy[16];
  unsigned domain, bus, device, pciDeviceId, pciSubSystemId;
  char busId[32];
};

constexpr int success = 0, insufficientSize = 7;
constexpr unsigned mostLinks = 18;
constexpr int linkToGpu = 0, linkToSwitch = 2;

/// The library, while it is open and initialised.
class Library {
public:
  Library() : handle_(::dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL), &::dlclose) {
    isReady_ = handle_ && call<int()>("nvmlInit_v2") == success;
  }
  Library(const Library &) = delete;
  Library &operator=(const Library &) = delete;
  ~Library() {
    if (isReady_)
      call<int()>("nvmlShutdown");
  }
  bool isReady() const { return isReady_; }

  /// The function's result; -1 where this driver does not have it.
  template <class Signature, class... Arguments>
  int call(const char *name, Arguments... arguments) const {
    auto *function = reinterpret_cast<Signature *>(::dlsym(handle_.get(), name));
    return function == nullptr ? -1 : function(arguments...);
  }

  std::optional<unsigned> number(const char *name, Device device) const {
    unsigned value = 0;
    return call<int(Device, unsigned *)>(name, device, &value) == success ? std::optional(value)
                                                                          : std::nullopt;
  }

  std::string text(const char *name, Device device) const {
    std::array<char, 96> buffer{};
    const int result = call<int(Device, char *, unsigned)>(name, device, buffer.data(),
                                                           static_cast<unsigned>(buffer.size()));
    return result == success ? std::string(buffer.data()) : std::string();
  }

private:
  std::unique_ptr<void, int (*)(void *)> handle_;
  bool isReady_ = false;
};

class Reader {
public:
  explicit Reader(const Library &nvml) : nvml_(nvml) {}

  std::optional<Findings> read() {
    unsigned count = 0;
    if (nvml_.call<int(unsigned *)>("nvmlDeviceGetCount_v2", &count) != success || count == 0 || count > 1024)
      return std::nullopt;
    node_.where = where_;
    node_.gpuCount = {count, where_};
    devices_.resize(count);
    for (unsigned i = 0; i < count; ++i) {
      node_.gpus.emplace_back();
      if (nvml_.call<int(unsigned, Device *)>("nvmlDeviceGetHandleByIndex_v2", i, &devices_[i]) == success)
        readGpu(node_.gpus.back(), devices_[i]);
      else
        node_.gpus.back().state = StateFinding{State::down, "the driver cannot reach it", where_};
      index_[node_.gpus.back().busId] = i;
    }
    for (unsigned i = 0; i < count; ++i)
      if (devices_[i] != nullptr)
        readLinks(i);
    node_.linksWhere = where_;
    Findings findings;
    findings.kind = "nvml";
    findings.file = where_.file;
    findings.authority = Authority::hardware;
    findings.nodes.push_back(std::move(node_));
    return findings;
  }

private:
  void readGpu(GpuFindings &gpu, Device device) {
    if (std::string name = nvml_.text("nvmlDeviceGetName", device); !name.empty())
      gpu.product = {std::move(name), where_};
    gpu.uuid = nvml_.text("nvmlDeviceGetUUID", device);
    Memory memory{};
    if (nvml_.call<int(Device, Memory *)>("nvmlDeviceGetMemoryInfo", device, &memory) == success) {
      gpu.memory = {bytes(static_cast<double>(memory.total)), where_};
      gpu.readings.memoryUsed = bytes(static_cast<double>(memory.used));
    }
    PciInfo pci{};
    if (nvml_.call<int(Device, PciInfo *)>("nvmlDeviceGetPciInfo_v3", device, &pci) == success)
      gpu.busId =
          normalisedBusId(std::string_view(pci.busId, std::find(pci.busId, std::end(pci.busId), '\0')));
    readNuma(gpu);
    int major = 0, minor = 0;
    if (nvml_.call<int(Device, int *, int *)>("nvmlDeviceGetCudaComputeCapability", device, &major, &minor) ==
        success)
      gpu.capability = {std::to_string(major) + "." + std::to_string(minor), where_};
    const auto generation = nvml_.number("nvmlDeviceGetMaxPcieLinkGeneration", device);
    const auto lanes = nvml_.number("nvmlDeviceGetMaxPcieLinkWidth", device);
    if (const auto rate = pcieRate(generation.value_or(0)); rate && lanes && *lanes >= 1 && *lanes <= 32)
      gpu.hostLink = {pcieBandwidth(*rate, *lanes), where_};
    unsigned current = 0, pending = 0;
    gpu.migEnabled = nvml_.call<int(Device, unsigned *, unsigned *)>("nvmlDeviceGetMigMode", device, &current,
                                                                     &pending) == success &&
                     current == 1;
    readState(gpu, device);
  }

  void readNuma(GpuFindings &gpu) const {
    int numa = -1;
    std::ifstream file("/sys/bus/pci/devices/" + gpu.busId + "/numa_node");
    if (file >> numa && numa >= 0)
      gpu.numaNode = {static_cast<unsigned>(numa), where_};
  }

  void readState(GpuFindings &gpu, Device device) {
    if (const auto limit = nvml_.number("nvmlDeviceGetEnforcedPowerLimit", device)) // milliwatts
      gpu.powerLimit = {watts(*limit * 1e-3), where_};
    if (const auto draw = nvml_.number("nvmlDeviceGetPowerUsage", device))
      gpu.readings.powerDraw = watts(*draw * 1e-3);
    unsigned degrees = 0;
    if (nvml_.call<int(Device, int, unsigned *)>("nvmlDeviceGetTemperature", device, 0, &degrees) == success)
      gpu.readings.temperatureCelsius = degrees;
    unsigned long long errors = 0;
    if (nvml_.call<int(Device, int, int, unsigned long long *)>("nvmlDeviceGetTotalEccErrors", device, 1, 0,
                                                                &errors) == success)
      gpu.readings.uncorrectableErrors = errors; // uncorrected, since the driver was loaded
    unsigned long long reasons = 0;
    if (nvml_.call<int(Device, unsigned long long *)>("nvmlDeviceGetCurrentClocksThrottleReasons", device,
                                                      &reasons) == success) {
      if ((reasons & 0x40U) != 0)
        gpu.readings.throttle = "hw_thermal_slowdown";
      else if ((reasons & 0x20U) != 0)
        gpu.readings.throttle = "sw_thermal_slowdown";
      else if ((reasons & 0x80U) != 0)
        gpu.readings.throttle = "hw_power_brake_slowdown";
      else if ((reasons & 0x08U) != 0)
        gpu.readings.throttle = "hw_slowdown";
    }
    // Asked with no room, it says how many there are.
    unsigned processes = 0;
    const int result = nvml_.call<int(Device, unsigned *, void *)>(
        "nvmlDeviceGetComputeRunningProcesses_v3", device, &processes, static_cast<void *>(nullptr));
    if (result == insufficientSize && processes > 0)
      gpu.state = StateFinding{
          State::busy, std::to_string(processes) + (processes == 1 ? " process" : " processes"), where_};
    else if (result == success)
      gpu.state = StateFinding{State::up, "", where_};
  }

  /// Links that are up, by what is at their other end.
  void readLinks(unsigned index) {
    unsigned intoSwitches = 0;
    std::map<unsigned, unsigned> toGpus;
    for (unsigned link = 0; link < mostLinks; ++link) {
      int isActive = 0, kind = -1;
      if (nvml_.call<int(Device, unsigned, int *)>("nvmlDeviceGetNvLinkState", devices_[index], link,
                                                   &isActive) != success ||
          isActive != 1)
        continue;
      PciInfo remote{};
      const bool known =
          nvml_.call<int(Device, unsigned, PciInfo *)>("nvmlDeviceGetNvLinkRemotePciInfo_v2", devices_[index],
                                                       link, &remote) == success;
      nvml_.call<int(Device, unsigned, int *)>("nvmlDeviceGetNvLinkRemoteDeviceType", devices_[index], link,
                                               &kind);
      const auto other = known ? index_.find(normalisedBusId(std::string_view(
                                     remote.busId, std::find(remote.busId, std::end(remote.busId), '\0'))))
                               : index_.end();
      if (other != index_.end() && kind != linkToSwitch)
        ++toGpus[other->second];
      else if (kind == linkToSwitch)
        ++intoSwitches;
    }
    for (const auto &[other, lanes] : toGpus)
      if (other > index)
        node_.links.push_back({index, other, GpuLinkKind::nvlink, lanes, {}, where_});
    if (intoSwitches != 0 && (!node_.nvswitch || intoSwitches < node_.nvswitch->lanes))
      node_.nvswitch = GpuSwitchFinding{intoSwitches, {}, where_};
  }

  const Library &nvml_;
  NodeFindings node_;
  std::vector<Device> devices_;
  std::map<std::string, unsigned> index_; ///< by PCI address
  SourceLocation where_{"NVML", 0, 0, {}};
};

} // namespace

std::optional<Findings> findByNvml() {
  const Library nvml;
  return nvml.isReady() ? Reader(nvml).read() : std::nullopt;
}

} // namespace streammap
