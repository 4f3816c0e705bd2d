#include "cpudevice/DeviceProgram.h"
#include "cpudevice/ThreadFields.h"
#include <algorithm>
#include <llvm/IR/ReplaceConstant.h>
#include <map>

namespace streammap {
namespace {

constexpr unsigned globalSpace = 1, constantSpace = 4;

bool isDeviceVariable(const llvm::GlobalVariable &variable) {
  return variable.getAddressSpace() == globalSpace || variable.getAddressSpace() == constantSpace;
}

/// Written by kernels or by the host: each device has its own. String literals, tables and the like are
/// neither.
bool isMutable(const llvm::GlobalVariable &variable) {
  return !variable.isConstant() || variable.isExternallyInitialized();
}

/// The same constant in the host's address space.
void moveConstant(llvm::GlobalVariable &variable) {
  auto *made =
      new llvm::GlobalVariable(*variable.getParent(), variable.getValueType(), true,
                               llvm::GlobalValue::InternalLinkage, variable.getInitializer(), "", &variable);
  made->takeName(&variable);
  made->setAlignment(variable.getAlign());
  made->setUnnamedAddr(variable.getUnnamedAddr());
  variable.replaceAllUsesWith(llvm::ConstantExpr::getAddrSpaceCast(made, variable.getType()));
  variable.eraseFromParent();
}

/// One address computation per function that uses the variable, from the thread's pointer to the image.
void addressThroughThread(llvm::GlobalVariable &variable, std::uint64_t offset) {
  std::map<llvm::Function *, llvm::Value *> address;
  std::vector<llvm::Use *> uses;
  for (llvm::Use &use : variable.uses())
    if (llvm::isa<llvm::Instruction>(use.getUser()))
      uses.push_back(&use);
  for (llvm::Use *use : uses) {
    llvm::Function *function = llvm::cast<llvm::Instruction>(use->getUser())->getFunction();
    llvm::Value *&known = address[function];
    if (!known) {
      llvm::IRBuilder<> builder = atEntry(*function);
      llvm::Value *image =
          loadConstantPointer(builder, function->getArg(0), offsetof(smcpu::Thread, image), "image");
      known = builder.CreateAddrSpaceCast(
          builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), image, offset), variable.getType());
    }
    use->set(known);
  }
}

/// threadIdx, blockDim and the like as objects: Clang's headers pass their address along, but nothing reads
/// them.
void replaceBuiltinVariables(llvm::Module &module) {
  for (llvm::GlobalVariable &variable : llvm::make_early_inc_range(module.globals())) {
    if (!isDeviceVariable(variable) || !variable.hasExternalWeakLinkage())
      continue;
    auto *made =
        new llvm::GlobalVariable(module, variable.getValueType(), true, llvm::GlobalValue::InternalLinkage,
                                 llvm::Constant::getNullValue(variable.getValueType()), "builtin");
    variable.replaceAllUsesWith(llvm::ConstantExpr::getAddrSpaceCast(made, variable.getType()));
    variable.eraseFromParent();
  }
}

} // namespace

void placeVariables(DeviceProgram &program) {
  llvm::Module &module = *program.module;
  const llvm::DataLayout &layout = module.getDataLayout();
  replaceBuiltinVariables(module);
  std::vector<llvm::GlobalVariable *> constant, changing;
  for (llvm::GlobalVariable &variable : module.globals())
    if (isDeviceVariable(variable) && variable.hasInitializer())
      (isMutable(variable) ? changing : constant).push_back(&variable);
  for (llvm::GlobalVariable *variable : constant)
    moveConstant(*variable);

  std::vector<llvm::Constant *> constants(changing.begin(), changing.end());
  llvm::convertUsersOfConstantsToInstructions(constants);
  llvm::LLVMContext &context = module.getContext();
  std::vector<llvm::Constant *> fields;
  std::uint64_t offset = 0;
  for (llvm::GlobalVariable *variable : changing) {
    const std::uint64_t alignment = std::max<std::uint64_t>(variable->getAlign().valueOrOne().value(), 16);
    const std::uint64_t padding = (alignment - offset % alignment) % alignment;
    if (padding != 0)
      fields.push_back(
          llvm::ConstantAggregateZero::get(llvm::ArrayType::get(llvm::Type::getInt8Ty(context), padding)));
    offset += padding;
    const std::uint64_t size = layout.getTypeAllocSize(variable->getValueType());
    llvm::Constant *initial = variable->getInitializer();
    // The image is packed, and its bytes reach the host as they are: an undefined start is zero.
    if (llvm::isa<llvm::UndefValue>(initial))
      initial = llvm::Constant::getNullValue(initial->getType());
    fields.push_back(initial);
    program.variables.push_back({.symbol = variable->getName().str(),
                                 .offset = offset,
                                 .size = size,
                                 .isConstant = variable->getAddressSpace() == constantSpace});
    addressThroughThread(*variable, offset);
    offset += size;
  }
  if (!fields.empty()) {
    llvm::Constant *bytes = llvm::ConstantStruct::getAnon(context, fields, /*Packed=*/true);
    program.image = new llvm::GlobalVariable(module, bytes->getType(), true,
                                             llvm::GlobalValue::ExternalLinkage, bytes, "smcpu.image");
    program.image->setAlignment(llvm::Align(64));
  }
  for (llvm::GlobalVariable *variable : changing)
    if (variable->use_empty())
      variable->eraseFromParent();
}

} // namespace streammap
