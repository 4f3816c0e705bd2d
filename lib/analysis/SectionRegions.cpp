#include "analysis/SectionRegions.h"
#include "model/Regions.h"

namespace streammap {

using namespace clang;

//===-- Buffers --===//

void BufferTable::allocated(Address address, HostValue size, std::string name, SourceLocation where) {
  Entry &entry = entries_[address];
  entry = {std::nullopt, std::move(name), std::move(where), {}};
  if (size.isKnown())
    entry.size = size.bits;
}

void BufferTable::renamed(Address address, std::string name) {
  if (const auto found = entries_.find(address); found != entries_.end() && !found->second.id.valid())
    found->second.name = std::move(name);
}

void BufferTable::shrinkStack(Address top) {
  if (onStack_ == 0)
    return;
  constexpr Address stackEnd = std::uint64_t{2} << 40;
  for (auto entry = entries_.lower_bound(top); entry != entries_.end() && entry->first < stackEnd;) {
    entry = entries_.erase(entry);
    --onStack_;
  }
}

std::optional<BufferTable::Found> BufferTable::at(Address address, Interpreter &interpreter,
                                                  const Expr *base) {
  auto entry = entries_.upper_bound(address);
  bool isFound = entry != entries_.begin();
  if (isFound) {
    --entry;
    const HostMemory::Range object = interpreter.memory().objectAt(entry->first);
    const std::uint64_t size = entry->second.size.value_or(object.size);
    isFound = address < entry->first + std::max<std::uint64_t>(size, 1) ||
              (address == entry->first + size && !interpreter.memory().isStack(address));
  }
  if (!isFound) {
    const HostMemory::Range object = interpreter.storageAt(address);
    if (object.size == 0)
      return std::nullopt;
    const Expr *root = base;
    while (true) { // an object is named by its variable, whichever part of it the clause names
      root = root->IgnoreParenImpCasts();
      const auto *member = dyn_cast<MemberExpr>(root);
      const auto *subscript = dyn_cast<ArraySubscriptExpr>(root);
      if (member && !member->isArrow())
        root = member->getBase();
      else if (subscript)
        root = subscript->getBase();
      else
        break;
    }
    entry = entries_
                .emplace(object.begin,
                         Entry{object.size, interpreter.nameOf(root), interpreter.locationOf(base), {}})
                .first;
    onStack_ += interpreter.memory().isStack(object.begin);
  }
  Entry &known = entry->second;
  if (!known.id.valid()) {
    if (const unsigned earlier = namesakes_[known.name]++)
      known.name += "#" + std::to_string(earlier);
    known.id = graph_.buffers.push({"b" + std::to_string(graph_.buffers.size()), known.name,
                                    bytes(static_cast<double>(known.size.value_or(0))), toText(known.where)});
    begins_.push_back(entry->first);
  }
  return Found{known.id, entry->first, known.size};
}

std::optional<BufferTable::Found> BufferTable::named(Address address) const {
  auto entry = entries_.upper_bound(address);
  if (entry == entries_.begin())
    return std::nullopt;
  --entry;
  const Entry &known = entry->second;
  if (!known.id.valid() || !known.size || address >= entry->first + std::max<std::uint64_t>(*known.size, 1))
    return std::nullopt;
  return Found{known.id, entry->first, known.size};
}

void BufferTable::forget(const Access &access, Interpreter &interpreter) const {
  const Address begin = begins_[access.buffer.index()];
  if (interpreter.isDeviceMemory(begin))
    return;
  const std::string &name = graph_.buffers[access.buffer].name;
  const Reason reason = interpreter.reasons().add("a task writes '" + name + "'", {});
  interpreter.memory().invalidate(begin + access.region.offset, access.region.end() - access.region.offset,
                                  reason);
}

void BufferTable::growTo(BufferId buffer, std::uint64_t size) {
  Bytes &known = graph_.buffers[buffer].size;
  known = std::max(known, bytes(static_cast<double>(size)));
}

//===-- Sections --===//

namespace {

/// One dimension with its bounds evaluated, in elements.
struct Bounds {
  std::int64_t lower = 0;
  std::optional<std::int64_t> length; ///< nothing: up to the end
  std::int64_t stride = 1;
};

class SectionReader {
public:
  SectionReader(const DataItem &item, Interpreter &interpreter, BufferTable &buffers)
      : item_(item), interpreter_(interpreter), buffers_(buffers) {}

  std::vector<Access> read() {
    const QualType type = item_.base->getType();
    if (item_.forms->form == ItemForm::bare)
      return type->isPointerType() ? wholeAllocation() : object();
    const std::optional<Address> start = pointer();
    if (!start)
      return {};
    const QualType element =
        type->isPointerType() ? type->getPointeeType() : QualType(type->getArrayElementTypeNoTypeQual(), 0);
    if (element.isNull() || element->isVoidType())
      return fail("a section needs a pointer to objects of known size", "unknown-section");
    std::vector<Bounds> dimensions;
    for (const SectionDimension &dimension : item_.dimensions) {
      const std::optional<Bounds> bounds = evaluate(dimension);
      if (!bounds)
        return {};
      dimensions.push_back(*bounds);
    }
    std::vector<std::int64_t> shape;
    for (const Expr *extent : item_.shape) {
      const std::optional<std::int64_t> value = number(extent, 0);
      if (!value)
        return {};
      shape.push_back(*value);
    }
    if (shape.empty() && dimensions.size() < 2)
      return linear(*start, dimensions, element, arrayExtent(type));
    if (shape.size() == 1)
      return linear(*start, dimensions, element, shape[0]);
    if (shape.empty()) { // rows of a fixed number of columns
      const auto *row = interpreter_.context().getAsConstantArrayType(element);
      if (!row)
        return fail(
            "a section with two dimensions needs an array of arrays, or a shape: ([rows][columns])pointer",
            "unknown-section");
      const std::int64_t columns = static_cast<std::int64_t>(row->getZExtSize());
      return table(*start, dimensions, row->getElementType(), arrayExtent(type), columns);
    }
    return table(*start, dimensions, element, shape[0], shape[1]);
  }

private:
  std::vector<Access> fail(std::string message, const char *code) {
    interpreter_.fail(item_.base, std::move(message), code);
    return {};
  }

  std::optional<std::int64_t> arrayExtent(QualType type) const {
    const auto *array = interpreter_.context().getAsConstantArrayType(type);
    return array ? std::optional(static_cast<std::int64_t>(array->getZExtSize())) : std::nullopt;
  }

  std::optional<std::int64_t> number(const Expr *expression, std::int64_t otherwise) {
    if (!expression)
      return otherwise;
    const HostValue value = interpreter_.evaluate(expression);
    if (interpreter_.hasStopped())
      return std::nullopt;
    if (!value.isKnown()) {
      interpreter_.failUnknown(expression, "section '" + item_.forms->text + "'", value.reason,
                               "unknown-section");
      return std::nullopt;
    }
    return static_cast<std::int64_t>(value.bits);
  }

  std::optional<Bounds> evaluate(const SectionDimension &dimension) {
    const std::optional<std::int64_t> lower = number(dimension.lower, 0),
                                      stride = number(dimension.stride, 1);
    if (!lower || !stride)
      return std::nullopt;
    if (*stride < 1) {
      fail("the stride of section '" + item_.forms->text + "' is " + std::to_string(*stride) +
               " here; it must be at least 1",
           "bad-stride");
      return std::nullopt;
    }
    Bounds bounds{*lower, std::nullopt, *stride};
    if (dimension.isIndex)
      bounds.length = 1;
    if (dimension.length) {
      bounds.length = number(dimension.length, 0);
      if (!bounds.length)
        return std::nullopt;
      if (*bounds.length < 0) {
        fail("section '" + item_.forms->text + "' has a length of " + std::to_string(*bounds.length) +
                 " here",
             "bad-length");
        return std::nullopt;
      }
    }
    // Elements are at least a byte, and no allocation has more bytes than this: from here on, products of
    // bounds and sizes of elements do not overflow.
    constexpr std::int64_t most = std::int64_t{1} << 47;
    for (const std::int64_t value : {bounds.lower, bounds.length.value_or(0), bounds.stride})
      if (value > most || value < -most) {
        fail("section '" + item_.forms->text + "' has a bound of " + std::to_string(value) +
                 " here, beyond any memory",
             "section-out-of-bounds");
        return std::nullopt;
      }
    return bounds;
  }

  // The address that a pointer or array base stands for.
  std::optional<Address> pointer() {
    const HostValue value = item_.base->getType()->isPointerType() ? interpreter_.evaluate(item_.base)
                                                                   : interpreter_.addressOf(item_.base);
    if (interpreter_.hasStopped())
      return std::nullopt;
    if (!value.isKnown()) {
      interpreter_.failUnknown(item_.base, "where section '" + item_.forms->text + "' lies", value.reason,
                               "unknown-section");
      return std::nullopt;
    }
    if (value.bits == 0) {
      fail("'" + item_.forms->baseText + "' is a null pointer here", "null-section");
      return std::nullopt;
    }
    return value.bits;
  }

  std::optional<BufferTable::Found> buffer(Address at) {
    std::optional<BufferTable::Found> found = buffers_.at(at, interpreter_, item_.base);
    if (!found)
      fail("'" + item_.forms->baseText + "' points to no allocation or object of this program here",
           "no-allocation");
    return found;
  }

  AccessMode mode() const {
    return item_.forms->kind == ClauseKind::in    ? AccessMode::in
           : item_.forms->kind == ClauseKind::out ? AccessMode::out
                                                  : AccessMode::inout;
  }

  std::vector<Access> wholeAllocation() {
    const std::optional<Address> at = pointer();
    const std::optional<BufferTable::Found> found = at ? buffer(*at) : std::nullopt;
    if (!found)
      return {};
    if (!found->size)
      return fail("the size of the allocation '" + item_.forms->baseText +
                      "' is unknown; write a section with its length, as in " + item_.forms->baseText +
                      "[0:n]",
                  "unknown-section");
    if (*found->size == 0)
      return {};
    return {{found->id, mode(), {0, *found->size, 0, 1}}};
  }

  std::vector<Access> object() {
    const HostValue at = interpreter_.addressOf(item_.base);
    if (!at.isKnown() || interpreter_.hasStopped()) {
      if (!interpreter_.hasStopped())
        interpreter_.failUnknown(item_.base, "where '" + item_.forms->text + "' lies", at.reason,
                                 "unknown-section");
      return {};
    }
    return inBuffer(at.bits, {{0, interpreter_.sizeOf(item_.base->getType()), 0, 1}});
  }

  std::optional<std::int64_t> elementsFrom(Address start, std::int64_t elementSize) {
    const std::optional<BufferTable::Found> found = buffer(start);
    if (!found)
      return std::nullopt;
    if (!found->size) {
      fail("the size of the allocation '" + item_.forms->baseText +
               "' is unknown; write the length of section '" + item_.forms->text + "'",
           "unknown-section");
      return std::nullopt;
    }
    return (static_cast<std::int64_t>(*found->size) - static_cast<std::int64_t>(start - found->begin)) /
           elementSize;
  }

  // One dimension, or none: everything from the pointer on.
  std::vector<Access> linear(Address start, const std::vector<Bounds> &dimensions, QualType element,
                             std::optional<std::int64_t> extent) {
    Bounds bounds = dimensions.empty() ? Bounds{} : dimensions[0];
    const auto size = static_cast<std::int64_t>(interpreter_.sizeOf(element));
    if (size == 0)
      return {};
    if (!bounds.length) {
      const std::optional<std::int64_t> all = extent ? extent : elementsFrom(start, size);
      if (!all)
        return {};
      bounds.length = (*all - bounds.lower + bounds.stride - 1) / bounds.stride;
    }
    if (*bounds.length <= 0)
      return {};
    return inBuffer(start, {run(bounds.lower * size, *bounds.length, size, bounds.stride * size)});
  }

  struct SignedRegion {
    std::int64_t offset = 0;
    std::uint64_t size = 0;
    std::uint64_t stride = 0;
    std::uint64_t count = 1;
  };
  static SignedRegion run(std::int64_t offset, std::int64_t count, std::int64_t size, std::int64_t stride) {
    if (stride == size || count == 1)
      return {offset, static_cast<std::uint64_t>(size * count), 0, 1};
    return {offset, static_cast<std::uint64_t>(size), static_cast<std::uint64_t>(stride),
            static_cast<std::uint64_t>(count)};
  }

  std::vector<Access> table(Address start, const std::vector<Bounds> &dimensions, QualType element,
                            std::optional<std::int64_t> rows, std::int64_t columns) {
    Bounds vertical = !dimensions.empty() ? dimensions[0] : Bounds{};
    Bounds across = dimensions.size() > 1 ? dimensions[1] : Bounds{};
    const auto size = static_cast<std::int64_t>(interpreter_.sizeOf(element));
    if (!vertical.length) {
      const std::optional<std::int64_t> all = rows ? rows : elementsFrom(start, size * columns);
      if (!all)
        return {};
      vertical.length = (*all - vertical.lower + vertical.stride - 1) / vertical.stride;
    }
    if (!across.length)
      across.length = (columns - across.lower + across.stride - 1) / across.stride;
    if (*vertical.length <= 0 || *across.length <= 0)
      return {};
    if (across.lower < 0 || across.lower + (*across.length - 1) * across.stride >= columns)
      return fail("section '" + item_.forms->text + "' reaches columns " + std::to_string(across.lower) +
                      " to " + std::to_string(across.lower + (*across.length - 1) * across.stride) + " of " +
                      std::to_string(columns),
                  "section-out-of-bounds");
    const std::int64_t offset = (vertical.lower * columns + across.lower) * size;
    const std::int64_t rowStride = vertical.stride * columns * size;
    if (across.stride == 1 || *across.length == 1)
      return inBuffer(start, {run(offset, *vertical.length, *across.length * size, rowStride)});
    std::vector<SignedRegion> regions;
    for (std::int64_t row = 0; row < *vertical.length; ++row)
      regions.push_back(run(offset + row * rowStride, *across.length, size, across.stride * size));
    return inBuffer(start, regions);
  }

  // Regions relative to `start` as accesses of the buffer that they lie in.
  std::vector<Access> inBuffer(Address start, const std::vector<SignedRegion> &regions) {
    const std::optional<BufferTable::Found> found = buffer(start);
    if (!found)
      return {};
    std::vector<Access> accesses;
    for (const SignedRegion &region : regions) {
      const std::int64_t offset = static_cast<std::int64_t>(start - found->begin) + region.offset;
      Region placed{static_cast<std::uint64_t>(offset), region.size, region.stride, region.count};
      if (offset < 0)
        return fail("section '" + item_.forms->text + "' begins " + std::to_string(-offset) +
                        " bytes before the allocation",
                    "section-out-of-bounds");
      if (found->size && placed.end() > *found->size)
        return fail("section '" + item_.forms->text + "' ends at byte " + std::to_string(placed.end()) +
                        " of an allocation of " + std::to_string(*found->size) + " bytes",
                    "section-out-of-bounds");
      if (!found->size)
        buffers_.growTo(found->id, placed.end());
      accesses.push_back({found->id, mode(), normalised(placed)});
    }
    return accesses;
  }

  const DataItem &item_;
  Interpreter &interpreter_;
  BufferTable &buffers_;
};

} // namespace

std::vector<Access> accessesOf(const DataItem &item, Interpreter &interpreter, BufferTable &buffers) {
  return SectionReader(item, interpreter, buffers).read();
}

} // namespace streammap
