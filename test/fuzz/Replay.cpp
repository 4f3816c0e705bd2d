// Runs a fuzz target on files, and on each of their beginnings and on copies with a byte changed: a little of
// what libFuzzer does, for compilers without it.
//
//   fuzz-replay FILE-OR-FOLDER...
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size);

namespace {

void run(const std::string &text) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t *>(text.data()), text.size());
}

/// About a hundred variants whatever the size: short inputs are tried at every byte.
void replay(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  run(text);
  const std::size_t step = text.size() / 50 + 1;
  for (std::size_t at = 0; at < text.size(); at += step) {
    run(text.substr(0, at));
    std::string changed = text;
    changed[at] = static_cast<char>(changed[at] ^ (1 << at % 7));
    run(changed);
  }
}

} // namespace

int main(int argc, char *argv[]) {
  std::size_t files = 0;
  for (int i = 1; i < argc; ++i) {
    if (!std::filesystem::is_directory(argv[i])) {
      replay(argv[i]);
      ++files;
      continue;
    }
    for (const auto &entry : std::filesystem::directory_iterator(argv[i])) {
      replay(entry.path().string());
      ++files;
    }
  }
  std::printf("%zu files replayed\n", files);
  return files == 0 ? 1 : 0;
}
