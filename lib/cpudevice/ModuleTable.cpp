#include "cpudevice/DeviceProgram.h"
#include "runtime/cpu/ModuleAbi.h"
#include "support/CostMetrics.h"
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>
#include <span>

namespace streammap {
namespace {

/// Before the host object's own registration, which has the default priority of 65535.
constexpr int constructorPriority = 200;

/// Builds the structures of ModuleAbi.h as constants, field by field in their order.
class Table {
public:
  explicit Table(llvm::Module &module)
      : module_(module), word_(llvm::Type::getInt32Ty(module.getContext())),
        long_(llvm::Type::getInt64Ty(module.getContext())),
        pointer_(llvm::PointerType::get(module.getContext(), 0)) {}

  llvm::Constant *word(std::uint64_t value) { return llvm::ConstantInt::get(word_, value); }
  llvm::Constant *size(std::uint64_t value) { return llvm::ConstantInt::get(long_, value); }
  llvm::Constant *null() { return llvm::ConstantPointerNull::get(pointer_); }
  llvm::Constant *text(llvm::StringRef value) {
    return global(llvm::ConstantDataArray::getString(module_.getContext(), value));
  }
  llvm::Constant *record(llvm::ArrayRef<llvm::Constant *> fields) {
    return llvm::ConstantStruct::getAnon(module_.getContext(), fields);
  }
  /// A pointer to the elements; null when there are none.
  llvm::Constant *array(llvm::ArrayRef<llvm::Constant *> elements) {
    if (elements.empty())
      return null();
    return global(llvm::ConstantArray::get(llvm::ArrayType::get(elements.front()->getType(), elements.size()),
                                           elements));
  }
  llvm::GlobalVariable *global(llvm::Constant *value) {
    return new llvm::GlobalVariable(module_, value->getType(), true, llvm::GlobalValue::PrivateLinkage,
                                    value);
  }

private:
  llvm::Module &module_;
  llvm::Type *word_, *long_;
  llvm::PointerType *pointer_;
};

llvm::Constant *kernelRecord(Table &table, const DeviceProgram &program, const DeviceKernel &kernel,
                             llvm::Constant *counters) {
  std::vector<llvm::Constant *> sizes;
  for (std::uint32_t size : kernel.parameterSizes)
    sizes.push_back(table.word(size));
  return table.record({table.text(kernel.symbol), table.text(llvm::demangle(kernel.symbol)), kernel.run,
                       table.word(sizes.size()), table.array(sizes), table.word(kernel.staticShared),
                       table.word(kernel.maxThreadsPerBlock), table.word(program.counterCount), counters});
}

} // namespace

void emitModuleTable(DeviceProgram &program, const std::string &moduleId) {
  llvm::Module &module = *program.module;
  Table table(module);
  // External until here, so that they outlived the removal of what the code does not use.
  program.slot->setLinkage(llvm::GlobalValue::InternalLinkage);
  if (program.image)
    program.image->setLinkage(llvm::GlobalValue::InternalLinkage);
  llvm::Constant *counters = table.null();
  if (program.counterCount != 0) {
    std::vector<llvm::Constant *> names;
    for (std::string_view name : std::span(costMetricNames).first(countedMetricCount))
      names.push_back(table.record({table.text(name)}));
    counters = table.array(names);
  }
  std::vector<llvm::Constant *> kernels, variables;
  for (DeviceKernel &kernel : program.kernels) {
    kernel.run->setLinkage(llvm::GlobalValue::InternalLinkage);
    kernels.push_back(kernelRecord(table, program, kernel, counters));
  }
  for (const DeviceVariable &variable : program.variables)
    variables.push_back(table.record({table.text(variable.symbol), table.size(variable.offset),
                                      table.size(variable.size), table.word(variable.isConstant)}));
  const std::uint64_t imageSize =
      program.image ? module.getDataLayout().getTypeAllocSize(program.image->getValueType()).getFixedValue()
                    : 0;
  llvm::Constant *image = program.image ? static_cast<llvm::Constant *>(program.image) : table.null();
  llvm::Constant *record = table.record({table.text(moduleId), table.word(kernels.size()),
                                         table.array(kernels), table.word(variables.size()),
                                         table.array(variables), image, table.size(imageSize), program.slot});

  llvm::LLVMContext &context = module.getContext();
  llvm::Type *nothing = llvm::Type::getVoidTy(context);
  llvm::Function *constructor = llvm::Function::Create(
      llvm::FunctionType::get(nothing, false), llvm::GlobalValue::InternalLinkage, "smcpu.register", module);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "entry", constructor));
  llvm::FunctionCallee registerModule =
      module.getOrInsertFunction("smcpuRegisterModule", nothing, builder.getPtrTy());
  builder.CreateCall(registerModule, {table.global(record)});
  builder.CreateRetVoid();
  llvm::appendToGlobalCtors(module, constructor, constructorPriority);
}

} // namespace streammap
