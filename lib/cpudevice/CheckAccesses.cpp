#include "cpudevice/CountingRules.h"
#include "cpudevice/DeviceProgram.h"
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <map>

namespace streammap {
namespace {

enum class Direction { read, write };

class Checker {
public:
  explicit Checker(llvm::Module &module)
      : module_(module), long_(llvm::Type::getInt64Ty(module.getContext())),
        pointer_(llvm::PointerType::get(module.getContext(), 0)),
        check_(module.getOrInsertFunction("smcpu_check_access", llvm::Type::getVoidTy(module.getContext()),
                                          pointer_, long_, llvm::Type::getInt32Ty(module.getContext()),
                                          pointer_)) {}

  void instruction(llvm::Instruction &instruction) {
    const llvm::DataLayout &layout = module_.getDataLayout();
    auto sizeOf = [&](llvm::Type *type) {
      return llvm::ConstantInt::get(long_, layout.getTypeStoreSize(type));
    };
    if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
      add(instruction, load->getPointerOperand(), sizeOf(load->getType()), Direction::read);
    } else if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
      add(instruction, store->getPointerOperand(), sizeOf(store->getValueOperand()->getType()),
          Direction::write);
    } else if (auto *update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction)) {
      add(instruction, update->getPointerOperand(), sizeOf(update->getType()), Direction::write);
    } else if (auto *exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) {
      add(instruction, exchange->getPointerOperand(), sizeOf(exchange->getNewValOperand()->getType()),
          Direction::write);
    } else if (auto *memory = llvm::dyn_cast<llvm::MemIntrinsic>(&instruction)) {
      add(instruction, memory->getRawDest(), memory->getLength(), Direction::write);
      if (auto *transfer = llvm::dyn_cast<llvm::MemTransferInst>(memory))
        add(instruction, transfer->getRawSource(), memory->getLength(), Direction::read);
    }
  }

private:
  void add(llvm::Instruction &before, llvm::Value *pointer, llvm::Value *size, Direction direction) {
    if (memorySpace(pointer) != MemorySpace::global)
      return;
    if (auto *variable = llvm::dyn_cast<llvm::GlobalVariable>(pointer->stripInBoundsOffsets()); variable)
      return; // a __device__ variable or a table: not part of any section
    llvm::IRBuilder<> builder(&before);
    builder.CreateCall(check_, {builder.CreateAddrSpaceCast(pointer, pointer_),
                                builder.CreateZExtOrTrunc(size, long_),
                                builder.getInt32(direction == Direction::write), placeOf(before)});
  }

  llvm::Constant *placeOf(const llvm::Instruction &instruction) {
    std::string text = "unknown place";
    if (const llvm::DILocation *location = instruction.getDebugLoc())
      text = location->getFilename().str() + ":" + std::to_string(location->getLine()) + ":" +
             std::to_string(location->getColumn());
    llvm::Constant *&known = places_[text];
    if (!known) {
      llvm::Constant *value = llvm::ConstantDataArray::getString(module_.getContext(), text);
      known = new llvm::GlobalVariable(module_, value->getType(), true, llvm::GlobalValue::PrivateLinkage,
                                       value, "smcpu.place");
    }
    return known;
  }

  llvm::Module &module_;
  llvm::Type *long_;
  llvm::PointerType *pointer_;
  llvm::FunctionCallee check_;
  std::map<std::string, llvm::Constant *> places_;
};

} // namespace

void checkAccesses(DeviceProgram &program) {
  Checker checker(*program.module);
  std::vector<llvm::Instruction *> accesses;
  for (llvm::Function &function : *program.module)
    for (llvm::BasicBlock &block : function)
      for (llvm::Instruction &instruction : block)
        if (instruction.mayReadOrWriteMemory())
          accesses.push_back(&instruction);
  for (llvm::Instruction *access : accesses)
    checker.instruction(*access);
}

} // namespace streammap
