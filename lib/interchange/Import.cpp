#include "interchange/Import.h"
#include "interchange/Formats.h"
#include "support/Text.h"
#include <algorithm>
#include <array>

namespace streammap {
namespace {

constexpr std::array<ImportFormat, 6> table{{
    {"dot", "Graphviz digraph with weights of nodes and edges", recognisesDot, readDot},
    {"wfformat", "recorded workflow, WfFormat 1.5 (WfCommons)", recognisesWfFormat, readWfFormat},
    {"psplib", "project with renewable resources, PSPLIB .sm", recognisesPsplib, readPsplib},
    {"hetero-dag", "unrelated processors with communication, sections #tasks and #edges", recognisesHeteroDag,
     readHeteroDag},
    {"fjsp", "flexible job shop, FJSPLib .fjs", recognisesFjspLib, readFjspLib},
    {"stg", "Standard Task Graph Set", recognisesStg, readStg},
}};

std::string formatNames() {
  std::vector<std::string_view> names;
  for (const ImportFormat &format : table)
    names.push_back(format.name);
  return join(names, ", ");
}

const ImportFormat *chooseFormat(std::string_view text, const std::string &file, const ImportOptions &options,
                                 Diagnostics &diagnostics) {
  const auto chosen =
      options.format == "auto"
          ? std::ranges::find_if(table, [&](const ImportFormat &f) { return f.recognises(text); })
          : std::ranges::find(table, options.format, &ImportFormat::name);
  if (chosen != table.end())
    return &*chosen;
  if (options.format != "auto")
    diagnostics.error({file, 0, 0, ""},
                      "unknown format '" + options.format + "'; expected one of " + formatNames(),
                      "unknown-format");
  else if (text.find("\"streammap.") != std::string_view::npos)
    diagnostics.error({file, 0, 0, ""},
                      "this is a file of streammap's own; 'streammap map' reads it as it is",
                      "unknown-format");
  else
    diagnostics.error({file, 0, 0, ""},
                      "no known format: expected one of " + formatNames() + "; --format says which",
                      "unknown-format");
  return nullptr;
}

} // namespace

std::span<const ImportFormat> importFormats() {
  return table;
}

std::optional<ImportedProblem> importProblem(std::string_view text, const std::string &file,
                                             const ImportOptions &options, Diagnostics &diagnostics) {
  const ImportFormat *format = chooseFormat(text, file, options, diagnostics);
  if (!format)
    return std::nullopt;
  if (options.bandwidth && format->name != "wfformat")
    diagnostics.error({file, 0, 0, ""},
                      "the edges of this format are times, not bytes; leave out --bandwidth", "bad-value");
  return format->read(text, file, options, diagnostics);
}

} // namespace streammap
