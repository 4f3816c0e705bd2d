// An explanation for a terminal (Explain.h has a sample) and as JSON.
#include "mapper/Explain.h"
#include "support/Columns.h"
#include <algorithm>
#include <nlohmann/json.hpp>

namespace streammap {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t longList = 8;

const std::string &modelName(const Problem &problem, ClassId id) {
  return problem.cluster().models[problem.classes()[id]].name;
}

std::string deviceAndAlike(const Problem &problem, const Alternative &one) {
  return deviceName(problem.cluster(), one.device) +
         (one.alike == 0 ? "" : " (+" + std::to_string(one.alike) + ")");
}

std::string row(const Problem &problem, const Alternative &one, char mark) {
  std::string line = std::string(1, mark) + " " + left(deviceAndAlike(problem, one), 18);
  for (Seconds time :
       {one.end, one.parts.compute, one.parts.transfer, one.parts.wait, one.parts.memory, one.makespan})
    line += right(toText(time), 10);
  return line + "\n";
}

std::string headline(const TaskExplanation &why, const Problem &problem) {
  const Task &task = problem.graph().tasks[why.task];
  const TimeEstimate &estimate = *problem.estimate(why.task, problem.classOf(why.chosen.device));
  std::string text = taskName(problem.graph(), why.task);
  if (!task.name.empty() && task.name != task.id)
    text += " (" + task.id + ")";
  text += " runs on " + deviceName(problem.cluster(), why.chosen.device) + ", " +
          modelName(problem, problem.classOf(why.chosen.device)) + ", for " +
          toText(why.chosen.parts.compute) + "; the estimate's origin is '" +
          std::string(toText(estimate.origin)) + "'";
  if (!estimate.limiter.empty() && estimate.limiter != "given" && estimate.limiter != "default")
    text += ", its limit " + estimate.limiter;
  return wrapped(text, 2, "") + (task.location.empty() ? "" : "    " + task.location + "\n");
}

Json partsJson(const CostParts &parts) {
  return {{"compute_seconds", parts.compute.value()},
          {"transfer_seconds", parts.transfer.value()},
          {"wait_seconds", parts.wait.value()},
          {"memory_seconds", parts.memory.value()}};
}

Json alternativeJson(const Problem &problem, const Alternative &one) {
  Json json = {{"device", deviceName(problem.cluster(), one.device)},
               {"model", modelName(problem, problem.classOf(one.device))},
               {"alike", one.alike},
               {"start_seconds", one.start.value()},
               {"end_seconds", one.end.value()},
               {"makespan_seconds", one.makespan.value()},
               {"cost", partsJson(one.parts)}};
  if (!one.waited.empty())
    json["busy_with"] = one.waited;
  if (!one.link.empty())
    json["link"] = one.link;
  return json;
}

CostParts difference(const CostParts &a, const CostParts &b) {
  return {a.transfer - b.transfer, a.wait - b.wait, a.memory - b.memory, a.compute - b.compute};
}

Json changeJson(const Change &change, const Problem &problem) {
  Json json = {{"factor", change.factor}, {"text", toText(change, problem)}};
  if (change.kind == ChangeKind::taskTime) {
    json["task"] = problem.graph().tasks[change.task].id;
    json["model"] = modelName(problem, change.model);
  } else {
    json["links"] = nameOf(problem.cluster(), change.links);
  }
  return json;
}

} // namespace

std::string toText(const Change &change, const Problem &problem) {
  if (change.kind == ChangeKind::taskTime)
    return taskName(problem.graph(), change.task) + " took " + significant(change.factor) +
           " times as long on " + modelName(problem, change.model);
  return nameOf(problem.cluster(), change.links) + " were " + significant(change.factor) + " times as fast";
}

std::string toText(const TaskExplanation &why, const Problem &problem) {
  std::string out = headline(why, problem);
  out += "\n  device                   end   compute  transfer      wait    memory  makespan\n";
  out += row(problem, why.chosen, '*');
  const std::size_t shown = std::min(longList, why.others.size());
  for (std::size_t i = 0; i < shown; ++i)
    out += row(problem, why.others[i], ' ');
  if (shown < why.others.size())
    out += "    and " + std::to_string(why.others.size() - shown) + " more (--format json has all)\n";
  if (!(why.predicted == why.chosen.makespan))
    out += wrapped("All rows are timed again with every other decision kept; the placement itself, made in "
                   "another order, predicts " +
                       toText(why.predicted) + ".",
                   2);
  if (why.others.empty())
    out += "\n" + wrapped("There is no other device for it.", 2);
  else
    out += "\nWhy not elsewhere\n";
  for (std::size_t i = 0; i < shown; ++i)
    out += wrapped(deviceAndAlike(problem, why.others[i]) + (i == 0 ? ", the runner-up: " : ": ") +
                       why.whyLost[i],
                   4, "  - ");
  if (!why.others.empty()) {
    out += "\nWhat would move it to " + deviceName(problem.cluster(), why.others.front().device) + "\n";
    for (const Change &change : why.flips)
      out += wrapped("if " + toText(change, problem), 4, "  - ");
    if (why.flips.empty())
      out += wrapped("no single estimate or link that was tried, by up to 1000 times", 4, "  - ");
  }
  if (!why.unavailable.empty())
    out += "\nNot possible\n";
  for (std::size_t i = 0; i < std::min(longList, why.unavailable.size()); ++i)
    out += wrapped(why.unavailable[i].devices + ": " + why.unavailable[i].reason, 4, "  - ");
  return out;
}

std::string toJson(const TaskExplanation &why, const Problem &problem) {
  Json others = Json::array(), flips = Json::array(), unavailable = Json::array();
  for (std::size_t i = 0; i < why.others.size(); ++i) {
    Json other = alternativeJson(problem, why.others[i]);
    other["more"] = partsJson(difference(why.others[i].parts, why.chosen.parts));
    other["why_lost"] = why.whyLost[i];
    others.push_back(std::move(other));
  }
  for (const Change &change : why.flips)
    flips.push_back(changeJson(change, problem));
  for (const Unavailable &one : why.unavailable)
    unavailable.push_back({{"devices", one.devices}, {"reason", one.reason}});
  const Task &task = problem.graph().tasks[why.task];
  const Json json = {{"schema", "streammap.explanation/1"},
                     {"task", task.id},
                     {"name", taskName(problem.graph(), why.task)},
                     {"predicted_makespan_seconds", why.predicted.value()},
                     {"chosen", alternativeJson(problem, why.chosen)},
                     {"alternatives", std::move(others)},
                     {"flips", std::move(flips)},
                     {"unavailable", std::move(unavailable)}};
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace streammap
