#pragma once
// What a ParsedUnit owns. In the order of construction: each member may refer to those above it.
#include "analysis/ClangDiagnostics.h"
#include "analysis/ExpansionRecorder.h"
#include "analysis/FrontEnd.h"
#include "analysis/LaunchBraces.h"
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendAction.h>
#include <llvm/Support/VirtualFileSystem.h>

namespace streammap {

struct ParsedUnit::State {
  CompileJob job;
  SiteTable sites;
  ExpansionRecorder recorderOfMacros;
  LaunchBraces braces;
  std::vector<RecordedExpansion> expansions; ///< macro uses that contain pragmas
  llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> fileSystem;
  std::unique_ptr<DiagnosticRecorder> recorder;
  llvm::IntrusiveRefCntPtr<clang::DiagnosticsEngine> driverDiagnostics;
  std::unique_ptr<clang::CompilerInstance> compiler;
  std::unique_ptr<clang::FrontendAction> action;
  bool hasErrors = false;
  bool isOpen = false; ///< between BeginSourceFile and EndSourceFile

  State() = default;
  ~State();
};

} // namespace streammap
