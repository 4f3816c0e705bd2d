// The C++ library's containers and algorithms: evaluated like any other template.
// run: --arg --tiles --arg 4
#include <cuda_runtime.h>
#include <algorithm>
#include <array>
#include <deque>
#include <iostream>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

__global__ void k(float *p) { *p = 1; }

struct Tile {
  float *data;
  int row, column;
};

int main(int argc, char **argv) {
  int tiles = 1;
  for (int i = 1; i < argc; ++i) {
    std::string option = argv[i];
    if (option == "--tiles" && i + 1 < argc)
      tiles = std::stoi(argv[++i]);
  }
  std::vector<Tile> all;
  for (int r = 0; r < tiles; ++r)
    for (int c = 0; c <= r; ++c)
      all.push_back({nullptr, r, c});
  for (Tile &tile : all)
    cudaMalloc(&tile.data, sizeof(float) * (tile.row + 1));
  std::sort(all.begin(), all.end(), [](const Tile &a, const Tile &b) {
    return std::pair(a.column, a.row) < std::pair(b.column, b.row);
  });
  for (const auto &tile : all)
#pragma streammap task name(tile, tile.row, tile.column) out(tile.data)
    k<<<1, 1>>>(tile.data);

  std::array<int, 5> order;
  std::iota(order.begin(), order.end(), 1);
  std::reverse(order.begin(), order.end());
  std::map<std::string, int> sizes;
  sizes["small"] = 16;
  sizes["large"] = 4096;
  sizes["medium"] = 256;
  int rank = 0;
  std::vector<std::vector<int>> nested(3, std::vector<int>(2, 7));
  nested[1].resize(5, 9);
  std::vector<int> copy = nested[1];
  nested[0].swap(copy);
  auto owner = std::make_unique<std::vector<float *>>(2, all[0].data);
  for (auto &[name, size] : sizes) {
    std::cout << name << ' ' << size << std::endl;
#pragma streammap task name(map, rank++, size, order[rank], nested[0].size(), std::accumulate(nested[0].begin(), nested[0].end(), 0)) \
    in((*owner)[1])
    k<<<1, 1>>>(owner->back());
  }
  std::deque<int> queue;
  for (int i = 0; i < 5; ++i)
    queue.push_back(i * i);
  queue.pop_front();
  std::string name = std::string("task") + std::to_string(queue.front() + 41);
  std::tuple<int, double> both{std::max(3, 9), 2.5};
#pragma streammap task name(last, queue.size(), name.size(), name[5], std::get<0>(both), std::min({4, 2, 8}), sizes.count("small"), sizes.find("none") == sizes.end()) \
    in(all[0].data[0:1])
  k<<<1, 1>>>(all[0].data);
}
