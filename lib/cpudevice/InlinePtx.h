#pragma once
// Inline PTX -> calls of the device library, instruction by instruction:
//
//   {.reg .pred p; setp.gt.f16 p, $1, $2; selp.u16 $0, 1, 0, p;}
//
// becomes smcpu_ptx_setp_gt_f16($1, $2) and a select. Straight-line code with registers, predicates on
// instructions without side effects, packing braces and immediates; no branches. An instruction is supported
// if the library has a function of its name: dots as underscores, "_p" added for a second result (d|p), a
// register's name added where one is read (mov.u32 d, %laneid is smcpu_ptx_mov_u32_laneid).
#include <optional>
#include <string>

namespace llvm {
class CallBase;
class Module;
} // namespace llvm

namespace streammap {

/// The first instruction of the asm statement `call` that cannot be translated, as written; nothing if all
/// can.
std::optional<std::string> untranslatablePtx(const llvm::CallBase &call, const llvm::Module &library);

/// Replaces the asm statement `call`, which untranslatablePtx has found nothing against. Its function has the
/// thread as first parameter.
void translatePtx(llvm::CallBase &call, const llvm::Module &library);

} // namespace streammap
