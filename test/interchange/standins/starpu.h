/* Stands in for StarPU where it is not installed: the names that an exported header uses. */
#ifndef STREAMMAP_TEST_STARPU_H
#define STREAMMAP_TEST_STARPU_H
enum { STARPU_EXECUTE_ON_NODE = 1, STARPU_EXECUTE_ON_WORKER, STARPU_EXECUTE_WHERE, STARPU_WORKER_ORDER };
enum { STARPU_CPU = 2, STARPU_CUDA = 8 };
enum starpu_worker_archtype { STARPU_CUDA_WORKER = 1 };
static inline int starpu_worker_get_by_devid(enum starpu_worker_archtype type, int device) {
  return device < 2 ? 10 * (int)type + device : -1;
}
#endif
