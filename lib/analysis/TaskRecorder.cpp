#include "analysis/TaskRecorder.h"
#include "analysis/ClangDiagnostics.h"
#include "model/Footprint.h"
#include "support/Text.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>

namespace streammap {

using namespace clang;

TaskRecorder::TaskRecorder(std::span<const KernelAnalysis> kernels,
                           const std::map<std::string, double> &factors, TaskGraph &graph,
                           Diagnostics &diagnostics, bool showsProgress, std::size_t mostTasks)
    : graph_(graph), diagnostics_(diagnostics), buffers_(graph), costs_(kernels, factors),
      showsProgress_(showsProgress), mostTasks_(mostTasks) {}

void TaskRecorder::finish() {
  std::sort(graph_.dependencies.begin(), graph_.dependencies.end(),
            [](const Dependency &a, const Dependency &b) {
              return std::tuple(a.from, a.to, a.buffer) < std::tuple(b.from, b.to, b.buffer);
            });
  if (showsProgress_ && std::chrono::steady_clock::now() - start_ > std::chrono::seconds(1))
    std::fprintf(stderr, "\r%zu tasks found\n", graph_.tasks.size());
}

void TaskRecorder::showProgress() {
  constexpr std::size_t interval = 2048;
  if (!showsProgress_ || graph_.tasks.size() % interval != 0)
    return;
  if (std::chrono::steady_clock::now() - start_ > std::chrono::seconds(1))
    std::fprintf(stderr, "\r%zu tasks found so far", graph_.tasks.size());
}

void TaskRecorder::allocated(Address address, HostValue size, AllocationKind, std::string name,
                             const SourceLocation &where) {
  buffers_.allocated(address, size, std::move(name), where);
}

void TaskRecorder::renamed(Address address, std::string name) {
  buffers_.renamed(address, std::move(name));
}

//===-- Tasks --===//

void TaskRecorder::task(const ParsedUnit &unit, const TaskMarker &marker) {
  if (isInTask_) {
    interpreter_->fail(marker.body, "a task inside a task; let the inner pragma stand alone", "nested-task");
    return;
  }
  if (const OtherClause *when = marker.find(ClauseKind::when); when && !when->arguments.empty()) {
    const HostValue condition = interpreter_->evaluate(when->arguments[0]);
    if (!condition.isKnown()) {
      interpreter_->failUnknown(when->arguments[0], "whether this is a task", condition.reason,
                                "unknown-condition");
      return;
    }
    if (condition.bits == 0) {
      isInline_ = true;
      interpreter_->execute(marker.body);
      isInline_ = false;
      return;
    }
  }
  if (graph_.tasks.size() == mostTasks_) {
    interpreter_->fail(marker.body,
                       "the program makes more than " + std::to_string(mostTasks_) +
                           " tasks, of which this is the next; check the loops around it and the arguments "
                           "given with --arg and --param, or raise the limit with --max-tasks",
                       "too-many-tasks");
    return;
  }
  const Site &site = unit.sites()[marker.site];
  current_ = {};
  totals_ = {};
  uncountedCall_.reset();
  unknownLaunches_.clear();
  current_.id = "t" + std::to_string(graph_.tasks.size());
  current_.site = marker.site;
  current_.location = toText(site.location);
  current_.name = nameOf(marker);
  addSections(unit, marker, current_);
  addConstraints(marker, current_);
  if (interpreter_->hasStopped())
    return;
  isInTask_ = true;
  interpreter_->execute(marker.body);
  isInTask_ = false;
  if (interpreter_->hasStopped())
    return;
  addFigures(marker, current_);
  if (interpreter_->hasStopped())
    return;
  if (!current_.deviceMemory)
    current_.deviceMemory = footprint(current_);
  forgetWritten(current_);
  const TaskId id(graph_.tasks.size());
  for (Dependency &dependency : tracker_.add(id, current_.accesses))
    graph_.dependencies.push_back(std::move(dependency));
  graph_.tasks.push(std::move(current_));
  showProgress();
}

std::string TaskRecorder::nameOf(const TaskMarker &marker) {
  const OtherClause *clause = marker.find(ClauseKind::name);
  if (!clause) {
    const std::string name = defaultTaskName(marker);
    return name + "#" + std::to_string(unnamed_[name]++);
  }
  std::string name = clause->forms->word;
  for (std::size_t i = 0; i < clause->arguments.size(); ++i) {
    const Expr *index = clause->arguments[i];
    const HostValue value = interpreter_->evaluate(index);
    name += i == 0 ? "[" : ",";
    name += value.isKnown() ? std::to_string(static_cast<std::int64_t>(value.bits)) : "?";
    if (!value.isKnown() && !interpreter_->hasStopped())
      interpreter_->failUnknown(index, "the name of this task", value.reason, "unknown-name");
  }
  return clause->arguments.empty() ? name : name + "]";
}

void TaskRecorder::addSections(const ParsedUnit &, const TaskMarker &marker, Task &task) {
  for (const DataItem &item : marker.data) {
    if (interpreter_->hasStopped())
      return;
    for (Access &access : accessesOf(item, *interpreter_, buffers_))
      task.accesses.push_back(access);
  }
}

//===-- Clauses --===//

std::optional<double> TaskRecorder::number(const Expr *expression, const char *clause) {
  const HostValue value = interpreter_->evaluate(expression);
  if (interpreter_->hasStopped())
    return std::nullopt;
  if (!value.isKnown()) {
    interpreter_->failUnknown(expression, std::string("the figure in '") + clause + "'", value.reason,
                              "unknown-figure");
    return std::nullopt;
  }
  const TypeShape shape = interpreter_->shapeOf(expression->getType());
  if (shape.kind == TypeShape::Kind::floating)
    return std::bit_cast<double>(value.bits);
  return shape.isSigned ? static_cast<double>(static_cast<std::int64_t>(value.bits))
                        : static_cast<double>(value.bits);
}

// A text or a number, as text.
std::string TaskRecorder::key(const Expr *expression) {
  const QualType type = expression->getType();
  if (type->isArrayType() || type->isPointerType()) {
    const HostValue at =
        type->isArrayType() ? interpreter_->addressOf(expression) : interpreter_->evaluate(expression);
    if (at.isKnown())
      if (std::optional<std::string> text = interpreter_->stringAt(at.bits))
        return *text;
    if (!interpreter_->hasStopped())
      interpreter_->failUnknown(expression, "this key", at.reason ? at.reason : UnknownReasons::nowhere,
                                "unknown-figure");
    return {};
  }
  const std::optional<double> value = number(expression, "together, apart or node");
  return value ? std::to_string(static_cast<std::int64_t>(*value)) : std::string();
}

void TaskRecorder::addConstraints(const TaskMarker &marker, Task &task) {
  for (const OtherClause &clause : marker.clauses) {
    switch (clause.forms->kind) {
    case ClauseKind::device:
      task.constraints.device = clause.forms->word == "cpu"   ? DeviceKind::cpu
                                : clause.forms->word == "any" ? DeviceKind::any
                                                              : DeviceKind::gpu;
      break;
    case ClauseKind::capability:
      task.constraints.capability = clause.forms->word;
      break;
    case ClauseKind::model:
      for (const Expr *model : clause.arguments)
        task.constraints.models.push_back(key(model));
      break;
    case ClauseKind::together:
      for (const Expr *together : clause.arguments)
        task.constraints.together.push_back(key(together));
      break;
    case ClauseKind::apart:
      for (const Expr *apart : clause.arguments)
        task.constraints.apart.push_back(key(apart));
      break;
    case ClauseKind::node:
      if (!clause.arguments.empty())
        task.constraints.node = key(clause.arguments[0]);
      break;
    case ClauseKind::priority:
      if (!clause.arguments.empty())
        task.priority = number(clause.arguments[0], "priority").value_or(0);
      break;
    default:
      break;
    }
  }
}

namespace {

struct FlopMetric {
  CostMetric metric;
  FlopType type;
};
constexpr FlopMetric flopMetrics[] = {
    {CostMetric::flopsFp64, FlopType::fp64},       {CostMetric::flopsFp32, FlopType::fp32},
    {CostMetric::flopsFp16, FlopType::fp16},       {CostMetric::flopsBf16, FlopType::bf16},
    {CostMetric::flopsTensor, FlopType::tensor},   {CostMetric::flopsInteger, FlopType::integer},
    {CostMetric::flopsSpecial, FlopType::special},
};
constexpr FlopType floatTypes[] = {FlopType::fp64, FlopType::fp32, FlopType::fp16, FlopType::bf16,
                                   FlopType::tensor};

/// Each section moved once per direction: the least traffic, if caches serve the rest.
double sectionTraffic(const Task &task) {
  double total = 0;
  for (const Access &access : task.accesses)
    total += static_cast<double>(access.region.bytes()) * (access.mode == AccessMode::inout ? 2 : 1);
  return total;
}

// What arithmetic a figure without a type stands for: that of the first data of floating type.
FlopType typeOfData(const TaskMarker &marker) {
  for (const DataItem &item : marker.data) {
    QualType type = item.base->getType();
    while (type->isPointerType() || type->isArrayType())
      type =
          type->isPointerType() ? type->getPointeeType() : QualType(type->getArrayElementTypeNoTypeQual(), 0);
    if (type->isSpecificBuiltinType(BuiltinType::Double))
      return FlopType::fp64;
    if (type->isSpecificBuiltinType(BuiltinType::Float))
      return FlopType::fp32;
  }
  return FlopType::fp32;
}

} // namespace

// The work: what the kernels' formulas say, and what clauses say in their place.
void TaskRecorder::addFigures(const TaskMarker &marker, Task &task) {
  const auto figure = [&](ClauseKind kind) -> std::optional<double> {
    const OtherClause *clause = marker.find(kind);
    if (!clause || clause->arguments.empty())
      return std::nullopt;
    const std::string word(toText(kind));
    const std::optional<double> value = number(clause->arguments[0], word.c_str());
    if (value && !(*value >= 0 && std::isfinite(*value))) {
      interpreter_->fail(clause->arguments[0],
                         "the figure in '" + word + "' is " +
                             (std::isnan(*value) ? "not a number" : shortest(*value)) +
                             " here; it must be a number, 0 or more",
                         "bad-figure");
      return std::nullopt;
    }
    return value;
  };
  const std::optional<double> flopsGiven = figure(ClauseKind::flops), bytesGiven = figure(ClauseKind::bytes);
  if (const std::optional<double> time = figure(ClauseKind::seconds))
    task.seconds["*"] = seconds(*time);
  if (const std::optional<double> memory = figure(ClauseKind::memory))
    task.deviceMemory = bytes(*memory);

  if (uncountedCall_ && !flopsGiven && task.seconds.empty())
    warnUncountedCall();
  if (!flopsGiven && !bytesGiven && task.seconds.empty()) // else the programmer has settled it
    for (const auto &[launch, missing] : unknownLaunches_)
      if (reported_.insert(kernelOf(launch).index()).second)
        reportUnknowns(launch, missing);
  const bool isCounted = totals_.launches != 0 && !totals_.hasUncounted;
  Work work;
  bool flopsKnown = isCounted;
  for (const FlopMetric &one : flopMetrics) {
    work[one.type] = flops(totals_.values[static_cast<std::size_t>(one.metric)]);
    flopsKnown = flopsKnown && !totals_.isUnknown[static_cast<std::size_t>(one.metric)];
  }
  if (flopsGiven) {
    double counted = 0;
    for (const FlopType type : floatTypes)
      counted += work[type].value();
    for (const FlopType type : floatTypes)
      work[type] = counted > 0 && flopsKnown ? work[type] * (*flopsGiven / counted) : Flops();
    if (!(counted > 0 && flopsKnown))
      work[typeOfData(marker)] = flops(*flopsGiven);
  }
  setTraffic(work, task, isCounted, bytesGiven);
  if (!flopsKnown && !flopsGiven && !bytesGiven)
    return; // unknown work is no work of zero
  if (!flopsKnown && !flopsGiven)
    work.flops = {}; // bytes() alone says that memory is what the task waits for
  work.origin = flopsGiven || bytesGiven ? Origin::pragma : Origin::stat;
  task.work = work;
}

/// Each byte that the kernels touch crosses the memory's pins once for reading and once for writing, as far
/// as the footprint, the sections and the requests allow to say; what they ask of the L2 cache is kept beside
/// it.
void TaskRecorder::setTraffic(Work &work, const Task &task, bool isCounted,
                              std::optional<double> bytesGiven) const {
  const auto loads = static_cast<std::size_t>(CostMetric::globalLoadBytes);
  const auto stores = static_cast<std::size_t>(CostMetric::globalStoreBytes);
  const auto sumOf = [&](CostMetric a, CostMetric b) -> std::optional<double> {
    const auto first = static_cast<std::size_t>(a), second = static_cast<std::size_t>(b);
    if (!isCounted || totals_.isUnknown[first] || totals_.isUnknown[second])
      return std::nullopt;
    const double sum = totals_.values[first] + totals_.values[second];
    return sum > 0 || totals_.values[loads] + totals_.values[stores] == 0 ? std::optional(sum) : std::nullopt;
  };
  constexpr double sectorBytes = 32;
  const auto accessed = sumOf(CostMetric::globalLoadBytes, CostMetric::globalStoreBytes);
  const auto sectors = sumOf(CostMetric::globalLoadSectors, CostMetric::globalStoreSectors);
  const auto touched = sumOf(CostMetric::readFootprintBytes, CostMetric::writtenFootprintBytes);
  double moved = accessed.value_or(sectionTraffic(task));
  if (accessed && touched)
    moved = std::min(moved, *touched);
  if (!task.accesses.empty())
    moved = std::min(moved, sectionTraffic(task));
  work.dram = bytes(bytesGiven.value_or(moved));
  if (!bytesGiven && accessed && sectors)
    work.requested = bytes(std::max(moved, *sectors * sectorBytes));
}

// What the task writes is known again only to those who run it.
void TaskRecorder::forgetWritten(const Task &task) {
  for (const Access &access : task.accesses) {
    if (access.mode == AccessMode::in)
      continue;
    buffers_.forget(access, *interpreter_);
  }
}

//===-- Launches --===//

/// What CUDA would say of a launch whatever the device; nothing where its sizes are unknown or fine. The
/// limits hold for every compute capability ("CUDA C++ Programming Guide", technical specifications).
static std::string whyRefused(const HostLaunch &launch) {
  constexpr std::uint64_t mostBlocks[] = {2147483647, 65535, 65535}, mostThreads[] = {1024, 1024, 64};
  constexpr std::uint64_t mostThreadsTogether = 1024;
  std::uint64_t threads = 1;
  for (unsigned axis = 0; axis < 3; ++axis) {
    const std::string dimension = std::string(" in dimension ") + "xyz"[axis];
    const HostValue &blocks = launch.grid[axis], &extent = launch.block[axis];
    if (blocks.isKnown() && (blocks.bits == 0 || blocks.bits > mostBlocks[axis]))
      return "its grid has " + std::to_string(blocks.bits) + " blocks" + dimension;
    if (!extent.isKnown())
      continue;
    if (extent.bits == 0 || extent.bits > mostThreads[axis])
      return "its blocks have " + std::to_string(extent.bits) + " threads" + dimension;
    threads *= extent.bits;
  }
  if (threads > mostThreadsTogether)
    return "its blocks have " + std::to_string(threads) + " threads, more than " +
           std::to_string(mostThreadsTogether);
  return {};
}

void TaskRecorder::launch(const HostLaunch &launch) {
  if (interpreter_->hasStopped())
    return; // its sizes were not evaluated any more
  if (!isInTask_) {
    if (!isInline_)
      interpreter_->warn(launch.where, "a launch outside any task runs on every rank", "launch-outside-task");
    return;
  }
  if (!launch.kernel) {
    totals_.hasUncounted = true;
    ++totals_.launches;
    interpreter_->warn(launch.where,
                       "which kernel is launched here is unknown; give the task's figures with flops() "
                       "and bytes(), or seconds()",
                       "unknown-kernel");
    return;
  }
  if (const std::string why = whyRefused(launch); !why.empty()) {
    interpreter_->warn(launch.where, "CUDA refuses this launch: " + why, "refused-launch");
    return;
  }
  const KernelId id = kernelOf(launch);
  Launch entry;
  entry.kernel = id;
  for (unsigned axis = 0; axis < 3; ++axis) {
    for (const HostValue &extent : {launch.grid[axis], launch.block[axis]})
      if (!extent.isKnown())
        interpreter_->warn(
            launch.where,
            "the size of this launch is unknown: " + interpreter_->reasons().describe(extent.reason) + "; " +
                interpreter_->reasons().remedy(extent.reason),
            "unknown-launch-size");
    if (launch.grid[axis].isKnown())
      entry.grid[axis] = launch.grid[axis].bits;
    if (launch.block[axis].isKnown())
      entry.block[axis] = launch.block[axis].bits;
  }
  if (launch.dynamicShared.isKnown())
    entry.dynamicShared = bytes(static_cast<double>(launch.dynamicShared.bits));
  current_.launches.push_back(entry);
  const KernelAnalysis *analysis = costs_.find(graph_.kernels[id].symbol);
  const std::vector<std::string> missing = costs_.add(totals_, analysis, launch, *interpreter_);
  for (const ReachedBytes &reached : costs_.reached())
    if (reached.parameter < launch.arguments.size())
      checkReach(launch, reached);
  if (!missing.empty() || (analysis && !analysis->unknowns.empty()))
    unknownLaunches_.emplace_back(launch, missing);
}

void TaskRecorder::warnUncountedCall() {
  const bool isInTable = kindOfLibraryCall(uncountedCall_->name) == LibraryCallKind::costly;
  if (reportedCalls_.insert(uncountedCall_->name).second)
    interpreter_->warn(uncountedCall_->where,
                       "the work of '" + uncountedCall_->name + "' is not known" +
                           (isInTable ? ", since a size it takes is not" : "") +
                           "; give the task's figures with flops() and bytes(), or seconds()",
                       "unknown-library-call");
}

void TaskRecorder::libraryCall(const HostLibraryCall &call) {
  if (call.result)
    if (const auto plan = fourierPlan(call.name, call.arguments))
      plans_[*call.result] = *plan;
  if (!isInTask_ || kindOfLibraryCall(call.name) == LibraryCallKind::free)
    return;
  ++totals_.launches;
  std::optional<FourierPlan> plan;
  if (!call.arguments.empty() && call.arguments[0])
    if (const auto known = plans_.find(*call.arguments[0]); known != plans_.end())
      plan = known->second;
  const auto work = libraryWork(call.name, call.arguments, plan);
  if (!work) {
    totals_.hasUncounted = true;
    uncountedCall_ = call;
    return;
  }
  for (const FlopMetric &one : flopMetrics)
    totals_.values[static_cast<std::size_t>(one.metric)] += (*work)[one.type];
  constexpr double sectorBytes = 32;
  const auto add = [&](CostMetric accessed, CostMetric sectors, CostMetric touched, double amount) {
    totals_.values[static_cast<std::size_t>(accessed)] += amount;
    totals_.values[static_cast<std::size_t>(sectors)] += std::ceil(amount / sectorBytes);
    totals_.values[static_cast<std::size_t>(touched)] += amount;
  };
  add(CostMetric::globalLoadBytes, CostMetric::globalLoadSectors, CostMetric::readFootprintBytes, work->read);
  add(CostMetric::globalStoreBytes, CostMetric::globalStoreSectors, CostMetric::writtenFootprintBytes,
      work->written);
}

// The hull of the task's sections is compared: a strided section has holes on purpose, and what is reached is
// an upper bound.
void TaskRecorder::checkReach(const HostLaunch &launch, const ReachedBytes &reached) {
  const HostValue pointer = launch.arguments[reached.parameter];
  const auto buffer = pointer.isKnown() ? buffers_.named(pointer.bits) : std::nullopt;
  if (!buffer || reached.end <= reached.first)
    return;
  const auto at = static_cast<std::int64_t>(pointer.bits - buffer->begin);
  const std::int64_t first = at + reached.first, end = at + reached.end;
  std::int64_t low = INT64_MAX, high = 0;
  bool isWritten = false;
  for (const Access &access : current_.accesses)
    if (access.buffer == buffer->id) {
      low = std::min(low, static_cast<std::int64_t>(access.region.offset));
      high = std::max(high, static_cast<std::int64_t>(access.region.end()));
      isWritten |= access.mode != AccessMode::in;
    }
  const std::string name = "'" + graph_.buffers[buffer->id].name + "'";
  std::string message = "kernel '" + launch.kernel->getNameAsString() + "' ";
  const char *code = "section-too-small";
  if (high == 0 && current_.accesses.empty())
    return; // a task without clauses says nothing about its data
  if (high == 0) {
    message += "accesses " + name + ", which is in no clause of its task";
    code = "undeclared-access";
  } else if (reached.isWritten && !isWritten) {
    message += "writes " + name + ", which its task only names in in()";
    code = "undeclared-write";
  } else if (first < low || end > high) {
    message += "reaches bytes " + std::to_string(first) + " to " + std::to_string(end) + " of " + name +
               ", its task names " + std::to_string(low) + " to " + std::to_string(high);
  } else {
    return;
  }
  if (reportedReach_.emplace(current_.site, launch.kernel, reached.parameter).second)
    interpreter_->warn(launch.where,
                       message + " ('streammap annotate --suggest' derives sections from kernels)", code);
}

KernelId TaskRecorder::kernelOf(const HostLaunch &launch) {
  KernelId &known = kernels_[launch.kernel->getCanonicalDecl()];
  if (known.valid())
    return known;
  Kernel kernel;
  kernel.symbol = interpreter_->mangledName(launch.kernel);
  if (const auto same = kernelsBySymbol_.find(kernel.symbol); same != kernelsBySymbol_.end())
    return known = same->second; // declared in another unit
  kernel.id = "k" + std::to_string(graph_.kernels.size());
  if (const KernelAnalysis *analysis = costs_.find(kernel.symbol)) {
    kernel.name = analysis->name;
    kernel.location = analysis->location;
    kernel.resources = analysis->resources;
    kernel.unknowns = analysis->unknowns;
    for (const auto &[metric, formula] : analysis->costs)
      kernel.costs[metric] = formula.text();
  } else {
    llvm::raw_string_ostream stream(kernel.name);
    launch.kernel->getNameForDiagnostic(stream, launch.kernel->getASTContext().getPrintingPolicy(), false);
    kernel.location =
        locationText(launch.kernel->getASTContext().getSourceManager(), launch.kernel->getLocation());
    kernel.unknowns.push_back({"all", kernel.location, "the kernel was not analysed",
                               "give the task's figures with flops() and bytes(), or seconds()"});
  }
  known = graph_.kernels.push(std::move(kernel));
  kernelsBySymbol_.emplace(graph_.kernels[known].symbol, known);
  return known;
}

void TaskRecorder::reportUnknowns(const HostLaunch &launch, const std::vector<std::string> &missing) {
  const KernelId id = kernelOf(launch);
  Kernel &kernel = graph_.kernels[id];
  std::vector<std::string> arguments;
  for (const std::string &name : missing)
    if (name.find('@') == std::string::npos)
      arguments.push_back(name);
  for (const std::string &name : arguments) {
    const std::string remedy = "give the task's figures with flops() and bytes(), or the value with --param";
    kernel.unknowns.push_back(
        {"all", kernel.location, "argument '" + name + "' is unknown at the launch", remedy});
  }
  // What is only bounded, as the sectors of a gather are, is for the report.
  const auto isMissing = [](const UnknownCost &unknown) {
    const std::optional<CostMetric> metric = metricNamed(unknown.metric);
    return !metric || static_cast<std::size_t>(*metric) < countedMetricCount;
  };
  const auto found = std::ranges::find_if(kernel.unknowns, isMissing);
  if (found == kernel.unknowns.end())
    return;
  const UnknownCost &first = *found;
  std::string message = "the cost of kernel '" + kernel.name + "' is not fully known: " + first.reason;
  if (!first.location.empty())
    message += " (" + first.location + ")";
  message += "; " + first.remedy;
  interpreter_->warn(launch.where, std::move(message), "unknown-cost");
}

} // namespace streammap
