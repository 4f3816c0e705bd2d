/* Uses the header that 'streammap export --to openmp' writes. */
#include "placement-openmp.h"
#include <stdio.h>

int main(void) {
  for (unsigned i = 0; i < streammap_task_count; ++i) {
    const char *task = streammap_places[i].task;
    const struct streammap_place *place = streammap_find(task);
    const int device = streammap_device(task);
    if (place->gpu < 0)
      printf("%s: rank %d, %s\n", task, place->rank,
             device == omp_get_initial_device() ? "host" : "not the host");
    else
      printf("%s: rank %d, device %d\n", task, place->rank, device);
  }
  return streammap_find("nobody") != NULL;
}
