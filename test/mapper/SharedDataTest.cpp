// Maps every public graph the readers understand: no violation, never below a proved optimum.
#include "mapper/MapTasks.h"
#include "support/Catch.h"
#include "support/Cholesky.h"
#include "support/ForeignGraphs.h"
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace streammap;
using namespace streammap::test;

namespace {

std::vector<std::string> filesIn(const std::string &folder, const std::string &ending) {
  std::vector<std::string> files;
  for (const auto &entry : std::filesystem::directory_iterator(folder))
    if (entry.path().string().ends_with(ending))
      files.push_back(entry.path().string());
  std::ranges::sort(files);
  return files;
}

/// Rows of a CSV file without its heading.
std::vector<std::vector<std::string>> rowsOf(const std::string &path) {
  std::ifstream file(path);
  std::vector<std::vector<std::string>> rows;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::vector<std::string> cells;
    std::istringstream in(line);
    for (std::string cell; std::getline(in, cell, ',');)
      cells.push_back(cell);
    rows.push_back(cells);
  }
  return rows;
}

/// Makespan of `auto`; mapTasks itself fails on any violation.
double mapped(const ProcessorGraph &g) {
  const Expected<Problem> problem = makeProblem(g.graph, g.cluster);
  REQUIRE(problem);
  const Expected<Placement> placement = mapTasks(*problem, {.effort = Effort::fast});
  REQUIRE(placement);
  CHECK(placement->predicted.lowerBound <= placement->predicted.makespan);
  return placement->predicted.makespan.value();
}

/// False, with a line that says so, where the data is not there.
bool haveData(const std::string &set) {
  if (!sharedData().empty() && std::filesystem::is_directory(sharedData() + "/" + set))
    return true;
  WARN("skipped: no " << set << " data; set STREAMMAP_SHARED_DATA to its folder");
  return false;
}

} // namespace

TEST_CASE("the worked examples of heterogeneous scheduling papers") {
  if (!haveData("hetero-dag"))
    return;
  const std::string folder = sharedData() + "/hetero-dag/published-examples/";
  for (const auto &row : rowsOf(folder + "optimal.csv")) {
    INFO(row[0]);
    CHECK(mapped(readHeteroDag(folder + row[0])) >= std::stod(row[3]) * (1 - 1e-9));
  }
}

TEST_CASE("the generated heterogeneous graphs") {
  if (!haveData("hetero-dag"))
    return;
  for (const std::string &file : filesIn(sharedData() + "/hetero-dag/generated", ".dag")) {
    INFO(file);
    CHECK(mapped(readHeteroDag(file)) > 0);
  }
}

TEST_CASE("graphs with communication and proved optima") {
  if (!haveData("optimal-comm"))
    return;
  double gaps = 0;
  std::size_t graphs = 0, optimal = 0;
  for (const std::string &file : filesIn(sharedData() + "/optimal-comm", ".dot")) {
    INFO(file);
    const SolvedGraph solved = readSolvedDot(file);
    const double makespan = mapped(solved.problem);
    CHECK(makespan >= solved.optimum * (1 - 1e-9));
    gaps += makespan / solved.optimum - 1;
    optimal += makespan <= solved.optimum * (1 + 1e-9);
    ++graphs;
  }
  CHECK(graphs > 0);
  std::printf("optimal-comm: %zu graphs, mean gap %.1f %%, %zu optimal\n", graphs,
              100 * gaps / static_cast<double>(graphs), optimal);
}

TEST_CASE("the standard task graph set") {
  if (!haveData("stg"))
    return;
  for (const auto &row : rowsOf(sharedData() + "/stg/best-known.csv")) {
    INFO(row[0] << " on " << row[1]);
    CHECK(mapped(readStg(sharedData() + "/stg/" + row[0], std::stoul(row[1]))) >=
          std::stod(row[2]) * (1 - 1e-9));
  }
}

TEST_CASE("tiled Cholesky on measured machines") {
  if (!haveData("tiled-kernels"))
    return;
  // 960 x 960 tiles, all GPUs and one core. The bounds are the larger of area and critical path with two
  // cores and free transfers, so they hold here too.
  struct Known {
    const char *machine;
    std::size_t tiles;
    double boundMs;
  };
  for (const Known &known : {Known{"mirage", 10, 218}, Known{"mirage", 20, 1443}, Known{"sirocco", 10, 95},
                             Known{"sirocco", 20, 311}, Known{"idgraf", 10, 278}, Known{"idgraf", 20, 574}}) {
    const double makespan =
        1e3 * mapped(readTiledMachine(sharedData() + "/tiled-kernels", known.machine, known.tiles));
    INFO(known.machine << " " << known.tiles << ": " << makespan << " ms");
    CHECK(makespan >= known.boundMs);
    CHECK(makespan <= 1.5 * known.boundMs); // measured 1.04 to 1.19
  }
}
