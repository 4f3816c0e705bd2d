#include "mapper/MapTasks.h"
#include "mapper/ChooseNodes.h"
#include "mapper/Exact.h"
#include "mapper/ListSchedulers.h"
#include "mapper/LowerBound.h"
#include "mapper/Partition.h"
#include "mapper/Portfolio.h"
#include "mapper/Search.h"
#include "model/Violations.h"
#include "support/Text.h"
#include <algorithm>
#include <array>

namespace streammap {
namespace {

constexpr std::array<Strategy, 11> table{{
    {"auto", "all that build a placement, a search from the best, a proof where small", mapAuto},
    {"heft", "by upward rank, where it ends first (Topcuoglu et al. 2002)", mapHeft, true, true},
    {"peft", "HEFT that looks ahead through an optimistic cost table (Arabnejad, Barbosa 2014)", mapPeft,
     true},
    {"cpop", "the critical path on one device (Topcuoglu et al. 2002)", mapCpop, true},
    {"cluster", "what exchanges much data on one device (after DSC, Yang, Gerasoulis 1994)", mapCluster, true,
     true},
    {"search", "simulated annealing from the best of the list schedulers", mapSearch},
    {"exact", "branch and bound: optimal, and proved so, up to 30 tasks or so", mapExact},
    {"partition", "nodes by a division that sends little between them, then HEFT", mapPartition},
    {"one-device", "everything on the device that runs it fastest", mapOneDevice, true, true},
    {"one-node", "HEFT on the best single node", mapOneNode, true},
    {"round-robin", "tasks dealt out in turn; for comparison", mapRoundRobin, true},
}};

const Strategy *findStrategy(const std::string &name) {
  const auto found = std::ranges::find(table, name, &Strategy::name);
  return found == table.end() ? nullptr : &*found;
}

} // namespace

std::span<const Strategy> strategies() {
  return table;
}

Expected<Placement> mapTasks(const Problem &problem, const MapOptions &options) {
  const Strategy *strategy = findStrategy(options.strategy);
  if (!strategy) {
    std::vector<std::string> names;
    for (const Strategy &known : table)
      names.emplace_back(known.name);
    const std::optional<std::string> near = nearest(options.strategy, names);
    return failure("unknown strategy '" + options.strategy + "'" +
                   (near ? "; did you mean '" + *near + "'?" : ""));
  }
  Expected<Placement> placement = strategy->map(problem, options);
  if (!placement)
    if (const auto nodes = chooseNodes(problem))
      if (Expected<Placement> again = strategy->map(problem.boundTo(*nodes), options)) {
        placement = std::move(again);
        placement->predicted.lowerBound = Seconds(); // with other nodes it may take less
      }
  if (!placement)
    return placement;
  if (placement->solver.strategy.empty())
    placement->solver.strategy = strategy->name;
  placement->solver.seed = options.seed;
  if (placement->solver.steps == 0)
    placement->solver.steps = problem.graph().tasks.size();

  LowerBound bound = lowerBound(problem);
  Prediction &predicted = placement->predicted;
  if (predicted.lowerBound > bound.time) // proved by the strategy
    bound = {predicted.lowerBound, exhaustiveSearch};
  predicted.lowerBound = std::min(bound.time, predicted.makespan); // equal up to the rounding of sums
  predicted.boundBy = bound.name;
  predicted.optimal = predicted.lowerBound >= predicted.makespan * (1 - 1e-12);
  predicted.gap = predicted.lowerBound > Seconds() ? predicted.makespan / predicted.lowerBound - 1 : 0;
  if (const std::vector<Violation> violations =
          findViolations(problem.graph(), problem.cluster(), *placement);
      !violations.empty())
    return failure("strategy '" + std::string(strategy->name) +
                   "' returned a placement that is not feasible, which is a bug of StreamMAP: " +
                   violations.front().message);
  return placement;
}

} // namespace streammap
