#pragma once
// Settings of the CPU device for a whole test program: define one at namespace scope, before the first CUDA
// call.
#include <cstdlib>
#include <initializer_list>
#include <utility>

namespace streammap::test {

struct Environment {
  Environment(std::initializer_list<std::pair<const char *, const char *>> variables) {
    for (const auto &[name, value] : variables)
      setenv(name, value, 1);
  }
};

} // namespace streammap::test
