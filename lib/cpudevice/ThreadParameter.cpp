#include "cpudevice/DeviceProgram.h"
#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>
#include <map>

namespace streammap {
namespace {

/// `attributes` with those of each parameter one place further.
llvm::AttributeList shifted(llvm::LLVMContext &context, const llvm::AttributeList &attributes,
                            unsigned parameters) {
  llvm::SmallVector<llvm::AttributeSet, 8> byParameter{llvm::AttributeSet()};
  for (unsigned i = 0; i != parameters; ++i)
    byParameter.push_back(attributes.getParamAttrs(i));
  return llvm::AttributeList::get(context, attributes.getFnAttrs(), attributes.getRetAttrs(), byParameter);
}

llvm::FunctionType *withThread(llvm::FunctionType *type) {
  llvm::SmallVector<llvm::Type *, 8> parameters{llvm::PointerType::get(type->getContext(), 0)};
  llvm::append_range(parameters, type->params());
  return llvm::FunctionType::get(type->getReturnType(), parameters, type->isVarArg());
}

llvm::Function *replaceFunction(llvm::Function &old) {
  llvm::Function *made = llvm::Function::Create(withThread(old.getFunctionType()), old.getLinkage(),
                                                old.getAddressSpace(), "", old.getParent());
  made->takeName(&old);
  made->setAttributes(shifted(old.getContext(), old.getAttributes(), static_cast<unsigned>(old.arg_size())));
  made->setSubprogram(old.getSubprogram());
  old.setSubprogram(nullptr);
  made->splice(made->begin(), &old);
  made->getArg(0)->setName("thread");
  for (auto [from, to] : llvm::zip_equal(old.args(), llvm::drop_begin(made->args()))) {
    from.replaceAllUsesWith(&to);
    to.takeName(&from);
  }
  old.replaceAllUsesWith(made);
  return made;
}

/// Calls of functions with a body, and calls through pointers (which can only point to such).
bool passesThread(const llvm::CallBase &call) {
  if (call.isInlineAsm())
    return false;
  auto *callee = llvm::dyn_cast<llvm::Function>(call.getCalledOperand());
  return !callee || !callee->isDeclaration();
}

void replaceCall(llvm::CallBase &call) {
  llvm::SmallVector<llvm::Value *, 8> arguments{call.getFunction()->getArg(0)};
  llvm::append_range(arguments, call.args());
  auto *made = llvm::CallInst::Create(withThread(call.getFunctionType()), call.getCalledOperand(), arguments,
                                      "", call.getIterator());
  made->setAttributes(
      shifted(call.getContext(), call.getAttributes(), static_cast<unsigned>(call.arg_size())));
  made->copyMetadata(call);
  if (llvm::isa<llvm::FPMathOperator>(made) && llvm::isa<llvm::FPMathOperator>(call))
    made->copyFastMathFlags(&call);
  made->takeName(&call);
  call.replaceAllUsesWith(made);
  call.eraseFromParent();
}

} // namespace

void addThreadParameter(DeviceProgram &program) {
  llvm::SmallVector<llvm::Function *, 32> defined;
  for (llvm::Function &function : *program.module)
    if (!function.isDeclaration())
      defined.push_back(&function);
  std::map<llvm::Function *, llvm::Function *> made;
  for (llvm::Function *function : defined)
    made[function] = replaceFunction(*function);
  for (DeviceKernel &kernel : program.kernels)
    kernel.body = made[kernel.body];
  for (llvm::Function *function : defined)
    function->eraseFromParent();
  for (llvm::Function &function : *program.module) {
    llvm::SmallVector<llvm::CallBase *, 16> calls;
    for (llvm::BasicBlock &block : function)
      for (llvm::Instruction &instruction : block)
        if (auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction); call && passesThread(*call))
          calls.push_back(call);
    for (llvm::CallBase *call : calls)
      replaceCall(*call);
  }
}

} // namespace streammap
