// Unrelated processors with communication. After a line "#tasks" every task with its time on each processor,
// after
// "#edges" every edge with what it costs between two processors, in seconds where the times are seconds:
//
//   #tasks
//   0: 14, 16, 9
//   #edges
//   0: 0, 1, 18          edge 0 goes from task 0 to task 1 and costs 18
//   #end
//
// What stands between "#critical" and "#tasks" is the length of some critical path, and is not needed.
#include "interchange/Formats.h"
#include "interchange/GraphBuilder.h"
#include "interchange/Lines.h"
#include <algorithm>

namespace streammap {
namespace {

std::string modelOf(std::size_t processor) {
  return "m" + std::to_string(processor);
}

class HeteroDagReader {
public:
  HeteroDagReader(const std::string &file, Diagnostics &diagnostics)
      : judge_(file, diagnostics), builder_(file, diagnostics) {}

  std::optional<TaskGraph> read(const std::vector<Line> &lines) {
    std::string_view section;
    for (const Line &line : lines) {
      if (line.words[0].text.starts_with('#')) {
        section = line.words[0].text;
        if (section != "#critical" && section != "#tasks" && section != "#edges" && section != "#end") {
          judge_.expected(line, 0, "#critical, #tasks, #edges or #end");
          section = "#critical"; // its lines are not judged
        }
      } else if (section == "#tasks") {
        readTask(line);
      } else if (section == "#edges") {
        readEdge(line);
      } else if (section != "#critical") {
        judge_.expected(line, 0, section == "#end" ? "nothing after #end" : "#tasks");
      }
    }
    if (builder_.taskCount() == 0)
      judge_.expectedAtEnd("a task under #tasks");
    return std::move(builder_).finish();
  }

  std::size_t processors() const { return processors_; }

private:
  void readTask(const Line &line) {
    const std::size_t number = builder_.taskCount();
    judge_.whole(line, 0, "task " + std::to_string(number), number, number);
    std::map<std::string, Seconds> times;
    for (std::size_t i = 1; i < line.words.size(); ++i)
      if (const std::optional<double> time =
              judge_.number(line, i, "the time on processor " + std::to_string(i - 1)))
        times[modelOf(i - 1)] = seconds(*time);
    if (number == 0)
      processors_ = line.words.size() - 1;
    if (line.words.size() - 1 != processors_ || processors_ == 0)
      judge_.expected(line, std::min(line.words.size(), processors_ + 1),
                      processors_ == 0 ? "a time for every processor"
                                       : std::to_string(processors_) + " times, as in the first task");
    builder_.addTask("t" + std::to_string(number), std::move(times), judge_.locationOf(line.words[0]));
  }

  void readEdge(const Line &line) {
    if (builder_.taskCount() == 0)
      return judge_.expected(line, 0, "#tasks before #edges");
    const std::size_t last = builder_.taskCount() - 1;
    judge_.whole(line, 0, "the number of the edge");
    const std::optional<std::size_t> from = judge_.whole(line, 1, "a task", 0, last);
    const std::optional<std::size_t> to = judge_.whole(line, 2, "a task", 0, last);
    const std::optional<double> cost = judge_.number(line, 3, "the cost");
    if (line.words.size() > 4)
      judge_.expected(line, 4, "the end of the line");
    if (from && to && cost)
      builder_.addEdge(TaskId(*from), TaskId(*to), bytes(*cost), judge_.locationOf(line.words[0]));
  }

  LineJudge judge_;
  GraphBuilder builder_;
  std::size_t processors_ = 0;
};

} // namespace

bool recognisesHeteroDag(std::string_view text) {
  return text.starts_with("#tasks") || text.starts_with("#critical") || text.starts_with("#edges") ||
         text.find("\n#tasks") != std::string_view::npos;
}

std::optional<ImportedProblem> readHeteroDag(std::string_view text, const std::string &file,
                                             const ImportOptions &options, Diagnostics &diagnostics) {
  refuseProcessors(options, file, "the file gives a time for each of its processors", diagnostics);
  HeteroDagReader reader(file, diagnostics);
  std::optional<TaskGraph> graph = reader.read(linesOf(text, ":,"));
  if (!graph)
    return std::nullopt;
  std::vector<ProcessorNode> nodes;
  for (std::size_t p = 0; p < reader.processors(); ++p)
    nodes.push_back({"p" + std::to_string(p), {modelOf(p)}});
  ImportedProblem problem;
  problem.graph = std::move(*graph);
  problem.cluster = clusterOfProcessors(nameOfProblem(file), nodes);
  return problem;
}

} // namespace streammap
