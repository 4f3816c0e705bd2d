#pragma once
// Task graphs written as text, so that a test case is one line:
//
//   graphFromText("a -> b 4MiB")               two tasks of 1 s each, b needs 4 MiB of a
//   graphFromText("a -> b -> c\n"
//                 "a -> c 1GB\n"
//                 "b: 3s H100-SXM5-80GB=1s memory=2GiB together=x apart=y node=n1 device=cpu\n"
//                 "b: capability=8.0 models=H100,A100 priority=2\n")
//
// Tasks are numbered as they are first mentioned; put "a" alone on a line to fix its place.
#include "model/TaskGraph.h"
#include <string_view>

namespace streammap {

/// Dependencies come out sorted by (from, to). A mistake in the text ends the test program with a message.
TaskGraph graphFromText(std::string_view text);

} // namespace streammap
