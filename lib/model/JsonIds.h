#pragma once
// The names that a file gives to its parts, and what they stand for: duplicate and dangling ones are
// reported.
#include "support/Json.h"
#include "support/Text.h"
#include <string>
#include <unordered_map>
#include <vector>

namespace streammap {

template <class IdType>
class JsonIds {
public:
  /// `kind` is what people call it: "task", "buffer".
  explicit JsonIds(std::string kind) : kind_(std::move(kind)) {}

  /// Declares the next id in order; a name that is taken is reported and keeps its first meaning.
  void declare(const std::string &name, const SourceLocation &location, Diagnostics &diagnostics) {
    const IdType next(names_.size());
    names_.push_back(name);
    pointers_.push_back(location.jsonPointer);
    if (name.empty()) {
      if (location.jsonPointer.ends_with("/id")) // otherwise the key is missing, which has been said
        diagnostics.error(location, "the id of a " + kind_ + " must not be empty", "bad-value");
      return;
    }
    auto [found, isNew] = ids_.try_emplace(name, next);
    if (!isNew)
      diagnostics.error(location,
                        "duplicate " + kind_ + " id '" + abbreviated(name) + "', first used at " +
                            pointers_[found->second.index()],
                        "duplicate-id");
  }

  std::optional<IdType> find(const std::string &name) const {
    auto found = ids_.find(name);
    return found == ids_.end() ? std::nullopt : std::optional(found->second);
  }

  /// What the text under `key` names; a name that nobody declared is reported with the nearest one.
  std::optional<IdType> resolve(const JsonObject &object, std::string_view key) const {
    std::optional<std::string> name = object.text(key);
    if (!name)
      return std::nullopt;
    std::optional<IdType> id = find(*name);
    if (!id)
      object.error(key, "unknown " + kind_ + " '" + abbreviated(*name) + "'" + suggestion(*name),
                   "unknown-id");
    return id;
  }

private:
  /// Comparing with every name is slow in a file of 100,000 tasks where all references dangle: the first few
  /// do.
  std::string suggestion(const std::string &name) const {
    return suggestions_++ < 20 ? didYouMean(name, names_) : std::string();
  }

  std::string kind_;
  std::unordered_map<std::string, IdType> ids_;
  std::vector<std::string> names_;
  std::vector<std::string> pointers_;
  mutable int suggestions_ = 0;
};

} // namespace streammap
