#include "cpudevice/DeviceProgram.h"
#include <algorithm>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

namespace streammap {
namespace {

llvm::OptimizationLevel levelOf(unsigned optimisation) {
  constexpr unsigned highest = 3;
  const llvm::OptimizationLevel levels[] = {llvm::OptimizationLevel::O0, llvm::OptimizationLevel::O1,
                                            llvm::OptimizationLevel::O2, llvm::OptimizationLevel::O3};
  return levels[std::min(optimisation, highest)];
}

void optimise(llvm::Module &module, llvm::TargetMachine &machine, unsigned optimisation) {
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = tuning.SLPVectorization = optimisation >= 2;
  llvm::PassBuilder builder(&machine, tuning);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  const llvm::OptimizationLevel level = levelOf(optimisation);
  llvm::ModulePassManager manager = optimisation == 0 ? builder.buildO0DefaultPipeline(level)
                                                      : builder.buildPerModuleDefaultPipeline(level);
  manager.run(module, modules);
}

} // namespace

std::string emitObject(DeviceProgram &program, llvm::TargetMachine &machine, unsigned optimisation) {
  optimise(*program.module, machine, optimisation);
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager generator;
  const bool cannot =
      machine.addPassesToEmitFile(generator, stream, nullptr, llvm::CodeGenFileType::ObjectFile);
  assert(!cannot && "every host LLVM supports writes objects");
  (void)cannot;
  generator.run(*program.module);
  return std::string(bytes.begin(), bytes.end());
}

} // namespace streammap
