#include "model/ReadGpuModels.h"
#include "model/GpuCatalogue.h"
#include "support/Text.h"
#include <algorithm>

namespace streammap {
namespace {

constexpr JsonKey modelKeys[] = {{"like"},
                                 {"capability"},
                                 {"memory"},
                                 {"memory_bytes"},
                                 {"memory_bandwidth"},
                                 {"memory_bandwidth_bytes_per_second"},
                                 {"throughput"},
                                 {"l2"},
                                 {"l2_bytes"},
                                 {"multiprocessors"},
                                 {"power"},
                                 {"power_watts"},
                                 {"source"}};
constexpr JsonKey throughputKeys[] = {
    {"fp64"},    {"fp64_flops_per_second"},   {"fp32"},    {"fp32_flops_per_second"},
    {"fp16"},    {"fp16_flops_per_second"},   {"bf16"},    {"bf16_flops_per_second"},
    {"tensor"},  {"tensor_flops_per_second"}, {"integer"}, {"integer_flops_per_second"},
    {"special"}, {"special_flops_per_second"}};

template <class T>
void replaceIfGiven(T &target, const std::optional<T> &value) {
  if (value)
    target = *value;
}

void readFigures(const JsonObject &object, GpuModel &model, Diagnostics &diagnostics) {
  replaceIfGiven(model.capability, object.text("capability"));
  replaceIfGiven(model.memory, object.sizeOf("memory"));
  replaceIfGiven(model.memoryBandwidth, object.bandwidth("memory_bandwidth"));
  replaceIfGiven(model.l2, object.sizeOf("l2"));
  if (std::optional<std::uint64_t> count = object.wholeNumber("multiprocessors", {1, 100000}))
    model.multiprocessors = static_cast<unsigned>(*count);
  replaceIfGiven(model.power, object.power("power"));
  replaceIfGiven(model.source, object.text("source"));
  std::optional<JsonValue> throughput = object.find("throughput");
  if (!throughput)
    return;
  JsonObject rates(*throughput, throughputKeys, diagnostics);
  for (std::size_t type = 0; type < flopTypeCount; ++type)
    replaceIfGiven(model.peak[type], rates.rate(toText(static_cast<FlopType>(type))));
}

/// Models that build on each other, each finished before those that are like it.
class Resolver {
public:
  Resolver(const std::vector<JsonValue> &models, std::map<std::string, GpuModel> &done,
           Diagnostics &diagnostics)
      : done_(done), diagnostics_(diagnostics) {
    for (JsonValue model : models)
      pending_.emplace(std::string(model.key()), model);
    for (JsonValue model : models)
      resolve(std::string(model.key()), model);
  }

private:
  void resolve(const std::string &name, JsonValue value) {
    if (done_.contains(name))
      return;
    JsonObject object(value, modelKeys, diagnostics_);
    GpuModel model;
    std::optional<std::string> like = object.text("like");
    if (like)
      model = base(*like, object, name);
    model.name = name;
    model.source = (like ? "like " + *like + ", " : std::string()) + "the cluster file";
    readFigures(object, model, diagnostics_);
    done_[name] = std::move(model);
  }

  GpuModel base(const std::string &like, const JsonObject &object, const std::string &name) {
    auto pending = pending_.find(like);
    if (pending != pending_.end() && like != name && !done_.contains(like)) {
      if (std::ranges::find(path_, like) != path_.end()) {
        object.error("like", "models are like each other in a circle: " + join(path_, " -> ") + " -> " +
                                 name + " -> " + like);
        return {};
      }
      path_.push_back(name);
      resolve(like, pending->second);
      path_.pop_back();
    }
    if (auto found = done_.find(like); found != done_.end() && like != name)
      return found->second;
    if (std::optional<GpuModel> known = catalogueModel(like))
      return *known; // also the way to change figures of a catalogue model under its own name
    object.error("like",
                 "unknown GPU model '" + abbreviated(like) + "'" + didYouMean(like, candidatesFor(name)),
                 "unknown-model");
    return {};
  }

  std::vector<std::string> candidatesFor(const std::string &model) const {
    std::vector<std::string> names = catalogueNames();
    for (const auto &[name, value] : pending_)
      if (name != model)
        names.push_back(name);
    return names;
  }

  std::map<std::string, GpuModel> &done_;
  Diagnostics &diagnostics_;
  std::map<std::string, JsonValue> pending_;
  std::vector<std::string> path_;
};

} // namespace

GpuModels::GpuModels(const std::vector<JsonValue> &models, Diagnostics &diagnostics) {
  Resolver(models, models_, diagnostics);
}

std::optional<GpuModel> GpuModels::find(const std::string &name, const SourceLocation &place,
                                        Diagnostics &diagnostics) const {
  if (auto found = models_.find(name); found != models_.end())
    return found->second;
  if (std::optional<GpuModel> known = catalogueModel(name))
    return known;
  std::vector<std::string> meant = nearestCatalogueNames(name);
  std::vector<std::string> own;
  for (const auto &[defined, model] : models_)
    own.push_back(defined);
  if (std::optional<std::string> near = nearest(name, own))
    meant.insert(meant.begin(), *near);
  diagnostics.error(
      place,
      "unknown GPU model '" + abbreviated(name) + "'; " +
          (meant.empty() ? "define it under 'gpu_models' or name one of the catalogue (docs/file-formats.md)"
                         : "did you mean " + join(meant, " or ") + "?"),
      "unknown-model");
  return std::nullopt;
}

} // namespace streammap
