// streammap doctor: what works on this machine, and what to install for the rest.
//
//   works here
//     yes  import, map, report, launch-files
//     no   build --device cuda              needs nvcc
//   found
//     +  Clang 22        Debian clang version 22.1.0, /usr/bin/clang++-22
//     -  nvcc            not found
//                        pip install nvidia-cuda-nvcc ...
#include "Commands.h"
#include "Examine.h"
#include "support/JsonText.h"
#include "support/Text.h"
#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

namespace streammap {
namespace {

constexpr std::size_t width = 80;

std::string padded(std::string text, std::size_t columns) {
  text.resize(std::max(columns, text.size()), ' ');
  return text;
}

/// One line that fits: the middle of a text that is too long is left out, since a path's end tells most.
std::string fitted(const std::string &text, std::size_t columns) {
  if (text.size() <= columns)
    return text;
  const std::size_t head = (columns - 3) / 2;
  return text.substr(0, head) + "..." + text.substr(text.size() - (columns - 3 - head));
}

/// The words of `text` in lines of at most 80 columns, each behind `indent` blanks.
std::string wrapped(const std::string &text, std::size_t indent) {
  std::string result, line;
  for (std::string_view word : split(text, ' ')) {
    if (!line.empty() && indent + line.size() + 1 + word.size() > width) {
      result += std::string(indent, ' ') + line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + std::string(word);
  }
  return result + std::string(indent, ' ') + line + "\n";
}

std::string asText(const std::vector<Component> &components) {
  constexpr std::size_t indent = 21;
  std::string text = "works here\n";
  for (const Ability &ability : abilities(components)) {
    std::string line = std::string(ability.missing.empty() ? "  yes  " : "  no   ") + ability.command;
    if (!ability.missing.empty())
      line = padded(line, 42) + "needs " + join(ability.missing, ", ");
    text += fitted(line, width) + "\n";
  }
  text += "found\n";
  for (const Component &component : components) {
    const char mark = component.presence == Presence::works     ? '+'
                      : component.presence == Presence::partial ? '~'
                                                                : '-';
    text += "  " + std::string(1, mark) + "  " + padded(component.name, indent - 5) +
            fitted(component.found, width - indent) + "\n";
    if (!component.remedy.empty())
      text += wrapped(component.remedy, indent);
  }
  return text;
}

std::string_view word(Presence presence) {
  return presence == Presence::works ? "works" : presence == Presence::partial ? "partial" : "missing";
}

std::string asJson(const std::vector<Component> &components) {
  JsonText text("streammap.doctor/1");
  text.beginList("commands");
  for (const Ability &ability : abilities(components))
    text.item({{"command", ability.command}, {"works", ability.missing.empty()}, {"needs", ability.missing}});
  text.endList();
  text.beginList("components");
  for (const Component &component : components)
    text.item({{"name", component.name},
               {"presence", word(component.presence)},
               {"found", component.found},
               {"needed_for", component.neededFor},
               {"remedy", component.remedy}});
  text.endList();
  return text.finish();
}

} // namespace

void addDoctorCommand(CLI::App &app, ExitCode &exitCode) {
  CLI::App *command =
      app.add_subcommand("doctor", "Say what works on this machine, and what to install for the rest");
  auto format = std::make_shared<std::string>("text");
  command->add_option("--format", *format, "text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  command->footer("Example: streammap doctor");
  command->callback([format, &exitCode] {
    const std::vector<Component> components = examineMachine();
    std::fputs((*format == "json" ? asJson(components) : asText(components)).c_str(), stdout);
    exitCode = ExitCode::done;
  });
}

} // namespace streammap
