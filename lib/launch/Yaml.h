#pragma once
// A JSON value as YAML 1.2 in block style, for files that people read and edit:
//
//   toYaml({{"kind", "Job"}, {"args", {"-c", "true"}}})
//     kind: "Job"
//     args:
//       - "-c"
//       - "true"
#include <nlohmann/json.hpp>
#include <string>

namespace streammap {

/// Keys must be plain words. Texts are quoted as in JSON, so that "no" and "1" stay texts; those of several
/// lines become literal blocks.
std::string toYaml(const nlohmann::ordered_json &value);

} // namespace streammap
