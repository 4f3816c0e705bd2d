#pragma once
// The memory of a host program that is evaluated rather than run: byte for byte as the compiler lays it out,
// except that each byte may be unknown, and then says why.
//
//   HostMemory memory;
//   Address p = memory.allocate(8, HostMemory::Fill::zero);
//   memory.store(p, 4, {.bits = 7});
//   memory.load(p, 4).bits;                        // 7
//   memory.invalidate(p, 4, reason);
//   memory.load(p, 4).reason == reason;            // true
//
// Large objects are kept in pages that exist only where something was written, so an array of 10^9 zeros
// costs a few kilobytes per gigabyte.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace streammap {

/// An address of the evaluated program; 0 is null. Object number in the upper 24 bits, offset below.
using Address = std::uint64_t;

/// Why a value is unknown: an index into UnknownReasons; 0 means that it is known.
using Reason = std::uint16_t;

/// The bytes of up to eight bytes of memory, or the value of a scalar expression: integers extended to 64
/// bits by the rules of their type, floating point of any width as a double, pointers and references as
/// addresses. An unknown pointer may still hold an address in `bits`: somewhere in that object.
struct HostValue {
  std::uint64_t bits = 0;
  Reason reason = 0;
  bool isKnown() const { return reason == 0; }
};

class HostMemory {
public:
  enum class Fill { zero, unknown };
  /// A part of memory.
  struct Range {
    Address begin = 0;
    std::uint64_t size = 0;
    bool operator==(const Range &) const = default;
  };

  HostMemory();

  /// A new object that nothing else overlaps. 0 if it is larger than an object can be (1 TiB).
  Address allocate(std::uint64_t size, Fill fill, Reason reason = 0);
  /// Reading a released object gives unknown values; its address is not used again.
  void release(Address address);
  /// The stack: one object that grows. Bytes below `size` are readable afterwards.
  Address stackBase() const { return std::uint64_t{1} << offsetBits; }
  void reserveStack(std::uint64_t size);

  /// `size` is at most 8. Unknown if any of the bytes is, or where no object is.
  HostValue load(Address address, unsigned size) const;
  void store(Address address, unsigned size, HostValue value);
  void copy(Address to, Address from, std::uint64_t size);
  void zero(Address address, std::uint64_t size);
  void invalidate(Address address, std::uint64_t size, Reason reason);
  /// `count` copies of the `size` bytes at `pattern`; unknown where there are too many to write out.
  void fill(Address to, Address pattern, std::uint64_t size, std::uint64_t count, Reason tooMany);

  /// The object around `address`; size 0 if there is none. For the stack, all of it.
  Range objectAt(Address address) const;
  bool isStack(Address address) const { return address >> offsetBits == 1; }

  /// While recording, writes are noted: what has to be forgotten when a piece of code is left half-way.
  void startRecording() { ++recording_; }
  void stopRecording() {
    if (--recording_ == 0)
      writes_.clear();
  }
  const std::vector<Range> &writes() const { return writes_; }
  /// The notes from number `since` on, sorted and without those that lie in others; they also replace the
  /// notes.
  std::vector<Range> writesSince(std::size_t since);

private:
  static constexpr unsigned offsetBits = 40;
  static constexpr std::uint64_t offsetMask = (std::uint64_t{1} << offsetBits) - 1;
  static constexpr std::uint64_t pageSize = 4096;
  struct Page {
    std::vector<std::uint8_t> bytes;
    std::vector<Reason> reasons;
  };
  struct Object {
    std::uint64_t size = 0;
    Reason all = 0;                           ///< what every byte holds while there are no pages; 0: zeros
    std::vector<std::unique_ptr<Page>> pages; ///< absent ones are uniform: `absent` says what they hold
    std::vector<Reason> absent;
  };
  struct Place {
    Page *page = nullptr;
    std::uint64_t offset = 0;
    std::uint64_t room = 0;
    Reason absent = 0;
  };

  Object *find(Address address);
  const Object *find(Address address) const;
  Place placeOf(const Object &object, std::uint64_t offset) const;
  void split(Object &object) const;
  Place materialise(Object &object, std::uint64_t offset);
  void note(Address address, std::uint64_t size);
  void setUniform(Address address, std::uint64_t size, Reason reason);

  std::vector<Object> objects_;
  std::vector<Range> writes_;
  unsigned recording_ = 0;
};

} // namespace streammap
