#pragma once
// A small problem without what makes proofs hard: links are never busy, memory and power never short, and
// data takes the fastest way there is, over whatever devices and hosts, also where nobody sends it that way.
// No placement of the real problem is shorter than the best of this one; where a placement of the real
// problem takes just as long, it is optimal.
//
// Tasks are numbered in topological order, devices from 0 among those that are up.
#include "sim/Problem.h"

namespace streammap {

class RelaxedProblem {
public:
  static constexpr std::size_t mostTasks = 64, mostDevices = 64;
  static constexpr double impossible = std::numeric_limits<double>::infinity();

  /// Nothing where the problem has more tasks or devices than that.
  /// O(sizes of pieces x places^3 + dependencies x devices^2).
  static std::optional<RelaxedProblem> of(const Problem &problem);

  /// What a task needs of another, or gives it.
  struct Link {
    std::uint32_t task;
    std::uint32_t delays; ///< a table: `delay`
  };

  std::size_t tasks() const { return taskIds_.size(); }
  std::size_t devices() const { return deviceIds_.size(); }
  TaskId taskId(std::size_t task) const { return taskIds_[task]; }
  DeviceId deviceId(std::size_t device) const { return deviceIds_[device]; }

  /// Seconds; `impossible` where the device may not run the task.
  double time(std::size_t task, std::size_t device) const { return times_[task * devices() + device]; }
  double leastTime(std::size_t task) const { return leastTimes_[task]; }
  /// When the task's data that starts in host memory can be there.
  double ready(std::size_t task, std::size_t device) const { return ready_[task * devices() + device]; }
  const std::vector<Link> &inputs(std::size_t task) const { return inputs_[task]; }
  const std::vector<Link> &outputs(std::size_t task) const { return outputs_[task]; }
  /// Seconds from the end of the giver on `from` until its data is on `to`; 0 on the same device.
  double delay(std::uint32_t table, std::size_t from, std::size_t to) const {
    return tables_[table].delays[from * devices() + to];
  }
  /// Where it is the same between any two devices: how long.
  std::optional<double> uniformDelay(std::uint32_t table) const { return tables_[table].uniform; }

  /// From the task's end on the device to the end of the program at least. Successors that stay on the device
  /// run there one after the other, the others wait for their data: of the two the better for each.
  double tail(std::size_t task, std::size_t device) const { return tails_[task * devices() + device]; }
  double leastTail(std::size_t task) const { return leastTails_[task]; }

  /// Devices of one kind can trade all their tasks and nothing changes.
  std::size_t kind(std::size_t device) const { return kinds_[device]; }
  std::size_t node(std::size_t device) const { return nodes_[device]; }

private:
  struct Table {
    double size;
    std::vector<double> delays;
    std::optional<double> uniform;
  };

  void collectTimes(const Problem &problem);
  void collectLinks(const Problem &problem);
  std::uint32_t tableFor(const Problem &problem, Bytes size);
  void collectReady(const Problem &problem);
  void collectKinds(const Problem &problem);
  bool canTrade(std::size_t a, std::size_t b) const;
  void dropSpareDevices();
  void collectTails();
  double tailOn(std::size_t task, std::size_t device) const;

  std::vector<TaskId> taskIds_;
  std::vector<DeviceId> deviceIds_;
  std::vector<double> times_, leastTimes_, ready_, tails_, leastTails_;
  std::vector<std::vector<Link>> inputs_, outputs_;
  std::vector<Table> tables_;
  std::vector<std::size_t> kinds_, nodes_;
};

/// Of jobs that each either stay, and run one after the other from their heads on, or go away and are done at
/// a time of their own: the earliest moment at which all can be done. `away` ascends; `stay(i)` is the end of
/// those that stay where the jobs from `i` on do. What forks and joins of a program obey.
template <class Stay>
double stayOrGo(const std::vector<double> &away, Stay stay) {
  // The more go, the longer the last of them takes and the shorter those that stay: the best is where the
  // two meet.
  std::size_t low = 0, high = away.size(); // how many go
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (stay(middle) > away[middle])
      low = middle + 1; // one more may go without being the last
    else
      high = middle;
  }
  return std::max(stay(low), low == 0 ? 0 : away[low - 1]);
}

} // namespace streammap
