#include "analysis/KernelCosts.h"
#include "analysis/BlockCounts.h"
#include "analysis/DeviceCompile.h"
#include "analysis/Markers.h"
#include "analysis/MemoryBehaviour.h"
#include "analysis/ParameterExtents.h"
#include "analysis/Resources.h"
#include "cpudevice/CountingRules.h"
#include "support/Text.h"
#include <algorithm>
#include <array>
#include <future>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/Utils/Cloning.h>

namespace streammap {
namespace {

/// LLVM's analyses of one module.
struct Analyses {
  llvm::PassBuilder builder;
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  Analyses() {
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(components);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, components, modules);
  }
};

/// The marker of a trips pragma must not stand in the way of the optimiser: it touches no memory of ours.
void loosenMarkers(llvm::Module &module) {
  llvm::Function *marker = module.getFunction(tripsFunction);
  if (!marker)
    return;
  marker->setMemoryEffects(llvm::MemoryEffects::inaccessibleMemOnly());
  marker->addFnAttr(llvm::Attribute::NoUnwind);
  marker->addFnAttr(llvm::Attribute::WillReturn);
  marker->addFnAttr(llvm::Attribute::NoSync);
  marker->addFnAttr(llvm::Attribute::NoCallback);
}

/// Calls that the optimiser left are inlined now, without optimising again: the instructions, and with them
/// the counts, stay the same, and the callee's loops are seen with the caller's arguments. Recursion stays,
/// and what would make the kernel too large: two recursive calls double it at each depth.
void inlineCalls(llvm::Function &kernel) {
  constexpr int deepest = 16;
  constexpr unsigned mostInstructions = 20'000;
  for (int depth = 0; depth != deepest; ++depth) {
    std::vector<llvm::CallBase *> calls;
    for (llvm::BasicBlock &block : kernel)
      for (llvm::Instruction &instruction : block)
        if (auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction))
          if (llvm::Function *callee = call->getCalledFunction();
              callee && !callee->isDeclaration() && callee != &kernel)
            calls.push_back(call);
    if (calls.empty())
      return;
    for (llvm::CallBase *call : calls) {
      if (kernel.getInstructionCount() > mostInstructions)
        return;
      llvm::InlineFunctionInfo info;
      llvm::InlineFunction(*call, info);
    }
  }
}

std::string locationOf(const llvm::DebugLoc &location) {
  if (!location)
    return {};
  return llvm::cast<llvm::DIScope>(location.getScope())->getFilename().str() + ":" +
         std::to_string(location.getLine()) + ":" + std::to_string(location.getCol());
}

/// Why the cost of `call` is not known, or nothing.
std::string whyUncounted(const llvm::CallBase &call) {
  if (llvm::isa<llvm::InlineAsm>(call.getCalledOperand()) || llvm::isa<llvm::IntrinsicInst>(call))
    return {};
  const llvm::Function *callee = call.getCalledFunction();
  if (!callee)
    return "a call through a pointer";
  if (!callee->isDeclaration())
    return "the function '" + llvm::demangle(callee->getName().str()) +
           "', which is recursive or too large to follow,";
  static constexpr std::array<std::string_view, 7> free{
      "vprintf", "__assertfail", "malloc", "free", "__cxa_pure_virtual", "__cxa_deleted_virtual", "exit"};
  const llvm::StringRef name = callee->getName();
  if (name.starts_with("__nv_") || name == tripsFunction ||
      std::ranges::find(free, std::string_view(name)) != free.end())
    return {};
  return "'" + llvm::demangle(name.str()) + "' has no body in this source";
}

using Costs = std::array<Expression, costMetricCount>;

/// A kernel that calls what nobody can see costs an unknown amount more of everything.
void addUncounted(const ExecutionCounts &counts, std::vector<UnknownCost> &unknowns) {
  for (const auto &[block, count] : counts.blocks) {
    if (count.isZero())
      continue;
    for (const llvm::Instruction &instruction : *block)
      if (const auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction))
        if (const std::string why = whyUncounted(*call); !why.empty())
          unknowns.push_back({"all", locationOf(call->getDebugLoc()), why + " is not counted",
                              "give the task flops(...) and bytes(...) clauses"});
  }
}

void sumUp(const ExecutionCounts &counts, Costs &costs, std::vector<UnknownCost> &unknowns) {
  for (const auto &[block, count] : counts.blocks) {
    if (count.isZero())
      continue;
    InstructionCost once;
    for (const llvm::Instruction &instruction : *block) {
      const InstructionCost cost = instructionCost(instruction);
      for (std::size_t i = 0; i != countedMetricCount; ++i)
        once.amounts[i] += cost.amounts[i];
      if (!cost.unknown.empty())
        unknowns.push_back({llvm::isa<llvm::MemIntrinsic>(instruction) ? "global_store_bytes" : "all",
                            locationOf(instruction.getDebugLoc()),
                            std::string(cost.unknown) + " is known only at run time",
                            "give the task flops(...) and bytes(...) clauses"});
    }
    for (std::size_t i = 0; i != countedMetricCount; ++i)
      if (once.amounts[i] != 0)
        costs[i] += static_cast<std::int64_t>(once.amounts[i]) * count;
  }
}

void addMemoryBehaviour(const MemoryBehaviour &behaviour, Costs &costs, std::vector<UnknownCost> &unknowns) {
  for (const auto &[metric, amount] : behaviour.costs)
    costs[static_cast<std::size_t>(metric)] = amount;
  for (const UncertainAccess &access : behaviour.unknowns)
    unknowns.push_back({std::string(metricName(access.metric)), locationOf(access.instruction->getDebugLoc()),
                        access.reason, access.remedy});
}

void addSymbols(const ExecutionCounts &counts, const Costs &costs, std::vector<UnknownCost> &unknowns) {
  for (std::size_t i = 0; i != costMetricCount; ++i)
    for (const std::string &symbol : costs[i].symbols())
      if (const auto factor = counts.unknowns.find(symbol); factor != counts.unknowns.end())
        unknowns.push_back(
            {std::string(costMetricNames[i]), factor->second.location, factor->second.reason,
             factor->second.remedy + (symbol.contains('@') ? ", or pass --param " + symbol + "=VALUE" : "")});
}

void countKernel(llvm::Function &function, const DeclaredKernel &declared, Analyses &analyses,
                 KernelAnalysis &result) {
  inlineCalls(function);
  analyses.functions.clear(function, function.getName());
  auto &evolution = analyses.functions.getResult<llvm::ScalarEvolutionAnalysis>(function);
  auto &loops = analyses.functions.getResult<llvm::LoopAnalysis>(function);
  auto &dominators = analyses.functions.getResult<llvm::DominatorTreeAnalysis>(function);
  auto &postDominators = analyses.functions.getResult<llvm::PostDominatorTreeAnalysis>(function);
  const ExecutionCounts counts =
      countExecutions(function, declared, evolution, loops, dominators, postDominators);
  for (const CountedLoop &loop : counts.loops)
    result.loops.push_back({loop.location, loop.whyUnknown});
  Costs costs;
  sumUp(counts, costs, result.unknowns);
  result.extents = parameterExtents(counts);
  addMemoryBehaviour(memoryBehaviour(counts), costs, result.unknowns);
  addUncounted(counts, result.unknowns);
  addSymbols(counts, costs, result.unknowns);
  for (std::size_t i = 0; i != costMetricCount; ++i)
    if (!costs[i].isZero())
      result.costs.emplace(costMetricNames[i], costs[i]);
}

KernelAnalysis describe(const DeclaredKernel &declared) {
  KernelAnalysis result;
  result.symbol = declared.symbol;
  result.name = declared.name;
  result.location = declared.location;
  for (const DeclaredParameter &parameter : declared.parameters) {
    if (parameter.parts.empty() || parameter.parts[0].name != parameter.name)
      result.parameters.push_back({parameter.name, parameter.type});
    for (const ParameterPart &part : parameter.parts)
      result.parameters.push_back({part.name, part.type});
  }
  return result;
}

/// False, with an error, if one of them does not exist.
bool checkArchitectures(const std::vector<std::string> &architectures, Diagnostics &diagnostics) {
  const std::vector<std::string> known = knownArchitectures();
  bool valid = true;
  for (const std::string &arch : architectures) {
    const bool wellFormed =
        arch.starts_with("sm_") && arch.size() > 4 &&
        std::ranges::all_of(std::string_view(arch).substr(3, 2), [](char c) { return c >= '0' && c <= '9'; });
    if (wellFormed && (known.empty() || std::ranges::find(known, arch) != known.end()))
      continue;
    valid = false;
    std::string message = "unknown GPU architecture '" + arch + "'" + didYouMean(arch, known);
    message += known.empty() ? " (expected sm_ and a number, such as sm_90)"
                             : " (ptxas knows " + join(std::span<const std::string>(known), ", ") + ")";
    diagnostics.error({}, message, "unknown-architecture");
  }
  return valid;
}

} // namespace

std::vector<KernelAnalysis> analyseKernels(const CompileJob &job, const KernelOptions &options,
                                           Diagnostics &diagnostics) {
  std::vector<KernelAnalysis> result;
  if (!job.isCuda || !checkArchitectures(options.architectures, diagnostics))
    return result;
  // The compilers run as processes beside our own compilation, and after it as long as they need.
  auto resources = std::async(std::launch::async,
                              [&] { return kernelResources(job, options.architectures, options.resources); });
  const std::string arch = options.architectures.empty() ? "sm_80" : options.architectures.front();
  std::optional<DeviceCode> code = compileDevice(job, arch, diagnostics);
  if (!code)
    return result;
  loosenMarkers(*code->module);
  optimiseDeviceCode(*code->module);
  Analyses analyses;
  for (const DeclaredKernel &declared : code->kernels) {
    KernelAnalysis kernel = describe(declared);
    llvm::Function *function = code->module->getFunction(declared.symbol);
    if (function && !function->isDeclaration())
      countKernel(*function, declared, analyses, kernel);
    result.push_back(std::move(kernel));
  }
  const ArchitectureResources found = resources.get();
  for (KernelAnalysis &kernel : result)
    for (const std::string &name : options.architectures) {
      const auto architecture = found.byArchitecture.find(name);
      if (architecture != found.byArchitecture.end() && architecture->second.contains(kernel.symbol)) {
        kernel.resources.emplace(name, architecture->second.at(kernel.symbol));
        continue;
      }
      const auto failed = found.failures.find(name);
      if (options.resources != ResourceCompiler::none)
        kernel.unknowns.push_back(
            {"registers_per_thread", kernel.location,
             name + ": " +
                 (failed != found.failures.end() ? failed->second
                                                 : "the compiler made no code for this kernel"),
             failed != found.failures.end() && failed->second.starts_with("nvcc fails")
                 ? "give nvcc the flags it needs after --"
                 : "install nvcc, or ptxas beside clang++, and put it on PATH"});
    }
  return result;
}

} // namespace streammap
