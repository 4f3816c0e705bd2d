#include "cpudevice/DeviceProgram.h"
#include "cpudevice/InlinePtx.h"
#include "cpudevice/LibraryCalls.h"
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Module.h>

namespace streammap {
namespace {

llvm::Value *coerce(llvm::IRBuilder<> &builder, llvm::Value *value, llvm::Type *to) {
  llvm::Type *from = value->getType();
  if (from == to)
    return value;
  if (from->isPointerTy() && to->isPointerTy())
    return builder.CreateAddrSpaceCast(value, to);
  if (from->isPointerTy() && to->isIntegerTy())
    return builder.CreatePtrToInt(value, to);
  if (from->isIntegerTy() && to->isPointerTy())
    return builder.CreateIntToPtr(value, to);
  return builder.CreateBitCast(value, to);
}

/// A variable in the entry block, where it costs nothing.
llvm::AllocaInst *temporary(llvm::Function &function, llvm::Type *type) {
  return new llvm::AllocaInst(type, 0, nullptr, "result",
                              function.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
}

void replaceByLibrary(llvm::CallBase &call, const LibraryCall &needed, const llvm::Function &found) {
  llvm::Function &caller = *call.getFunction();
  llvm::FunctionCallee callee =
      call.getModule()->getOrInsertFunction(found.getName(), found.getFunctionType());
  llvm::cast<llvm::Function>(callee.getCallee())->setAttributes(found.getAttributes());
  llvm::IRBuilder<> builder(&call);
  std::vector<llvm::Value *> arguments;
  if (needed.takesThread)
    arguments.push_back(caller.getArg(0));
  for (llvm::Value *operand : call.args())
    arguments.push_back(
        coerce(builder, operand, found.getArg(static_cast<unsigned>(arguments.size()))->getType()));
  auto *fields = llvm::dyn_cast<llvm::StructType>(call.getType());
  std::vector<std::pair<llvm::AllocaInst *, llvm::Type *>> further;
  if (fields)
    for (llvm::Type *field : llvm::drop_begin(fields->elements())) {
      // A C++ bool is a byte in memory.
      llvm::Type *stored = field->isIntegerTy(1) ? builder.getInt8Ty() : field;
      further.emplace_back(temporary(caller, stored), field);
      arguments.push_back(further.back().first);
    }
  llvm::CallInst *made = builder.CreateCall(callee, arguments);
  made->setAttributes(found.getAttributes());
  made->removeFnAttr(llvm::Attribute::AlwaysInline);
  llvm::Value *result = made;
  if (fields) {
    result = builder.CreateInsertValue(llvm::PoisonValue::get(fields),
                                       coerce(builder, made, fields->getElementType(0)), 0);
    for (unsigned i = 0; i != further.size(); ++i) {
      auto [variable, field] = further[i];
      llvm::Value *value = builder.CreateLoad(variable->getAllocatedType(), variable);
      if (field->isIntegerTy(1))
        value = builder.CreateTrunc(value, field);
      result = builder.CreateInsertValue(result, value, i + 1);
    }
  } else if (!call.getType()->isVoidTy()) {
    result = coerce(builder, made, call.getType());
  }
  if (!call.getType()->isVoidTy())
    call.replaceAllUsesWith(result);
  call.eraseFromParent();
}

} // namespace

void lowerCalls(DeviceProgram &program, const llvm::Module &library) {
  for (llvm::Function &function : *program.module) {
    std::vector<llvm::CallBase *> calls;
    for (llvm::BasicBlock &block : function)
      for (llvm::Instruction &instruction : block)
        if (auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction))
          calls.push_back(call);
    for (llvm::CallBase *call : calls) {
      if (const std::optional<LibraryCall> needed = libraryCall(*call)) {
        if (const llvm::Function *found = findInLibrary(*call, *needed, library))
          replaceByLibrary(*call, *needed, *found);
      } else if (call->isInlineAsm() && !untranslatablePtx(*call, library)) {
        translatePtx(*call, library);
      }
      // What is left is in functions that no kernel reaches: refuseUnsupported has seen to it.
    }
  }
}

} // namespace streammap
