#include "analysis/FrontEnd.h"
#include "analysis/ClangDiagnostics.h"
#include "analysis/ParsedState.h"
#include "analysis/VirtualHeaders.h"
#include <clang/AST/ASTConsumer.h>
#include <clang/Basic/DiagnosticParse.h>
#include <clang/Basic/DiagnosticSema.h>
#include <clang/Driver/CreateInvocationFromArgs.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Lex/Lexer.h>
#include <clang/Lex/Preprocessor.h>
#include <llvm/Support/VirtualFileSystem.h>

namespace streammap {

llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> analysisFileSystem() {
  auto ours = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  for (const VirtualHeader &header : virtualHeaders())
    ours->addFile(std::string(virtualRoot) + "/" + std::string(header.path), 0,
                  llvm::MemoryBuffer::getMemBuffer(llvm::StringRef(header.text.data(), header.text.size()),
                                                   header.path));
  auto overlay =
      llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(llvm::vfs::createPhysicalFileSystem());
  overlay->pushOverlay(ours);
  return overlay;
}

namespace {

class EmptyConsumer : public clang::ASTConsumer {};

/// Parses and keeps everything; EndSourceFile is called when the unit dies.
class ParseAction : public clang::ASTFrontendAction {
public:
  ParseAction(ParsedUnit::State &state, Diagnostics &diagnostics)
      : state_(state), diagnostics_(diagnostics) {}

protected:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance &, llvm::StringRef) override {
    return std::make_unique<EmptyConsumer>();
  }
  bool BeginSourceFileAction(clang::CompilerInstance &compiler) override {
    installPragmas(compiler, Side::host, state_.sites, diagnostics_, state_.braces, &state_.recorderOfMacros);
    return true;
  }

private:
  ParsedUnit::State &state_;
  Diagnostics &diagnostics_;
};

/// Rephrases what Clang says about the tokens between the user's, and drops what only follows from it.
class ErrorFilter {
public:
  ErrorFilter(const SiteTable &sites) : sites_(sites) {}

  bool operator()(const clang::Diagnostic &clangs, Diagnostic &ours) {
    if (!clangs.hasSourceManager() || clangs.getLocation().isInvalid())
      return true;
    if (cascade_)
      return false;
    const clang::SourceLocation location = clangs.getLocation();
    for (const Site &site : sites_)
      if (isAtWord(site, location, clangs.getSourceManager()) &&
          (site.directive != Directive::trips || isSyntax(clangs.getID()))) {
        cascade_ = true; // the parser has lost its way in tokens that nobody wrote
        return rephrase(site, ours);
      }
    if (clangs.getID() == clang::diag::err_expected_statement && !sites_.empty() &&
        followsDirectly(clangs.getSourceManager(), sites_.back(), location)) {
      rephrase(sites_.back(), ours);
      const auto word = clang::SourceLocation::getFromRawEncoding(sites_.back().rawBegin);
      ours = diagnosticAt(clangs.getSourceManager(), clang::LangOptions(), Severity::error, word, word,
                          ours.message, ours.code);
      return true;
    }
    return true;
  }

private:
  // The tokens between the user's stand at the directive's word; their numbers were made up and "expand"
  // there.
  static bool isAtWord(const Site &site, clang::SourceLocation location,
                       const clang::SourceManager &sources) {
    return site.rawBegin == location.getRawEncoding() ||
           (!site.inMacro && site.rawBegin == sources.getExpansionLoc(location).getRawEncoding());
  }
  static bool isSyntax(unsigned id) {
    return id == clang::diag::err_expected_unqualified_id || id == clang::diag::err_expected_expression ||
           id == clang::diag::err_expected_member_name_or_semi || id == clang::diag::err_expected ||
           id == clang::diag::err_expected_either || id == clang::diag::err_expected_after ||
           id == clang::diag::err_expected_semi_declaration ||
           id == clang::diag::err_invalid_token_after_toplevel_declarator ||
           id == clang::diag::err_expected_fn_body || id == clang::diag::err_function_declared_typedef ||
           id == clang::diag::err_expected_semi_decl_list ||
           id == clang::diag::err_expected_external_declaration;
  }
  static bool rephrase(const Site &site, Diagnostic &ours) {
    const std::string name(toText(site.directive));
    ours.message = site.directive == Directive::wait ? "'wait' stands where no statement can stand"
                                                     : "'" + name + "' is not followed by a statement";
    ours.code = "not-a-statement";
    ours.fix.clear();
    return true;
  }
  static bool followsDirectly(const clang::SourceManager &sources, const Site &site,
                              clang::SourceLocation place) {
    const auto last =
        sources.getExpansionRange(clang::SourceLocation::getFromRawEncoding(site.rawEnd)).getEnd();
    const std::optional<clang::Token> next = clang::Lexer::findNextToken(last, sources, clang::LangOptions());
    return next && next->getLocation() == sources.getExpansionLoc(place);
  }

  const SiteTable &sites_;
  bool cascade_ = false;
};

} // namespace

ParsedUnit::ParsedUnit(std::unique_ptr<State> state) : state_(std::move(state)) {}
ParsedUnit::~ParsedUnit() = default;
const CompileJob &ParsedUnit::job() const {
  return state_->job;
}
clang::ASTContext &ParsedUnit::context() const {
  return state_->compiler->getASTContext();
}
clang::SourceManager &ParsedUnit::sourceManager() const {
  return state_->compiler->getSourceManager();
}
clang::CompilerInstance &ParsedUnit::compiler() const {
  return *state_->compiler;
}
bool ParsedUnit::hasParseErrors() const {
  return state_->hasErrors;
}
const SiteTable &ParsedUnit::sites() const {
  return state_->sites;
}

ParsedUnit::State::~State() {
  if (action && isOpen)
    action->EndSourceFile();
}

// Clang's errors and ours come from two collectors; the reader wants them in the order of the file.
static void reportInOrder(std::vector<Diagnostic> found, Diagnostics &into) {
  std::stable_sort(found.begin(), found.end(), [](const Diagnostic &a, const Diagnostic &b) {
    if (a.location.file != b.location.file)
      return false;
    return std::pair(a.location.line, a.location.column) < std::pair(b.location.line, b.location.column);
  });
  for (Diagnostic &diagnostic : found) {
    const auto &all = into.all();
    const bool isKnown = std::any_of(all.begin(), all.end(), [&](const Diagnostic &other) {
      return other.location == diagnostic.location && other.message == diagnostic.message;
    });
    if (!isKnown)
      into.report(std::move(diagnostic));
  }
}

std::unique_ptr<ParsedUnit> parseHost(const CompileJob &job, Diagnostics &diagnostics) {
  auto state = std::make_unique<ParsedUnit::State>();
  state->job = job;
  state->fileSystem = analysisFileSystem();
  state->recorder = std::make_unique<DiagnosticRecorder>(ErrorFilter(state->sites));

  const std::vector<std::string> arguments = clangArguments(job, Side::host, {});
  std::vector<const char *> pointers;
  for (const std::string &argument : arguments)
    pointers.push_back(argument.c_str());
  clang::DiagnosticOptions options;
  options.ShowCarets = false;
  state->driverDiagnostics =
      clang::CompilerInstance::createDiagnostics(*state->fileSystem, options, state->recorder.get(), false);
  clang::CreateInvocationOptions creation;
  creation.Diags = state->driverDiagnostics;
  creation.VFS = state->fileSystem;
  std::shared_ptr<clang::CompilerInvocation> invocation = clang::createInvocation(pointers, creation);
  if (!invocation) {
    reportInOrder(state->recorder->take(), diagnostics);
    if (!diagnostics.hasErrors())
      diagnostics.error({job.source, 0, 0, {}}, "Clang does not understand the flags of this file",
                        "bad-flags");
    return nullptr;
  }
  invocation->getFrontendOpts().DisableFree = false;
  invocation->getDiagnosticOpts().ErrorLimit = 200;

  Diagnostics ours;
  state->compiler = std::make_unique<clang::CompilerInstance>(std::move(invocation));
  clang::CompilerInstance &compiler = *state->compiler;
  compiler.setVirtualFileSystem(state->fileSystem);
  compiler.createDiagnostics(state->recorder.get(), false);
  if (compiler.createTarget() && !compiler.getFrontendOpts().Inputs.empty()) {
    state->action = std::make_unique<ParseAction>(*state, ours);
    state->isOpen = state->action->BeginSourceFile(compiler, compiler.getFrontendOpts().Inputs.front());
    if (state->isOpen)
      if (llvm::Error error = state->action->Execute())
        llvm::consumeError(std::move(error));
  }
  state->expansions = state->recorderOfMacros.take();
  std::vector<Diagnostic> found = state->recorder->take();
  found.insert(found.end(), ours.all().begin(), ours.all().end());
  state->hasErrors = !found.empty();
  reportInOrder(std::move(found), diagnostics);
  if (!state->isOpen || !compiler.hasASTContext())
    return nullptr;
  return std::make_unique<ParsedUnit>(std::move(state));
}

} // namespace streammap
