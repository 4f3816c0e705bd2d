#include "analysis/Emit.h"
#include "analysis/Markers.h"
#include "analysis/ParsedState.h"
#include "analysis/SourceEdits.h"
#include "analysis/StatementUses.h"
#include <algorithm>
#include <clang/AST/ASTContext.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <filesystem>
#include <map>

namespace streammap {

using namespace clang;
namespace fs = std::filesystem;

std::string emittedName(const std::string &source) {
  const fs::path path = source;
  return path.stem().string() + ".streammap" + path.extension().string();
}

// ---- text ------------------------------------------------------------------------------------------------

static std::string literal(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      out += '\\';
    out += c;
  }
  return out + "\"";
}

static std::string joined(const std::vector<std::string> &parts) {
  std::string out;
  for (const std::string &part : parts)
    out += (out.empty() ? "" : ", ") + part;
  return out;
}

namespace {

/// One `lower : length : stride` as texts; empty: not written.
struct DimensionText {
  std::string lower = "0", length, stride;
};

/// The clause texts of an item, in the order of its expressions.
struct ItemTexts {
  std::vector<std::string> shape;
  std::vector<DimensionText> dimensions;

  explicit ItemTexts(const ItemForms &forms) {
    std::size_t next = 0;
    auto take = [&] { return next < forms.arguments.size() ? forms.arguments[next++] : std::string("0"); };
    for (std::size_t i = 0; i < forms.shapeRank; ++i)
      shape.push_back(take());
    for (const DimensionForm &form : forms.dimensions) {
      DimensionText dimension;
      if (form.hasLower)
        dimension.lower = take();
      if (form.hasLength)
        dimension.length = take();
      if (form.hasStride)
        dimension.stride = take();
      if (form.isIndex)
        dimension.length = "1";
      dimensions.push_back(std::move(dimension));
    }
  }
};

} // namespace

// What is left of `extent` elements from `lower` on, taken every `stride`th.
static std::string remaining(const std::string &extent, const DimensionText &dimension) {
  std::string rest = dimension.lower == "0"
                         ? "(long long)(" + extent + ")"
                         : "(long long)(" + extent + ") - (long long)(" + dimension.lower + ")";
  if (!dimension.stride.empty())
    rest = "(" + rest + " + (" + dimension.stride + ") - 1) / (" + dimension.stride + ")";
  return rest;
}

static std::string sectionText(const DataItem &item, const std::string &base) {
  const ItemForms &forms = *item.forms;
  if (forms.form == ItemForm::bare)
    return (item.base->getType()->isPointerType() ? "::streammap::whole(" : "::streammap::object(") + base +
           ")";
  ItemTexts texts(forms);
  std::vector<DimensionText> &d = texts.dimensions;
  const std::string &array = forms.baseText;
  if (forms.form == ItemForm::shaped) {
    while (d.size() < texts.shape.size())
      d.emplace_back();
    for (std::size_t i = 0; i < d.size(); ++i)
      if (d[i].length.empty())
        d[i].length = remaining(texts.shape[i], d[i]);
    if (d.size() == 2)
      return "::streammap::section2d(" +
             joined({base, texts.shape[1], d[0].lower, d[0].length, d[1].lower, d[1].length}) + ")";
  } else {
    std::string element = array;
    for (DimensionText &dimension : d) {
      if (dimension.length.empty())
        dimension.length = remaining("sizeof(" + element + ") / sizeof((" + element + ")[0])", dimension);
      element = "(" + element + ")[0]";
    }
    if (d.size() == 2)
      return "::streammap::section2d(" + joined({base, d[0].lower, d[0].length, d[1].lower, d[1].length}) +
             ")";
  }
  std::vector<std::string> arguments = {base, d[0].lower, d[0].length};
  if (!d[0].stride.empty())
    arguments.push_back(d[0].stride);
  return "::streammap::section(" + joined(arguments) + ")";
}

static std::string clauseText(const OtherClause &clause) {
  const ItemForms &forms = *clause.forms;
  const std::string word(toText(forms.kind));
  switch (forms.kind) {
  case ClauseKind::name: {
    std::vector<std::string> arguments = {literal(forms.word)};
    arguments.insert(arguments.end(), forms.arguments.begin(), forms.arguments.end());
    return ".name(" + joined(arguments) + ")";
  }
  case ClauseKind::device:
    return ".device(::streammap::DeviceKind::" + forms.word + ")";
  case ClauseKind::capability:
    return ".capability(" + forms.word + ")";
  case ClauseKind::node:
    // A literal 0 would do for a null pointer as well.
    if (!clause.arguments.empty() && clause.arguments[0]->getType()->isIntegralOrEnumerationType())
      return ".node((long long)(" + joined(forms.arguments) + "))";
    return ".node(" + joined(forms.arguments) + ")";
  default:
    return "." + word + "(" + joined(forms.arguments) + ")";
  }
}

static std::string numbered(const char *stem, std::size_t number) {
  return stem + std::to_string(number);
}

// ---- the walk --------------------------------------------------------------------------------------------

namespace {

class Emitter : public RecursiveASTVisitor<Emitter> {
public:
  Emitter(const ParsedUnit &unit, SourceEdits &edits)
      : unit_(unit), context_(unit.context()), edits_(edits), seen_(unit.sites().size()) {}

  // Templates are rewritten as written, not as instantiated.
  bool shouldVisitTemplateInstantiations() const { return false; }
  bool shouldVisitImplicitCode() const { return false; }

  bool TraverseDecl(Decl *declaration) {
    if (declaration && !isa<TranslationUnitDecl>(declaration) && !isa<NamespaceDecl>(declaration) &&
        unit_.sourceManager().isInSystemHeader(declaration->getLocation()))
      return true;
    return RecursiveASTVisitor::TraverseDecl(declaration);
  }

  bool VisitIfStmt(IfStmt *statement) {
    if (const std::optional<TaskMarker> task = taskMarker(statement, unit_.sites())) {
      if (isFirst(task->site))
        emitTask(*task);
    } else if (const std::optional<RootMarker> root = rootMarker(statement, unit_.sites())) {
      if (isFirst(root->site)) {
        edits_.replacePragma(unit_.sites()[root->site], root->site, "");
        edits_.insertBefore(root->body->getBeginLoc(), "if (!::streammap::isRoot()) {} else ");
      }
    } else if (const std::optional<TripsMarker> trips = tripsMarker(statement, unit_.sites())) {
      if (isFirst(trips->site))
        edits_.replacePragma(unit_.sites()[trips->site], trips->site, "");
    }
    return true;
  }

  bool VisitCallExpr(CallExpr *call) {
    if (const std::optional<WaitMarker> wait = waitMarker(call, unit_.sites()); wait && isFirst(wait->site)) {
      const Site &site = unit_.sites()[wait->site];
      std::vector<std::string> arguments = {literal(toText(site.location))};
      for (const DataItem &item : wait->data)
        arguments.push_back(sectionText(item, decayed(item)));
      edits_.replacePragma(site, wait->site, "::streammap::wait(" + joined(arguments) + ");");
    }
    return true;
  }

private:
  bool isFirst(unsigned site) {
    if (seen_[site])
      return false;
    return seen_[site] = true;
  }

  static std::string decayed(const DataItem &item) { return item.forms->baseText; }

  void emitTask(const TaskMarker &task);
  std::string builderText(const TaskMarker &task, const std::vector<TaskBase> &bases) const;
  clang::SourceLocation lastToken(const Stmt *statement) const;

  const ParsedUnit &unit_;
  ASTContext &context_;
  SourceEdits &edits_;
  std::vector<bool> seen_;
};

// The last token of a statement, its ';' included.
clang::SourceLocation Emitter::lastToken(const Stmt *statement) const {
  if (const auto *branch = dyn_cast<IfStmt>(statement))
    return lastToken(branch->getElse() ? branch->getElse() : branch->getThen());
  if (const auto *loop = dyn_cast<ForStmt>(statement))
    return lastToken(loop->getBody());
  if (const auto *loop = dyn_cast<CXXForRangeStmt>(statement))
    return lastToken(loop->getBody());
  if (const auto *loop = dyn_cast<WhileStmt>(statement))
    return lastToken(loop->getBody());
  if (const auto *choice = dyn_cast<SwitchStmt>(statement))
    return lastToken(choice->getBody());
  if (const auto *label = dyn_cast<LabelStmt>(statement))
    return lastToken(label->getSubStmt());
  if (const auto *attributed = dyn_cast<AttributedStmt>(statement))
    return lastToken(attributed->getSubStmt());
  const clang::SourceLocation end = statement->getEndLoc();
  if (isa<CompoundStmt, CXXTryStmt, DeclStmt, NullStmt>(statement))
    return end;
  return edits_.semicolonAfter(end).value_or(end);
}

std::string Emitter::builderText(const TaskMarker &task, const std::vector<TaskBase> &bases) const {
  auto nameOfBase = [&](const DataItem &item) {
    for (std::size_t b = 0; b < bases.size(); ++b)
      if (isSameExpression(bases[b].expression, item.base, context_))
        return numbered("sm_b", b);
    return item.forms->baseText;
  };
  std::string text;
  for (const DataItem &item : task.data)
    text += "." + std::string(toText(item.forms->kind)) + "(" + sectionText(item, nameOfBase(item)) + ")";
  for (const OtherClause &clause : task.clauses)
    text += clauseText(clause);
  return text.empty() ? "" : " sm_task" + text + ";";
}

void Emitter::emitTask(const TaskMarker &task) {
  const Site &site = unit_.sites()[task.site];
  const std::vector<TaskBase> bases = basesOf(task, context_);
  const StatementUses uses = usesOf(task.body, bases, context_);

  std::string before = "{ ";
  std::string captures = "=";
  std::string shadows;
  for (std::size_t b = 0; b < bases.size(); ++b) {
    const std::string value = numbered("sm_b", b);
    const std::string inside = bases[b].isPlain ? bases[b].text : numbered("sm_d", b);
    before += (bases[b].isPointer ? "auto " : "auto &") + value + " = " + bases[b].text + "; ";
    if (!bases[b].isPointer)
      captures += ", &" + value;
    shadows += "[[maybe_unused]] auto " + std::string(bases[b].isPointer ? "" : "&") + inside +
               " = sm_context." + (bases[b].isPointer ? "pointer(" : "object(") +
               std::to_string(bases[b].firstItem) + ", " + value + "); ";
  }
  for (std::size_t s = 0; s < uses.snapshots.size(); ++s) {
    const std::string value = numbered("sm_v", s);
    before += "auto " + value + " = " + uses.snapshots[s].text + "; ";
    shadows += "[[maybe_unused]] auto &" + uses.snapshots[s].name + " = " + value + "; ";
  }
  for (const std::string &name : uses.byReference)
    captures += ", &" + name;

  before += "::streammap::TaskBuilder sm_task(" + std::to_string(task.site) + ", " +
            literal(toText(site.location)) + ", " + literal(defaultTaskName(task)) + ");" +
            builderText(task, bases);
  before += " sm_task.run([" + captures +
            "](::streammap::TaskContext &sm_context) mutable { (void)sm_context; " + shadows;

  edits_.replacePragma(site, task.site, "");
  edits_.insertBefore(task.body->getBeginLoc(), std::move(before));
  edits_.insertAfter(lastToken(task.body), " }); }");
  for (const StatementUses::Replacement &replacement : uses.replacements) {
    const std::size_t i = replacement.index;
    const std::string name = !replacement.isBase ? uses.snapshots[i].name
                             : bases[i].isPlain  ? bases[i].text
                                                 : numbered("sm_d", i);
    edits_.replace(replacement.range, name);
  }
}

// Headers that hold pragmas, and those that include such headers: each gets a copy, and whoever includes it
// must say so.
class HeaderCopies {
public:
  HeaderCopies(const clang::SourceManager &sources, const std::string &output) : sources_(sources) {
    stem_ = fs::path(output).stem().string();
  }

  /// Marks the file of `location`, and every file on the way to it from the main file.
  void addWithIncluders(clang::SourceLocation location, SourceEdits &edits) {
    clang::FileID file = sources_.getFileID(sources_.getExpansionLoc(location));
    while (file.isValid() && file != sources_.getMainFileID()) {
      const OptionalFileEntryRef entry = sources_.getFileEntryRefForID(file);
      const clang::SourceLocation include = sources_.getIncludeLoc(file);
      if (!entry || include.isInvalid())
        return;
      const std::string path = entry->getName().str();
      if (names_.emplace(path, nameFor(path)).second || redirected_.insert(include.getRawEncoding()).second)
        edits.replaceInclude(include, literal(names_.at(path)));
      redirected_.insert(include.getRawEncoding());
      file = sources_.getFileID(include);
    }
  }

  const std::map<std::string, std::string> &names() const { return names_; }

private:
  std::string nameFor(const std::string &path) const {
    const std::string name = stem_ + "." + fs::path(path).filename().string();
    const bool isTaken =
        std::any_of(names_.begin(), names_.end(), [&](const auto &n) { return n.second == name; });
    return isTaken ? stem_ + "." + std::to_string(names_.size()) + "." + fs::path(path).filename().string()
                   : name;
  }

  const clang::SourceManager &sources_;
  std::string stem_;
  std::map<std::string, std::string> names_;
  std::set<unsigned> redirected_;
};

} // namespace

std::vector<EmittedFile> emitTransformed(const ParsedUnit &unit, const std::string &output) {
  const clang::SourceManager &sources = unit.sourceManager();
  SourceEdits edits(sources, unit.context().getLangOpts(), unit.state().expansions);
  Emitter emitter(unit, edits);
  if (!unit.sites().empty())
    emitter.TraverseDecl(unit.context().getTranslationUnitDecl());
  // What the CPU device's compiler would not take either (LaunchBraces.h).
  for (const clang::SourceLocation brace : unit.state().braces.found())
    if (brace.isFileID())
      edits.insertBefore(brace, "dim3");
  HeaderCopies headers(sources, output);
  for (const Site &site : unit.sites())
    headers.addWithIncluders(clang::SourceLocation::getFromRawEncoding(site.rawStart), edits);

  // Where the original is said to be: as given on the command line.
  auto withLine = [](const std::string &path, std::string_view text) {
    return "#line 1 " + literal(path) + "\n" + std::string(text);
  };
  const std::string include = "#include <streammap/streammap.h>\n";
  std::vector<EmittedFile> files;
  files.push_back(
      {output, include + withLine(unit.job().source, sources.getBufferData(sources.getMainFileID()))});
  const fs::path folder = fs::path(output).parent_path();
  for (const SourceEdits::File &file : edits.apply()) {
    if (file.id == sources.getMainFileID())
      files.front().text = include + withLine(unit.job().source, file.text);
    else if (const auto name = headers.names().find(file.path); name != headers.names().end())
      files.push_back({(folder / name->second).string(), withLine(file.path, file.text)});
  }
  return files;
}

} // namespace streammap
