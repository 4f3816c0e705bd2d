// Every file of every public set imports, maps without a violation, and never below a known lower bound.
#include "interchange/Import.h"
#include "mapper/MapTasks.h"
#include "support/Catch.h"
#include "support/Files.h"
#include "support/ForeignGraphs.h"
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

using namespace streammap;
using namespace streammap::test;

namespace {

std::vector<std::string> filesBelow(const std::string &folder, const std::vector<std::string> &endings) {
  std::vector<std::string> files;
  for (const auto &entry : std::filesystem::recursive_directory_iterator(folder))
    if (std::ranges::find(endings, entry.path().extension().string()) != endings.end() &&
        entry.path().filename() != "SOURCE.txt")
      files.push_back(entry.path().string());
  std::ranges::sort(files);
  return files;
}

bool haveData(const std::string &set) {
  if (!sharedData().empty() && std::filesystem::is_directory(sharedData() + "/" + set))
    return true;
  WARN("skipped: no " << set << " data; set STREAMMAP_SHARED_DATA to its folder");
  return false;
}

/// Recognised as `format`, imported, mapped by a quick strategy; mapTasks itself fails on any violation.
double makespanOf(const std::string &path, std::string_view format, const ImportOptions &options = {}) {
  INFO(path);
  const Expected<std::string> text = readFile(path);
  REQUIRE(text);
  const auto recognised =
      std::ranges::find_if(importFormats(), [&](const ImportFormat &f) { return f.recognises(*text); });
  REQUIRE(recognised != importFormats().end());
  CHECK(recognised->name == format);
  const ProcessorGraph problem = readProblem(path, options.processors, options.bandwidth);
  const Expected<Problem> compiled = makeProblem(problem.graph, problem.cluster);
  REQUIRE(compiled);
  const Expected<Placement> placement = mapTasks(*compiled, {.strategy = "heft"});
  REQUIRE(placement);
  return placement->predicted.makespan.value();
}

/// First column to a number in another one; rows without a number there are left out.
std::map<std::string, double> columnOf(const std::string &path, std::size_t column) {
  std::ifstream file(path);
  std::map<std::string, double> values;
  for (std::string line; std::getline(file, line);) {
    std::vector<std::string> cells;
    std::istringstream in(line);
    for (std::string cell; std::getline(in, cell, ',');)
      cells.push_back(cell);
    if (cells.size() > column && !cells[column].empty() &&
        cells[column].find_first_not_of("0123456789.") == std::string::npos)
      values[cells[0]] = std::stod(cells[column]);
  }
  return values;
}

} // namespace

TEST_CASE("STG files import and map") {
  if (!haveData("stg"))
    return;
  const std::vector<std::string> files = filesBelow(sharedData() + "/stg", {".stg"});
  CHECK(files.size() >= 30);
  for (const std::string &file : files)
    CHECK(makespanOf(file, "stg", {.processors = 4}) > 0);
}

TEST_CASE("Graphviz files import and map") {
  if (!haveData("optimal-comm"))
    return;
  const std::vector<std::string> files = filesBelow(sharedData() + "/optimal-comm", {".dot"});
  CHECK(files.size() >= 100);
  for (const std::string &file : files)
    CHECK(makespanOf(file, "dot") >= readSolvedDot(file).optimum * (1 - 1e-9));
}

TEST_CASE("hetero-dag files import and map") {
  if (!haveData("hetero-dag"))
    return;
  const std::vector<std::string> files = filesBelow(sharedData() + "/hetero-dag", {".dag", ".txt"});
  CHECK(files.size() >= 30);
  for (const std::string &file : files)
    CHECK(makespanOf(file, "hetero-dag") > 0);
}

TEST_CASE("flexible job shops import and map, never below their proved lower bound") {
  if (!haveData("flexible-jobshop"))
    return;
  const std::string folder = sharedData() + "/flexible-jobshop";
  const std::map<std::string, double> bounds = columnOf(folder + "/best-known.csv", 2);
  const std::vector<std::string> files = filesBelow(folder, {".fjs"});
  CHECK(files.size() == bounds.size());
  for (const std::string &file : files)
    CHECK(makespanOf(file, "fjsp") >= bounds.at(std::filesystem::path(file).filename()));
}

TEST_CASE("projects with resources import and map") {
  if (!haveData("rcpsp"))
    return;
  const std::vector<std::string> files = filesBelow(sharedData() + "/rcpsp", {".sm"});
  CHECK(files.size() >= 20);
  for (const std::string &file : files)
    CHECK(makespanOf(file, "psplib") > 0);
}

TEST_CASE("recorded workflows import and map") {
  if (!haveData("wfinstances"))
    return;
  const std::vector<std::string> files = filesBelow(sharedData() + "/wfinstances", {".json"});
  CHECK(files.size() >= 7);
  for (const std::string &file : files) {
    CHECK(makespanOf(file, "wfformat") > 0);
    // Fewer devices and a network never make it quicker than the longest task.
    CHECK(makespanOf(file, "wfformat", {.processors = 16, .bandwidth = bytesPerSecond(100e6)}) > 0);
  }
}
