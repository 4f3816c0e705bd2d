#include "cpudevice/Coroutine.h"
#include "cpudevice/DeviceProgram.h"
#include "cpudevice/ParallelLoop.h"
#include "cpudevice/ThreadFields.h"
#include "cpudevice/WaitingFunctions.h"
#include <algorithm>
#include <llvm/Analysis/InlineCost.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>
#include <llvm/Transforms/IPO/Inliner.h>
#include <llvm/Transforms/Scalar/SROA.h>

namespace streammap {
namespace {

/// A load of a kernel parameter or on the way to one: the same for all threads (see hoistParameters).
void markInvariant(llvm::LoadInst *load) {
  load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(load->getContext(), {}));
  load->setMetadata(parameterMark, llvm::MDNode::get(load->getContext(), {}));
}

/// All loads through a parameter passed by value, if nothing else is done with its address: then all threads
/// can read the launch's own copy.
bool onlyLoads(llvm::Value &pointer, std::vector<llvm::LoadInst *> &loads) {
  for (llvm::User *user : pointer.users()) {
    if (auto *load = llvm::dyn_cast<llvm::LoadInst>(user); load && !load->isVolatile())
      loads.push_back(load);
    else if (llvm::isa<llvm::GetElementPtrInst, llvm::AddrSpaceCastInst>(user)) {
      if (!onlyLoads(*user, loads))
        return false;
    } else
      return false;
  }
  return true;
}

/// `void thread(ptr thread)`: takes the kernel's parameters from the launch and runs its body.
llvm::Function *makeThreadBody(DeviceKernel &kernel) {
  llvm::Function &body = *kernel.body;
  llvm::Module &module = *body.getParent();
  llvm::LLVMContext &context = module.getContext();
  llvm::PointerType *pointer = llvm::PointerType::get(context, 0);
  llvm::Function *made =
      llvm::Function::Create(llvm::FunctionType::get(llvm::Type::getVoidTy(context), {pointer}, false),
                             llvm::GlobalValue::InternalLinkage, kernel.symbol + ".thread", module);
  made->addFnAttr(llvm::Attribute::AlwaysInline);
  made->addFnAttr(llvm::Attribute::NoUnwind);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "entry", made));
  llvm::Value *thread = made->getArg(0);
  llvm::Value *launch = loadConstantPointer(builder, thread, offsetof(smcpu::Thread, launch), "launch");
  llvm::Value *arguments =
      loadConstantPointer(builder, launch, offsetof(SmcpuLaunch, arguments), "arguments");
  markInvariant(llvm::cast<llvm::LoadInst>(arguments));
  std::vector<llvm::Value *> passed{thread};
  for (std::uint32_t i = 0; i != kernel.parameterSizes.size(); ++i) {
    llvm::Argument &parameter = *body.getArg(i + 1);
    llvm::Value *address = loadConstantPointer(builder, arguments, i * sizeof(void *), "argument");
    markInvariant(llvm::cast<llvm::LoadInst>(address));
    if (parameter.hasByValAttr()) {
      std::vector<llvm::LoadInst *> loads;
      if (onlyLoads(parameter, loads)) {
        for (llvm::LoadInst *load : loads)
          markInvariant(load);
        parameter.removeAttr(llvm::Attribute::ByVal);
      }
      passed.push_back(builder.CreateAddrSpaceCast(address, parameter.getType()));
      continue;
    }
    llvm::Type *type = parameter.getType();
    llvm::Type *stored = type->isIntegerTy(1) ? builder.getInt8Ty() : type;
    llvm::LoadInst *value = builder.CreateLoad(stored, address);
    markInvariant(value);
    passed.push_back(stored == type ? value : builder.CreateTrunc(value, type));
  }
  llvm::CallInst *call = builder.CreateCall(&body, passed);
  for (std::uint32_t i = 0; i != kernel.parameterSizes.size(); ++i)
    if (auto byVal = body.getParamAttribute(i + 1, llvm::Attribute::ByVal); byVal.isValid()) {
      call->addParamAttr(i + 1, byVal);
      if (auto alignment = body.getParamAttribute(i + 1, llvm::Attribute::Alignment); alignment.isValid())
        call->addParamAttr(i + 1, alignment);
    }
  builder.CreateRetVoid();
  body.addFnAttr(llvm::Attribute::AlwaysInline);
  return made;
}

/// `void run(launch, x, y, z, arena)`: hands over to the device library, smcpu_thread_loop or
/// smcpu_coroutines.
llvm::Function *makeRun(DeviceProgram &program, DeviceKernel &kernel, llvm::StringRef runner,
                        llvm::Function *body) {
  llvm::Module &module = *program.module;
  llvm::LLVMContext &context = module.getContext();
  llvm::Type *word = llvm::Type::getInt32Ty(context);
  llvm::PointerType *pointer = llvm::PointerType::get(context, 0);
  llvm::FunctionType *type =
      llvm::FunctionType::get(llvm::Type::getVoidTy(context), {pointer, word, word, word, pointer}, false);
  llvm::Function *run =
      llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, kernel.symbol + ".run", module);
  run->addFnAttr(llvm::Attribute::NoUnwind);
  run->addDereferenceableParamAttr(0, sizeof(SmcpuLaunch));
  run->addParamAttr(0, llvm::Attribute::getWithAlignment(context, llvm::Align(alignof(SmcpuLaunch))));
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "entry", run));
  llvm::Value *image = llvm::ConstantPointerNull::get(pointer);
  if (program.image) {
    llvm::Value *globals =
        loadConstantPointer(builder, run->getArg(0), offsetof(SmcpuLaunch, globals), "globals");
    llvm::Value *slot = builder.CreateZExt(builder.CreateLoad(word, program.slot), builder.getInt64Ty());
    image = builder.CreateLoad(pointer, builder.CreateInBoundsGEP(pointer, globals, slot), "image");
  }
  llvm::FunctionCallee callee = module.getOrInsertFunction(
      runner,
      llvm::FunctionType::get(builder.getVoidTy(),
                              {pointer, word, word, word, pointer, pointer, word, word, pointer}, false));
  builder.CreateCall(callee,
                     {run->getArg(0), run->getArg(1), run->getArg(2), run->getArg(3), run->getArg(4), image,
                      builder.getInt32(kernel.staticShared), builder.getInt32(program.counterCount), body});
  builder.CreateRetVoid();
  return run;
}

/// Each inlined __activemask() gets a number of its own.
void numberSites(llvm::Module &module) {
  llvm::Function *site = module.getFunction("smcpu_site");
  if (!site)
    return;
  std::uint32_t next = 0;
  for (llvm::User *user : llvm::make_early_inc_range(site->users())) {
    auto *call = llvm::cast<llvm::CallInst>(user);
    call->replaceAllUsesWith(llvm::ConstantInt::get(call->getType(), ++next));
    call->eraseFromParent();
  }
}

template <class... Passes>
void runModulePasses(llvm::Module &module, Passes... passes) {
  llvm::PassBuilder builder;
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  llvm::ModulePassManager manager;
  (manager.addPass(std::move(passes)), ...);
  manager.run(module, modules);
}

/// A thread can wait only in its kernel itself, so what waits must have been inlined there.
void refuseLeftWaits(llvm::Module &module, Diagnostics &diagnostics) {
  llvm::Function *suspend = module.getFunction("smcpu_suspend");
  if (!suspend)
    return;
  SourceLocation file;
  file.file = module.getSourceFileName();
  std::vector<std::string> names;
  for (llvm::User *user : suspend->users())
    if (auto *call = llvm::dyn_cast<llvm::CallInst>(user))
      names.push_back(llvm::demangle(call->getFunction()->getName().str()));
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  for (const std::string &name : names)
    diagnostics.error(
        file,
        "'" + name +
            "' waits at a barrier or warp operation and is recursive or called through a pointer, which "
            "the CPU device cannot run",
        "unsupported-on-cpu-device");
}

} // namespace

void makeEntries(DeviceProgram &program, Diagnostics &diagnostics) {
  llvm::Module &module = *program.module;
  const std::set<llvm::Function *> waiting = waitingFunctions(module);
  for (llvm::Function *function : waiting) {
    function->removeFnAttr(llvm::Attribute::NoInline);
    function->addFnAttr(llvm::Attribute::AlwaysInline);
  }
  std::vector<llvm::Function *> coroutines, loops;
  for (DeviceKernel &kernel : program.kernels) {
    const bool waits = waiting.contains(kernel.body);
    llvm::Function *thread = makeThreadBody(kernel);
    if (waits) {
      coroutines.push_back(makeCoroutine(*thread));
      kernel.run = makeRun(program, kernel, "smcpu_coroutines", coroutines.back());
    } else {
      kernel.run = makeRun(program, kernel, "smcpu_thread_loop", thread);
      loops.push_back(kernel.run);
    }
    // Kept until the module table refers to it.
    kernel.run->setLinkage(llvm::GlobalValue::ExternalLinkage);
  }
  // The first round makes the bodies known in smcpu_thread_loop, the second inlines them. Then what the
  // program's own functions allow, as GPU compilers do: a loop over threads vectorises only without calls.
  constexpr int eagerly = 1000;
  const auto promote = [] {
    return llvm::createModuleToFunctionPassAdaptor(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
  };
  runModulePasses(module, llvm::AlwaysInlinerPass(/*InsertLifetime=*/true), promote(),
                  llvm::AlwaysInlinerPass(/*InsertLifetime=*/true), llvm::GlobalDCEPass(), promote(),
                  llvm::ModuleInlinerWrapperPass(llvm::getInlineParams(eagerly)), llvm::GlobalDCEPass());
  for (llvm::Function *coroutine : coroutines)
    makeSuspensionPoints(*coroutine);
  numberSites(module);
  refuseLeftWaits(module, diagnostics);
  for (llvm::Function *loop : loops)
    keepParallelAccesses(*loop);
}

} // namespace streammap
