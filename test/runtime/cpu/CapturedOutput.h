#pragma once
// What the process writes to a file descriptor (1: stdout, 2: stderr) while the object lives.
#include <cstdio>
#include <string>
#include <unistd.h>

namespace streammap::test {

class CapturedOutput {
public:
  explicit CapturedOutput(int descriptor) : descriptor_(descriptor), file_(std::tmpfile()) {
    std::fflush(nullptr);
    original_ = dup(descriptor_);
    dup2(fileno(file_), descriptor_);
  }
  CapturedOutput(const CapturedOutput &) = delete;
  CapturedOutput &operator=(const CapturedOutput &) = delete;
  ~CapturedOutput() {
    restore();
    std::fclose(file_);
  }

  /// Ends the capture.
  std::string text() {
    restore();
    std::rewind(file_);
    std::string all;
    for (int c = std::fgetc(file_); c != EOF; c = std::fgetc(file_))
      all += static_cast<char>(c);
    return all;
  }

private:
  void restore() {
    if (original_ < 0)
      return;
    std::fflush(nullptr);
    dup2(original_, descriptor_);
    close(original_);
    original_ = -1;
  }
  int descriptor_;
  std::FILE *file_;
  int original_;
};

} // namespace streammap::test
