#pragma once
// The obvious dependency tracker: one record per byte. An oracle for tests, unfit for anything real.
#include "model/TaskGraph.h"
#include <map>
#include <set>
#include <span>

namespace streammap {

class ByteHistory {
public:
  struct Answer {
    std::map<std::pair<TaskId, BufferId>, std::uint64_t> data; ///< bytes read, by (writer, buffer)
    std::set<std::pair<TaskId, BufferId>> order;               ///< write after read, write after write
  };

  Answer add(TaskId task, std::span<const Access> accesses) {
    Answer answer;
    std::set<std::pair<BufferId, std::uint64_t>> read, written;
    for (const Access &access : accesses)
      for (std::uint64_t byte : bytesOf(access.region)) {
        if (access.mode != AccessMode::out)
          read.insert({access.buffer, byte});
        if (access.mode != AccessMode::in)
          written.insert({access.buffer, byte});
      }
    for (const auto &place : read)
      if (bytes_[place].writer.valid())
        ++answer.data[{bytes_[place].writer, place.first}];
    for (const auto &place : written) {
      for (TaskId reader : bytes_[place].readers)
        answer.order.insert({reader, place.first});
      if (bytes_[place].writer.valid())
        answer.order.insert({bytes_[place].writer, place.first});
    }
    for (const auto &place : read)
      bytes_[place].readers.insert(task);
    for (const auto &place : written)
      bytes_[place] = {task, {}};
    return answer;
  }

private:
  struct Byte {
    TaskId writer;
    std::set<TaskId> readers;
  };

  static std::set<std::uint64_t> bytesOf(const Region &region) {
    std::set<std::uint64_t> bytes;
    for (std::uint64_t run = 0; run < region.count; ++run)
      for (std::uint64_t byte = 0; byte < region.size; ++byte)
        bytes.insert(region.offset + run * region.stride + byte);
    return bytes;
  }

  std::map<std::pair<BufferId, std::uint64_t>, Byte> bytes_;
};

} // namespace streammap
