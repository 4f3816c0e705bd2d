#pragma once
// One collected report, four ways to show it.
#include "report/Summary.h"
#include "support/Expected.h"
#include <string>

namespace streammap {

/// For a terminal: at most 80 columns, plain ASCII, readable without colour. See Text.cpp for a sample.
std::string toText(const ReportData &data);

/// Everything, as `streammap.report/1` (docs/schemas/report.schema.json). Quantities in SI base units.
std::string toJson(const ReportData &data);

/// One page that works offline: style, script, d3 and the JSON above are inside it. Every number it shows is
/// read from that JSON. Fails only where the build had no d3 to embed; the error says how to get it.
Expected<std::string> toHtml(const ReportData &data);

/// The predicted run as Chrome trace events (docs/file-formats.md, "Trace"); Perfetto opens it.
std::string toTrace(const ReportData &data);

} // namespace streammap
