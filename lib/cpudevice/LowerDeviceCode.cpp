#include "cpudevice/LowerDeviceCode.h"
#include "cpudevice/CountingRules.h"
#include "cpudevice/DeviceLibrary.h"
#include "cpudevice/DeviceProgram.h"
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DiagnosticHandler.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Host.h>

namespace streammap {
namespace {

/// Passes on errors only: that a loop over threads was not vectorised is nobody's mistake.
struct ErrorsOnly : llvm::DiagnosticHandler {
  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    return info.getSeverity() != llvm::DS_Error;
  }
};

/// A machine that runs on this host and its like: x86-64-v3 where the host has it, since without fused
/// multiply-add in hardware every fma is a slow library call.
std::unique_ptr<llvm::TargetMachine> hostMachine(std::string &error) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  const llvm::Triple triple(llvm::sys::getProcessTriple());
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return nullptr;
  const llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  const bool v3 = triple.getArch() == llvm::Triple::x86_64 && features.lookup("avx2") &&
                  features.lookup("fma") && features.lookup("bmi2") && features.lookup("f16c");
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Standard; // device code may contract; its instructions say so
  return std::unique_ptr<llvm::TargetMachine>(
      target->createTargetMachine(triple, v3 ? "x86-64-v3" : "", "", options, llvm::Reloc::PIC_, std::nullopt,
                                  llvm::CodeGenOptLevel::Default));
}

void createSlot(DeviceProgram &program) {
  llvm::Type *word = llvm::Type::getInt32Ty(program.module->getContext());
  program.slot = new llvm::GlobalVariable(*program.module, word, false, llvm::GlobalValue::ExternalLinkage,
                                          llvm::ConstantInt::get(word, 0), "smcpu.slot");
}

/// Our own mistake, if it ever happens: better to stop than to run something else. Costs about 1 % of the
/// lowering.
void verify(const llvm::Module &module, const char *step) {
  if (llvm::verifyModule(module, &llvm::errs()))
    llvm::report_fatal_error(llvm::Twine("invalid IR after ") + step);
}

} // namespace

Expected<std::string> lowerDeviceCode(const std::string &bitcodePath, const LowerOptions &options,
                                      Diagnostics &diagnostics) {
  llvm::LLVMContext context;
  context.setDiagnosticHandler(std::make_unique<ErrorsOnly>());
  llvm::SMDiagnostic problem;
  std::unique_ptr<llvm::Module> module = llvm::parseIRFile(bitcodePath, problem, context);
  if (!module)
    return failure("cannot read device IR " + bitcodePath + ": " + problem.getMessage().str());
  if (!module->getTargetTriple().isNVPTX())
    return failure(bitcodePath + " is not device code: its target is '" + module->getTargetTriple().str() +
                   "'");
  auto library = llvm::parseBitcodeFile(deviceLibrary(), context);
  if (!library)
    return failure("cannot read the device library: " + llvm::toString(library.takeError()));
  std::string error;
  std::unique_ptr<llvm::TargetMachine> machine = hostMachine(error);
  if (!machine)
    return failure("cannot compile for this host: " + error);

  DeviceProgram program(*module);
  collectKernels(program);
  if (options.counting == Counting::on || options.accessChecks == AccessChecks::on)
    optimiseDeviceCode(*module);
  if (options.counting == Counting::on)
    countInstructions(program);
  if (options.accessChecks == AccessChecks::on)
    checkAccesses(program);
  refuseUnsupported(program, **library, diagnostics);
  if (diagnostics.hasErrors())
    return std::string();
  // From here on everything that a kernel reaches can be lowered, and lines are no longer needed.
  llvm::StripDebugInfo(*module);
  retarget(program, *machine);
  addThreadParameter(program);
  verify(*module, "the thread parameter");
  lowerCalls(program, **library);
  lowerAtomics(program);
  placeVariables(program);
  placeSharedMemory(program);
  verify(*module, "placing variables");
  // No address space, intrinsic or asm of the GPU is left in code that runs.
  createSlot(program);
  linkLibrary(program, std::move(*library));
  makeEntries(program, diagnostics);
  if (diagnostics.hasErrors())
    return std::string();
  verify(*module, "making entries");
  emitModuleTable(program, options.moduleId);
  return emitObject(program, *machine, options.optimisation);
}

} // namespace streammap
