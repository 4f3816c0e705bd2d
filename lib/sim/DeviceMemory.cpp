#include "sim/DeviceMemory.h"
#include <algorithm>

namespace streammap {
namespace {

/// Inputs and outputs of a task, each block once.
std::vector<PieceId> ownPieces(const Problem &problem, TaskId task) {
  std::vector<PieceId> own(problem.inputs(task).begin(), problem.inputs(task).end());
  own.insert(own.end(), problem.outputs(task).begin(), problem.outputs(task).end());
  auto block = [&](PieceId piece) { return problem.pieces()[piece].block; };
  std::ranges::stable_sort(own, {}, block);
  own.erase(std::ranges::unique(own, {}, block).begin(), own.end());
  return own;
}

} // namespace

DeviceMemory::DeviceMemory(const Problem &problem) : problem_(&problem) {
  Bytes most;
  for (TaskId task : problem.graph().tasks.ids())
    most = std::max(most, problem.workspace(task));
  most += problem.allData();
  for (ClassId c : problem.classes().ids()) {
    const Bytes memory = problem.cluster().models[problem.classes()[c]].memory;
    canFill_.push(memory > Bytes() && most > memory);
  }
  if (std::ranges::find(canFill_, 1) != canFill_.end())
    states_.assign(problem.cluster().devices.size(), {});
}

DeviceMemory::Demand DeviceMemory::demandOf(TaskId task, DeviceId device) const {
  const State &state = states_[device];
  const Bytes workspace = problem_->workspace(task), limit = capacity(device);
  // Most often there is room even if nothing of it were there.
  if (state.held + problem_->memoryNeed(task) + std::max(workspace, state.workspace) <= limit)
    return {};
  const std::vector<PieceId> own = ownPieces(*problem_, task);
  Bytes wanted = state.held;
  for (PieceId piece : own)
    if (!state.residents.contains(problem_->pieces()[piece].block))
      wanted += problem_->pieces()[piece].size;
  if (wanted + std::max(workspace, state.workspace) <= limit)
    return {};
  // A larger workspace of an earlier task is only in the way until that task has ended.
  Demand demand{{}, workspace < state.workspace};
  std::vector<std::pair<Seconds, BlockId>> others;
  for (const auto &[block, resident] : state.residents)
    if (!std::ranges::binary_search(own, block, {}, [&](PieceId p) { return problem_->pieces()[p].block; }))
      others.emplace_back(resident.lastUse, block);
  std::ranges::sort(others);
  for (const auto &[lastUse, block] : others) {
    if (wanted + workspace <= limit)
      break;
    wanted -= problem_->pieces()[state.residents.at(block).piece].size;
    demand.victims.push_back(block);
  }
  return demand;
}

void DeviceMemory::evict(DeviceId device, BlockId block, Seconds gone) {
  State &state = states_[device];
  const auto found = state.residents.find(block);
  state.held -= problem_->pieces()[found->second.piece].size;
  state.openFrom = std::max(state.openFrom, gone);
  state.residents.erase(found);
}

void DeviceMemory::drain(DeviceId device, Seconds ended) {
  states_[device].workspace = Bytes();
  states_[device].openFrom = std::max(states_[device].openFrom, ended);
}

void DeviceMemory::run(TaskId task, DeviceId device, Seconds end) {
  State &state = states_[device];
  state.workspace = std::max(state.workspace, problem_->workspace(task));
  for (std::span<const PieceId> list : {problem_->inputs(task), problem_->outputs(task)})
    for (PieceId piece : list) {
      const auto [found, isNew] =
          state.residents.try_emplace(problem_->pieces()[piece].block, Resident{piece, end});
      if (isNew)
        state.held += problem_->pieces()[piece].size;
      found->second = {piece, std::max(found->second.lastUse, end)};
    }
}

} // namespace streammap
