#include "cpudevice/CountingRules.h"
#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringSwitch.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <optional>

namespace streammap {
namespace {

/// The address spaces of NVPTX (NVPTXUsage, "Address Spaces").
std::optional<MemorySpace> spaceOfAddressSpace(unsigned addressSpace) {
  switch (addressSpace) {
  case 1:
    return MemorySpace::global;
  case 3:
    return MemorySpace::shared;
  case 4:
    return MemorySpace::constant;
  case 5:
    return MemorySpace::local;
  case 101:
    return MemorySpace::parameter;
  default:
    return std::nullopt;
  }
}

MemorySpace spaceOfObject(const llvm::Value *object) {
  if (auto space = spaceOfAddressSpace(object->getType()->getPointerAddressSpace()))
    return *space;
  if (llvm::isa<llvm::AllocaInst>(object))
    return MemorySpace::local;
  if (auto *argument = llvm::dyn_cast<llvm::Argument>(object); argument && argument->hasByValAttr())
    return argument->getParent()->getCallingConv() == llvm::CallingConv::PTX_Kernel ? MemorySpace::parameter
                                                                                    : MemorySpace::local;
  return MemorySpace::global;
}

std::uint64_t elementCount(const llvm::Type *type) {
  if (auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(type))
    return vector->getNumElements();
  return 1;
}

/// The metric that counts arithmetic on `type`, if it is counted.
std::optional<CostMetric> arithmeticMetric(const llvm::Type *type) {
  const llvm::Type *scalar = type->getScalarType();
  if (scalar->isDoubleTy())
    return CostMetric::flopsFp64;
  if (scalar->isFloatTy())
    return CostMetric::flopsFp32;
  if (scalar->isHalfTy())
    return CostMetric::flopsFp16;
  if (scalar->isBFloatTy())
    return CostMetric::flopsBf16;
  if (scalar->isIntegerTy() && scalar->getIntegerBitWidth() > 1)
    return CostMetric::flopsInteger;
  return std::nullopt;
}

void addArithmetic(InstructionCost &cost, const llvm::Type *type, std::uint64_t operations) {
  if (auto metric = arithmeticMetric(type))
    cost[*metric] += operations * elementCount(type);
}

enum class Direction { load, store };

void addBytes(InstructionCost &cost, const llvm::Value *pointer, std::uint64_t bytes, Direction direction) {
  const bool load = direction == Direction::load;
  switch (memorySpace(pointer)) {
  case MemorySpace::global:
    cost[load ? CostMetric::globalLoadBytes : CostMetric::globalStoreBytes] += bytes;
    break;
  case MemorySpace::shared:
    cost[load ? CostMetric::sharedLoadBytes : CostMetric::sharedStoreBytes] += bytes;
    break;
  case MemorySpace::constant:
    cost[CostMetric::constantBytes] += bytes;
    break;
  case MemorySpace::local:
    cost[CostMetric::localBytes] += bytes;
    break;
  case MemorySpace::parameter:
    break;
  }
}

void addMemoryIntrinsic(InstructionCost &cost, const llvm::MemIntrinsic &memory) {
  auto *length = llvm::dyn_cast<llvm::ConstantInt>(memory.getLength());
  if (!length) {
    cost.unknown =
        llvm::isa<llvm::MemSetInst>(memory) ? "the length of this memset" : "the length of this memcpy";
    return;
  }
  addBytes(cost, memory.getRawDest(), length->getZExtValue(), Direction::store);
  if (auto *transfer = llvm::dyn_cast<llvm::MemTransferInst>(&memory))
    addBytes(cost, transfer->getRawSource(), length->getZExtValue(), Direction::load);
}

/// 2*m*n*k over the threads that work together, from the shape in a name such as
/// "nvvm.wmma.m16n16k16.mma...", "mma.sync.aligned.m16n8k8..." (a warp) or
/// "wgmma.mma_async.sync.aligned.m64n64k16..." (four warps).
std::uint64_t tensorFlopsPerThread(llvm::StringRef name) {
  const std::uint64_t threads = name.contains("wgmma") ? 128 : 32;
  for (std::size_t at = name.find(".m"); at != llvm::StringRef::npos; at = name.find(".m", at + 1)) {
    llvm::StringRef rest = name.drop_front(at + 2);
    unsigned m = 0, n = 0, k = 0;
    if (!rest.consumeInteger(10, m) && rest.consume_front("n") && !rest.consumeInteger(10, n) &&
        rest.consume_front("k") && !rest.consumeInteger(10, k))
      return std::uint64_t{2} * m * n * k / threads;
  }
  return 0;
}

/// One instruction of inline PTX: "fma.rn.f16x2 %r1, %r2, %r3, %r4".
struct PtxInstruction {
  llvm::StringRef mnemonic, operands;
  llvm::SmallVector<llvm::StringRef, 8> parts; ///< of the mnemonic
  llvm::StringRef operation() const { return parts.front(); }
  bool has(llvm::StringRef part) const { return llvm::is_contained(parts, part); }
};

/// "f32" 4, "b64" 8, "f16x2" 4, "pred" 0.
std::uint64_t bytesOfPtxType(llvm::StringRef type) {
  const bool isPair = type.consume_back("x2");
  if (type.empty() || !llvm::StringRef("bsuf").contains(type.front()))
    return 0;
  type = type.drop_front(type.starts_with("bf") ? 2 : 1);
  unsigned bits = 0;
  if (type.getAsInteger(10, bits))
    return 0;
  return bits / 8 * (isPair ? 2 : 1);
}

/// Loads and stores: false if it is none of them.
bool addPtxTransfer(InstructionCost &cost, const PtxInstruction &instruction) {
  const llvm::StringRef operation = instruction.operation();
  if (operation == "ldmatrix" || operation == "stmatrix") {
    // Up to four matrices of 8 x 8 x 2 bytes, 4 bytes of each for each of 32 threads.
    const std::uint64_t matrices = instruction.has("x4") ? 4 : instruction.has("x2") ? 2 : 1;
    cost[operation == "ldmatrix" ? CostMetric::sharedLoadBytes : CostMetric::sharedStoreBytes] +=
        4 * matrices;
    return true;
  }
  if (operation == "cp" && instruction.has("async") && instruction.has("global")) {
    // cp.async.cg.shared.global [to], [from], 16;
    unsigned bytes = 0;
    llvm::StringRef last = instruction.operands.rsplit(']').second.trim(" ,\t");
    if (!last.consumeInteger(10, bytes)) {
      cost[CostMetric::globalLoadBytes] += bytes;
      cost[CostMetric::sharedStoreBytes] += bytes;
    } else {
      cost.unknown = "the length of this cp.async";
    }
    return true;
  }
  if (operation != "ld" && operation != "ldu" && operation != "st")
    return false;
  const std::uint64_t elements = instruction.has("v4") ? 4 : instruction.has("v2") ? 2 : 1;
  const std::uint64_t bytes = elements * bytesOfPtxType(instruction.parts.back());
  const bool isLoad = operation != "st";
  if (instruction.has("shared"))
    cost[isLoad ? CostMetric::sharedLoadBytes : CostMetric::sharedStoreBytes] += bytes;
  else if (instruction.has("local"))
    cost[CostMetric::localBytes] += bytes;
  else if (instruction.has("const"))
    cost[CostMetric::constantBytes] += bytes;
  else if (!instruction.has("param"))
    cost[isLoad ? CostMetric::globalLoadBytes : CostMetric::globalStoreBytes] += bytes;
  return true;
}

/// Operations on numbers, by the type at the end of the mnemonic.
void addPtxArithmetic(InstructionCost &cost, const PtxInstruction &instruction) {
  llvm::StringRef type = instruction.parts.back();
  const unsigned width = type.consume_back("x2") ? 2 : 1;
  const llvm::StringRef operation = instruction.operation();
  const unsigned operations =
      llvm::StringSwitch<unsigned>(operation)
          .Cases({"add", "sub", "mul", "div", "rem", "mul24", "sad", "and", "or", "xor", "not", "cnot"}, 1)
          .Cases({"shl", "shr", "shf", "lop3", "bfe", "bfi", "popc", "clz", "brev", "bfind", "prmt", "dp4a",
                  "dp2a"},
                 1)
          .Cases({"fma", "mad", "mad24"}, 2)
          .Default(0);
  if (operations != 0 && type != "pred") {
    const CostMetric metric = llvm::StringSwitch<CostMetric>(type)
                                  .Case("f64", CostMetric::flopsFp64)
                                  .Case("f32", CostMetric::flopsFp32)
                                  .Case("f16", CostMetric::flopsFp16)
                                  .Case("bf16", CostMetric::flopsBf16)
                                  .Default(CostMetric::flopsInteger);
    // An integer multiply-add is one integer instruction.
    cost[metric] += metric == CostMetric::flopsInteger ? width : std::uint64_t{operations} * width;
    return;
  }
  if (llvm::StringSwitch<bool>(operation)
          .Cases({"sin", "cos", "ex2", "lg2", "tanh", "sqrt", "rsqrt", "rcp"}, true)
          .Default(false))
    cost[CostMetric::flopsSpecial] += width;
}

void addPtxInstruction(InstructionCost &cost, const PtxInstruction &instruction) {
  const llvm::StringRef operation = instruction.operation();
  if (operation == "mma" || operation == "wgmma" || operation == "wmma") {
    if (operation == "mma" || instruction.has("mma") || instruction.has("mma_async"))
      cost[CostMetric::flopsTensor] += tensorFlopsPerThread(instruction.mnemonic);
  } else if (operation == "tcgen05" && instruction.has("mma")) {
    cost.unknown = "the shape of this tcgen05.mma";
  } else if (operation == "atom" || operation == "red") {
    cost[CostMetric::atomics] += 1;
  } else if (operation == "bar" || operation == "barrier") {
    if (instruction.mnemonic.contains("sync") && !instruction.mnemonic.contains("warp"))
      cost[CostMetric::barriers] += 1;
  } else if (!addPtxTransfer(cost, instruction)) {
    addPtxArithmetic(cost, instruction);
  }
}

void addInlineAsm(InstructionCost &cost, llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef, 4> statements;
  text.split(statements, ';');
  for (llvm::StringRef statement : statements) {
    statement = statement.trim(" \t\n{}");
    if (statement.consume_front("@"))
      statement = statement.drop_while([](char c) { return !llvm::isSpace(c); }).ltrim();
    PtxInstruction instruction;
    instruction.mnemonic = statement.take_until([](char c) { return llvm::isSpace(c); });
    if (instruction.mnemonic.empty() || instruction.mnemonic.front() == '.')
      continue;
    instruction.operands = statement.drop_front(instruction.mnemonic.size());
    instruction.mnemonic.split(instruction.parts, '.');
    addPtxInstruction(cost, instruction);
  }
}

/// A call of the CUDA math library before it is linked: __nv_sinf, __nv_fmaf_rn, __nv_fmin, ...
void addMathFunction(InstructionCost &cost, const llvm::CallBase &call, llvm::StringRef name) {
  const llvm::Type *type = call.getType();
  llvm::StringRef base = name;
  for (llvm::StringRef rounding : {"_rn", "_rz", "_ru", "_rd"})
    base.consume_back(rounding);
  const bool rounded = base.size() != name.size();
  const int operations =
      llvm::StringSwitch<int>(base)
          .Cases({"fma", "fmaf"}, 2)
          .Cases({"hadd", "rhadd", "uhadd", "urhadd", "mulhi", "umulhi", "mul64hi", "umul64hi"}, 1)
          .Cases({"mul24", "umul24", "sad", "usad", "popc", "popcll", "clz", "clzll"}, 1)
          .Cases({"brev", "brevll", "ffs", "ffsll", "byte_perm"}, 1)
          .Cases({"fabs", "fabsf", "fmin", "fminf", "fmax", "fmaxf", "min", "max"}, 0)
          .Cases({"umin", "umax", "llmin", "llmax", "ullmin", "ullmax", "abs", "llabs"}, 0)
          .Cases({"copysign", "copysignf", "floor", "floorf", "ceil", "ceilf", "trunc", "truncf"}, 0)
          .Cases({"rint", "rintf", "round", "roundf", "nearbyint", "nearbyintf", "llrint", "llrintf"}, 0)
          .Cases({"isnanf", "isnand", "isinff", "isinfd", "finitef", "isfinited", "signbitf", "signbitd"}, 0)
          .Cases({"saturatef", "nan", "nanf", "lrint", "lround", "llround", "llroundf", "ilogb"}, 0)
          .Default(-1);
  if (operations >= 0)
    return addArithmetic(cost, type, static_cast<std::uint64_t>(operations));
  // __nv_dadd_rn, __nv_fmul_rz, __nv_fdiv_ru, __nv_fast_fdividef are arithmetic; conversions
  // (__nv_float2int_rn) are free; __nv_fsqrt_rn and all others are math functions.
  if (rounded &&
      (base.contains("add") || base.contains("sub") || base.contains("mul") || base.contains("div")))
    return addArithmetic(cost, type, 1);
  if (base == "fast_fdividef")
    return addArithmetic(cost, type, 1);
  if (base.contains("2") && !base.contains("exp2") && !base.contains("log2") && !base.contains("atan2"))
    return;
  if (base.contains("_as_"))
    return;
  cost[CostMetric::flopsSpecial] += elementCount(type);
}

void addNvvmIntrinsic(InstructionCost &cost, const llvm::CallBase &call, llvm::StringRef name) {
  const llvm::Type *type = call.getType();
  if (name.starts_with("barrier"))
    cost[CostMetric::barriers] += 1;
  else if (name.starts_with("bar.") && !name.starts_with("bar.warp"))
    cost[CostMetric::barriers] += 1;
  else if (name.starts_with("atomic"))
    cost[CostMetric::atomics] += 1;
  else if (name.starts_with("mma") ||
           ((name.starts_with("wmma") || name.starts_with("wgmma")) && name.contains(".mma")))
    cost[CostMetric::flopsTensor] += tensorFlopsPerThread(("." + name).str());
  else if (name.starts_with("fma."))
    addArithmetic(cost, type, 2);
  else if (name.starts_with("add.") || name.starts_with("mul.") || name.starts_with("div.") ||
           name.starts_with("mulhi.") || name.starts_with("mul24.") || name.starts_with("prmt") ||
           name.starts_with("sad.") || name.starts_with("idp"))
    addArithmetic(cost, type, 1);
  else if (name.starts_with("sqrt.") || name.starts_with("rsqrt.") || name.starts_with("rcp.") ||
           name.starts_with("sin.") || name.starts_with("cos.") || name.starts_with("ex2.") ||
           name.starts_with("lg2.") || name.starts_with("tanh."))
    cost[CostMetric::flopsSpecial] += elementCount(type);
}

void addIntrinsic(InstructionCost &cost, const llvm::IntrinsicInst &call) {
  const llvm::Type *type = call.getType();
  switch (call.getIntrinsicID()) {
  case llvm::Intrinsic::fma:
  case llvm::Intrinsic::fmuladd:
    return addArithmetic(cost, type, 2);
  case llvm::Intrinsic::sqrt:
  case llvm::Intrinsic::sin:
  case llvm::Intrinsic::cos:
  case llvm::Intrinsic::tan:
  case llvm::Intrinsic::exp:
  case llvm::Intrinsic::exp2:
  case llvm::Intrinsic::exp10:
  case llvm::Intrinsic::log:
  case llvm::Intrinsic::log2:
  case llvm::Intrinsic::log10:
  case llvm::Intrinsic::pow:
  case llvm::Intrinsic::powi:
  case llvm::Intrinsic::tanh:
    cost[CostMetric::flopsSpecial] += elementCount(type);
    return;
  case llvm::Intrinsic::ctpop:
  case llvm::Intrinsic::ctlz:
  case llvm::Intrinsic::cttz:
  case llvm::Intrinsic::bitreverse:
  case llvm::Intrinsic::bswap:
  case llvm::Intrinsic::fshl:
  case llvm::Intrinsic::fshr:
  case llvm::Intrinsic::uadd_sat:
  case llvm::Intrinsic::usub_sat:
  case llvm::Intrinsic::sadd_sat:
  case llvm::Intrinsic::ssub_sat:
    return addArithmetic(cost, type, 1);
  case llvm::Intrinsic::uadd_with_overflow:
  case llvm::Intrinsic::usub_with_overflow:
  case llvm::Intrinsic::umul_with_overflow:
  case llvm::Intrinsic::sadd_with_overflow:
  case llvm::Intrinsic::ssub_with_overflow:
  case llvm::Intrinsic::smul_with_overflow:
    return addArithmetic(cost, type->getContainedType(0), 1);
  default:
    break;
  }
  if (auto *memory = llvm::dyn_cast<llvm::MemIntrinsic>(&call))
    return addMemoryIntrinsic(cost, *memory);
  llvm::StringRef name = call.getCalledFunction()->getName();
  if (name.consume_front("llvm.nvvm."))
    addNvvmIntrinsic(cost, call, name);
}

void addCall(InstructionCost &cost, const llvm::CallBase &call) {
  if (auto *intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&call))
    return addIntrinsic(cost, *intrinsic);
  if (auto *assembly = llvm::dyn_cast<llvm::InlineAsm>(call.getCalledOperand()))
    return addInlineAsm(cost, assembly->getAsmString());
  if (auto *callee = call.getCalledFunction(); callee && callee->isDeclaration()) {
    llvm::StringRef name = callee->getName();
    if (name.consume_front("__nv_"))
      addMathFunction(cost, call, name);
  }
}

} // namespace

MemorySpace memorySpace(const llvm::Value *pointer) {
  if (auto space = spaceOfAddressSpace(pointer->getType()->getPointerAddressSpace()))
    return *space;
  llvm::SmallVector<const llvm::Value *, 4> objects;
  llvm::getUnderlyingObjects(pointer, objects);
  std::optional<MemorySpace> common;
  for (const llvm::Value *object : objects) {
    const MemorySpace space = spaceOfObject(object);
    if (common && *common != space)
      return MemorySpace::global;
    common = space;
  }
  return common.value_or(MemorySpace::global);
}

InstructionCost instructionCost(const llvm::Instruction &instruction) {
  InstructionCost cost;
  const llvm::DataLayout &layout = instruction.getModule()->getDataLayout();
  if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction))
    addBytes(cost, load->getPointerOperand(), layout.getTypeStoreSize(load->getType()), Direction::load);
  else if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction))
    addBytes(cost, store->getPointerOperand(), layout.getTypeStoreSize(store->getValueOperand()->getType()),
             Direction::store);
  else if (llvm::isa<llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(instruction))
    cost[CostMetric::atomics] += 1;
  else if (llvm::isa<llvm::BinaryOperator>(instruction))
    addArithmetic(cost, instruction.getType(), 1);
  else if (auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction))
    addCall(cost, *call);
  return cost;
}

} // namespace streammap
