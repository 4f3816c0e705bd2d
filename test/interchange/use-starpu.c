/* Uses the header that 'streammap export --to starpu' writes; `insert` stands for starpu_task_insert. */
#include "placement-starpu.h"
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

static int node, worker;
static unsigned order;
static unsigned long long where;

static void insert(int first, ...) {
  va_list arguments;
  va_start(arguments, first);
  for (int what = first; what != 0; what = va_arg(arguments, int)) {
    if (what == STARPU_EXECUTE_ON_NODE)
      node = va_arg(arguments, int);
    else if (what == STARPU_EXECUTE_ON_WORKER)
      worker = va_arg(arguments, int);
    else if (what == STARPU_WORKER_ORDER)
      order = va_arg(arguments, unsigned);
    else
      where = va_arg(arguments, unsigned long long);
  }
  va_end(arguments);
}

int main(void) {
  const struct streammap_place *second = streammap_find("b"), *cores = streammap_find("host");
  if (streammap_task_count != 4 || !second || !cores || streammap_find("nobody"))
    return 1;
  insert(STREAMMAP_ON(second), 0);
  printf("b: node %d, %s, turn %u\n", node, where == STARPU_CUDA ? "CUDA" : "other", order);
  insert(STREAMMAP_ON(cores), 0);
  printf("host: node %d, %s, worker %d, turn %u\n", node, where == STARPU_CPU ? "CPU" : "other", worker,
         order);
  return 0;
}
