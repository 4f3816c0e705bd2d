#pragma once
// The device library (runtime/cpu/devicelib) as LLVM bitcode, built into the program.

namespace llvm {
class MemoryBufferRef;
} // namespace llvm

namespace streammap {

llvm::MemoryBufferRef deviceLibrary();

} // namespace streammap
