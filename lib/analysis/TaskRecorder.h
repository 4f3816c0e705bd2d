#pragma once
// Turns what the evaluation of the host program reports into tasks: clauses into sections of buffers,
// launches into costs, sections into dependencies.
#include "analysis/Interpreter.h"
#include "analysis/LaunchCosts.h"
#include "analysis/LibraryWork.h"
#include "analysis/SectionRegions.h"
#include "model/Dependencies.h"
#include "model/TaskGraph.h"
#include <chrono>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>

namespace streammap {

class TaskRecorder : public ProgramEvents {
public:
  /// `graph` is filled; it must outlive the recorder.
  TaskRecorder(std::span<const KernelAnalysis> kernels, const std::map<std::string, double> &factors,
               TaskGraph &graph, Diagnostics &diagnostics, bool showsProgress, std::size_t mostTasks);
  std::set<std::string> usedFactors() const { return costs_.usedFactors(); }
  /// Before the evaluation starts.
  void attach(Interpreter &interpreter) { interpreter_ = &interpreter; }
  /// After it ended: sorts the dependencies.
  void finish();

  void task(const ParsedUnit &unit, const TaskMarker &task) override;
  void wait(const ParsedUnit &, const WaitMarker &) override {}
  void launch(const HostLaunch &launch) override;
  void libraryCall(const HostLibraryCall &call) override;
  void allocated(Address address, HostValue size, AllocationKind kind, std::string name,
                 const SourceLocation &where) override;
  void renamed(Address address, std::string name) override;
  void released(Address) override {}
  void stackShrunk(Address top) override { buffers_.shrinkStack(top); }

private:
  void addSections(const ParsedUnit &unit, const TaskMarker &marker, Task &task);
  void addConstraints(const TaskMarker &marker, Task &task);
  void addFigures(const TaskMarker &marker, Task &task);
  void setTraffic(Work &work, const Task &task, bool isCounted, std::optional<double> bytesGiven) const;
  std::string nameOf(const TaskMarker &marker);
  std::optional<double> number(const clang::Expr *expression, const char *clause);
  std::string key(const clang::Expr *expression);
  void forgetWritten(const Task &task);
  KernelId kernelOf(const HostLaunch &launch);
  void reportUnknowns(const HostLaunch &launch, const std::vector<std::string> &missing);
  void checkReach(const HostLaunch &launch, const ReachedBytes &reached);
  void warnUncountedCall();
  void showProgress();

  TaskGraph &graph_;
  Diagnostics &diagnostics_;
  Interpreter *interpreter_ = nullptr;
  BufferTable buffers_;
  LaunchCosts costs_;
  DependencyTracker tracker_;
  llvm::DenseMap<const clang::FunctionDecl *, KernelId> kernels_;
  std::map<std::string, KernelId> kernelsBySymbol_;
  std::unordered_map<std::string, unsigned> unnamed_; ///< tasks so far by default name
  /// By site, kernel and parameter: what was said to be reached outside the sections.
  std::set<std::tuple<std::optional<unsigned>, const clang::FunctionDecl *, unsigned>> reportedReach_;
  std::set<std::size_t> reported_;               ///< kernels whose unknown costs were said
  std::optional<HostLibraryCall> uncountedCall_; ///< of the current task
  /// Launches of the current task whose kernels' costs are not fully known, with the names that had no value.
  std::vector<std::pair<HostLaunch, std::vector<std::string>>> unknownLaunches_;
  std::set<std::string> reportedCalls_;       ///< of libraries, whose work is not known
  std::map<std::int64_t, FourierPlan> plans_; ///< by the number the library gave them
  bool isInTask_ = false;
  bool isInline_ = false; ///< in a task whose `when` is false
  Task current_;
  LaunchTotals totals_;
  bool showsProgress_;
  std::size_t mostTasks_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

} // namespace streammap
