#pragma once
// The machine of the scheduling literature: processors that each run a task in their own time, joined so that
// an edge of weight w takes w seconds between any two of them, however many transfers there are.
//
//   ProcessorGraph g = processorGraph({{14, 16, 9}, {13, 19, 18}}, {{0, 1, 18}});   // two tasks, three
//   processors Problem problem = *makeProblem(g.graph, g.cluster);
#include "model/Cluster.h"
#include "model/TaskGraph.h"
#include "sim/Problem.h"

namespace streammap::test {

struct Edge {
  std::size_t from, to;
  double weight;
};

struct ProcessorGraph {
  TaskGraph graph;
  Cluster cluster;
};

/// `times[task][processor]` in seconds. Processor p is node "p<p>" with one GPU of model "m<p>".
ProcessorGraph processorGraph(const std::vector<std::vector<double>> &times, const std::vector<Edge> &edges);

/// The same with identical processors: one model for all.
ProcessorGraph identicalProcessors(const std::vector<double> &times, const std::vector<Edge> &edges,
                                   std::size_t processors);

/// The 10 tasks on 3 processors of Topcuoglu, Hariri and Wu 2002, figure 2: HEFT 80, CPOP 86, optimum 73.
ProcessorGraph topcuogluExample();

/// The 10 tasks on 3 processors of Arabnejad and Barbosa 2014, figure 1: PEFT 122, HEFT 133, optimum 113.
ProcessorGraph peftExample();

/// The least makespan of any assignment and order, by trying all of them: every task in every order on every
/// device; nothing when groups leave none. For graphs of up to about 6 tasks on 3 devices. Not fit for
/// anything but tests.
std::optional<Seconds> bruteForceMakespan(const Problem &problem);

} // namespace streammap::test
