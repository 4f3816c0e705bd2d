#pragma once
// The part of a cluster file that defines device models; used by ReadCluster.cpp.
#include "model/Cluster.h"
#include "support/Json.h"
#include <map>

namespace streammap {

/// Models by name: those of the file first, then the built-in catalogue.
class GpuModels {
public:
  /// `models` are the members of "gpu_models". "like" may name any of them, in any order, or a catalogue
  /// model.
  GpuModels(const std::vector<JsonValue> &models, Diagnostics &diagnostics);

  /// A name neither the file nor the catalogue knows is reported at `place` with those a person may have
  /// meant.
  std::optional<GpuModel> find(const std::string &name, const SourceLocation &place,
                               Diagnostics &diagnostics) const;
  bool isDefinedInFile(const std::string &name) const { return models_.contains(name); }

private:
  std::map<std::string, GpuModel> models_;
};

} // namespace streammap
