#include "mapper/Sensitivity.h"
#include "mapper/Perturb.h"
#include "mapper/Portfolio.h"
#include "mapper/Random.h"
#include "mapper/Retime.h"
#include "support/Columns.h"
#include "support/Text.h"
#include <algorithm>
#include <cmath>

namespace streammap {
namespace {

constexpr double same = 1e-9;  ///< relative: makespans are sums of doubles
constexpr double hopeless = 2; ///< rivals that much longer are left out
constexpr double levels[] = {1.05, 1.1, 1.2, 1.4, 1.7, 2, 3, 5};
constexpr double steps[] = {1.05, 1.1, 1.2, 1.4, 1.7, 2, 3, 5, 10, 30, 100};

struct Contender {
  std::string strategy;
  Decisions decisions;
  Seconds makespan;
};

class Study {
public:
  Study(const Problem &problem, const Placement &placement, const SensitivityOptions &options)
      : problem_(problem), options_(options) {
    add(placement);
    if (const Expected<std::vector<Placement>> others = constructAll(problem, {.seed = options.seed}))
      for (const Placement &other : *others)
        add(other);
    std::ranges::stable_sort(contenders_.begin() + 1, contenders_.end(), {}, &Contender::makespan);
    std::erase_if(contenders_, [&](const Contender &one) {
      return one.makespan > contenders_.front().makespan * hopeless;
    });
  }

  Sensitivity study() {
    Sensitivity result;
    for (const Contender &rival : std::span(contenders_).subspan(1))
      result.rivals.push_back({rival.strategy, rival.makespan});
    result.slower = tipping([](double step) { return step; });
    result.faster = tipping([](double step) { return 1 / step; });
    for (double level : levels) {
      result.noise.push_back(noise(level));
      if (result.noise.back().kept == 0)
        break;
    }
    return result;
  }

private:
  void add(const Placement &placement) {
    Decisions decisions = decisionsOf(problem_, placement);
    const bool known = std::ranges::any_of(contenders_, [&](const Contender &other) {
      return other.decisions.order == decisions.order &&
             std::ranges::equal(other.decisions.device, decisions.device);
    });
    if (known)
      return;
    const Seconds makespan = retime(problem_, decisions).predicted.makespan;
    contenders_.push_back({placement.solver.strategy, std::move(decisions), makespan});
  }

  struct Outcome {
    std::size_t winner = 0; ///< the first contender unless another is shorter
    double regret = 0;
  };

  Outcome outcome(const TaskGraph &graph, const Cluster &cluster) const {
    const Expected<Problem> changed = makeProblem(graph, cluster);
    if (!changed)
      return {};
    Outcome outcome;
    const Seconds own = retime(*changed, contenders_.front().decisions).predicted.makespan;
    Seconds best = own;
    for (std::size_t i = 1; i < contenders_.size(); ++i)
      if (const Seconds makespan = retime(*changed, contenders_[i].decisions).predicted.makespan;
          makespan < best * (1 - same)) {
        best = makespan;
        outcome.winner = i;
      }
    outcome.regret = best > Seconds() ? own / best - 1 : 0;
    return outcome;
  }

  Outcome atComputing(double factor) const {
    return outcome(scaledTimes(problem_, [&](TaskId, ClassId) { return factor; }), problem_.cluster());
  }

  template <class Direction>
  std::optional<Sensitivity::Tipping> tipping(Direction factorOf) const {
    double low = 1;
    for (double high : steps) {
      Outcome at = atComputing(factorOf(high));
      if (at.winner == 0) {
        low = high;
        continue;
      }
      while (high / low > 1.01) {
        const double middle = std::sqrt(low * high);
        const Outcome there = atComputing(factorOf(middle));
        if (there.winner == 0) {
          low = middle;
        } else {
          high = middle;
          at = there;
        }
      }
      return Sensitivity::Tipping{factorOf(high), contenders_[at.winner].strategy};
    }
    return std::nullopt;
  }

  Sensitivity::Noise noise(double level) const {
    Sensitivity::Noise result{level, options_.draws, 0, 0};
    for (std::size_t draw = 0; draw < options_.draws; ++draw) {
      Random random(options_.seed * 1'000'003 + draw); // the same at every level
      auto factor = [&] { return std::pow(level, 2 * random.unit() - 1); };
      std::vector<double> byTask(problem_.graph().tasks.size());
      for (double &one : byTask)
        one = factor();
      const TaskGraph graph =
          scaledTimes(problem_, [&](TaskId task, ClassId) { return byTask[task.index()]; });
      const Outcome at = outcome(graph, withNoise(factor));
      result.kept += at.winner == 0;
      result.regret += at.regret / static_cast<double>(options_.draws);
    }
    return result;
  }

  template <class Factor>
  Cluster withNoise(Factor factor) const {
    Cluster noisy = problem_.cluster();
    for (Switch &from : noisy.network.switches)
      for (Uplink &uplink : from.uplinks)
        uplink.bandwidth = uplink.bandwidth * factor();
    for (Node &node : noisy.nodes) {
      NodeType type = noisy.nodeTypes[node.type];
      for (LinkSpeed *speed : {&type.nic, &type.hostLink, &type.gpuLink})
        speed->bandwidth = speed->bandwidth * factor();
      for (Nic &nic : type.nics)
        nic.speed.bandwidth = nic.speed.bandwidth * factor();
      for (GpuPairLink &pair : type.gpuPairs)
        pair.speed.bandwidth = pair.speed.bandwidth * factor();
      node.type = noisy.nodeTypes.push(std::move(type));
    }
    return noisy;
  }

  const Problem &problem_;
  SensitivityOptions options_;
  std::vector<Contender> contenders_; ///< the placement first
};

std::string line(const std::string &label, const std::string &text) {
  return wrapped(text, 18, "  " + left(label, 16));
}

} // namespace

Sensitivity sensitivityOf(const Problem &problem, const Placement &placement,
                          const SensitivityOptions &options) {
  return Study(problem, placement, options).study();
}

std::string toText(const Sensitivity &sensitivity, const Placement &placement) {
  const Seconds own = placement.predicted.makespan;
  std::string out = "How wrong the estimates may be\n";
  std::vector<std::string> rivals;
  for (const Sensitivity::Rival &rival : sensitivity.rivals)
    rivals.push_back(rival.strategy + " " + toText(rival.makespan) +
                     (own > Seconds() ? " (" + significant(rival.makespan / own) + ")" : ""));
  if (rivals.empty())
    return out + line("rivals", "none: every other strategy decides the same or takes twice as long");
  out += line("rivals", join(rivals, ", "));
  std::string computing = "stays the best ";
  computing += sensitivity.faster ? "down to " + significant(sensitivity.faster->factor) +
                                        " times the estimates (below: " + sensitivity.faster->strategy + ")"
                                  : "down to 0.01 times the estimates";
  computing += sensitivity.slower ? ", up to " + significant(sensitivity.slower->factor) +
                                        " times (above: " + sensitivity.slower->strategy + ")"
                                  : ", up to 100 times";
  out += line("all computing", computing);
  for (std::size_t i = 0; i < sensitivity.noise.size(); ++i) {
    const Sensitivity::Noise &noise = sensitivity.noise[i];
    out += left(i == 0 ? "  each by itself" : "", 18) + "up to x" + left(significant(noise.factor), 6) +
           right(std::to_string(noise.kept), 4) + " of " + std::to_string(noise.draws) +
           " draws stay, regret " + percent(noise.regret) + "\n";
  }
  return out;
}

} // namespace streammap
