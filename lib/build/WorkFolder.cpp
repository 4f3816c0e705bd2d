#include "build/WorkFolder.h"
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace fs = std::filesystem;

namespace streammap {

Expected<WorkFolder> WorkFolder::make(const std::string &keep) {
  std::error_code error;
  if (!keep.empty()) {
    fs::create_directories(keep, error);
    if (error)
      return failure("cannot create " + keep + ": " + error.message());
    return WorkFolder(keep, Lifetime::kept);
  }
  std::string pattern = (fs::temp_directory_path(error) / "streammap-build-XXXXXX").string();
  if (error || !::mkdtemp(pattern.data()))
    return failure("cannot create a temporary folder: " +
                   (error ? error.message() : std::string(std::strerror(errno))));
  return WorkFolder(pattern, Lifetime::temporary);
}

WorkFolder::WorkFolder(WorkFolder &&other) noexcept
    : path_(std::move(other.path_)), lifetime_(std::exchange(other.lifetime_, Lifetime::kept)) {}

WorkFolder::~WorkFolder() {
  std::error_code ignored; // a folder in /tmp that stays is no reason to fail
  if (lifetime_ == Lifetime::temporary)
    fs::remove_all(path_, ignored);
}

} // namespace streammap
