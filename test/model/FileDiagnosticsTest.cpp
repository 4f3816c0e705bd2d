// The section "Files" of docs/diagnostics.md: every code that a reader of our files gives, with an input that
// triggers it and what is printed. The page is compared with what the readers say; STREAMMAP_UPDATE_GOLDEN
// rewrites it.
#include "model/ClusterJson.h"
#include "model/PlacementJson.h"
#include "model/TaskGraphJson.h"
#include "support/Catch.h"
#include "support/Files.h"
#include "support/GraphText.h"
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <regex>
#include <set>

using namespace streammap;

namespace {

enum class Kind { tasks, cluster, placement };

struct Example {
  std::string code;
  std::string meaning;
  Kind kind;
  std::string text;
};

const std::string tasks = R"({"schema": "streammap.tasks/1", )",
                  cluster = R"({"schema": "streammap.cluster/1", )";
const std::string placement =
    R"({"schema": "streammap.placement/1", "tasks_file": "t", "cluster_file": "c", "predicted": {"makespan_seconds": 1},
 )";
const std::string nodes =
    R"("node_types": {"t": {"gpus": {"model": "T4", "count": 1}}}, "nodes": [{"names": "n1", "type": "t"}])";

const std::vector<Example> &examples() {
  static const std::vector<Example> all{
      {"json-syntax", "The text is no JSON.", Kind::tasks, tasks + R"("tasks": [})"},
      {"wrong-schema", "The file is of another kind or version.", Kind::tasks,
       R"({"schema": "streammap.task/1", "tasks": []})"},
      {"unknown-key", "A key that the format does not have; the nearest one is named.", Kind::tasks,
       tasks + R"("tasks": [], "dependancies": []})"},
      {"missing-key", "A key that is required is not there.", Kind::tasks, tasks + R"("buffers": []})"},
      {"duplicate-key", "One object gives a key twice.", Kind::tasks, tasks + R"("tasks": [], "tasks": []})"},
      {"bad-value", "A value of the wrong type, out of range, or not one of the words that are allowed.",
       Kind::tasks, tasks + R"("tasks": [{"id": "a", "priority": "high"}]})"},
      {"bad-unit", "A quantity in text that has no unit, or one that is not known.", Kind::cluster,
       cluster + R"("node_types": {"t": {"memory": "2TX"}}, "nodes": [{"names": "n1", "type": "t"}]})"},
      {"duplicate-id", "Two of a kind have the same id or name.", Kind::tasks,
       tasks + R"("tasks": [{"id": "a"}, {"id": "a"}]})"},
      {"unknown-id", "A reference to something that the file does not declare.", Kind::tasks,
       tasks + R"("tasks": [{"id": "a"}], "dependencies": [{"from": "a", "to": "b"}]})"},
      {"duplicate-dependency", "Two dependencies between the same tasks over the same buffer.", Kind::tasks,
       tasks + R"("tasks": [{"id": "a"}, {"id": "b"}],
 "dependencies": [{"from": "a", "to": "b"}, {"from": "a", "to": "b"}]})"},
      {"cycle", "Tasks that wait for each other.", Kind::tasks,
       tasks + R"("tasks": [{"id": "a"}, {"id": "b"}],
 "dependencies": [{"from": "a", "to": "b"}, {"from": "b", "to": "a"}]})"},
      {"region-outside-buffer", "An access that leaves its buffer.", Kind::tasks,
       tasks + R"("buffers": [{"id": "x", "bytes": 100}],
 "tasks": [{"id": "a", "accesses": [{"buffer": "x", "mode": "in", "offset": 50, "bytes": 51}]}]})"},
      {"bad-hostlist", "A list of nodes that is none, such as a bracket that is not closed.", Kind::cluster,
       cluster + R"("node_types": {"t": {}}, "nodes": [{"names": "n[1-", "type": "t"}]})"},
      {"unknown-node", "The state of a node that the cluster does not have.", Kind::cluster,
       cluster + nodes + R"(, "state": {"n2": {"state": "down"}}})"},
      {"unknown-gpu", "The state of a GPU that the node does not have.", Kind::cluster,
       cluster + nodes + R"(, "state": {"n1": {"gpus": {"4": {"state": "busy"}}}}})"},
      {"unknown-model", "A GPU model that neither the file nor the catalogue has; the nearest are named.",
       Kind::cluster, cluster + R"("node_types": {"t": {"gpus": {"model": "H100-SMX5", "count": 8}}},
 "nodes": [{"names": "n1", "type": "t"}]})"},
      {"unknown-device", "A placement on a device that the cluster does not have.", Kind::placement,
       placement +
           R"("assignments": [{"task": "a", "node": "n1", "gpu": 3, "start_seconds": 0, "end_seconds": 1}]})"},
      {"other-graph", "A placement made for another version of the task graph.", Kind::placement,
       placement +
           R"("assignments": [{"task": "a", "name": "b[0]", "node": "n1", "gpu": 0, "start_seconds": 0, "end_seconds": 1}]})"},
  };
  return all;
}

Diagnostics read(const Example &example) {
  Diagnostics diagnostics;
  if (example.kind == Kind::tasks) {
    (void)readTaskGraph(example.text, "app.tasks.json", diagnostics);
  } else if (example.kind == Kind::cluster) {
    (void)readCluster(example.text, "cluster.json", diagnostics);
  } else {
    const TaskGraph graph = graphFromText("a");
    const std::optional<Cluster> machine = readCluster(cluster + nodes + "}", "cluster.json", diagnostics);
    REQUIRE(machine);
    (void)readPlacement(example.text, "app.placement.json", graph, *machine, diagnostics);
  }
  return diagnostics;
}

std::string page() {
  std::string text = "## Files\n\nTask graphs, clusters and placements. Places are JSON pointers. This "
                     "section is written by a "
                     "test (`FileDiagnosticsTest.cpp`)\nfrom what the readers print.\n";
  for (const Example &example : examples())
    text += "\n### `" + example.code + "`\n" + example.meaning + "\n\n```\n" + example.text + "\n" +
            toText(read(example)) + "```\n";
  return text;
}

std::set<std::string> codesInSources() {
  namespace fs = std::filesystem;
  std::set<std::string> codes;
  const std::regex code(R"--("([a-z]+(?:-[a-z]+)+)"\);)--");
  for (const char *folder : {"/lib/model", "/lib/support"})
    for (const fs::directory_entry &entry :
         fs::directory_iterator(std::string(STREAMMAP_SOURCE_DIR) + folder)) {
      const std::string name = entry.path().filename().string();
      if (std::string(folder) == "/lib/support" && !name.starts_with("Json"))
        continue;
      const Expected<std::string> text = readFile(entry.path().string());
      if (!text)
        continue;
      for (std::sregex_iterator i(text->begin(), text->end(), code), last; i != last; ++i)
        codes.insert((*i)[1]);
    }
  return codes;
}

} // namespace

TEST_CASE("each example triggers the code that it stands for") {
  for (const Example &example : examples()) {
    const Diagnostics diagnostics = read(example);
    INFO(example.code << "\n" << toText(diagnostics));
    CHECK(std::ranges::any_of(diagnostics.all(),
                              [&](const Diagnostic &diagnostic) { return diagnostic.code == example.code; }));
  }
}

TEST_CASE("every code of the readers has an example") {
  std::set<std::string> shown;
  for (const Example &example : examples())
    shown.insert(example.code);
  const std::set<std::string> codes = codesInSources();
  CHECK(codes.size() > 10);
  for (const std::string &code : codes) {
    INFO(code << " is in the sources; give it an example above");
    CHECK(shown.contains(code));
  }
}

TEST_CASE("docs/diagnostics.md shows what the readers print") {
  const std::string path = STREAMMAP_SOURCE_DIR "/docs/diagnostics.md";
  std::string text = readFile(path).value();
  const std::size_t begin = text.find("## Files\n");
  REQUIRE(begin != std::string::npos);
  const std::size_t end = std::min(text.find("\n## ", begin), text.size());
  if (std::getenv("STREAMMAP_UPDATE_GOLDEN")) {
    text.replace(begin, end - begin, page());
    REQUIRE(writeFileWhole(path, text));
    return;
  }
  CHECK(text.substr(begin, end - begin) == page());
}
