#pragma once
// The files of the what-if page, embedded at build time by cmake/EmbedPage.cmake. Style and d3 are those of
// the report (report/EmbeddedPage.h).
#include <string_view>

namespace streammap::embedded::whatif {

extern const std::string_view skeleton; ///< page/whatif.html
extern const std::string_view script;   ///< page/whatif.js

} // namespace streammap::embedded::whatif
