#include "analysis/DeviceCompile.h"
#include "analysis/ClangDiagnostics.h"
#include "analysis/FrontEnd.h"
#include "analysis/LaunchBraces.h"
#include <algorithm>
#include <clang/AST/ASTConsumer.h>
#include <clang/AST/Attr.h>
#include <clang/AST/Mangle.h>
#include <clang/AST/RecordLayout.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/CodeGen/CodeGenAction.h>
#include <clang/Driver/CreateInvocationFromArgs.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/MultiplexConsumer.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/VirtualFileSystem.h>

namespace streammap {

DeviceCode::DeviceCode() = default;
DeviceCode::DeviceCode(DeviceCode &&) noexcept = default;
DeviceCode::~DeviceCode() = default;
DeviceCode &DeviceCode::operator=(DeviceCode &&other) noexcept {
  module = std::move(other.module); // before the context it lives in
  context = std::move(other.context);
  kernels = std::move(other.kernels);
  sites = std::move(other.sites);
  return *this;
}

namespace {

/// A struct with more integers than this is a table, not a set of arguments.
constexpr std::size_t mostParts = 256;

class KernelCollector : public clang::RecursiveASTVisitor<KernelCollector> {
public:
  KernelCollector(clang::ASTContext &context, std::vector<DeclaredKernel> &kernels)
      : context_(context), names_(context), policy_(context.getPrintingPolicy()), kernels_(kernels) {
    policy_.SuppressTagKeyword = true;
  }

  bool shouldVisitTemplateInstantiations() const { return true; }
  bool shouldVisitImplicitCode() const { return true; }

  bool VisitFunctionDecl(clang::FunctionDecl *function) {
    if (!function->hasAttr<clang::CUDAGlobalAttr>() || !function->isThisDeclarationADefinition() ||
        function->isDependentContext())
      return true;
    DeclaredKernel kernel;
    kernel.symbol = names_.getName(function);
    llvm::raw_string_ostream printed(kernel.name);
    function->getNameForDiagnostic(printed, policy_, /*Qualified=*/true);
    kernel.location = locationText(context_.getSourceManager(), function->getLocation());
    for (const clang::ParmVarDecl *parameter : function->parameters())
      kernel.parameters.push_back(describe(*parameter));
    kernels_.push_back(std::move(kernel));
    return true;
  }

private:
  DeclaredParameter describe(const clang::ParmVarDecl &parameter) {
    DeclaredParameter result;
    result.name = parameter.getName().str();
    if (result.name.empty())
      result.name = "argument" + std::to_string(parameter.getFunctionScopeIndex());
    result.type = parameter.getType().getAsString(policy_);
    addParts(result, result.name, parameter.getType(), 0);
    return result;
  }

  void addParts(DeclaredParameter &parameter, const std::string &name, clang::QualType type,
                std::uint64_t offset) {
    if (parameter.parts.size() >= mostParts)
      return;
    type = type.getCanonicalType();
    if (type->isIntegralOrEnumerationType()) {
      parameter.parts.push_back(
          {name, type.getAsString(policy_), offset, type->isUnsignedIntegerOrEnumerationType()});
      return;
    }
    if (const auto *array = context_.getAsConstantArrayType(type)) {
      const std::uint64_t size = context_.getTypeSizeInChars(array->getElementType()).getQuantity();
      for (std::uint64_t i = 0; i != array->getZExtSize() && i != mostParts; ++i)
        addParts(parameter, name + "." + std::to_string(i), array->getElementType(), offset + i * size);
      return;
    }
    const clang::RecordDecl *record = type->getAsRecordDecl();
    if (!record || !record->isCompleteDefinition() || record->isUnion() || record->isInvalidDecl())
      return;
    const clang::ASTRecordLayout &layout = context_.getASTRecordLayout(record);
    if (const auto *classType = llvm::dyn_cast<clang::CXXRecordDecl>(record))
      for (const clang::CXXBaseSpecifier &base : classType->bases())
        if (const auto *baseType = base.getType()->getAsCXXRecordDecl(); baseType && !base.isVirtual())
          addParts(parameter, name, base.getType(),
                   offset + static_cast<std::uint64_t>(layout.getBaseClassOffset(baseType).getQuantity()));
    for (const clang::FieldDecl *field : record->fields())
      if (!field->isBitField() && !field->getName().empty())
        addParts(parameter, name + "." + field->getName().str(), field->getType(),
                 offset + layout.getFieldOffset(field->getFieldIndex()) / 8);
  }

  clang::ASTContext &context_;
  clang::ASTNameGenerator names_;
  clang::PrintingPolicy policy_;
  std::vector<DeclaredKernel> &kernels_;
};

class CollectingConsumer : public clang::ASTConsumer {
public:
  explicit CollectingConsumer(std::vector<DeclaredKernel> &kernels) : kernels_(kernels) {}
  void HandleTranslationUnit(clang::ASTContext &context) override {
    KernelCollector(context, kernels_).TraverseDecl(context.getTranslationUnitDecl());
  }

private:
  std::vector<DeclaredKernel> &kernels_;
};

class DeviceAction : public clang::EmitLLVMOnlyAction {
public:
  DeviceAction(DeviceCode &code, Diagnostics &diagnostics)
      : clang::EmitLLVMOnlyAction(code.context.get()), code_(code), diagnostics_(diagnostics) {}

protected:
  bool BeginSourceFileAction(clang::CompilerInstance &compiler) override {
    installPragmas(compiler, Side::device, code_.sites, diagnostics_, braces_);
    return clang::EmitLLVMOnlyAction::BeginSourceFileAction(compiler);
  }
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance &compiler,
                                                        llvm::StringRef file) override {
    std::vector<std::unique_ptr<clang::ASTConsumer>> consumers;
    consumers.push_back(std::make_unique<CollectingConsumer>(code_.kernels));
    consumers.push_back(clang::EmitLLVMOnlyAction::CreateASTConsumer(compiler, file));
    return std::make_unique<clang::MultiplexConsumer>(std::move(consumers));
  }

private:
  DeviceCode &code_;
  Diagnostics &diagnostics_;
  LaunchBraces braces_;
};

/// Unoptimised IR, but as -O2 wants it: with lifetimes and TBAA, without optnone.
void setCodeGeneration(clang::CompilerInvocation &invocation) {
  clang::CodeGenOptions &options = invocation.getCodeGenOpts();
  options.OptimizationLevel = 2;
  options.DisableLLVMPasses = true;
  options.DisableO0ImplyOptNone = true;
  options.setInlining(clang::CodeGenOptions::NormalInlining);
  options.setDebugInfo(llvm::codegenoptions::DebugLineTablesOnly);
  options.DebugColumnInfo = true;
  options.UnrollLoops = false;
  invocation.getFrontendOpts().DisableFree = false;
  invocation.getDiagnosticOpts().ErrorLimit = 200;
  invocation.getDiagnosticOpts().ShowCarets = false; // and with them the count of warnings on stderr
  // Launches and some headers ask for the toolkit's version, which -nocudalib loses.
  if (const auto toolkit = findCudaToolkit(); toolkit && invocation.getTargetOpts().SDKVersion.empty())
    invocation.getTargetOpts().SDKVersion = llvm::VersionTuple(toolkit->major, toolkit->minor);
}

using Files = llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>;

std::shared_ptr<clang::CompilerInvocation> invocationOf(const std::vector<std::string> &arguments,
                                                        const Files &files, DiagnosticRecorder &recorder) {
  std::vector<const char *> pointers;
  for (const std::string &argument : arguments)
    pointers.push_back(argument.c_str());
  clang::DiagnosticOptions options;
  clang::CreateInvocationOptions creation;
  creation.Diags = clang::CompilerInstance::createDiagnostics(*files, options, &recorder, false);
  creation.VFS = files;
  return clang::createInvocation(pointers, creation);
}

} // namespace

std::optional<DeviceCode> compileDevice(const CompileJob &job, const std::string &arch,
                                        Diagnostics &diagnostics) {
  DeviceCode code;
  code.context = std::make_unique<llvm::LLVMContext>();
  const auto files = analysisFileSystem();
  DiagnosticRecorder recorder;
  const auto invocation = invocationOf(clangArguments(job, Side::device, arch), files, recorder);
  Diagnostics pragmas;
  bool compiled = false;
  if (invocation) {
    setCodeGeneration(*invocation);
    clang::CompilerInstance compiler(invocation);
    compiler.setVirtualFileSystem(files);
    compiler.createDiagnostics(&recorder, false);
    DeviceAction action(code, pragmas);
    compiled = compiler.ExecuteAction(action);
    code.module = action.takeModule();
  }
  bool failed = false;
  for (Diagnostic &found : recorder.take()) {
    failed |= found.severity == Severity::error;
    diagnostics.report(std::move(found));
  }
  for (const Diagnostic &found : pragmas.all()) {
    failed |= found.severity == Severity::error;
    diagnostics.report(found);
  }
  if (!compiled || !code.module) {
    if (!failed)
      diagnostics.error({job.source, 0, 0, {}}, "Clang cannot compile the device code of this file",
                        "device-compile");
    return std::nullopt;
  }
  std::ranges::sort(code.kernels, {}, &DeclaredKernel::symbol);
  const auto repeated = std::ranges::unique(code.kernels, {}, &DeclaredKernel::symbol);
  code.kernels.erase(repeated.begin(), repeated.end());
  return code;
}

Expected<std::string> compileToPtx(const CompileJob &job, const std::string &arch) {
  std::vector<std::string> arguments = clangArguments(job, Side::device, arch);
  std::erase(arguments, "-nocudalib");
  std::ranges::replace(arguments, std::string("-fsyntax-only"), std::string("-S"));
  arguments.insert(arguments.begin() + 1, "-O3");
  const auto files = analysisFileSystem();
  DiagnosticRecorder recorder;
  llvm::SmallString<0> ptx;
  bool compiled = false;
  if (const auto invocation = invocationOf(arguments, files, recorder)) {
    llvm::InitializeAllTargetInfos();
    llvm::InitializeAllTargets();
    llvm::InitializeAllTargetMCs();
    llvm::InitializeAllAsmPrinters();
    invocation->getCodeGenOpts().OptimizationLevel = 3;
    invocation->getFrontendOpts().DisableFree = false;
    invocation->getDiagnosticOpts().ShowCarets = false;
    clang::CompilerInstance compiler(invocation);
    compiler.setVirtualFileSystem(files);
    compiler.createDiagnostics(&recorder, false);
    compiler.setOutputStream(std::make_unique<llvm::raw_svector_ostream>(ptx));
    // Without markers of pragmas: this is the code that runs.
    clang::EmitAssemblyAction action;
    compiled = compiler.ExecuteAction(action);
  }
  const std::vector<Diagnostic> found = recorder.take();
  if (!compiled)
    return failure("Clang cannot compile the device code: " +
                   (found.empty() ? std::string("no PTX came out") : found.front().message));
  return ptx.str().str();
}

} // namespace streammap
