#pragma once
// The files of the HTML page, embedded at build time by cmake/EmbedPage.cmake.
#include <string_view>

namespace streammap::embedded {

extern const std::string_view skeleton; ///< page/report.html
extern const std::string_view style;    ///< page/report.css
extern const std::string_view script;   ///< page/report.js
extern const std::string_view d3;       ///< d3.min.js of Debian's node-d3; empty where it was not found

} // namespace streammap::embedded
