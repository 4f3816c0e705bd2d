#include "support/Files.h"
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace streammap {
namespace {

/// An open file that closes itself.
class OpenFile {
public:
  explicit OpenFile(int descriptor) : descriptor_(descriptor) {}
  OpenFile(const OpenFile &) = delete;
  OpenFile &operator=(const OpenFile &) = delete;
  ~OpenFile() { close(); }
  int get() const { return descriptor_; }
  bool isOpen() const { return descriptor_ >= 0; }
  void reset(int descriptor) {
    close();
    descriptor_ = descriptor;
  }
  /// Some file systems report a full disk only here.
  int close() {
    int result = descriptor_ > STDERR_FILENO ? ::close(descriptor_) : 0;
    descriptor_ = -1;
    return result;
  }

private:
  int descriptor_;
};

std::unexpected<Error> cannot(const char *verb, const std::string &path, int error) {
  return failure(std::string("cannot ") + verb + " " + (path == "-" ? "standard stream" : path) + ": " +
                 std::strerror(error));
}

int writeAll(int descriptor, std::string_view text) {
  while (!text.empty()) {
    ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      return errno;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

/// What `path` stands for once its symbolic links are followed; also where the last link leads to no file
/// yet.
std::string linkTarget(std::string path) {
  for (int hops = 0; hops < 40; ++hops) {
    char target[4096];
    ssize_t length = ::readlink(path.c_str(), target, sizeof target);
    if (length < 0)
      return path;
    std::string next(target, static_cast<std::size_t>(length));
    std::size_t slash = path.rfind('/');
    if (!next.starts_with('/') && slash != std::string::npos)
      next = path.substr(0, slash + 1) + next;
    path = next;
  }
  return path; // a loop: opening it will say so
}

std::string folderOf(const std::string &path) {
  std::size_t slash = path.rfind('/');
  if (slash == std::string::npos)
    return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

/// A name in the target's folder that no other process uses at this moment.
std::string temporaryName(const std::string &target) {
  std::size_t slash = target.rfind('/');
  std::string base = slash == std::string::npos ? target : target.substr(slash + 1);
  return folderOf(target) + "/." + base + "." + std::to_string(::getpid()) + ".part";
}

int fillAndSync(int descriptor, std::string_view text, const struct stat *existing) {
  if (int error = writeAll(descriptor, text))
    return error;
  if (existing && ::fchmod(descriptor, existing->st_mode & 07777) != 0)
    return errno;
  if (::fsync(descriptor) != 0 && errno != EINVAL)
    return errno;
  return 0;
}

/// Gives the finished nameless file a name. Where the system has no nameless files it had this name already.
int nameIt(int descriptor, const std::string &temporary) {
  std::string self = "/proc/self/fd/" + std::to_string(descriptor);
  return ::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, temporary.c_str(), AT_SYMLINK_FOLLOW) == 0 ? 0 : errno;
}

Expected<void> replaceFile(const std::string &path, const std::string &target, std::string_view text,
                           const struct stat *existing) {
  const std::string temporary = temporaryName(target);
  ::unlink(temporary.c_str()); // left by a killed process that had our number
  OpenFile file(::open(folderOf(target).c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666));
  const bool nameless = file.isOpen() || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL);
  if (!nameless)
    file.reset(::open(temporary.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666));
  if (!file.isOpen())
    return cannot("write", path, errno);
  int error = fillAndSync(file.get(), text, existing);
  if (!error && nameless)
    error = nameIt(file.get(), temporary);
  if (file.close() != 0 && !error)
    error = errno;
  if (!error && ::rename(temporary.c_str(), target.c_str()) != 0)
    error = errno;
  if (!error)
    return {};
  ::unlink(temporary.c_str());
  return cannot("write", path, error);
}

} // namespace

Expected<std::string> readFile(const std::string &path) {
  OpenFile file(path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.isOpen())
    return cannot("read", path, errno);
  std::string text;
  struct stat status{};
  if (::fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode))
    text.reserve(static_cast<std::size_t>(status.st_size) + 1);
  char buffer[65536];
  for (;;) {
    ssize_t got = ::read(file.get(), buffer, sizeof buffer);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return cannot("read", path, errno);
    if (got == 0)
      return text;
    text.append(buffer, static_cast<std::size_t>(got));
  }
}

Expected<void> writeFileWhole(const std::string &path, std::string_view text) {
  if (path == "-") {
    if (int error = writeAll(STDOUT_FILENO, text))
      return cannot("write", path, error);
    return {};
  }
  const std::string target = linkTarget(path);
  struct stat status{};
  bool exists = ::stat(target.c_str(), &status) == 0;
  if (!exists && errno != ENOENT)
    return cannot("write", path, errno);
  if (exists && S_ISDIR(status.st_mode))
    return cannot("write", path, EISDIR);
  if (exists && ::access(target.c_str(), W_OK) != 0)
    return cannot("write", path, errno);
  if (!exists || S_ISREG(status.st_mode))
    return replaceFile(path, target, text, exists ? &status : nullptr);
  OpenFile device(::open(target.c_str(), O_WRONLY | O_CLOEXEC));
  if (!device.isOpen())
    return cannot("write", path, errno);
  if (int error = writeAll(device.get(), text))
    return cannot("write", path, error);
  return {};
}

} // namespace streammap
