// Flexible job shops. The first line has the number of jobs, of machines and, often, the mean number of
// machines an operation may choose from; then a line for every job:
//
//   <operations> { <eligible machines> { <machine, from 1> <time> }... }...
//
// The operations of a job follow each other; a machine does one at a time. Operation o of job j becomes task
// "j<j>.<o>", both from 1, that runs on the devices of its machines' models alone.
#include "interchange/Formats.h"
#include "interchange/GraphBuilder.h"
#include "interchange/Lines.h"
#include <algorithm>

namespace streammap {
namespace {

std::string modelOf(std::size_t machine) {
  return "machine" + std::to_string(machine);
}

class FjspReader {
public:
  FjspReader(const std::string &file, Diagnostics &diagnostics)
      : judge_(file, diagnostics), builder_(file, diagnostics) {}

  std::optional<TaskGraph> read(const std::vector<Line> &lines) {
    if (lines.empty()) {
      judge_.expectedAtEnd("the number of jobs");
      return std::nullopt;
    }
    const std::optional<std::size_t> jobs = judge_.whole(lines[0], 0, "the number of jobs", 1);
    const std::optional<std::size_t> machines =
        judge_.whole(lines[0], 1, "the number of machines", 1, mostMachines);
    if (lines[0].words.size() > 2)
      judge_.number(lines[0], 2, "the mean number of eligible machines");
    if (lines[0].words.size() > 3)
      judge_.expected(lines[0], 3, "the end of the line");
    if (!jobs || !machines)
      return std::nullopt;
    machines_ = *machines;
    for (std::size_t job = 1; job <= *jobs; ++job) {
      if (job >= lines.size()) {
        judge_.expectedAtEnd("job " + std::to_string(job) + " of " + std::to_string(*jobs));
        break;
      }
      readJob(lines[job], job);
    }
    if (lines.size() > *jobs + 1)
      judge_.expected(lines[*jobs + 1], 0, "nothing after job " + std::to_string(*jobs));
    return std::move(builder_).finish();
  }

  std::size_t machines() const { return machines_; }

private:
  static constexpr std::size_t mostMachines = 100000;

  /// Stops at the first mistake: from there on nobody knows which number means what.
  void readJob(const Line &line, std::size_t job) {
    const std::optional<std::size_t> operations = judge_.whole(line, 0, "the number of operations", 1);
    if (!operations)
      return;
    std::size_t at = 1;
    std::optional<TaskId> before;
    for (std::size_t operation = 1; operation <= *operations; ++operation) {
      const SourceLocation where = judge_.locationOf(line.words[std::min(at, line.words.size() - 1)]);
      std::optional<std::map<std::string, Seconds>> times = readTimes(line, at);
      if (!times)
        return;
      const TaskId task = builder_.addTask("j" + std::to_string(job) + "." + std::to_string(operation),
                                           std::move(*times), where);
      if (before)
        builder_.addEdge(*before, task, Bytes(), where);
      before = task;
    }
    if (at < line.words.size())
      judge_.expected(line, at, "the end of the line after " + std::to_string(*operations) + " operations");
  }

  std::optional<std::map<std::string, Seconds>> readTimes(const Line &line, std::size_t &at) {
    const std::optional<std::size_t> eligible =
        judge_.whole(line, at++, "the number of eligible machines", 1, machines_);
    if (!eligible)
      return std::nullopt;
    std::map<std::string, Seconds> times;
    for (std::size_t i = 0; i < *eligible; ++i, at += 2) {
      const std::optional<std::size_t> machine = judge_.whole(line, at, "a machine", 1, machines_);
      const std::optional<double> time = machine ? judge_.number(line, at + 1, "the time") : std::nullopt;
      if (!time)
        return std::nullopt;
      if (!times.emplace(modelOf(*machine), seconds(*time)).second)
        judge_.error(line.words[at], "machine " + std::to_string(*machine) + " is there already");
    }
    return times;
  }

  LineJudge judge_;
  GraphBuilder builder_;
  std::size_t machines_ = 0;
};

} // namespace

bool recognisesFjspLib(std::string_view text) {
  const std::vector<Line> lines = linesOf(text.substr(0, text.find('\n')));
  if (lines.empty() || lines[0].words.size() < 2 || lines[0].words.size() > 3)
    return false;
  for (const Word &word : lines[0].words)
    if (!numberIn(word.text))
      return false;
  return true;
}

std::optional<ImportedProblem> readFjspLib(std::string_view text, const std::string &file,
                                           const ImportOptions &options, Diagnostics &diagnostics) {
  refuseProcessors(options, file, "the file names its machines", diagnostics);
  FjspReader reader(file, diagnostics);
  std::optional<TaskGraph> graph = reader.read(linesOf(text));
  if (!graph)
    return std::nullopt;
  std::vector<ProcessorNode> nodes;
  for (std::size_t machine = 1; machine <= reader.machines(); ++machine)
    nodes.push_back({modelOf(machine), {modelOf(machine)}});
  ImportedProblem problem;
  problem.graph = std::move(*graph);
  problem.cluster = clusterOfProcessors(nameOfProblem(file), nodes);
  return problem;
}

} // namespace streammap
