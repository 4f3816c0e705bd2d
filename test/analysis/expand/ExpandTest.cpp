// Each program in this folder is expanded and compared with the .expected file beside it: its tasks, buffers,
// dependencies and messages. The first lines of a program may say `// run: ARGUMENTS` and `// with: FILE`.
// STREAMMAP_UPDATE_GOLDEN rewrites the .expected files.
#include "../pragmas/ParseText.h"
#include "analysis/BuildTaskGraph.h"
#include "support/Catch.h"
#include "support/Files.h"
#include "support/Text.h"
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <regex>
#include <set>

using namespace streammap;
namespace fs = std::filesystem;

namespace {

const std::string folder = STREAMMAP_SOURCE_DIR "/test/analysis/expand";

struct ProgramText {
  std::vector<std::string> sources;
  ExpandOptions options;
};

// The programs of this folder by name; second files of programs are no programs.
std::vector<std::string> programs() {
  std::vector<std::string> names;
  for (const fs::directory_entry &entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".cu" && !entry.path().stem().string().ends_with("-kernels"))
      names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

ProgramText describe(const std::string &source) {
  ProgramText program{{source}, {}};
  const std::string text = readFile(source).value();
  for (const std::string_view line : split(text, '\n')) {
    if (line.starts_with("// with: "))
      program.sources.emplace_back(line.substr(9));
    if (!line.starts_with("// run: "))
      continue;
    const std::vector<std::string_view> words = split(line.substr(8), ' ');
    for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
      const std::string_view value = words[i + 1];
      if (words[i] == "--arg")
        program.options.arguments.emplace_back(value);
      else if (words[i] == "--max-tasks")
        program.options.mostTasks = std::stoul(std::string(value));
      else
        program.options.parameters[std::string(value.substr(0, value.find('=')))] =
            std::stod(std::string(value.substr(value.find('=') + 1)));
    }
  }
  return program;
}

struct Expanded {
  std::optional<TaskGraph> graph;
  Diagnostics diagnostics;
};

Expanded expand(const ProgramText &program) {
  test::forgetToolkit();
  Expanded result;
  std::vector<std::unique_ptr<ParsedUnit>> units;
  for (const CompileJob &job : resolveJobs(program.sources, {}, {}, result.diagnostics))
    if (auto unit = parseHost(job, result.diagnostics))
      units.push_back(std::move(unit));
  REQUIRE(units.size() == program.sources.size());
  result.graph = buildTaskGraph(units, {}, program.options, result.diagnostics);
  return result;
}

std::string extent(const std::array<std::uint64_t, 3> &size) {
  return std::to_string(size[0]) + "x" + std::to_string(size[1]) + "x" + std::to_string(size[2]);
}

std::string textOf(const Access &access, const TaskGraph &graph) {
  const Region &region = access.region;
  std::string text = access.mode == AccessMode::in    ? "in "
                     : access.mode == AccessMode::out ? "out "
                                                      : "inout ";
  text += graph.buffers[access.buffer].id + "[" + std::to_string(region.offset) + "+" +
          std::to_string(region.size);
  if (region.count > 1)
    text += " every " + std::to_string(region.stride) + " x " + std::to_string(region.count);
  return text + "]";
}

std::string textOf(const Task &task, const TaskGraph &graph) {
  std::string text = task.name + "  " + task.location;
  for (const Launch &launch : task.launches) {
    text +=
        "  " + graph.kernels[launch.kernel].name + "<" + extent(launch.grid) + ", " + extent(launch.block);
    text += launch.dynamicShared.value() > 0 ? ", " + shortest(launch.dynamicShared.value()) + ">" : ">";
  }
  for (const Access &access : task.accesses)
    text += "  " + textOf(access, graph);
  if (task.work) {
    for (std::size_t type = 0; type < flopTypeCount; ++type)
      if (task.work->flops[type].value() != 0)
        text += "  " + std::string(toText(static_cast<FlopType>(type))) + " " +
                shortest(task.work->flops[type].value());
    text += "  dram " + shortest(task.work->dram.value()) + " " + std::string(toText(task.work->origin));
  }
  for (const auto &[model, time] : task.seconds)
    text += "  seconds " + model + " " + shortest(time.value());
  if (task.deviceMemory)
    text += "  memory " + shortest(task.deviceMemory->value());
  const Constraints &must = task.constraints;
  if (must.capability)
    text += "  capability " + *must.capability;
  for (const std::string &model : must.models)
    text += "  model " + model;
  for (const std::string &key : must.together)
    text += "  together " + key;
  for (const std::string &key : must.apart)
    text += "  apart " + key;
  if (must.node)
    text += "  node " + *must.node;
  if (must.device != DeviceKind::gpu)
    text += must.device == DeviceKind::cpu ? "  cpu" : "  any device";
  if (task.priority != 0)
    text += "  priority " + shortest(task.priority);
  return text + "\n";
}

std::string textOf(const Expanded &result) {
  std::string text;
  if (result.graph) {
    const TaskGraph &graph = *result.graph;
    for (const Buffer &buffer : graph.buffers)
      text +=
          buffer.id + " " + buffer.name + " " + shortest(buffer.size.value()) + "  " + buffer.location + "\n";
    for (const Task &task : graph.tasks)
      text += textOf(task, graph);
    for (const Dependency &dependency : graph.dependencies)
      text += graph.tasks[dependency.from].name + " -> " + graph.tasks[dependency.to].name + "  " +
              (dependency.buffer ? graph.buffers[*dependency.buffer].id : "") + " " +
              shortest(dependency.size.value()) + "\n";
  } else {
    text += "no graph\n";
  }
  return text + toText(result.diagnostics);
}

void compareWithGolden(const std::string &name, const std::string &found) {
  const std::string path = folder + "/" + name + ".expected";
  if (std::getenv("STREAMMAP_UPDATE_GOLDEN")) {
    REQUIRE(writeFileWhole(path, found).has_value());
    return;
  }
  const Expected<std::string> golden = readFile(path);
  REQUIRE(golden.has_value());
  CHECK(found == *golden);
}

} // namespace

TEST_CASE("programs have the tasks, buffers, dependencies and messages written beside them") {
  fs::current_path(folder);
  REQUIRE(!programs().empty());
  for (const std::string &name : programs())
    DYNAMIC_SECTION(name) {
      compareWithGolden(name, textOf(expand(describe(name + ".cu"))));
    }
}

TEST_CASE("docs/diagnostics.md explains every code that the programs trigger, and no other") {
  fs::current_path(folder);
  // LaunchCostsTest.cpp
  std::set<std::string> triggered{"unknown-cost", "section-too-small", "undeclared-access",
                                  "undeclared-write"};
  for (const std::string &name : programs()) {
    const Expanded result = expand(describe(name + ".cu"));
    for (const Diagnostic &diagnostic : result.diagnostics.all())
      triggered.insert(diagnostic.code);
  }
  const std::string text = readFile(STREAMMAP_SOURCE_DIR "/docs/diagnostics.md").value();
  const std::size_t begin = text.find("## Following the host program"), end = text.find("\n## ", begin + 1);
  REQUIRE(begin != std::string::npos);
  const std::string section = text.substr(begin, end - begin);
  std::set<std::string> documented;
  const std::regex heading(R"(### `([a-z-]+)`)");
  for (std::sregex_iterator i(section.begin(), section.end(), heading), last; i != last; ++i)
    documented.insert((*i)[1]);
  CHECK(documented == triggered);
}

TEST_CASE("the same program expands to the same graph every time") {
  fs::current_path(folder);
  const ProgramText program = describe("containers.cu");
  CHECK(textOf(expand(program)) == textOf(expand(program)));
}

TEST_CASE("each example of the project expands without a message") {
  fs::current_path(STREAMMAP_SOURCE_DIR "/examples");
  const auto [name, sources, tasks] = GENERATE(table<std::string, std::vector<std::string>, std::size_t>({
      {"cholesky", {"cholesky/cholesky.cu"}, 120},                        // 8 + 28 + 28 + 56 for 8 x 8 tiles
      {"heat", {"heat/heat.cu"}, 1280},                                   // 20 steps of 48 edges and 16 tiles
      {"options", {"options/options.cu"}, 31},                            // 16 batches and 15 additions
      {"training", {"training/training.cu"}, 240},                        // 30 epochs of 4 + 3 + 1
      {"jacobi", {"jacobi/main.cu", "jacobi/kernels.cu"}, 60 * 4 + 2 * 4} // sweeps, and two measurements
  }));
  INFO(name);
  const Expanded result = expand({sources, {}});
  CHECK(toText(result.diagnostics) == "");
  REQUIRE(result.graph);
  CHECK(result.graph->tasks.size() == tasks);
}

// Not asserted: a machine may be busy. `--success` or a failure shows the time.
TEST_CASE("a hundred thousand tasks are found in seconds") {
  fs::current_path(STREAMMAP_SOURCE_DIR "/examples");
  const auto start = std::chrono::steady_clock::now();
  const Expanded result = expand({{"cholesky/cholesky.cu"}, {.arguments = {"64", "32"}, .parameters = {}}});
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  REQUIRE(result.graph);
  CHECK(result.graph->tasks.size() == 64 + 64 * 63 + 64 * 63 * 62 / 6);
  std::cout << "expanded " << result.graph->tasks.size() << " tasks in " << elapsed.count()
            << " s, parse included\n";
}
