// A study for a terminal (WhatIf.h has a sample), as JSON, and as a page that draws that JSON.
#include "report/EmbeddedPage.h"
#include "support/Columns.h"
#include "whatif/EmbeddedPage.h"
#include "whatif/WhatIf.h"
#include <nlohmann/json.hpp>

namespace streammap {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t labelWidth = 24;

std::string figures(const WhatIfRow &row) {
  return right(toText(row.predicted.makespan), 10) + right(row.ratio > 0 ? significant(row.ratio) : "-", 7) +
         right(percent(row.predicted.gap), 8) + right(percent(row.utilisation), 8) +
         right(toText(row.energy), 8) + "  " + left(row.bottleneck, 13);
}

std::string trimmed(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

void appendRow(std::string &out, const WhatIfRow &row, const std::string &label) {
  if (row.whyNot)
    out += wrapped("no placement: " + *row.whyNot, labelWidth, left(label, labelWidth));
  else
    out += trimmed(left(label, labelWidth) + figures(row));
}

/// "nics.bandwidth" of "node_types.dgx-h100.nics.bandwidth": enough where the caption names the whole path.
std::string lastParts(const std::string &path) {
  const std::size_t last = path.rfind('.');
  const std::size_t before = last == std::string::npos || last == 0 ? last : path.rfind('.', last - 1);
  return before == std::string::npos ? path : path.substr(before + 1);
}

Json rowJson(const WhatIfRow &row) {
  Json settings = Json::object();
  for (const Setting &setting : row.settings)
    settings[setting.path] = setting.value;
  if (row.whyNot)
    return {{"settings", std::move(settings)}, {"no_placement", *row.whyNot}};
  return {{"settings", std::move(settings)},
          {"makespan_seconds", row.predicted.makespan.value()},
          {"ratio", row.ratio},
          {"lower_bound_seconds", row.predicted.lowerBound.value()},
          {"gap", row.predicted.gap},
          {"bound_by", row.predicted.boundBy},
          {"strategy", row.strategy},
          {"nodes", row.nodes},
          {"devices", row.devices},
          {"devices_used", row.devicesUsed},
          {"utilisation", row.utilisation},
          {"energy_joules", row.energy.value()},
          {"chain_compute_seconds", row.compute.value()},
          {"chain_transfer_seconds", row.transfer.value()},
          {"chain_idle_seconds", row.idle.value()},
          {"bottleneck", row.bottleneck}};
}

void fill(std::string &page, std::string_view slot, std::string_view text) {
  if (const std::size_t at = page.find(slot); at != std::string::npos)
    page.replace(at, slot.size(), text);
}

} // namespace

std::string toText(const WhatIf &study) {
  const std::string program = study.program.substr(study.program.find_last_of('/') + 1);
  std::string out = wrapped((program.empty() ? "The tasks" : program) + " on " +
                                (study.cluster.empty() ? "the cluster" : study.cluster) + ", " +
                                counted(study.tasks, "task") + "; by " + study.strategy + ", seed " +
                                std::to_string(study.seed),
                            2, "");
  out += "\n" + std::string(labelWidth, ' ') + "  makespan  ratio     gap    busy  energy  bottleneck\n";
  for (const WhatIfRow &row : study.rows) {
    if (row.settings.empty()) {
      appendRow(out, row, "as it is");
      continue;
    }
    for (std::size_t i = 0; i < row.settings.size(); ++i) {
      const std::string label =
          (i == 0 ? "" : "  ") + lastParts(row.settings[i].path) + "=" + row.settings[i].value;
      const bool last = i + 1 == row.settings.size();
      if (last && label.size() < labelWidth) {
        appendRow(out, row, label);
        break;
      }
      out += wrapped(label, 2, "");
      if (last)
        appendRow(out, row, "");
    }
  }
  return out + "\n" +
         wrapped("gap: to the lower bound. busy: of the devices in use. energy: board power of each device "
                 "while it "
                 "runs a task. bottleneck: what takes most of the chain that bounds the makespan.",
                 0);
}

std::string toJson(const WhatIf &study) {
  Json axes = Json::array(), rows = Json::array();
  for (const Axis &axis : study.axes)
    axes.push_back({{"path", axis.path}, {"values", axis.values}});
  for (const WhatIfRow &row : study.rows)
    rows.push_back(rowJson(row));
  const Json json = {{"schema", "streammap.whatif/1"}, {"program", study.program},
                     {"cluster", study.cluster},       {"tasks", study.tasks},
                     {"strategy", study.strategy},     {"seed", study.seed},
                     {"axes", std::move(axes)},        {"rows", std::move(rows)}};
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Expected<std::string> toHtml(const WhatIf &study) {
  if (embedded::d3.empty())
    return failure(
        "this build has no d3 to draw the page with; install it (apt-get install node-d3), run cmake "
        "again and rebuild");
  std::string json;
  for (char c : toJson(study)) // "</script" must not end the element the JSON is in
    json += c == '<' ? std::string("\\u003c") : std::string(1, c);
  std::string page(embedded::whatif::skeleton);
  fill(page, "/*{{style}}*/", embedded::style);
  fill(page, "/*{{d3}}*/", embedded::d3);
  fill(page, "/*{{script}}*/", embedded::whatif::script);
  fill(page, "{{data}}", json);
  return page;
}

} // namespace streammap
