#pragma once
// A page of memory shared with whoever supervises this rank, so that the last task of a killed process is
// known.
//
//   rank 2 (node n003) was killed by signal 9 while running task gemm[2,1,0] on device 1
#include <array>
#include <atomic>
#include <cstddef>
#include <string>
#include <string_view>

namespace streammap::engine {

/// The page itself: plain data, written by the rank without locks, read after its death.
struct StatusRecord {
  static constexpr std::size_t slotCount = 64; ///< 0 is the node's cores, 1 + d is device d
  static constexpr std::size_t nameSize = 192;
  int rank;
  char node[nameSize];
  char tasks[slotCount][nameSize]; ///< empty when idle
};

/// The variable that holds the file descriptor of the page.
inline constexpr const char *statusVariable = "STREAMMAP_STATUS_FD";

class StatusPage {
public:
  /// Maps the page of `statusVariable`; without one nothing is written anywhere.
  StatusPage();
  ~StatusPage();
  StatusPage(const StatusPage &) = delete;
  StatusPage &operator=(const StatusPage &) = delete;

  void identify(int rank, std::string_view node);
  /// `device` is -1 for the node's cores; an empty name means idle.
  void running(int device, std::string_view task);

private:
  StatusRecord *record_ = nullptr;
};

/// What a supervisor says of a dead rank, from its page: "rank 2 (node n003)" and " while running task ...".
std::string describeRank(const StatusRecord &record);
std::string describeTasks(const StatusRecord &record);

} // namespace streammap::engine
