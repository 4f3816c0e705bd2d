// Graphviz files: the language, and the weights in it.
#include "interchange/DotSyntax.h"
#include "interchange/ImportText.h"
#include "mapper/MapTasks.h"

using namespace streammap;
using namespace streammap::test;

TEST_CASE("weights of nodes and edges, processors and optimum") {
  const ImportedProblem problem =
      imported("digraph \"g\" {\n\tgraph [Modes=\"a, ; \\\nb\",\n\"Number of processors\"=2,\n"
               "\"Total schedule length\"=7\n];\n1 [Weight=5, Processor=0];\n2 [Weight=\"2\"];\n1 -> 2 "
               "[Weight=3];\n}");
  CHECK(timesOf(problem.graph) == "1=5 2=2");
  CHECK(edgesOf(problem.graph) == "1>2:3");
  CHECK(problem.cluster->devices.size() == 2);
  CHECK(problem.optimum == seconds(7));
}

TEST_CASE("the number of processors can be another one, whose optimum the file does not know") {
  const std::string text =
      "digraph { graph [\"Number of processors\"=2, \"Total schedule length\"=1] a [cost=1] }";
  CHECK(imported(text, {.processors = 3}).cluster->devices.size() == 3);
  CHECK_FALSE(imported(text, {.processors = 3}).optimum);
  CHECK(imported(text, {.processors = 2}).optimum == seconds(1));
  CHECK_FALSE(imported("digraph { a [cost=1] }").cluster);
}

TEST_CASE("defaults, chains, subgraphs, ports, comments, joined names") {
  const ImportedProblem problem =
      imported("# generated\n"
               "strict digraph {\n"
               "  node [weight=4]; edge [weight=1] // defaults\n"
               "  a -> b:out -> { c; d [weight=9] } [color=red]\n"
               "  /* nothing\n here */ subgraph cluster_x { e -> \"f\" + \"g\" [WEIGHT=2] }\n"
               "  rankdir = LR;;\n"
               "}\n");
  CHECK(timesOf(problem.graph) == "a=4 b=4 c=4 d=9 e=4 fg=4");
  CHECK(edgesOf(problem.graph) == "a>b:1 b>c:1 b>d:1 e>fg:2");
}

TEST_CASE("edges without any weight carry nothing") {
  CHECK(edgesOf(imported("digraph { node [seconds=1] a -> b }").graph) == "a>b:0");
}

TEST_CASE("what is wrong is named with its place") {
  CHECK(errorsIn("digraph {\n a [Wieght=3]\n b\n}") ==
        "in:2:2: error: node 'a' has no weight; expected an attribute Weight, cost, seconds; did you mean "
        "'Weight' "
        "by 'Wieght'?\n"
        "in:3:2: error: node 'b' has no weight; expected an attribute Weight, cost, seconds\n");
  CHECK(errorsIn("digraph { node [cost=1] a -> b [cost=1]; b -> c }") ==
        "in:1:44: error: edge 'b -> c' has no weight; expected an attribute Weight, cost\n");
  CHECK(errorsIn("digraph { a [cost=many] }") ==
        "in:1:19: error: expected 'cost' to be a number that is 0 or more, found 'many'\n");
  CHECK(errorsIn("graph { a -- b }") ==
        "in:1:1: error: expected 'digraph', found 'graph': an edge of a task graph has a direction\n");
  CHECK(errorsIn("digraph { a -- b }").find("in:1:13: error: expected '->', found '--'") == 0);
  CHECK(errorsIn("digraph { a [cost=1 ").find("expected an attribute or ']', found the end of the file") !=
        std::string::npos);
  CHECK(errorsIn("digraph { a [cost] }") == "in:1:18: error: expected '=', found ']'\n");
  CHECK(errorsIn("digraph { } x") == "in:1:13: error: expected nothing after the closing '}', found 'x'\n");
  CHECK(errorsIn("digraph { node [cost=1] a -> b a -> b }") ==
        "in:1:34: error: task 'b' follows 'a' a second time\n");
  CHECK(errorsIn("digraph { node [cost=1] a -> b -> a }") ==
        "in: error: the tasks follow each other in a circle: a -> b -> a\n");
  CHECK(errorsIn("digraph { node [cost=1] a -> a }") == "in:1:27: error: task 'a' follows itself\n");
  CHECK(errorsIn("digraph { " + std::string(1000, '{')).find("subgraphs inside each other") !=
        std::string::npos);
}

TEST_CASE("an attribute of the graph is no node") {
  Diagnostics diagnostics;
  const std::optional<DotGraph> graph = parseDot("digraph { rankdir=LR; a; label=x }", "in", diagnostics);
  REQUIRE(graph);
  CHECK(graph->nodes.size() == 1);
  CHECK(graph->attributes.find("RankDir")->text == "LR");
}

TEST_CASE("a text cut anywhere is an error or a graph, and nothing worse") {
  const std::string text =
      "digraph \"x\" { graph [a=\"b\\\"\"]; a [Weight=1]; /* c */ a -> {b c} [Weight=<i>]; }";
  for (std::size_t length = 0; length < text.size(); ++length) {
    Diagnostics diagnostics;
    const bool parsed = parseDot(text.substr(0, length), "in", diagnostics).has_value();
    CHECK(parsed == !diagnostics.hasErrors());
  }
}
