#pragma once
// A kernel body as a coroutine: LLVM's switched-resume lowering (llvm.org/docs/Coroutines.html), whose frame
// begins with the resume function, null once the thread has returned. The device library resumes the frames
// in turn (RunBlock.cpp) and owns their memory.

namespace llvm {
class Function;
} // namespace llvm

namespace streammap {

/// Makes `ptr coroutine(ptr thread)`, which runs `body(thread)` up to its first wait and returns the frame.
llvm::Function *makeCoroutine(llvm::Function &body);

/// Once all that waits is inlined: each call of smcpu_suspend in `coroutine` becomes a suspension point.
void makeSuspensionPoints(llvm::Function &coroutine);

} // namespace streammap
