#include "streammap/StatusPage.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>

namespace streammap::engine {
namespace {

void store(char (&field)[StatusRecord::nameSize], std::string_view text) {
  const std::size_t size = std::min(text.size(), StatusRecord::nameSize - 1);
  std::memcpy(field, text.data(), size);
  field[size] = 0;
}

std::string load(const char (&field)[StatusRecord::nameSize]) {
  return std::string(field, strnlen(field, StatusRecord::nameSize));
}

} // namespace

StatusPage::StatusPage() {
  const char *descriptor = std::getenv(statusVariable);
  if (!descriptor)
    return;
  void *page =
      mmap(nullptr, sizeof(StatusRecord), PROT_READ | PROT_WRITE, MAP_SHARED, std::atoi(descriptor), 0);
  if (page != MAP_FAILED)
    record_ = static_cast<StatusRecord *>(page);
}

StatusPage::~StatusPage() {
  if (record_)
    munmap(record_, sizeof(StatusRecord));
}

void StatusPage::identify(int rank, std::string_view node) {
  if (!record_)
    return;
  record_->rank = rank;
  store(record_->node, node);
}

void StatusPage::running(int device, std::string_view task) {
  const std::size_t slot = static_cast<std::size_t>(device) + 1; // -1, the host, is slot 0
  if (record_ && slot < StatusRecord::slotCount)
    store(record_->tasks[slot], task);
}

std::string describeRank(const StatusRecord &record) {
  return "rank " + std::to_string(record.rank) + " (node " + load(record.node) + ")";
}

std::string describeTasks(const StatusRecord &record) {
  std::string text;
  for (std::size_t slot = 0; slot < StatusRecord::slotCount; ++slot)
    if (record.tasks[slot][0]) {
      text += text.empty() ? " while running task " : " and task ";
      text += load(record.tasks[slot]);
      text += slot == 0 ? " on the node's cores" : " on device " + std::to_string(slot - 1);
    }
  return text;
}

} // namespace streammap::engine
