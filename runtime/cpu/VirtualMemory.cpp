#include "cpu/VirtualMemory.h"
#include <fcntl.h>
#include <iterator>
#include <sys/mman.h>
#include <unistd.h>

namespace streammap::cpu {
namespace {

bool isWhole(std::uintptr_t value) {
  return value % VirtualMemory::granularity == 0;
}

void *asPointer(std::uintptr_t address) {
  return reinterpret_cast<void *>(address);
}

constexpr int reservedFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

} // namespace

VirtualMemory::~VirtualMemory() {
  for (const auto &[device, file] : files_)
    if (file.descriptor >= 0)
      close(file.descriptor);
}

cudaError_t VirtualMemory::reserve(std::uintptr_t &address, std::size_t size, std::size_t alignment,
                                   std::uintptr_t wanted) {
  if (size == 0 || !isWhole(size) || (alignment & (alignment - 1)) != 0)
    return cudaErrorInvalidValue;
  const std::size_t step = alignment > granularity ? alignment : granularity;
  const std::size_t room = size + step;
  if (room < size)
    return cudaErrorMemoryAllocation;
  void *hint = wanted % step == 0 ? asPointer(wanted) : nullptr;
  void *mapping = mmap(hint, room, PROT_NONE, reservedFlags, -1, 0);
  if (mapping == MAP_FAILED)
    return cudaErrorMemoryAllocation;
  const auto begin = reinterpret_cast<std::uintptr_t>(mapping);
  const std::uintptr_t aligned = (begin + step - 1) / step * step;
  if (aligned != begin)
    munmap(mapping, aligned - begin);
  if (const std::size_t rest = begin + room - aligned - size)
    munmap(asPointer(aligned + size), rest);
  std::lock_guard lock(mutex_);
  reservations_[aligned] = size;
  address = aligned;
  return cudaSuccess;
}

cudaError_t VirtualMemory::unreserve(std::uintptr_t address, std::size_t size) {
  std::lock_guard lock(mutex_);
  const auto found = reservations_.find(address);
  if (found == reservations_.end() || found->second != size)
    return cudaErrorInvalidValue;
  const auto mapped = mappings_.lower_bound(address);
  if (mapped != mappings_.end() && mapped->first < address + size)
    return cudaErrorInvalidValue;
  munmap(asPointer(address), size);
  reservations_.erase(found);
  return cudaSuccess;
}

/// Where new physical memory goes in the device's file. Offsets are not used twice: the file is sparse.
std::optional<off_t> VirtualMemory::place(Device &device, std::size_t size) {
  File &file = files_[device.ordinal()];
  if (file.descriptor < 0)
    file.descriptor = memfd_create("streammap-cpu-device", MFD_CLOEXEC);
  if (file.descriptor < 0)
    return std::nullopt;
  const off_t offset = file.end;
  if (ftruncate(file.descriptor, offset + static_cast<off_t>(size)) != 0)
    return std::nullopt;
  file.end += static_cast<off_t>(size);
  return offset;
}

cudaError_t VirtualMemory::create(std::uint64_t &handle, std::size_t size, Device &device) {
  if (size == 0 || !isWhole(size))
    return cudaErrorInvalidValue;
  if (!device.charge(size))
    return cudaErrorMemoryAllocation;
  std::lock_guard lock(mutex_);
  const std::optional<off_t> offset = place(device, size);
  if (!offset) {
    device.uncharge(size);
    return cudaErrorMemoryAllocation;
  }
  handle = nextHandle_++;
  physical_[handle] = {size, &device, *offset, 1, 1};
  return cudaSuccess;
}

/// Under the lock: one reference less; without any, the memory is gone.
void VirtualMemory::drop(std::uint64_t handle) {
  const auto found = physical_.find(handle);
  Physical &memory = found->second;
  if (--memory.references != 0)
    return;
  fallocate(files_[memory.device->ordinal()].descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
            memory.offset, static_cast<off_t>(memory.size));
  memory.device->uncharge(memory.size);
  physical_.erase(found);
}

cudaError_t VirtualMemory::release(std::uint64_t handle) {
  std::lock_guard lock(mutex_);
  const auto found = physical_.find(handle);
  if (found == physical_.end() || found->second.handles == 0)
    return cudaErrorInvalidValue;
  --found->second.handles;
  drop(handle);
  return cudaSuccess;
}

cudaError_t VirtualMemory::map(std::uintptr_t address, std::size_t size, std::uint64_t handle) {
  std::lock_guard lock(mutex_);
  const auto found = physical_.find(handle);
  if (found == physical_.end() || found->second.handles == 0 || size != found->second.size ||
      !isWhole(address))
    return cudaErrorInvalidValue;
  const auto behind = reservations_.upper_bound(address);
  if (behind == reservations_.begin())
    return cudaErrorInvalidValue;
  const auto &[begin, room] = *std::prev(behind);
  if (address + size > begin + room || addresses_.overlaps(address, size))
    return cudaErrorInvalidValue;
  Physical &memory = found->second;
  const int file = files_[memory.device->ordinal()].descriptor;
  if (mmap(asPointer(address), size, PROT_NONE, MAP_SHARED | MAP_FIXED, file, memory.offset) == MAP_FAILED)
    return cudaErrorMemoryAllocation;
  ++memory.references;
  mappings_[address] = {size, handle, Access::none};
  MemoryRange range;
  range.begin = address;
  range.size = size;
  range.kind = MemoryKind::mapped;
  range.device = memory.device->ordinal();
  range.accessible = Accessible::no;
  addresses_.add(range);
  return cudaSuccess;
}

/// Under the lock: whether [address, address + size) is filled with mappings and cuts none.
bool VirtualMemory::coversWholeMappings(std::uintptr_t address, std::size_t size) const {
  std::uintptr_t reached = address;
  for (auto at = mappings_.find(address); at != mappings_.end() && reached < address + size; ++at) {
    if (at->first != reached)
      return false;
    reached += at->second.size;
  }
  return size != 0 && reached == address + size;
}

cudaError_t VirtualMemory::unmap(std::uintptr_t address, std::size_t size) {
  std::lock_guard lock(mutex_);
  if (!coversWholeMappings(address, size))
    return cudaErrorInvalidValue;
  if (mmap(asPointer(address), size, PROT_NONE, reservedFlags | MAP_FIXED, -1, 0) == MAP_FAILED)
    return cudaErrorUnknown;
  for (auto at = mappings_.find(address); at != mappings_.end() && at->first < address + size;) {
    addresses_.remove(at->first);
    drop(at->second.handle);
    at = mappings_.erase(at);
  }
  return cudaSuccess;
}

cudaError_t VirtualMemory::setAccess(std::uintptr_t address, std::size_t size, Access access) {
  std::lock_guard lock(mutex_);
  if (!coversWholeMappings(address, size))
    return cudaErrorInvalidValue;
  const int protection = access == Access::none   ? PROT_NONE
                         : access == Access::read ? PROT_READ
                                                  : PROT_READ | PROT_WRITE;
  if (mprotect(asPointer(address), size, protection) != 0)
    return cudaErrorUnknown;
  for (auto at = mappings_.find(address); at != mappings_.end() && at->first < address + size; ++at)
    at->second.access = access;
  addresses_.setAccessible(address, size, access == Access::none ? Accessible::no : Accessible::yes);
  return cudaSuccess;
}

std::optional<VirtualMemory::Access> VirtualMemory::access(std::uintptr_t address) const {
  std::lock_guard lock(mutex_);
  const auto behind = mappings_.upper_bound(address);
  if (behind == mappings_.begin())
    return std::nullopt;
  const auto &[begin, mapping] = *std::prev(behind);
  return address < begin + mapping.size ? std::optional(mapping.access) : std::nullopt;
}

std::uint64_t VirtualMemory::retain(std::uintptr_t address) {
  std::lock_guard lock(mutex_);
  const auto behind = mappings_.upper_bound(address);
  if (behind == mappings_.begin())
    return 0;
  const auto &[begin, mapping] = *std::prev(behind);
  if (address >= begin + mapping.size)
    return 0;
  Physical &memory = physical_.at(mapping.handle);
  ++memory.handles;
  ++memory.references;
  return mapping.handle;
}

int VirtualMemory::deviceOf(std::uint64_t handle) const {
  std::lock_guard lock(mutex_);
  const auto found = physical_.find(handle);
  return found == physical_.end() ? -1 : found->second.device->ordinal();
}

} // namespace streammap::cpu
