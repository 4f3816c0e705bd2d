// The report as one self-contained page: the skeleton of page/report.html with style, d3, script and the
// report's JSON, long lists by column, put in its four slots. The script reads every number from that JSON;
// nothing is computed twice.
#include "report/EmbeddedPage.h"
#include "report/Formats.h"
#include "report/PackJson.h"
#include "report/ReportJson.h"

namespace streammap {
namespace {

/// JSON inside a <script> element must not contain "</" or "<!--": '<' becomes its escape, which JSON allows
/// in strings, the only place a '<' can be.
std::string safeInScript(const std::string &json) {
  std::string safe;
  safe.reserve(json.size());
  for (char c : json)
    if (c == '<')
      safe += "\\u003c";
    else
      safe += c;
  return safe;
}

void fill(std::string &page, std::string_view slot, std::string_view text) {
  if (const std::size_t at = page.find(slot); at != std::string::npos)
    page.replace(at, slot.size(), text);
}

} // namespace

Expected<std::string> toHtml(const ReportData &data) {
  if (embedded::d3.empty())
    return failure(
        "this build has no d3 to draw the page with; install it (apt-get install node-d3), run cmake again "
        "and rebuild");
  const std::string json =
      packed(toJsonDocument(data)).dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  std::string page(embedded::skeleton);
  fill(page, "/*{{style}}*/", embedded::style);
  fill(page, "/*{{d3}}*/", embedded::d3);
  fill(page, "/*{{script}}*/", embedded::script);
  fill(page, "{{data}}", safeInScript(json));
  return page;
}

} // namespace streammap
