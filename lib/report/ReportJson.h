#pragma once
// The report as a JSON document: what toJson() prints and what the page carries.
#include "report/Summary.h"
#include <nlohmann/json.hpp>

namespace streammap {

/// `streammap.report/1` (docs/schemas/report.schema.json).
nlohmann::ordered_json toJsonDocument(const ReportData &data);

} // namespace streammap
