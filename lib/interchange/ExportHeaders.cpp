// Headers for C and C++ programs. All three hold one table in program order, and a list of its rows sorted by
// key in which a key is found by bisection, so that a program of a million tasks spends nothing on its
// placement.
#include "interchange/ExportWriters.h"
#include <algorithm>
#include <cstdio>
#include <numeric>

namespace streammap {
namespace {

/// A string literal of C and C++: octal escapes end after three digits, whatever follows.
std::string literal(const std::string &text) {
  std::string quoted = "\"";
  for (char c : text) {
    const unsigned char byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\' || c == '?') { // "\?" since two question marks may start a trigraph
      quoted += '\\';
      quoted += c;
    } else if (byte < 32 || byte >= 127) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\%03o", byte);
      quoted += escape;
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

/// Rows sorted as strcmp and std::string_view compare: by bytes.
std::vector<std::size_t> sortedByKey(const std::vector<PlacedTask> &tasks) {
  std::vector<std::size_t> rows(tasks.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  std::ranges::sort(rows, {}, [&](std::size_t row) -> const std::string & { return tasks[row].key; });
  return rows;
}

std::string numbers(const std::vector<std::size_t> &values) {
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i)
    text += (i % 16 == 0 ? "\n    " : " ") + std::to_string(values[i]) + ",";
  return text;
}

/// The members of the table's rows: key, rank, GPU (-1: the node's cores), order.
std::string tableRows(const std::vector<PlacedTask> &tasks) {
  std::string text;
  for (const PlacedTask &task : tasks)
    text += "    {" + literal(task.key) + ", " + std::to_string(task.rank) + ", " +
            (task.gpu ? std::to_string(*task.gpu) : "-1") + ", " + std::to_string(task.order) + "u},\n";
  return text;
}

/// What the two C headers share.
std::string cTable(const std::vector<PlacedTask> &tasks) {
  return R"(#include <string.h>

/* One task: its name (its id where names repeat), the MPI rank of its node, its GPU there (-1: the node's cores), and
   its number among the tasks of that device in the order they start, from 1. */
struct streammap_place {
  const char *task;
  int rank;
  int gpu;
  unsigned order;
};

/* In program order. */
static const struct streammap_place streammap_places[] = {
)" + tableRows(tasks) +
         R"(};
static const unsigned streammap_task_count = )" +
         std::to_string(tasks.size()) + R"(;

/* Rows of the table, sorted by task. */
static const unsigned streammap_by_task[] = {)" +
         numbers(sortedByKey(tasks)) + R"(
};

/* The place of a task, or NULL when no task is called that. */
static inline const struct streammap_place *streammap_find(const char *task) {
  unsigned low = 0, high = streammap_task_count;
  while (low < high) {
    const unsigned middle = low + (high - low) / 2;
    const int side = strcmp(task, streammap_places[streammap_by_task[middle]].task);
    if (side == 0)
      return &streammap_places[streammap_by_task[middle]];
    if (side < 0)
      high = middle;
    else
      low = middle + 1;
  }
  return NULL;
}
)";
}

} // namespace

std::string asStarPuHeader(const std::vector<PlacedTask> &tasks) {
  return R"(/* Where each task runs, for StarPU 1.3 and later. Written by 'streammap export --to starpu'.

     const struct streammap_place *place = streammap_find("gemm[2,1,0]");
     starpu_mpi_task_insert(MPI_COMM_WORLD, &gemm, STARPU_R, a, STARPU_RW, c, STREAMMAP_ON(place), 0);

   Without MPI, starpu_task_insert takes the same arguments and leaves the node alone. */
#ifndef STREAMMAP_PLACEMENT_STARPU_H
#define STREAMMAP_PLACEMENT_STARPU_H
#include <starpu.h>
)" + cTable(tasks) +
         R"(
/* The worker of the task's GPU on this node. -1 for a task on the node's cores, whose worker StarPU chooses itself; so
   it does where the node has no such GPU. */
static inline int streammap_worker(const struct streammap_place *place) {
  return place->gpu < 0 ? -1 : starpu_worker_get_by_devid(STARPU_CUDA_WORKER, place->gpu);
}

/* Arguments of starpu_task_insert and starpu_mpi_task_insert: node, kind of worker, worker, and the task's turn on it.
   Tasks on cores have no turn, since any worker may take them. */
#define STREAMMAP_ON(place)                                                                                  \
  STARPU_EXECUTE_ON_NODE, (place)->rank, STARPU_EXECUTE_WHERE,                                               \
      (unsigned long long)((place)->gpu < 0 ? STARPU_CPU : STARPU_CUDA), STARPU_EXECUTE_ON_WORKER,           \
      streammap_worker(place), STARPU_WORKER_ORDER, ((place)->gpu < 0 ? 0u : (place)->order)

#endif
)";
}

std::string asOpenMpHeader(const std::vector<PlacedTask> &tasks) {
  return R"(/* Where each task runs, for OpenMP. Written by 'streammap export --to openmp'.

     if (streammap_find("gemm[2,1,0]")->rank == my_rank) {
     #pragma omp target device(streammap_device("gemm[2,1,0]")) depend(inout: c) nowait
       gemm(a, b, c);
     } */
#ifndef STREAMMAP_PLACEMENT_OPENMP_H
#define STREAMMAP_PLACEMENT_OPENMP_H
#include <omp.h>
)" + cTable(tasks) +
         R"(
/* The device number of a task on its node, where OpenMP numbers the GPUs as CUDA does; the host for a task on the node's
   cores. A task that is not in the placement runs on the default device. */
static inline int streammap_device(const char *task) {
  const struct streammap_place *place = streammap_find(task);
  if (place == NULL)
    return omp_get_default_device();
  return place->gpu < 0 ? omp_get_initial_device() : place->gpu;
}

#endif
)";
}

std::string asCudaStfHeader(const std::vector<PlacedTask> &tasks) {
  return R"(// Where each task runs, for CUDASTF. Written by 'streammap export --to cudastf'.
//
//   ctx.task(streammap_placement::place("gemm[2,1,0]"), a.read(), c.rw())->*[](cudaStream_t s, auto a, auto c) { ... };
#pragma once
#include <algorithm>
#include <iterator>
#include <string_view>
)"
         "#include <cuda/experimental/stf.cuh>\n"
         R"(
namespace streammap_placement {

/// One task: its name (its id where names repeat), the MPI rank of its node, its GPU there (-1: the node's cores), and its
/// number among the tasks of that device in the order they start, from 1.
struct Place {
  std::string_view task;
  int rank;
  int gpu;
  unsigned order;
};

/// In program order.
inline constexpr Place places[] = {
)" + tableRows(tasks) +
         R"(};

/// Rows of the table, sorted by task.
inline constexpr unsigned byTask[] = {)" +
         numbers(sortedByKey(tasks)) + R"(
};

/// Null when no task is called that.
inline const Place *find(std::string_view task) {
  const unsigned *row = std::lower_bound(
      std::begin(byTask), std::end(byTask), task,
      [](unsigned left, std::string_view right) { return places[left].task < right; });
  return row != std::end(byTask) && places[*row].task == task ? &places[*row] : nullptr;
}

/// Where CUDASTF should run the task: its GPU, or the host. A task that is not in the placement runs on the current device.
inline cuda::experimental::stf::exec_place place(std::string_view task) {
  using cuda::experimental::stf::exec_place;
  const Place *found = find(task);
  if (!found)
    return exec_place::current_device();
  return found->gpu < 0 ? exec_place::host() : exec_place::device(found->gpu);
}

} // namespace streammap_placement
)";
}

} // namespace streammap
