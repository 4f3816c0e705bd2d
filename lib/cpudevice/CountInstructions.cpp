#include "cpudevice/CountingRules.h"
#include "cpudevice/DeviceProgram.h"
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <optional>

namespace streammap {
namespace {

/// The metric of moving data through `pointer`; nothing for kernel parameters, which are free.
std::optional<CostMetric> bytesMetric(const llvm::Value *pointer, CostMetric ofGlobal, CostMetric ofShared) {
  switch (memorySpace(pointer)) {
  case MemorySpace::global:
    return ofGlobal;
  case MemorySpace::shared:
    return ofShared;
  case MemorySpace::constant:
    return CostMetric::constantBytes;
  case MemorySpace::local:
    return CostMetric::localBytes;
  case MemorySpace::parameter:
    return std::nullopt;
  }
  return std::nullopt;
}

class Counter {
public:
  explicit Counter(llvm::Module &module)
      : word_(llvm::Type::getInt32Ty(module.getContext())),
        long_(llvm::Type::getInt64Ty(module.getContext())),
        count_(module.getOrInsertFunction("smcpu_count", llvm::Type::getVoidTy(module.getContext()), word_,
                                          long_)) {}

  void block(llvm::BasicBlock &block) {
    InstructionCost total;
    std::vector<llvm::MemIntrinsic *> ofRuntimeLength;
    for (llvm::Instruction &instruction : block) {
      const InstructionCost cost = instructionCost(instruction);
      for (std::size_t i = 0; i != countedMetricCount; ++i)
        total.amounts[i] += cost.amounts[i];
      if (auto *memory = llvm::dyn_cast<llvm::MemIntrinsic>(&instruction); memory && !cost.unknown.empty())
        ofRuntimeLength.push_back(memory);
    }
    llvm::IRBuilder<> builder(&block, block.getFirstInsertionPt());
    for (std::size_t i = 0; i != countedMetricCount; ++i)
      if (total.amounts[i] != 0)
        add(builder, static_cast<CostMetric>(i), llvm::ConstantInt::get(long_, total.amounts[i]));
    for (llvm::MemIntrinsic *memory : ofRuntimeLength) {
      llvm::IRBuilder<> before(memory);
      llvm::Value *length = before.CreateZExtOrTrunc(memory->getLength(), long_);
      if (auto metric =
              bytesMetric(memory->getRawDest(), CostMetric::globalStoreBytes, CostMetric::sharedStoreBytes))
        add(before, *metric, length);
      if (auto *transfer = llvm::dyn_cast<llvm::MemTransferInst>(memory))
        if (auto metric = bytesMetric(transfer->getRawSource(), CostMetric::globalLoadBytes,
                                      CostMetric::sharedLoadBytes))
          add(before, *metric, length);
    }
  }

private:
  void add(llvm::IRBuilder<> &builder, CostMetric metric, llvm::Value *amount) {
    builder.CreateCall(count_, {llvm::ConstantInt::get(word_, static_cast<std::uint64_t>(metric)), amount});
  }

  llvm::Type *word_, *long_;
  llvm::FunctionCallee count_;
};

} // namespace

void countInstructions(DeviceProgram &program) {
  program.counterCount = countedMetricCount;
  Counter counter(*program.module);
  for (llvm::Function &function : *program.module)
    for (llvm::BasicBlock &block : function)
      counter.block(block);
}

} // namespace streammap
