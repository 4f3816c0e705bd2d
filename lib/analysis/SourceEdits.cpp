#include "analysis/SourceEdits.h"
#include <algorithm>
#include <clang/Basic/LangOptions.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>

namespace streammap {

SourceEdits::SourceEdits(const clang::SourceManager &sources, const clang::LangOptions &language,
                         const std::vector<RecordedExpansion> &expansions)
    : sources_(sources), language_(language), expansions_(expansions) {
  for (std::size_t e = 0; e < expansions.size(); ++e) {
    tokenChanges_.emplace_back(expansions[e].tokens.size());
    for (std::size_t t = 0; t < expansions[e].tokens.size(); ++t)
      places_.emplace(expansions[e].tokens[t].rawLocation, TokenPlace{e, t});
  }
}

std::optional<SourceEdits::TokenPlace> SourceEdits::placeOf(clang::SourceLocation location) const {
  const auto found = places_.find(location.getRawEncoding());
  return found == places_.end() ? std::nullopt : std::optional(found->second);
}

void SourceEdits::change(clang::FileID file, unsigned begin, unsigned end, std::string text) {
  std::vector<Change> &changes = changes_[file];
  changes.push_back({begin, end, std::move(text)});
}

void SourceEdits::insertBefore(clang::SourceLocation token, std::string text) {
  if (const std::optional<TokenPlace> place = placeOf(token)) {
    tokenChanges_[place->expansion][place->token].before += text;
    return;
  }
  const auto [file, offset] = sources_.getDecomposedLoc(sources_.getExpansionRange(token).getBegin());
  change(file, offset, offset, std::move(text));
}

void SourceEdits::insertAfter(clang::SourceLocation token, std::string text) {
  if (const std::optional<TokenPlace> place = placeOf(token)) {
    std::string &after = tokenChanges_[place->expansion][place->token].after;
    after = text + after;
    return;
  }
  const clang::SourceLocation last = sources_.getExpansionRange(token).getEnd();
  const auto [file, offset] = sources_.getDecomposedLoc(last);
  const unsigned end = offset + clang::Lexer::MeasureTokenLength(last, sources_, language_);
  change(file, end, end, std::move(text));
}

bool SourceEdits::replace(clang::SourceRange tokens, std::string text) {
  const std::optional<TokenPlace> first = placeOf(tokens.getBegin()), last = placeOf(tokens.getEnd());
  if (first && last && first->expansion == last->expansion) {
    for (std::size_t t = first->token; t <= last->token; ++t)
      tokenChanges_[first->expansion][t].instead = t == first->token ? text : "";
    return true;
  }
  const clang::CharSourceRange range =
      clang::Lexer::makeFileCharRange(clang::CharSourceRange::getTokenRange(tokens), sources_, language_);
  if (range.isInvalid())
    return false;
  const auto [file, begin] = sources_.getDecomposedLoc(range.getBegin());
  change(file, begin, sources_.getFileOffset(range.getEnd()), std::move(text));
  return true;
}

// Where the directive that starts at `offset` ends: before the line break that is not escaped, or after
// `_Pragma("...")`.
static std::size_t directiveEnd(llvm::StringRef text, std::size_t offset) {
  if (text.substr(offset).starts_with("_Pragma")) {
    bool inString = false;
    for (std::size_t i = offset; i < text.size(); ++i) {
      if (text[i] == '\\')
        ++i;
      else if (text[i] == '"')
        inString = !inString;
      else if (text[i] == ')' && !inString)
        return i + 1;
    }
    return text.size();
  }
  for (std::size_t i = offset; i < text.size(); ++i) {
    if (text[i] != '\n')
      continue;
    std::size_t last = i;
    while (last > offset && (text[last - 1] == ' ' || text[last - 1] == '\t' || text[last - 1] == '\r'))
      --last;
    if (last == offset || text[last - 1] != '\\')
      return i;
  }
  return text.size();
}

void SourceEdits::replacePragma(const Site &site, std::size_t number, std::string text) {
  const auto start = clang::SourceLocation::getFromRawEncoding(site.rawStart);
  for (std::size_t e = 0; e < expansions_.size(); ++e)
    for (std::size_t t = 0; t < expansions_[e].tokens.size(); ++t)
      if (expansions_[e].tokens[t].site == number) {
        tokenChanges_[e][t].instead = std::move(text);
        return;
      }
  const auto [file, offset] = sources_.getDecomposedLoc(sources_.getExpansionLoc(start));
  const llvm::StringRef buffer = sources_.getBufferData(file);
  const std::size_t end = directiveEnd(buffer, offset);
  text.append(buffer.slice(offset, end).count('\n'), '\n');
  change(file, offset, static_cast<unsigned>(end), std::move(text));
}

void SourceEdits::replaceInclude(clang::SourceLocation fileName, std::string text) {
  const auto [file, offset] = sources_.getDecomposedLoc(fileName);
  const llvm::StringRef buffer = sources_.getBufferData(file);
  const char close = buffer[offset] == '<' ? '>' : '"';
  const std::size_t end = buffer.find(close, offset + 1);
  if ((buffer[offset] == '<' || buffer[offset] == '"') && end != llvm::StringRef::npos)
    change(file, offset, static_cast<unsigned>(end + 1), std::move(text));
}

std::optional<clang::SourceLocation> SourceEdits::semicolonAfter(clang::SourceLocation token) const {
  if (const std::optional<TokenPlace> place = placeOf(token)) {
    const std::vector<RecordedToken> &tokens = expansions_[place->expansion].tokens;
    if (place->token + 1 < tokens.size()) {
      const RecordedToken &next = tokens[place->token + 1];
      return next.text == ";" ? std::optional(clang::SourceLocation::getFromRawEncoding(next.rawLocation))
                              : std::nullopt;
    }
  }
  const std::optional<clang::Token> next =
      clang::Lexer::findNextToken(sources_.getExpansionRange(token).getEnd(), sources_, language_);
  return next && next->is(clang::tok::semi) ? std::optional(next->getLocation()) : std::nullopt;
}

std::string SourceEdits::expanded(std::size_t expansion) const {
  std::string text;
  const std::vector<RecordedToken> &tokens = expansions_[expansion].tokens;
  auto add = [&](const std::string &piece, bool spaced) {
    if (piece.empty())
      return;
    // Two tokens that a macro put side by side must not become one.
    if (!text.empty() && (spaced || text.back() != ' '))
      text += ' ';
    text += piece;
  };
  for (std::size_t t = 0; t < tokens.size(); ++t) {
    const TokenChange &changed = tokenChanges_[expansion][t];
    add(changed.before, true);
    add(changed.instead ? *changed.instead : tokens[t].text, tokens[t].spaceBefore);
    add(changed.after, true);
  }
  return text;
}

std::vector<SourceEdits::File> SourceEdits::apply() const {
  std::map<clang::FileID, std::vector<Change>> all = changes_;
  for (std::size_t e = 0; e < expansions_.size(); ++e) {
    const auto use = clang::SourceLocation::getFromRawEncoding(expansions_[e].rawUse);
    // The use ends where its last token's expansion does.
    const auto any = clang::SourceLocation::getFromRawEncoding(expansions_[e].tokens.front().rawLocation);
    const clang::SourceLocation last = sources_.getExpansionRange(any).getEnd();
    const auto [file, begin] = sources_.getDecomposedLoc(use);
    const unsigned end =
        sources_.getFileOffset(last) + clang::Lexer::MeasureTokenLength(last, sources_, language_);
    std::string text = expanded(e);
    text.append(sources_.getBufferData(file).slice(begin, end).count('\n'), '\n');
    all[file].push_back({begin, end, std::move(text)});
  }

  // A header that is included twice has two ids: the changes of both are changes of the one file.
  std::map<std::string, std::pair<clang::FileID, std::vector<Change>>> byPath;
  for (auto &[file, changes] : all) {
    const clang::OptionalFileEntryRef entry = sources_.getFileEntryRefForID(file);
    if (!entry)
      continue;
    auto [place, isNew] = byPath.try_emplace(entry->getName().str(), file, std::vector<Change>());
    for (Change &change : changes)
      if (isNew || std::find(place->second.second.begin(), place->second.second.end(), change) ==
                       place->second.second.end())
        place->second.second.push_back(change);
  }

  std::vector<File> files;
  for (auto &[path, edited] : byPath) {
    auto &[file, changes] = edited;
    std::stable_sort(changes.begin(), changes.end(), [](const Change &a, const Change &b) {
      return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
    });
    const llvm::StringRef buffer = sources_.getBufferData(file);
    std::string text;
    unsigned done = 0;
    for (const Change &change : changes) {
      if (change.begin < done) // inside a macro use that was replaced as a whole
        continue;
      text += buffer.slice(done, change.begin);
      text += change.text;
      done = change.end;
    }
    text += buffer.substr(done);
    files.push_back({file, path, std::move(text)});
  }
  return files;
}

} // namespace streammap
