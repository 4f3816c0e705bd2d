#include "support/Files.h"
#include "support/Catch.h"
#include "support/TemporaryFolder.h"
#include <csignal>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace streammap;
namespace fs = std::filesystem;

namespace {

std::string contentOf(const std::string &path) {
  Expected<std::string> text = readFile(path);
  REQUIRE(text.has_value());
  return *text;
}

} // namespace

TEST_CASE("what is written is read back, and replaces what was there") {
  TemporaryFolder folder;
  REQUIRE(writeFileWhole(folder / "a.json", "first, and longer"));
  REQUIRE(writeFileWhole(folder / "a.json", "second"));
  CHECK(contentOf(folder / "a.json") == "second");
  CHECK(folder.fileCount() == 1);
}

TEST_CASE("a missing file says so") {
  Expected<std::string> text = readFile("/nowhere/at/all.json");
  REQUIRE_FALSE(text);
  CHECK(text.error().message == "cannot read /nowhere/at/all.json: No such file or directory");
}

TEST_CASE("a folder can be neither read nor written") {
  TemporaryFolder folder;
  CHECK(readFile(folder.path()).error().message == "cannot read " + folder.path() + ": Is a directory");
  CHECK(writeFileWhole(folder.path(), "x").error().message ==
        "cannot write " + folder.path() + ": Is a directory");
}

TEST_CASE("a missing folder says so") {
  CHECK(writeFileWhole("/nowhere/a.json", "x").error().message ==
        "cannot write /nowhere/a.json: No such file or directory");
}

TEST_CASE("a file that may not be written stays as it was") {
  TemporaryFolder folder;
  std::string path = folder / "kept.json";
  REQUIRE(writeFileWhole(path, "kept"));
  REQUIRE(::chmod(path.c_str(), 0444) == 0);
  REQUIRE(::chmod(folder.path().c_str(), 0777) == 0); // renaming over it would be allowed
  pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    bool mortal = ::geteuid() != 0 || ::setuid(65534) == 0; // root may write everything
    Expected<void> written = writeFileWhole(path, "new");
    bool refused = !written && written.error().message == "cannot write " + path + ": Permission denied";
    ::_exit(mortal && refused ? 0 : 1);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  CHECK(contentOf(path) == "kept");
}

TEST_CASE("an existing file keeps its mode") {
  TemporaryFolder folder;
  REQUIRE(writeFileWhole(folder / "a", "1"));
  REQUIRE(::chmod((folder / "a").c_str(), 0640) == 0);
  REQUIRE(writeFileWhole(folder / "a", "2"));
  struct stat status{};
  REQUIRE(::stat((folder / "a").c_str(), &status) == 0);
  CHECK((status.st_mode & 07777) == 0640);
}

TEST_CASE("a symbolic link stays one") {
  TemporaryFolder folder;
  fs::create_directory(folder / "real");
  fs::create_symlink("real/target.json", folder / "link.json");
  REQUIRE(writeFileWhole(folder / "link.json", "through a dangling link"));
  REQUIRE(writeFileWhole(folder / "link.json", "through the link"));
  CHECK(fs::is_symlink(folder / "link.json"));
  CHECK(contentOf(folder / "real/target.json") == "through the link");
}

TEST_CASE("devices are written straight") {
  CHECK(writeFileWhole("/dev/null", "x"));
  CHECK(fs::is_character_file("/dev/null"));
  CHECK(writeFileWhole("/dev/full", "x").error().message ==
        "cannot write /dev/full: No space left on device");
}

TEST_CASE("a write that fails half way leaves the old content and no rubbish") {
  TemporaryFolder folder;
  std::string path = folder / "a.json";
  REQUIRE(writeFileWhole(path, "old"));
  pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    rlimit limit{4096, 4096}; // files of at most 4096 bytes
    ::setrlimit(RLIMIT_FSIZE, &limit);
    ::signal(SIGXFSZ, SIG_IGN);
    ::_exit(writeFileWhole(path, std::string(100000, 'x')) ? 1 : 0);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  CHECK(contentOf(path) == "old");
  CHECK(folder.fileCount() == 1);
}

TEST_CASE("a process killed while writing leaves the old content and no rubbish") {
  TemporaryFolder folder;
  std::string path = folder / "a.json";
  REQUIRE(writeFileWhole(path, "old"));
  pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    rlimit limit{4096, 4096}; // the signal of the limit kills in the middle of the write
    ::setrlimit(RLIMIT_FSIZE, &limit);
    ::signal(SIGXFSZ, SIG_DFL);
    (void)writeFileWhole(path, std::string(100000, 'x'));
    ::_exit(0);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(WIFSIGNALED(status));
  CHECK(contentOf(path) == "old");
  CHECK(folder.fileCount() == 1);
}
