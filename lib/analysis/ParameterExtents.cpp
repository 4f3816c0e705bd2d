#include "analysis/ParameterExtents.h"
#include "analysis/ReachedRanges.h"
#include "analysis/TouchedBytes.h"
#include <algorithm>
#include <llvm/IR/Argument.h>
#include <map>

namespace streammap {
namespace {

const llvm::Argument *parameterOf(const MemoryAccess &access) {
  return access.isShared ? nullptr : llvm::dyn_cast_or_null<llvm::Argument>(access.base);
}

/// Whether as many bytes are written as lie between first and end, on two launches large enough for their
/// arguments.
bool fills(const ExecutionCounts &counts, const ParameterExtent &extent) {
  CountingBudget budget{200};
  const TouchedBytes written = touchedBytes(
      counts,
      [&](const MemoryAccess &access) {
        const auto *argument = llvm::dyn_cast_or_null<llvm::Argument>(access.base);
        return access.isWritten && argument && argument->getArgNo() == extent.parameter;
      },
      budget);
  if (!written.isExact)
    return false;
  const Expression all = extent.ends[0] - extent.firsts[0];
  for (const double scale : {1.0, 3.0}) {
    Bindings bindings;
    double next = 16;
    for (const Expression &e : {written.bytes, all})
      for (const std::string &symbol : e.symbols())
        if (!bindings.contains(symbol))
          bindings[symbol] = symbol.starts_with("blockDim.x")  ? 32
                             : symbol.starts_with("blockDim.") ? 1
                             : symbol.starts_with("gridDim.")  ? 64 * scale
                                                               : (next += 3) * scale;
    for (const char *depth : {"gridDim.z", "blockDim.z"})
      bindings[depth] = 1;
    const auto touched = evaluate(written.bytes, bindings), needed = evaluate(all, bindings);
    if (!touched || !needed || touched->value < needed->value)
      return false;
  }
  return true;
}

} // namespace

std::vector<ParameterExtent> parameterExtents(const ExecutionCounts &counts) {
  std::map<unsigned, ParameterExtent> extents;
  for (const BlockAccesses &block : counts.accesses)
    for (const MemoryAccess &access : block.accesses)
      if (const llvm::Argument *argument = parameterOf(access)) {
        ParameterExtent &extent = extents[argument->getArgNo()];
        extent.parameter = argument->getArgNo();
        extent.isRead |= access.isRead;
        extent.isWritten |= access.isWritten;
      }
  for (auto &[base, range] :
       reachedRanges(counts, [](const MemoryAccess &access) { return parameterOf(access); })) {
    ParameterExtent &extent = extents.at(llvm::cast<llvm::Argument>(base)->getArgNo());
    extent.firsts = std::move(range.firsts);
    extent.ends = std::move(range.ends);
    extent.writesAll =
        extent.isWritten && extent.firsts.size() == 1 && extent.ends.size() == 1 && fills(counts, extent);
  }
  std::vector<ParameterExtent> result;
  for (auto &[number, extent] : extents)
    result.push_back(std::move(extent));
  return result;
}

} // namespace streammap
