#pragma once
// Why values of the evaluated host program are unknown, each with the variable that first held the value:
// what a person can set with --param.
//
//   Reason r = reasons.add("the result of getenv()", {"app.cu", 12, 11});
//   r = reasons.named(r, "n", {"app.cu", 12, 7});
//   reasons.describe(r)      // "the value of 'n' is unknown: the result of getenv() (app.cu:12:11)"
//   reasons.remedy(r)        // "pass --param n=VALUE"
#include "analysis/HostMemory.h"
#include "support/Diagnostic.h"
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace streammap {

struct UnknownReason {
  std::string what;     ///< "the result of getenv()", "the contents of device buffer 'd'"
  SourceLocation where; ///< of the expression that made it unknown
  std::string variable; ///< the first variable that held it; empty if none did
  SourceLocation variableAt;
  bool isArgument = false; ///< the command line ended too early: --arg settles it
};

class UnknownReasons {
public:
  /// Memory that is not there: HostMemory knows it by this number.
  static constexpr Reason nowhere = 1;
  /// All values are known, and there is no result.
  static constexpr Reason divisionByZero = 2;
  UnknownReasons();
  /// The same text and place give the same reason. After 65,000 different ones, all further ones are one.
  Reason add(std::string what, SourceLocation where);
  Reason addMissingArgument(std::string what, SourceLocation where);
  /// `reason`, now held by `variable`; itself if a variable held it before.
  Reason named(Reason reason, const std::string &variable, const SourceLocation &where);
  const UnknownReason &operator[](Reason reason) const { return all_[reason]; }
  std::string describe(Reason reason) const;
  std::string remedy(Reason reason) const;

private:
  Reason intern(UnknownReason reason);
  std::vector<UnknownReason> all_;
  std::map<std::tuple<std::string, std::string, std::string>, Reason> known_;
};

} // namespace streammap
