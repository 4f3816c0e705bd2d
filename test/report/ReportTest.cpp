#include "SampleRun.h"
#include "report/Formats.h"
#include "report/MeasuredTrace.h"
#include "support/Catch.h"
#include "support/Files.h"
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>

using namespace streammap;

namespace {

ReportData sampleReport() {
  const test::SampleRun run = test::sampleRun();
  return collect(run.graph, run.cluster, run.placement);
}

/// Compares with test/report/golden/NAME; with STREAMMAP_UPDATE_GOLDEN set, rewrites it instead.
void requireGolden(const std::string &name, const std::string &text) {
  const std::string path = STREAMMAP_SOURCE_DIR "/test/report/golden/" + name;
  if (std::getenv("STREAMMAP_UPDATE_GOLDEN")) {
    REQUIRE(writeFileWhole(path, text));
    return;
  }
  const Expected<std::string> expected = readFile(path);
  REQUIRE(expected);
  CHECK(text == *expected);
}

} // namespace

TEST_CASE("the chain walks back over the transfers to the first task") {
  const ReportData data = sampleReport();
  REQUIRE(data.chain.size() == 5);
  CHECK(data.chain[0].what == "load[0]");
  CHECK(data.chain[1].kind == ChainKind::transfer);
  CHECK(data.chain[2].what == "far[0]");
  CHECK(data.chain[2].reason == ChainReason::data);
  CHECK(data.chain[4].what == "join");
  // 100 + 10 + 100 us of tasks, 40 + 10 us of transfers, no idle: together the makespan of 260 us.
  CHECK(data.chainShares.compute.inMicroseconds() == Approx(210));
  CHECK(data.chainShares.transfer.inMicroseconds() == Approx(50));
  CHECK(data.chainShares.idle.inMicroseconds() == Approx(0).margin(1e-9));
}

TEST_CASE("utilisation is a share of the makespan") {
  const ReportData data = sampleReport();
  CHECK(data.devices[0].utilisation == Approx(200.0 / 260));
  CHECK(data.nodes[0].utilisation == Approx(280.0 / 260 / 2)); // two devices on n1
  CHECK(data.utilisation == Approx(290.0 / 260 / 3));          // three in use
  CHECK(data.links[0].utilisation == Approx(40.0 / 260));
}

TEST_CASE("a default, an unknown, a free link and a busy device are each told") {
  const ReportData data = sampleReport();
  std::vector<std::string> codes;
  for (const ReportWarning &warning : data.warnings)
    codes.push_back(warning.code);
  CHECK(codes ==
        std::vector<std::string>{"taken-as-free", "unknown-cost", "default-estimate", "unavailable"});
}

TEST_CASE("a device that waits for nothing known shows as idle in the chain") {
  test::SampleRun run = test::sampleRun();
  run.placement.assignments[3].start = microseconds(170); // the data came at 160
  run.placement.assignments[3].end = microseconds(270);
  run.placement.predicted.makespan = microseconds(270);
  const ReportData data = collect(run.graph, run.cluster, run.placement);
  REQUIRE(data.chain.size() >= 2);
  CHECK(data.chain[data.chain.size() - 2].kind == ChainKind::idle);
  CHECK(data.chain.back().reason == ChainReason::schedule);
}

TEST_CASE("a transfer behind another on its link continues the chain through it") {
  // The same 4 MiB leave for n2:gpu1 first, 60-100 us over the same NIC, so far[0]'s data starts only at 100
  // although load[0] now ends at 60.
  test::SampleRun run = test::sampleRun();
  run.cluster.devices[DeviceId(3)].state = State::up;
  run.placement.assignments[0].end = microseconds(60);
  Transfer first = run.placement.transfers[0];
  first.to = DeviceId(3);
  first.start = microseconds(60);
  first.end = microseconds(100);
  run.placement.transfers.insert(run.placement.transfers.begin(), first);
  const ReportData data = collect(run.graph, run.cluster, run.placement);
  REQUIRE(data.chain.size() == 6);
  CHECK(data.chain[0].what == "load[0]");
  CHECK(data.chain[1].where == "n1:gpu0 -> n2:gpu1");
  CHECK(data.chain[2].where == "n1:gpu0 -> n2:gpu0");
  CHECK(data.chain[2].reason == ChainReason::link);
  for (std::size_t i = 1; i < data.chain.size(); ++i)
    CHECK(data.chain[i].start == data.chain[i - 1].end);
}

TEST_CASE("an empty placement is a report of nothing") {
  const ReportData data = collect({}, {}, {});
  CHECK(data.chain.empty());
  CHECK(toText(data).find("0 tasks") != std::string::npos);
  CHECK(nlohmann::json::parse(toJson(data))["tasks"].empty());
}

TEST_CASE("text fits 80 columns and is the golden one") {
  const std::string text = toText(sampleReport());
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    CHECK(line.size() <= 80);
  requireGolden("sample.txt", text);
}

TEST_CASE("JSON is the golden one") {
  requireGolden("sample.report.json", toJson(sampleReport()));
}

TEST_CASE("measured durations come from the trace by task name") {
  Diagnostics diagnostics;
  const auto run = readMeasuredTrace(R"({"traceEvents": [
      {"ph": "X", "cat": "task", "name": "load[0]", "ts": 5, "dur": 120, "pid": 0, "tid": 0},
      {"ph": "X", "cat": "transfer", "name": "field", "ts": 0, "dur": 900, "pid": 0, "tid": 1},
      {"ph": "X", "cat": "task", "name": "join", "ts": 300, "dur": 50, "pid": 0, "tid": 0}]})",
                                     "run.trace.json", diagnostics);
  REQUIRE(run);
  CHECK(run->makespan.inMicroseconds() == Approx(345)); // 5 to 350; transfers do not count
  CHECK(run->tasks.at("load[0]").inMicroseconds() == Approx(120));
}

TEST_CASE("a file that is no trace is refused by name") {
  for (const char *text : {"", "[1", "{}", R"({"traceEvents": 3})", R"({"traceEvents": []})"}) {
    Diagnostics diagnostics;
    CHECK_FALSE(readMeasuredTrace(text, "run.json", diagnostics));
    REQUIRE(diagnostics.errorCount() == 1);
    CHECK(diagnostics.all()[0].location.file == "run.json");
  }
}

TEST_CASE("markup in names cannot leave the page's data") {
  test::SampleRun run = test::sampleRun();
  run.graph.tasks[TaskId(0)].name = "</script><script>alert(1)</script>";
  const Expected<std::string> page = toHtml(collect(run.graph, run.cluster, run.placement));
  if (!page) {
    WARN("no d3 in this build: " << page.error().message);
    return;
  }
  CHECK(page->find("<script>alert(1)") == std::string::npos);
}

// Not a test of its own: leaves the page and its JSON for check_page.py, which opens them in Chromium.
TEST_CASE("write the sample page", "[.page]") {
  const char *folder = std::getenv("STREAMMAP_PAGE_FOLDER");
  REQUIRE(folder);
  const ReportData data = sampleReport();
  const Expected<std::string> page = toHtml(data);
  REQUIRE(page);
  REQUIRE(writeFileWhole(std::string(folder) + "/sample.html", *page));
  REQUIRE(writeFileWhole(std::string(folder) + "/sample.json", toJson(data)));
}

TEST_CASE("a launch is shown as it sits on the device that runs it") {
  // 64 registers: 4 blocks on each of 108 multiprocessors; 648 blocks are 1.5 waves
  const ReportData data = sampleReport();
  REQUIRE(data.tasks[0].launches.size() == 1);
  const LaunchRow &row = data.tasks[0].launches[0];
  CHECK(row.blocksEach == 4);
  CHECK(row.limiter == "registers");
  CHECK(row.occupancy == 0.5);
  CHECK(row.waves == 1.5);
  CHECK(row.tail == 0.25);
  CHECK(row.multiprocessorsNeeded == 108);
  CHECK(row.isMeasured);
  CHECK(toText(data).find("4 (registers), 1.5") != std::string::npos);
}
