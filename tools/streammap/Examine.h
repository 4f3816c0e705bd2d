#pragma once
// What of the programs and libraries that StreamMAP uses is on this machine.
//
//   for (const Component &component : examineMachine())
//     ...                                // {"ptxas", Presence::missing, "not found", ..., "pip install ..."}
//
// Nothing is changed, and every program that is asked has five seconds to answer.
#include <string>
#include <vector>

namespace streammap {

enum class Presence {
  works,
  partial, ///< there, but not all of what it is needed for works
  missing,
};

struct Component {
  std::string name;
  Presence presence = Presence::missing;
  std::string found;     ///< its version and place, or why it is of no use
  std::string neededFor; ///< commands, in a few words
  std::string remedy;    ///< what to install, by the exact names of apt or pip; empty when it works
};

/// In the order of the text report; names are stable.
std::vector<Component> examineMachine();

/// One thing a user does, and the components without which it does not work.
struct Ability {
  std::string command;
  std::vector<std::string> missing; ///< names of components; empty: it works here
};

/// "annotate, check", "build --device cuda", "run on GPUs" ... by what was found.
std::vector<Ability> abilities(const std::vector<Component> &components);

} // namespace streammap
