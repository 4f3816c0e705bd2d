#include "cpudevice/DeviceProgram.h"
#include "cpudevice/LibraryCalls.h"
#include "cpudevice/ReachableFunctions.h"
#include <llvm/ADT/StringExtras.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <map>
#include <set>
#include <tuple>

namespace streammap {
namespace {

SourceLocation locationOf(const llvm::DILocation *location) {
  SourceLocation result;
  if (!location)
    return result;
  result.file = location->getFilename().str();
  if (!location->getDirectory().empty() && !result.file.starts_with("/") && result.file.starts_with(".."))
    result.file = location->getDirectory().str() + "/" + result.file;
  result.line = location->getLine();
  result.column = location->getColumn();
  return result;
}

/// A header of the toolkit or the compiler: true, but not where the user can change anything.
bool isSystemFile(llvm::StringRef file) {
  return file.contains("/usr/") || file.contains("/clang/22/") || file.contains("/targets/") ||
         file.contains("/nvidia/");
}

/// The place in the user's own sources that leads to `instruction`: its own, else that of the nearest call
/// towards the kernel.
SourceLocation userLocation(const llvm::Instruction &instruction,
                            const std::map<const llvm::Function *, const llvm::CallBase *> &calledFrom) {
  SourceLocation nearest;
  std::set<const llvm::Function *> visited;
  for (const llvm::Instruction *at = &instruction; at;) {
    for (const llvm::DILocation *location = at->getDebugLoc(); location;
         location = location->getInlinedAt()) {
      if (!isSystemFile(location->getFilename()))
        return locationOf(location);
      if (nearest.file.empty())
        nearest = locationOf(location);
    }
    const llvm::Function *function = at->getFunction();
    auto caller = calledFrom.find(function);
    if (!visited.insert(function).second || caller == calledFrom.end())
      break;
    at = caller->second;
  }
  return nearest;
}

class Search {
public:
  Search(const llvm::Module &library, Diagnostics &diagnostics)
      : library_(library), diagnostics_(diagnostics) {}

  void kernel(const DeviceKernel &kernel) {
    std::map<const llvm::Function *, const llvm::CallBase *> calledFrom;
    const std::set<const llvm::Function *> reachable = reachableFunctions(*kernel.body);
    std::vector<const llvm::Function *> open{kernel.body};
    std::set<const llvm::Function *> seen{kernel.body};
    std::vector<const llvm::Instruction *> found;
    auto visit = [&](const llvm::Function &function) {
      for (const llvm::BasicBlock &block : function)
        for (const llvm::Instruction &instruction : block) {
          auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
          if (!call)
            continue;
          const llvm::Function *callee = call->getCalledFunction();
          if (callee && reachable.contains(callee) && seen.insert(callee).second) {
            calledFrom[callee] = call;
            open.push_back(callee);
          }
          if (findUnsupported(*call, library_))
            found.push_back(call);
        }
    };
    for (std::size_t i = 0; i != open.size(); ++i)
      visit(*open[i]);
    // In the module's order, so that the same input gives the same messages.
    for (const llvm::Function &function : *kernel.body->getParent())
      if (reachable.contains(&function) && !seen.contains(&function))
        visit(function);
    for (const llvm::Instruction *instruction : found)
      report(kernel, llvm::cast<llvm::CallBase>(*instruction), calledFrom);
  }

private:
  void report(const DeviceKernel &kernel, const llvm::CallBase &call,
              const std::map<const llvm::Function *, const llvm::CallBase *> &calledFrom) {
    const SourceLocation location = userLocation(call, calledFrom);
    const std::string what = *findUnsupported(call, library_);
    if (!reported_.insert({location.file, location.line, location.column, what, kernel.symbol}).second)
      return;
    Diagnostic diagnostic{.location = location,
                          .message = "kernel '" + llvm::demangle(kernel.symbol) + "' uses " + what +
                                     ", which the CPU device cannot run",
                          .code = "unsupported-on-cpu-device",
                          .snippet = {},
                          .fix = {},
                          .notes = {}};
    const SourceLocation exact = locationOf(call.getDebugLoc());
    if (!(exact == location) && !exact.file.empty())
      diagnostic.notes.push_back(
          {.severity = Severity::note,
           .location = exact,
           .message = "in '" + llvm::demangle(call.getFunction()->getName().str()) + "'",
           .code = {},
           .snippet = {},
           .fix = {},
           .notes = {}});
    diagnostics_.report(std::move(diagnostic));
  }

  const llvm::Module &library_;
  Diagnostics &diagnostics_;
  std::set<std::tuple<std::string, unsigned, unsigned, std::string, std::string>> reported_;
};

SourceLocation inFile(const llvm::Module &module) {
  SourceLocation result;
  result.file = module.getSourceFileName();
  return result;
}

bool usedByCode(const llvm::Value &value) {
  for (const llvm::User *user : value.users())
    if (llvm::isa<llvm::Instruction>(user) || usedByCode(*user))
      return true;
  return false;
}

/// Another variable whose initial value holds this one's address.
const llvm::GlobalVariable *holderOf(const llvm::Value &value) {
  for (const llvm::User *user : value.users()) {
    if (auto *holder = llvm::dyn_cast<llvm::GlobalVariable>(user);
        holder && !holder->getName().starts_with("llvm."))
      return holder;
    if (llvm::isa<llvm::Constant>(user) && !llvm::isa<llvm::GlobalValue>(user))
      if (const llvm::GlobalVariable *holder = holderOf(*user))
        return holder;
  }
  return nullptr;
}

void refuseVariables(const llvm::Module &module, Diagnostics &diagnostics) {
  for (const llvm::GlobalVariable &variable : module.globals()) {
    const unsigned space = variable.getAddressSpace();
    const std::string name = llvm::demangle(variable.getName().str());
    if ((space == 1 || space == 4) && !variable.hasInitializer() && !variable.hasExternalWeakLinkage() &&
        usedByCode(variable))
      diagnostics.error(inFile(module),
                        "device variable '" + name +
                            "' is defined in another file; the CPU device needs it in the file that uses it",
                        "unsupported-on-cpu-device");
    const bool mutableVariable =
        (space == 1 || space == 4) && (!variable.isConstant() || variable.isExternallyInitialized());
    if (mutableVariable || space == 3)
      if (const llvm::GlobalVariable *holder = holderOf(variable))
        diagnostics.error(inFile(module),
                          "the initial value of '" + llvm::demangle(holder->getName().str()) +
                              "' is the address of '" + name +
                              "', which differs from device to device; assign it in a kernel instead",
                          "unsupported-on-cpu-device");
  }
}

} // namespace

void refuseUnsupported(const DeviceProgram &program, const llvm::Module &library, Diagnostics &diagnostics) {
  Search search(library, diagnostics);
  for (const DeviceKernel &kernel : program.kernels)
    search.kernel(kernel);
  refuseVariables(*program.module, diagnostics);
}

} // namespace streammap
