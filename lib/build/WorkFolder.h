#pragma once
// Where intermediate files go.
#include "support/Expected.h"
#include <string>

namespace streammap {

/// A folder that exists: the one asked for, or a temporary one that is removed with its contents at the end.
class WorkFolder {
public:
  static Expected<WorkFolder> make(const std::string &keep);
  WorkFolder(WorkFolder &&other) noexcept;
  WorkFolder &operator=(WorkFolder &&) = delete;
  ~WorkFolder();
  const std::string &path() const { return path_; }

private:
  enum class Lifetime { kept, temporary };
  WorkFolder(std::string path, Lifetime lifetime) : path_(std::move(path)), lifetime_(lifetime) {}
  std::string path_;
  Lifetime lifetime_;
};

} // namespace streammap
