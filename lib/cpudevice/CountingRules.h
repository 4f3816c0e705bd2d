#pragma once
// How much work one instruction of device IR is: the one table that the static analysis (lib/analysis)
// multiplies by trip counts and that the counting CPU device adds up while the program runs. Both look at the
// same IR, the result of optimiseDeviceCode() below, before any lowering.
//
// The rules, per execution by one thread (vectors count each element):
//   floating point   fadd fsub fmul fdiv frem: 1 of their type. fma and fmuladd: 2, so contraction changes
//   nothing.
//                    Negation, abs, min, max, comparison, select, conversion: 0. Rounded intrinsics
//                    (__fadd_rn) like the plain operation. Half precision in inline PTX ("fma.rn.f16x2")
//                    likewise.
//   special          one per math function (sin, exp, sqrt, rsqrt, pow, tanh, ...), whatever it expands to;
//   no flops. integer          add sub mul div rem shifts and or xor on integers wider than one bit, popc,
//   clz, mulhi, ...: 1.
//                    Address computations (getelementptr), casts, comparisons, min, max, select: 0.
//   tensor           mma, wmma: 2*m*n*k / 32 per thread; wgmma: over the 128 threads of a warp group.
//   inline PTX       by its mnemonics, with the same rules; loads, stores, ldmatrix and cp.async by their
//   widths. loads, stores    the bytes requested by the instruction, by memory: shared, constant
//   (__constant__), local
//                    (arrays that did not become registers), global (all other, including pointers of unknown
//                    origin). Kernel parameters are free. Not sectors, not cache traffic.
//   atomics          1 each, no bytes. barriers: 1 per arriving thread. Shuffles, votes and calls: 0.
#include "support/CostMetrics.h"
#include <array>
#include <cstdint>
#include <string_view>

namespace llvm {
class Instruction;
class Module;
class Value;
} // namespace llvm

namespace streammap {

enum class MemorySpace { global, shared, constant, local, parameter };

/// Where `pointer` points, from its address space or the object it is derived from.
MemorySpace memorySpace(const llvm::Value *pointer);

struct InstructionCost {
  std::array<std::uint64_t, countedMetricCount> amounts{};
  /// Not empty: part of the cost depends on a run-time value ("the length of this memcpy"), which amounts
  /// leave out.
  std::string_view unknown;

  std::uint64_t &operator[](CostMetric metric) { return amounts[static_cast<std::size_t>(metric)]; }
  std::uint64_t operator[](CostMetric metric) const { return amounts[static_cast<std::size_t>(metric)]; }
};

/// One execution of `instruction` by one thread.
InstructionCost instructionCost(const llvm::Instruction &instruction);

/// Clang's -O2 pipeline for nvptx64 without loop unrolling (other than #pragma unroll), vectorisation and
/// libdevice: gives the IR whose instructions are counted. `module` is unoptimised device IR (-O2 -Xclang
/// -disable-llvm-passes) and is changed in place.
void optimiseDeviceCode(llvm::Module &module);

} // namespace streammap
