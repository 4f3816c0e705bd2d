#pragma once
// From the items of in(), out() and inout() to regions of buffers: what they name when the task is reached.
#include "analysis/Interpreter.h"
#include "model/TaskGraph.h"
#include <map>

namespace streammap {

/// The memory that clauses can name. A buffer gets its number when a task first uses it.
class BufferTable {
public:
  explicit BufferTable(TaskGraph &graph) : graph_(graph) {}
  void allocated(Address address, HostValue size, std::string name, SourceLocation where);
  void renamed(Address address, std::string name);
  void shrinkStack(Address top);

  struct Found {
    BufferId id;
    Address begin = 0;
    std::optional<std::uint64_t> size; ///< nothing: the allocation's size is unknown
  };
  /// The buffer around `address`: an allocation of the CUDA API, or else the object of the host program that
  /// is there, called `name`. Nothing if no object is there.
  std::optional<Found> at(Address address, Interpreter &interpreter, const clang::Expr *base);
  /// The same, but only if some clause has named the buffer before: nothing is added.
  std::optional<Found> named(Address address) const;
  /// What the host reads there from now on is unknown: a task writes it.
  void forget(const Access &access, Interpreter &interpreter) const;
  /// A buffer of unknown size is at least so large.
  void growTo(BufferId buffer, std::uint64_t bytes);

private:
  struct Entry {
    std::optional<std::uint64_t> size;
    std::string name;
    SourceLocation where;
    BufferId id;
  };
  TaskGraph &graph_;
  std::map<Address, Entry> entries_;          ///< by first address
  std::vector<Address> begins_;               ///< by buffer number
  std::map<std::string, unsigned> namesakes_; ///< buffers so far by name
  std::size_t onStack_ = 0;
};

/// Nothing, with an error reported, if a bound is unknown or the section does not lie in its buffer. Several
/// regions only for 2-D sections with a stride in each row.
std::vector<Access> accessesOf(const DataItem &item, Interpreter &interpreter, BufferTable &buffers);

} // namespace streammap
