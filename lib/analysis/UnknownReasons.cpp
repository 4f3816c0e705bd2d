#include "analysis/UnknownReasons.h"

namespace streammap {

UnknownReasons::UnknownReasons() : all_(3) {
  all_[nowhere].what = "memory that the program never wrote";
  all_[divisionByZero].what = "a division by zero";
}

Reason UnknownReasons::intern(UnknownReason reason) {
  constexpr std::size_t most = 65000;
  const std::tuple key{reason.what, toText(reason.where), reason.variable + toText(reason.variableAt)};
  if (const auto found = known_.find(key); found != known_.end())
    return found->second;
  if (all_.size() >= most)
    return nowhere;
  const Reason number = static_cast<Reason>(all_.size());
  all_.push_back(std::move(reason));
  known_.emplace(key, number);
  return number;
}

Reason UnknownReasons::add(std::string what, SourceLocation where) {
  return intern({std::move(what), std::move(where), {}, {}, false});
}

Reason UnknownReasons::addMissingArgument(std::string what, SourceLocation where) {
  return intern({std::move(what), std::move(where), {}, {}, true});
}

Reason UnknownReasons::named(Reason reason, const std::string &variable, const SourceLocation &where) {
  if (reason == 0 || reason == divisionByZero || !all_[reason].variable.empty() || variable.empty())
    return reason;
  UnknownReason copy = all_[reason];
  copy.variable = variable;
  copy.variableAt = where;
  return intern(std::move(copy));
}

std::string UnknownReasons::describe(Reason reason) const {
  const UnknownReason &why = all_[reason];
  std::string text = why.what;
  if (!why.where.file.empty())
    text += " (" + toText(why.where) + ")";
  return why.variable.empty() ? text : "the value of '" + why.variable + "' is unknown: " + text;
}

std::string UnknownReasons::remedy(Reason reason) const {
  const UnknownReason &why = all_[reason];
  if (reason == divisionByZero)
    return "check the values given with --arg and --param";
  if (why.isArgument)
    return why.variable.empty()
               ? "give the program's command line with --arg"
               : "give the program's command line with --arg, or pass --param " + why.variable + "=VALUE";
  if (why.variable.empty())
    return "keep the value in a variable and pass --param NAME=VALUE";
  return "pass --param " + why.variable + "=VALUE";
}

} // namespace streammap
