#include "cpu/Counters.h"
#include "cpu/Settings.h"
#include "support/Files.h"
#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

namespace streammap::cpu {
namespace {

using Json = nlohmann::ordered_json;

Json kernelJson(Kernel &kernel) {
  const std::lock_guard lock(kernel.countsMutex);
  Json counts = Json::object();
  for (std::uint32_t i = 0; i != kernel.code->counterCount; ++i)
    counts[kernel.code->counters[i].metric] = i < kernel.counts.size() ? kernel.counts[i] : 0;
  return {{"symbol", kernel.code->symbol},
          {"name", kernel.code->name},
          {"launches", kernel.launches.load()},
          {"counts", counts}};
}

/// This process's rank as its launcher says it: Open MPI, other PMI launchers, Slurm.
std::string rankSuffix() {
  for (const char *variable : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"})
    if (const auto rank = processEnvironment(variable))
      return *rank == "0" ? "" : "." + *rank;
  return "";
}

} // namespace

std::string countsText(const std::vector<Kernel *> &kernels) {
  std::vector<Kernel *> sorted = kernels;
  std::ranges::sort(sorted, {}, [](const Kernel *kernel) {
    return std::pair(std::string_view(kernel->code->symbol), kernel->module->slot);
  });
  Json list = Json::array();
  for (Kernel *kernel : sorted)
    list.push_back(kernelJson(*kernel));
  const Json file = {{"schema", "streammap.counts/1"}, {"kernels", list}};
  return file.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Expected<void> writeCounts(const std::string &path, const std::vector<Kernel *> &kernels) {
  return writeFileWhole(path + rankSuffix(), countsText(kernels));
}

} // namespace streammap::cpu
