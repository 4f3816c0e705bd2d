// Uses the header that 'streammap export --to cudastf' writes.
#include "placement-cudastf.h"
#include <cstdio>

int main() {
  for (const streammap_placement::Place &place : streammap_placement::places)
    std::printf("%s: rank %d, %s\n", std::string(place.task).c_str(),
                streammap_placement::find(place.task)->rank,
                streammap_placement::place(place.task).to_string().c_str());
  std::printf("nobody: %s\n", streammap_placement::place("nobody").to_string().c_str());
}
