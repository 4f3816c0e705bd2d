#include "cpudevice/DeviceProgram.h"
#include "cpudevice/ReachableFunctions.h"
#include "cpudevice/ThreadFields.h"
#include <algorithm>
#include <llvm/IR/ReplaceConstant.h>
#include <map>
#include <set>

namespace streammap {
namespace {

constexpr unsigned sharedSpace = 3;

/// `extern __shared__`: its size comes with the launch.
bool isDynamic(const llvm::GlobalVariable &variable) {
  return !variable.hasInitializer();
}

struct SharedVariable {
  llvm::GlobalVariable *variable;
  std::set<std::size_t> kernels; ///< that may use it
  std::uint64_t offset = 0;
};

/// Gives each variable an offset beyond those of all earlier ones that share a kernel with it.
void assignOffsets(DeviceProgram &program, std::vector<SharedVariable> &shared) {
  const llvm::DataLayout &layout = program.module->getDataLayout();
  for (SharedVariable &one : shared) {
    std::uint64_t offset = 0;
    for (std::size_t kernel : one.kernels)
      offset = std::max<std::uint64_t>(offset, program.kernels[kernel].staticShared);
    const std::uint64_t alignment = std::max<std::uint64_t>(one.variable->getAlign().valueOrOne().value(), 1);
    one.offset = (offset + alignment - 1) / alignment * alignment;
    for (std::size_t kernel : one.kernels)
      program.kernels[kernel].staticShared =
          static_cast<std::uint32_t>(one.offset + layout.getTypeAllocSize(one.variable->getValueType()));
  }
}

llvm::Value *addressIn(llvm::Function &function, const llvm::GlobalVariable &variable, std::uint64_t offset) {
  llvm::IRBuilder<> builder = atEntry(function);
  llvm::Value *thread = function.getArg(0);
  llvm::Value *address = nullptr;
  if (isDynamic(variable)) {
    address = loadConstantPointer(builder, thread, offsetof(smcpu::Thread, dynamicShared), "dynamic.shared");
  } else {
    llvm::Value *arena = loadConstantPointer(builder, thread, offsetof(smcpu::Thread, arena), "arena");
    address = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), arena, offset);
  }
  return builder.CreateAddrSpaceCast(address, variable.getType());
}

} // namespace

void placeSharedMemory(DeviceProgram &program) {
  std::vector<llvm::Constant *> constants;
  std::vector<llvm::GlobalVariable *> variables;
  for (llvm::GlobalVariable &variable : program.module->globals())
    if (variable.getAddressSpace() == sharedSpace) {
      constants.push_back(&variable);
      variables.push_back(&variable);
    }
  llvm::convertUsersOfConstantsToInstructions(constants);

  std::vector<std::set<const llvm::Function *>> reachable;
  for (const DeviceKernel &kernel : program.kernels)
    reachable.push_back(reachableFunctions(*kernel.body));
  std::vector<SharedVariable> placed;
  for (llvm::GlobalVariable *variable : variables) {
    if (isDynamic(*variable))
      continue;
    SharedVariable one{.variable = variable, .kernels = {}};
    for (const llvm::User *user : variable->users())
      if (auto *instruction = llvm::dyn_cast<llvm::Instruction>(user))
        for (std::size_t k = 0; k != reachable.size(); ++k)
          if (reachable[k].contains(instruction->getFunction()))
            one.kernels.insert(k);
    placed.push_back(std::move(one));
  }
  assignOffsets(program, placed);
  // Dynamic shared memory follows; keep it aligned for any type.
  for (DeviceKernel &kernel : program.kernels)
    kernel.staticShared = (kernel.staticShared + 15) / 16 * 16;

  std::map<llvm::GlobalVariable *, std::uint64_t> offsets;
  for (const SharedVariable &one : placed)
    offsets[one.variable] = one.offset;
  for (llvm::GlobalVariable *variable : variables) {
    std::map<llvm::Function *, llvm::Value *> address;
    std::vector<llvm::Use *> uses;
    for (llvm::Use &use : variable->uses())
      if (llvm::isa<llvm::Instruction>(use.getUser()))
        uses.push_back(&use);
    for (llvm::Use *use : uses) {
      llvm::Function *function = llvm::cast<llvm::Instruction>(use->getUser())->getFunction();
      llvm::Value *&known = address[function];
      if (!known)
        known = addressIn(*function, *variable, offsets[variable]);
      use->set(known);
    }
    if (variable->use_empty())
      variable->eraseFromParent();
  }
}

} // namespace streammap
