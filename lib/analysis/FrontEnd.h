#pragma once
// One translation unit, parsed with its pragmas in place (Markers.h).
//
//   std::vector<CompileJob> jobs = resolveJobs({"app.cu"}, {}, {}, diagnostics);
//   std::unique_ptr<ParsedUnit> unit = parseHost(jobs[0], diagnostics);
//   walk(unit->context().getTranslationUnitDecl(), unit->sites());
//
// The device half is compiled by DeviceCompile; it calls `installPragmas` for its own CompilerInstance.
#include "analysis/CompileJob.h"
#include "analysis/Site.h"
#include "support/Diagnostic.h"
#include <llvm/ADT/IntrusiveRefCntPtr.h>
#include <memory>

namespace clang {
class ASTContext;
class CompilerInstance;
class Sema;
class SourceManager;
} // namespace clang
namespace llvm::vfs {
class FileSystem;
} // namespace llvm::vfs

namespace streammap {

class ExpansionRecorder;
class LaunchBraces;

/// Owns the compiler instance, and with it the AST, of the host half of one source.
class ParsedUnit {
public:
  struct State;
  explicit ParsedUnit(std::unique_ptr<State> state);
  ~ParsedUnit();
  ParsedUnit(const ParsedUnit &) = delete;
  ParsedUnit &operator=(const ParsedUnit &) = delete;

  const CompileJob &job() const;
  clang::ASTContext &context() const;
  clang::SourceManager &sourceManager() const;
  clang::CompilerInstance &compiler() const;
  const SiteTable &sites() const;
  /// Clang or the pragma grammar found errors: parts of the AST may be missing.
  bool hasParseErrors() const;
  const State &state() const { return *state_; }

private:
  std::unique_ptr<State> state_;
};

/// Parses the host half. Whatever Clang finds wrong goes to `diagnostics`; the AST of the rest is there all
/// the same. Null only if there is no AST at all (the source cannot be read, the flags make no sense), with
/// the reason reported.
std::unique_ptr<ParsedUnit> parseHost(const CompileJob &job, Diagnostics &diagnostics);

/// Makes `compiler`'s preprocessor turn pragmas into markers. Call it when the preprocessor exists and
/// nothing has been lexed (FrontendAction::BeginSourceFileAction). On the device side only `trips` leaves a
/// marker: the host side has judged the rest. Launches with braced arguments are read as nvcc reads them. All
/// arguments must outlive the parse.
void installPragmas(clang::CompilerInstance &compiler, Side side, SiteTable &sites, Diagnostics &diagnostics,
                    LaunchBraces &braces, ExpansionRecorder *recorder = nullptr);

/// The real file system with the headers of VirtualHeaders.h on top: give it to every CompilerInstance and
/// driver that is fed with clangArguments().
llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> analysisFileSystem();

} // namespace streammap
