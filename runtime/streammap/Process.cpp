#include "streammap/Process.h"
#include "model/Hostlist.h"
#include "model/TraceEvents.h"
#include "streammap/CudaDevicePort.h"
#include "streammap/Failure.h"
#include "streammap/MpiCommunicator.h"
#include "streammap/RealCuda.h"
#include "support/Files.h"
#include "support/Text.h"
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>

namespace streammap::engine {
namespace {

Process *theProcess = nullptr;
enum class Life { before, during, after } life = Life::before;

std::string variable(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

std::vector<std::string> programArguments() {
  std::vector<std::string> arguments;
  const Expected<std::string> line = readFile("/proc/self/cmdline");
  if (!line)
    return arguments;
  for (std::string_view argument :
       split(std::string_view(*line).substr(0, line->empty() ? 0 : line->size() - 1), '\0'))
    arguments.emplace_back(argument);
  if (!arguments.empty())
    arguments.erase(arguments.begin());
  return arguments;
}

std::string hostName() {
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  return name;
}

std::optional<Plan> planOfEnvironment() {
  const std::string path = variable("STREAMMAP_PLACEMENT");
  if (path.empty())
    return std::nullopt;
  const Expected<std::string> text = readFile(path);
  if (!text)
    failTogether(text.error().message, RunExit::environmentFailed);
  Diagnostics diagnostics;
  std::optional<Plan> plan = readPlan(*text, path, diagnostics);
  if (!plan)
    failTogether("the placement cannot be used\n" + toText(diagnostics), RunExit::programDiffers);
  if (const std::string list = variable("STREAMMAP_NODES"); !list.empty()) {
    const Expected<std::vector<std::string>> nodes = expandHostlist(list);
    if (!nodes || !plan->reorder(*nodes))
      failTogether("STREAMMAP_NODES is '" + abbreviated(list) + "', and these are not the nodes of " + path,
                   RunExit::environmentFailed);
  }
  return plan;
}

/// Slurm's name of the node this process is on; empty elsewhere.
std::string slurmNode() {
  return variable("SLURMD_NODENAME");
}

/// Whether this process is on the node of another rank. Without Slurm the host's name decides only where it
/// is the name of one of the placement's nodes: hosts may be called otherwise.
bool isMisplaced(const Plan &plan, std::size_t rank) {
  if (const std::string node = slurmNode(); !node.empty())
    return node != plan.nodes[rank];
  const std::string host = hostName(), shortName = host.substr(0, host.find('.'));
  for (std::size_t other = 0; other < plan.nodes.size(); ++other)
    if (plan.nodes[other] == host || plan.nodes[other] == shortName)
      return other != rank;
  return false;
}

/// Only rank 0 prints, unless the user wants to see all.
void silenceOutput(int rank) {
  if (rank == 0 || variable("STREAMMAP_ALL_OUTPUT") == "1")
    return;
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere >= 0) {
    std::fflush(stdout);
    dup2(nowhere, STDOUT_FILENO);
    close(nowhere);
  }
}

void checkFit(const Plan &plan, const Communicator &communicator, int devices) {
  if (static_cast<std::size_t>(communicator.worldSize()) != plan.nodes.size())
    failTogether(plan.file + " places tasks on " + std::to_string(plan.nodes.size()) + " nodes and " +
                     std::to_string(communicator.worldSize()) +
                     " ranks were started; start one per node ('streammap run' does)",
                 RunExit::environmentFailed);
  const auto rank = static_cast<std::size_t>(communicator.rank());
  if (variable("STREAMMAP_CHECK_NODES") == "1" && isMisplaced(plan, rank))
    fail("this process was started on " + (slurmNode().empty() ? hostName() : slurmNode()) + ", but rank " +
         std::to_string(rank) + " of " + plan.file + " is " + plan.nodes[rank] +
         "; start ranks in the order of STREAMMAP_NODES (srun: --distribution=arbitrary and SLURM_HOSTFILE)");
  const int needed = plan.devicesOf(communicator.rank());
  if (needed > devices)
    fail(plan.file + " uses GPU " + std::to_string(needed - 1) + " of this node and it has " +
         std::to_string(devices) + (devices == 1 ? " device" : " devices") +
         (slurmNode().empty() ? "" : "; ask Slurm for all GPUs of a node: --exclusive --gres=gpu:N") +
         (devices == 0 ? "; built with 'streammap build --device cpu' the program needs no GPU" : ""));
}

} // namespace

Process *Process::current() {
  if (life == Life::before) // a global object's constructor is earlier than ours
    startProcess();
  return theProcess;
}

Process::Process()
    : tracePath_(variable("STREAMMAP_TRACE")), trace_(tracePath_.empty() ? Tracing::off : Tracing::on) {
  node_ = hostName();
  const bool record = !variable("STREAMMAP_RECORD").empty();
  if (startedByLauncher() && !record)
    communicator_ = makeMpiCommunicator();
  else
    communicator_ = std::make_unique<SoloCommunicator>();
  const int rank = communicator_->rank(), worldSize = communicator_->worldSize();
  void (*abort)(int) = worldSize > 1 ? abortAllRanks : nullptr;
  setJobIdentity({rank, worldSize, node_, abort});

  if (record) {
    recorder_ = std::make_unique<Recorder>(variable("STREAMMAP_RECORD"), programArguments());
    const std::string devices = variable("STREAMMAP_RECORD_DEVICES");
    visibleDevices_ = devices.empty() ? 1 : std::atoi(devices.c_str());
    return;
  }
  port_ = makeCudaDevicePort();
  std::optional<Plan> plan = planOfEnvironment();
  visibleDevices_ = plan ? plan->gpuCount() : port_->deviceCount();
  if (plan) {
    checkFit(*plan, *communicator_, port_->deviceCount());
    node_ = plan->nodes[static_cast<std::size_t>(rank)];
    setJobIdentity({rank, worldSize, node_, abort});
  }
  status_.identify(rank, node_);
  silenceOutput(rank);

  EngineParts parts{*communicator_, *port_, trace_, {}};
  for (int runner = 0; runner <= port_->deviceCount(); ++runner) {
    runners_.push_back(std::make_unique<CudaTaskRunner>(status_));
    parts.runners.push_back(runners_.back().get());
  }
  engine_ = std::make_unique<Engine>(parts, std::move(plan), programArguments());
  engine_->synchroniseClocks();
}

Process::~Process() = default;

std::string Process::nameOf(const detail::TaskDescription &task) {
  std::string name = task.name ? task.name : task.defaultName;
  if (!task.name)
    return name + "#" + std::to_string(unnamed_[name]++);
  for (std::size_t i = 0; i < task.nameIndexCount; ++i)
    name += (i == 0 ? "[" : ",") + std::to_string(task.nameIndices[i]);
  return task.nameIndexCount ? name + "]" : name;
}

void Process::writeTrace() {
  const std::vector<std::string> texts = communicator_->gather(
      join(trace_.events(communicator_->rank(), node_, cudaDeviceNames(port_->deviceCount())), "\n"));
  if (texts.empty())
    return;
  TraceEvents trace;
  for (const std::string &text : texts)
    for (std::string_view line : split(text, '\n'))
      if (!line.empty())
        trace.addLine(std::string(line));
  if (Expected<void> written = writeFileWhole(tracePath_, trace.finish()); !written)
    fail(written.error().message);
}

void Process::end(int status) {
  std::fflush(nullptr);
  if (recorder_) {
    recorder_->write(status); // a program that checks its results finds them wrong: no kernel has run
    return;
  }
  // A program that ends in an error ends so on every rank, at the same point. If this one is alone, the
  // others would wait for it for ever.
  constexpr double patienceSeconds = 10;
  if (status == 0)
    engine_->finish();
  else if (!engine_->endsTogether(status, patienceSeconds))
    fail("this rank's program ended with exit code " + std::to_string(status) + " and other ranks went on",
         static_cast<RunExit>(status));
  engine_.reset();
  if (!tracePath_.empty())
    writeTrace();
  communicator_->finish();
}

void startProcess() {
  life = Life::during; // first: what is called meanwhile is the runtime's own
  theProcess = new Process;
}

void endProcess(int status, void *) {
  if (!theProcess)
    return;
  if (currentTask())
    fail("the program called exit(" + std::to_string(status) + ") inside a task",
         status == 0 ? RunExit::environmentFailed : static_cast<RunExit>(status));
  theProcess->end(status);
  life = Life::after;
  delete std::exchange(theProcess, nullptr);
}

namespace {

/// Before main, so that ranks that must not print are silent from the start. Exit handlers run last in, first
/// out: CUDA's and those that unregister kernels, registered by now, run after ours.
[[gnu::constructor]] void beforeMain() {
  if (life == Life::before)
    startProcess();
  on_exit(endProcess, nullptr);
}

} // namespace
} // namespace streammap::engine
