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

TEST_CASE("the head says which share of the time is assumed") {
  const ReportData data = sampleReport(); // join says nothing: 100 of 290 us
  CHECK(data.assumedTasks == 1);
  CHECK(data.assumedShare == Approx(100.0 / 290));
  REQUIRE(data.assumedEach);
  CHECK(data.assumedEach->inMicroseconds() == Approx(100));
  CHECK(toText(data).find("34.5 % of the busy time is assumed: 1 task says nothing") != std::string::npos);

  test::SampleRun run = test::sampleRun();
  run.placement.assignments[3].origin = Origin::stat;
  const ReportData known = collect(run.graph, run.cluster, run.placement);
  CHECK(known.assumedTasks == 0);
  CHECK(toText(known).find("assumed") == std::string::npos);
}

TEST_CASE("one cause of unknown costs is one remark, whatever it touches") {
  test::SampleRun run = test::sampleRun();
  std::vector<UnknownCost> &unknowns = run.graph.kernels[KernelId(0)].unknowns;
  UnknownCost other = unknowns[0];
  for (const char *metric : {"global_load_bytes", "flops_integer"}) {
    unknowns.push_back(unknowns[0]);
    unknowns.back().metric = metric;
  }
  other.location = "sample.cu:40:7"; // another loop
  unknowns.push_back(other);
  std::vector<std::string> messages;
  for (const ReportWarning &warning : collect(run.graph, run.cluster, run.placement).warnings)
    if (warning.code == "unknown-cost")
      messages.push_back(warning.message);
  REQUIRE(messages.size() == 2);
  CHECK(messages[0].starts_with("join: flops_fp32, global_load_bytes and flops_integer are unknown: "));
  CHECK(messages[1].starts_with("join: flops_fp32 is unknown: "));
}

TEST_CASE("a kernel is not called unknown where its tasks bring figures of their own") {
  test::SampleRun run = test::sampleRun();
  auto unknowns = [&] {
    return std::ranges::count(collect(run.graph, run.cluster, run.placement).warnings, "unknown-cost",
                              &ReportWarning::code);
  };
  REQUIRE(unknowns() == 1);
  run.placement.assignments[3].origin = Origin::pragma;
  CHECK(unknowns() == 0);
  run.graph.tasks[TaskId(1)].launches = run.graph.tasks[TaskId(3)].launches; // launched by load[1], too
  CHECK(unknowns() == 1);
}

TEST_CASE("kinds of task name what limits them, the one with most time first") {
  test::SampleRun run = test::sampleRun();
  run.placement.assignments[1].limiter = "dram"; // load[1]: 80 us, load[0]: 100 us by fp32
  const ReportData data = collect(run.graph, run.cluster, run.placement);
  REQUIRE(data.classes[0].name == "load");
  CHECK(data.classes[0].limiters == std::vector<std::string>{"fp32", "dram"});
  CHECK(toText(data).find("fp32, dram") != std::string::npos);
}

TEST_CASE("tiny transfers that queue on one link are one step of the chain") {
  test::SampleRun run = test::sampleRun();
  const Transfer last = run.placement.transfers[1];
  run.placement.transfers.assign(3, run.placement.transfers[0]);
  for (std::size_t i = 0; i < 3; ++i) { // 100 ns each, one behind the other; the last brings far[0] its data
    run.placement.transfers[i].start = microseconds(100 + 0.1 * static_cast<double>(i));
    run.placement.transfers[i].end = run.placement.transfers[i].start + microseconds(0.1);
  }
  run.placement.assignments[2].start = run.placement.transfers.back().end;
  run.placement.transfers.push_back(last);
  const std::vector<ChainStep> chain = collect(run.graph, run.cluster, run.placement).chain;
  REQUIRE(chain.size() == 5);
  CHECK(chain[1].transfers == 3);
  CHECK(chain[1].where == "n1:nic.up");
  CHECK((chain[1].end - chain[1].start).inMicroseconds() == Approx(0.3));
  CHECK(stepText(chain[1]) == "3 transfers of field");
  CHECK(reasonText(chain[1]) == "queue on n1:nic.up");
  for (std::size_t i = 1; i < chain.size(); ++i)
    CHECK(chain[i].start == chain[i - 1].end);
}

TEST_CASE("a text report cuts nothing, however long the names") {
  test::SampleRun run = test::sampleRun();
  const std::string node = "rack-17-unit-04.gpu-partition.example.org";
  run.cluster.name = "a cluster whose name alone is longer than what a line of a terminal has room for";
  run.cluster.nodes[NodeId(0)].name = node;
  run.graph.tasks[TaskId(0)].name = "updateTheHaloOfEverySubdomain<double, 3>[10,20,30]";
  run.placement.transfers[0].route = {node + ":nic.up"};
  run.placement.links[1].link = node + ":nic.up";
  const std::string text = toText(collect(run.graph, run.cluster, run.placement));
  CHECK(text.find("room for") != std::string::npos);
  CHECK(text.find("3>[10,20,30]") != std::string::npos);
  CHECK(text.find("org:gpu0") != std::string::npos);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    CHECK(line.size() <= 80);
}

TEST_CASE("a transfer inside a node names the node once") {
  test::SampleRun run = test::sampleRun();
  run.placement.transfers[1].from = DeviceId(1); // n1:gpu1 -> n1:gpu0
  run.placement.transfers[1].route = {"n1:gpu1:peer.out"};
  const std::string text = toText(collect(run.graph, run.cluster, run.placement));
  CHECK(text.find("n1:gpu1 -> gpu0     over gpu1:peer.out") != std::string::npos);
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
  CHECK(run->tasks.at("load[0]").time.inMicroseconds() == Approx(120));
  CHECK(run->tasks.at("join").start.inMicroseconds() == Approx(295)); // from the first task's start
  CHECK(run->devices.empty());                                        // the trace does not say
}

TEST_CASE("a trace tells which devices it was measured on") {
  Diagnostics diagnostics;
  const auto run = readMeasuredTrace(R"({"traceEvents": [
      {"ph": "M", "name": "process_name", "pid": 0, "args": {"name": "n1"}},
      {"ph": "M", "name": "process_labels", "pid": 0, "args": {"labels": "StreamMAP CPU device"}},
      {"ph": "M", "name": "process_labels", "pid": 1, "args": {"labels": "StreamMAP CPU device"}},
      {"ph": "M", "name": "thread_name", "pid": 0, "tid": 6, "args": {"name": "gpu 1"}},
      {"ph": "X", "cat": "task", "name": "load[0]", "ts": 5, "dur": 120, "pid": 0, "tid": 6},
      {"ph": "X", "cat": "task", "name": "load[1]", "ts": 5, "dur": 40, "pid": 0, "tid": 6}]})",
                                     "run.trace.json", diagnostics);
  REQUIRE(run);
  CHECK(run->devices == "CPU cores");
  CHECK(run->tasks.at("load[0]").device == "n1:gpu1");

  const test::SampleRun sample = test::sampleRun();
  const ReportData data = collect(sample.graph, sample.cluster, sample.placement, &*run);
  const ClassRow &load = data.classes.front();
  REQUIRE(load.name == "load");
  CHECK(load.measuredTasks == 2);
  CHECK(load.measured.inMicroseconds() == Approx(160));
  CHECK(load.predictedOfMeasured.inMicroseconds() == Approx(180));
  const std::string text = toText(data);
  CHECK(text.find("predicted; measured 120 us on CPU cores") != std::string::npos);
  CHECK(text.find("Measured on CPU cores, predicted for the devices above") != std::string::npos);
  const auto json = nlohmann::json::parse(toJson(data));
  CHECK(json["summary"]["measured_on"] == "CPU cores");
  CHECK(json["classes"][0]["measured_ratio"].get<double>() == Approx(160.0 / 180));
  CHECK(json["tasks"][0]["measured_on"] == "n1:gpu1");
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

// Not a test of its own: leaves two pages and their JSON for check_page.py, which opens them in Chromium.
TEST_CASE("write the sample page", "[.page]") {
  const char *folder = std::getenv("STREAMMAP_PAGE_FOLDER");
  REQUIRE(folder);
  const test::SampleRun run = test::sampleRun();
  MeasuredRun measured{microseconds(345),
                       {{"load[0]", {Seconds(), microseconds(120), "n1:gpu0"}},
                        {"join", {microseconds(295), microseconds(50), "n1:gpu0"}}},
                       {},
                       "CPU cores"};
  auto leave = [&](const std::string &name, const MeasuredRun *trace) {
    const ReportData data = collect(run.graph, run.cluster, run.placement, trace);
    const Expected<std::string> page = toHtml(data);
    REQUIRE(page);
    REQUIRE(writeFileWhole(std::string(folder) + "/" + name + ".html", *page));
    REQUIRE(writeFileWhole(std::string(folder) + "/" + name + ".json", toJson(data)));
  };
  leave("sample", nullptr);
  leave("measured", &measured);
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
