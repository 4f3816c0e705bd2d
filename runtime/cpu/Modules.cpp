#include "cpu/Modules.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace streammap::cpu {

void Modules::add(const SmcpuModule *code) {
  std::lock_guard lock(mutex_);
  if (modules_.size() == most) {
    std::fprintf(stderr, "streammap: more than %u modules of kernels in one process\n", most);
    std::abort();
  }
  Module &module = modules_.emplace_back();
  module.code = code;
  module.slot = static_cast<std::uint32_t>(modules_.size() - 1);
  if (code->slot)
    *code->slot = module.slot;
  for (std::uint32_t i = 0; i != code->kernelCount; ++i) {
    Kernel &kernel = module.kernels.emplace_back(&code->kernels[i], &module);
    kernels_[&kernel] = &kernel;
  }
}

const Module *Modules::findByBinary(const char *binary) const {
  std::lock_guard lock(mutex_);
  // The bytes need not end with a null: of two ids that both fit, the longer one is meant.
  const Module *found = nullptr;
  std::size_t length = 0;
  for (const Module &module : modules_) {
    const std::size_t here = std::strlen(module.code->id);
    if (here >= length && std::strncmp(binary, module.code->id, here) == 0) {
      found = &module;
      length = here;
    }
  }
  return found;
}

std::vector<const Module *> Modules::fromSlot(std::uint32_t first) const {
  std::lock_guard lock(mutex_);
  std::vector<const Module *> found;
  for (std::size_t slot = first; slot < modules_.size(); ++slot)
    found.push_back(&modules_[slot]);
  return found;
}

std::uint32_t Modules::count() const {
  std::lock_guard lock(mutex_);
  return static_cast<std::uint32_t>(modules_.size());
}

bool Modules::bindKernel(const void *hostStub, const Module *module, std::string_view symbol) {
  std::lock_guard lock(mutex_);
  for (Module &candidate : modules_) {
    if (&candidate != module)
      continue;
    for (Kernel &kernel : candidate.kernels) {
      if (symbol == kernel.code->symbol) {
        kernels_[hostStub] = &kernel;
        return true;
      }
    }
  }
  return false;
}

bool Modules::bindVariable(const void *hostShadow, const Module *module, std::string_view symbol) {
  std::lock_guard lock(mutex_);
  for (std::uint32_t i = 0; i != module->code->variableCount; ++i) {
    const SmcpuVariable &variable = module->code->variables[i];
    if (symbol == variable.symbol) {
      variables_[hostShadow] = {module, &variable};
      return true;
    }
  }
  return false;
}

Kernel *Modules::kernel(const void *function) const {
  std::lock_guard lock(mutex_);
  const auto found = kernels_.find(function);
  return found == kernels_.end() ? nullptr : found->second;
}

bool Modules::variable(const void *symbol, Variable &found) const {
  std::lock_guard lock(mutex_);
  const auto at = variables_.find(symbol);
  if (at == variables_.end())
    return false;
  found = at->second;
  return true;
}

std::vector<Kernel *> Modules::kernels() {
  std::lock_guard lock(mutex_);
  std::vector<Kernel *> all;
  for (Module &module : modules_)
    for (Kernel &kernel : module.kernels)
      all.push_back(&kernel);
  return all;
}

} // namespace streammap::cpu
