// Standard Task Graph Set. The first line is a number n; n + 2 lines follow, since task 0 is a dummy entry
// and task n + 1 a dummy exit, both of time 0:
//
//   <task> <processing time> <number of predecessors> <predecessor>...
//
// Lines that begin with # are remarks. Processors are identical and communication is free.
#include "interchange/Formats.h"
#include "interchange/GraphBuilder.h"
#include "interchange/Lines.h"

namespace streammap {
namespace {

std::vector<Line> linesWithoutRemarks(std::string_view text) {
  std::vector<Line> lines = linesOf(text);
  std::erase_if(lines, [](const Line &line) { return line.words.front().text.starts_with('#'); });
  return lines;
}

class StgReader {
public:
  StgReader(const std::string &file, Diagnostics &diagnostics)
      : judge_(file, diagnostics), builder_(file, diagnostics) {}

  std::optional<TaskGraph> read(const std::vector<Line> &lines) {
    if (lines.empty()) {
      judge_.expectedAtEnd("the number of tasks");
      return std::nullopt;
    }
    const std::optional<std::size_t> inner = judge_.whole(lines[0], 0, "the number of tasks");
    if (!inner)
      return std::nullopt;
    const std::size_t count = *inner + 2;
    // The tasks first: a predecessor may stand on a later line.
    for (std::size_t i = 1; i < lines.size() && i <= count; ++i)
      readTask(lines[i], i - 1);
    if (builder_.taskCount() < count)
      judge_.expectedAtEnd("task " + std::to_string(builder_.taskCount()) + " of 0 to " +
                           std::to_string(count - 1));
    else if (lines.size() > count + 1)
      judge_.expected(lines[count + 1], 0, "nothing after task " + std::to_string(count - 1));
    for (std::size_t i = 1; i < lines.size() && i <= count; ++i)
      readPredecessors(lines[i], TaskId(i - 1));
    return std::move(builder_).finish();
  }

private:
  void readTask(const Line &line, std::size_t number) {
    judge_.whole(line, 0, "task " + std::to_string(number), number, number);
    const std::optional<double> time = judge_.number(line, 1, "the processing time");
    builder_.addTask("t" + std::to_string(number), {{"*", seconds(time.value_or(0))}},
                     judge_.locationOf(line.words[0]));
  }

  void readPredecessors(const Line &line, TaskId task) {
    const std::optional<std::size_t> count = judge_.whole(line, 2, "the number of predecessors");
    if (!count)
      return;
    for (std::size_t i = 3; i < 3 + *count; ++i) {
      if (i >= line.words.size())
        return judge_.expected(line, i, std::to_string(*count) + " predecessors");
      if (const std::optional<std::size_t> from =
              judge_.whole(line, i, "a predecessor", 0, builder_.taskCount() - 1))
        builder_.addEdge(TaskId(*from), task, Bytes(), judge_.locationOf(line.words[i]));
    }
    if (line.words.size() > 3 + *count)
      judge_.expected(line, 3 + *count, "no more than " + std::to_string(*count) + " predecessors");
  }

  LineJudge judge_;
  GraphBuilder builder_;
};

} // namespace

bool recognisesStg(std::string_view text) {
  const std::vector<Line> lines = linesWithoutRemarks(text);
  return !lines.empty() && lines[0].words.size() == 1 && numberIn(lines[0].words[0].text).has_value();
}

std::optional<ImportedProblem> readStg(std::string_view text, const std::string &file,
                                       const ImportOptions &options, Diagnostics &diagnostics) {
  std::optional<TaskGraph> graph = StgReader(file, diagnostics).read(linesWithoutRemarks(text));
  if (!graph)
    return std::nullopt;
  ImportedProblem problem;
  problem.graph = std::move(*graph);
  if (options.processors)
    problem.cluster = identicalProcessors(nameOfProblem(file), *options.processors);
  return problem;
}

} // namespace streammap
