// PSPLIB's .sm files: jobs with durations, successors, and demands on renewable resources that hold only so
// much at a time. Sections with headings, between lines of asterisks:
//
//   - renewable                 :  4   R
//   PRECEDENCE RELATIONS:            jobnr. #modes #successors successors
//   REQUESTS/DURATIONS:              jobnr. mode duration R1 R2 ...
//   RESOURCEAVAILABILITIES:          R1 R2 ...
//
// One renewable resource carries over exactly: as the power limit of a node. A job that needs d of its K
// units runs on one of floor(K / d) devices that draw d watts, and the node supplies K. A device runs one
// task, so a second, third or fourth resource has no place to go; the resource with the most work for its
// capacity is kept and a note names the others. What is imported is therefore a relaxation: its optimum is at
// most the project's.
#include "interchange/Formats.h"
#include "interchange/GraphBuilder.h"
#include "interchange/Lines.h"
#include "support/Text.h"
#include <algorithm>

namespace streammap {
namespace {

struct Job {
  double duration = 0;
  std::vector<std::size_t> demands;
  std::vector<std::size_t> successors; ///< from 0
  const Line *precedence = nullptr;
};

class PsplibReader {
public:
  PsplibReader(const std::string &file, Diagnostics &diagnostics) : judge_(file, diagnostics) {}

  /// What is wrong is reported; jobs and capacities are complete when nothing was.
  void read(const std::vector<Line> &lines) {
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const std::string_view text = trim(lines[i].text);
      if (text.starts_with("- nonrenewable") || text.starts_with("- doubly constrained"))
        wholeAfterColon(lines[i], "0 resources of this kind", 0, 0);
      else if (text.starts_with("- renewable"))
        resources_ = wholeAfterColon(lines[i], "the number of renewable resources", 1, 100).value_or(0);
      else if (text.starts_with("PRECEDENCE RELATIONS"))
        i = readRows(lines, i + 2, &PsplibReader::readPrecedence);
      else if (text.starts_with("REQUESTS/DURATIONS"))
        i = readRows(lines, i + 2, &PsplibReader::readRequest);
      else if (text.starts_with("RESOURCEAVAILABILITIES"))
        i = readRows(lines, i + 2, &PsplibReader::readAvailability);
    }
    if (jobs_.empty())
      judge_.expectedAtEnd("jobs under PRECEDENCE RELATIONS:");
    if (requests_ != jobs_.size())
      judge_.expectedAtEnd("a line under REQUESTS/DURATIONS: for each of " + std::to_string(jobs_.size()) +
                           " jobs");
    if (capacities_.empty())
      judge_.expectedAtEnd("capacities under RESOURCEAVAILABILITIES:");
  }

  const std::vector<Job> &jobs() const { return jobs_; }
  const std::vector<std::size_t> &capacities() const { return capacities_; }
  const LineJudge &judge() const { return judge_; }

private:
  using ReadRow = void (PsplibReader::*)(const Line &);

  /// Rows up to the next line of asterisks; returns where that is.
  std::size_t readRows(const std::vector<Line> &lines, std::size_t first, ReadRow readRow) {
    std::size_t i = first;
    for (; i < lines.size() && !lines[i].words[0].text.starts_with("***"); ++i)
      if (!lines[i].words[0].text.starts_with("---"))
        (this->*readRow)(lines[i]);
    return i;
  }

  std::optional<std::size_t> wholeAfterColon(const Line &line, const std::string &what, std::size_t least,
                                             std::size_t greatest) {
    for (std::size_t i = 0; i < line.words.size(); ++i)
      if (line.words[i].text == ":")
        return judge_.whole(line, i + 1, what, least, greatest);
    judge_.expected(line, line.words.size(), "':' and " + what);
    return std::nullopt;
  }

  void readPrecedence(const Line &line) {
    const std::size_t number = jobs_.size() + 1;
    jobs_.push_back({});
    jobs_.back().precedence = &line;
    judge_.whole(line, 0, "job " + std::to_string(number), number, number);
    judge_.whole(line, 1, "1 mode: a job of several cannot be imported", 1, 1);
    const std::optional<std::size_t> count = judge_.whole(line, 2, "the number of successors");
    if (!count)
      return;
    for (std::size_t i = 3; i < 3 + *count; ++i) {
      if (i >= line.words.size())
        return judge_.expected(line, i, std::to_string(*count) + " successors");
      if (const std::optional<std::size_t> successor = judge_.whole(line, i, "a successor", 1))
        jobs_.back().successors.push_back(*successor - 1);
    }
    if (line.words.size() > 3 + *count)
      judge_.expected(line, 3 + *count, "no more than " + std::to_string(*count) + " successors");
  }

  void readRequest(const Line &line) {
    const std::size_t number = ++requests_;
    if (number > jobs_.size())
      return judge_.expected(line, 0, "nothing after job " + std::to_string(jobs_.size()));
    judge_.whole(line, 0, "job " + std::to_string(number), number, number);
    judge_.whole(line, 1, "mode 1", 1, 1);
    Job &job = jobs_[number - 1];
    job.duration = judge_.number(line, 2, "the duration").value_or(0);
    for (std::size_t r = 0; r < resources_; ++r)
      job.demands.push_back(
          judge_.whole(line, 3 + r, "the demand for R" + std::to_string(r + 1)).value_or(0));
    if (line.words.size() > 3 + resources_)
      judge_.expected(line, 3 + resources_,
                      "the end of the line after " + std::to_string(resources_) + " demands");
  }

  void readAvailability(const Line &line) {
    if (!capacities_.empty())
      return judge_.expected(line, 0, "one line of capacities");
    for (std::size_t r = 0; r < resources_; ++r)
      capacities_.push_back(judge_.whole(line, r, "the capacity of R" + std::to_string(r + 1)).value_or(0));
    if (line.words.size() > resources_)
      judge_.expected(line, resources_,
                      "the end of the line after " + std::to_string(resources_) + " capacities");
  }

  LineJudge judge_;
  std::size_t resources_ = 0, requests_ = 0;
  std::vector<Job> jobs_;
  std::vector<std::size_t> capacities_;
};

/// The resource with the most work for its capacity; ties to the first.
std::size_t mostBinding(const std::vector<Job> &jobs, const std::vector<std::size_t> &capacities) {
  std::size_t best = 0;
  double most = -1;
  for (std::size_t r = 0; r < capacities.size(); ++r) {
    double work = 0;
    for (const Job &job : jobs)
      work += job.duration * static_cast<double>(job.demands[r]);
    work /= static_cast<double>(std::max<std::size_t>(1, capacities[r]));
    if (work > most) {
      most = work;
      best = r;
    }
  }
  return best;
}

std::string modelOf(std::size_t demand) {
  return "demand" + std::to_string(demand);
}

std::optional<TaskGraph> graphOf(const PsplibReader &reader, std::size_t resource, const std::string &file,
                                 Diagnostics &diagnostics) {
  GraphBuilder builder(file, diagnostics);
  const std::vector<Job> &jobs = reader.jobs();
  const std::size_t capacity = reader.capacities()[resource];
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const SourceLocation where = reader.judge().locationOf(jobs[i].precedence->words[0]);
    for (std::size_t r = 0; r < jobs[i].demands.size(); ++r)
      if (jobs[i].demands[r] > reader.capacities()[r])
        diagnostics.error(where,
                          "job " + std::to_string(i + 1) + " needs " + std::to_string(jobs[i].demands[r]) +
                              " of R" + std::to_string(r + 1) + ", which holds " +
                              std::to_string(reader.capacities()[r]),
                          "bad-value");
    const std::size_t demand = std::min(jobs[i].demands[resource], capacity);
    builder.addTask("job" + std::to_string(i + 1), {{modelOf(demand), seconds(jobs[i].duration)}}, where);
  }
  for (std::size_t i = 0; i < jobs.size(); ++i)
    for (std::size_t k = 0; k < jobs[i].successors.size(); ++k) {
      const Word &word = jobs[i].precedence->words[3 + k];
      if (jobs[i].successors[k] < jobs.size())
        builder.addEdge(TaskId(i), TaskId(jobs[i].successors[k]), Bytes(), reader.judge().locationOf(word));
      else
        reader.judge().error(word, "expected a successor from 1 to " + std::to_string(jobs.size()) +
                                       ", found '" + std::string(word.text) + "'");
    }
  return std::move(builder).finish();
}

/// One node; for each demand as many devices as the capacity feeds at a time, or as there are jobs that ask
/// for it.
Cluster clusterOf(const std::string &name, const std::vector<Job> &jobs, std::size_t resource,
                  std::size_t capacity) {
  std::map<std::size_t, std::size_t> jobsOf;
  for (const Job &job : jobs)
    ++jobsOf[job.demands[resource]];
  ProcessorNode node{"site", {}};
  for (const auto &[demand, count] : jobsOf)
    node.models.insert(node.models.end(), demand == 0 ? count : std::min(count, capacity / demand),
                       modelOf(demand));
  Cluster cluster = clusterOfProcessors(name, {node});
  for (GpuModelId id : cluster.models.ids())
    for (const auto &[demand, count] : jobsOf)
      if (cluster.models[id].name == modelOf(demand))
        cluster.models[id].power = watts(static_cast<double>(demand));
  cluster.nodeTypes[NodeTypeId(0)].powerLimit = watts(static_cast<double>(capacity));
  return cluster;
}

} // namespace

bool recognisesPsplib(std::string_view text) {
  return text.find("PRECEDENCE RELATIONS") != std::string_view::npos ||
         text.find("RESOURCEAVAILABILITIES") != std::string_view::npos;
}

std::optional<ImportedProblem> readPsplib(std::string_view text, const std::string &file,
                                          const ImportOptions &options, Diagnostics &diagnostics) {
  refuseProcessors(options, file, "a project has resources, not processors", diagnostics);
  const std::vector<Line> lines = linesOf(text);
  PsplibReader reader(file, diagnostics);
  reader.read(lines);
  if (diagnostics.hasErrors())
    return std::nullopt;
  const std::size_t resource = mostBinding(reader.jobs(), reader.capacities());
  std::optional<TaskGraph> graph = graphOf(reader, resource, file, diagnostics);
  if (!graph)
    return std::nullopt;
  ImportedProblem problem;
  problem.graph = std::move(*graph);
  problem.cluster = clusterOf(nameOfProblem(file), reader.jobs(), resource, reader.capacities()[resource]);
  std::vector<std::string> others;
  for (std::size_t r = 0; r < reader.capacities().size(); ++r)
    if (r != resource)
      others.push_back("R" + std::to_string(r + 1));
  if (!others.empty())
    problem.notes.push_back(
        "only R" + std::to_string(resource + 1) +
        ", the resource with the most work for its capacity, is imported (as the node's power "
        "limit); left out: " +
        join(others, ", "));
  return problem;
}

} // namespace streammap
