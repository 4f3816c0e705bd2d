#include "analysis/LibraryModels.h"
#include "analysis/ModelCuda.h"
#include <bit>
#include <clang/Basic/SourceManager.h>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace streammap {

using namespace clang;

using Call = Interpreter::Call;
using Model = Interpreter::Model;

namespace {

struct NamedModel {
  std::string_view name;
  Model model;
};

HostValue known(std::uint64_t bits) {
  return {bits, 0};
}
HostValue ofDouble(double value) {
  return {std::bit_cast<std::uint64_t>(value), 0};
}

HostValue succeed(Interpreter &, const Call &) {
  return known(0);
}
HostValue end(Interpreter &interpreter, const Call &call) {
  interpreter.endProgram(call.where);
  return {};
}
HostValue raise(Interpreter &interpreter, const Call &call) {
  interpreter.throwException(call.where);
  return {};
}

//===-- Text
//---------------------------------------------------------------------------------------------===//

// The text that argument `index` points to; nothing if it is unknown or null.
std::optional<std::string> text(Interpreter &interpreter, const Call &call, unsigned index) {
  if (index >= call.arguments.size() || !call.arguments[index].isKnown() || call.arguments[index].bits == 0)
    return std::nullopt;
  return interpreter.stringAt(call.arguments[index].bits);
}

// The result of reading a number from a text that is not there: most often an argument that was not given.
HostValue missingText(Interpreter &interpreter, const Call &call) {
  if (!call.arguments.empty() && !call.arguments[0].isKnown())
    return {0, call.arguments[0].reason};
  if (!call.arguments.empty() && call.arguments[0].bits == 0)
    return {0, interpreter.reasons().addMissingArgument(
                   "a number is read from a null pointer, as behind the last argument",
                   interpreter.locationOf(call.where))};
  return interpreter.unknown(call.where, "a text that is unknown");
}

HostValue parseInteger(Interpreter &interpreter, const Call &call) {
  const std::optional<std::string> digits = text(interpreter, call, 0);
  if (!digits)
    return missingText(interpreter, call);
  char *end = nullptr;
  const int base = call.arguments.size() > 2 ? static_cast<int>(call.arguments[2].bits) : 10;
  const bool isUnsigned = call.callee->getReturnType()->isUnsignedIntegerType();
  const std::uint64_t value = isUnsigned
                                  ? std::strtoull(digits->c_str(), &end, base)
                                  : static_cast<std::uint64_t>(std::strtoll(digits->c_str(), &end, base));
  if (call.arguments.size() > 1 && call.arguments[1].isKnown() && call.arguments[1].bits != 0)
    interpreter.memory().store(
        call.arguments[1].bits, 8,
        known(call.arguments[0].bits + static_cast<std::uint64_t>(end - digits->c_str())));
  return interpreter.shapeOf(call.callee->getReturnType()).bytes == 4
             ? known(static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(value))))
             : known(value);
}

HostValue parseFloating(Interpreter &interpreter, const Call &call) {
  const std::optional<std::string> digits = text(interpreter, call, 0);
  if (!digits)
    return missingText(interpreter, call);
  char *end = nullptr;
  const double value = std::strtod(digits->c_str(), &end);
  if (call.arguments.size() > 1 && call.arguments[1].isKnown() && call.arguments[1].bits != 0)
    interpreter.memory().store(
        call.arguments[1].bits, 8,
        known(call.arguments[0].bits + static_cast<std::uint64_t>(end - digits->c_str())));
  return ofDouble(value);
}

HostValue compareText(Interpreter &interpreter, const Call &call) {
  const std::optional<std::string> a = text(interpreter, call, 0), b = text(interpreter, call, 1);
  if (!a || !b)
    return missingText(interpreter, call);
  int order = std::strcmp(a->c_str(), b->c_str());
  if (call.arguments.size() > 2 && call.arguments[2].isKnown())
    order = std::strncmp(a->c_str(), b->c_str(), call.arguments[2].bits);
  return known(static_cast<std::uint64_t>(static_cast<std::int64_t>(order < 0 ? -1 : order > 0)));
}

HostValue length(Interpreter &interpreter, const Call &call) {
  const std::optional<std::string> all = text(interpreter, call, 0);
  return all ? known(all->size()) : missingText(interpreter, call);
}

HostValue copyText(Interpreter &interpreter, const Call &call) {
  const std::optional<std::string> from = text(interpreter, call, 1);
  if (!from)
    return interpreter.unknownResult(call);
  std::size_t size = from->size() + 1;
  if (call.arguments.size() > 2 && call.arguments[2].isKnown())
    size = std::min<std::size_t>(size, call.arguments[2].bits);
  interpreter.memory().copy(call.arguments[0].bits, call.arguments[1].bits, size);
  return call.arguments[0];
}

HostValue findCharacter(Interpreter &interpreter, const Call &call) {
  const std::optional<std::string> all = text(interpreter, call, 0);
  if (!all || call.arguments.size() < 2 || !call.arguments[1].isKnown())
    return missingText(interpreter, call);
  const char wanted = static_cast<char>(call.arguments[1].bits);
  const std::size_t at = call.callee->getName().contains("strr") ? all->rfind(wanted) : all->find(wanted);
  return known(at == std::string::npos ? 0 : call.arguments[0].bits + at);
}

HostValue findText(Interpreter &interpreter, const Call &call) {
  const std::optional<std::string> all = text(interpreter, call, 0), part = text(interpreter, call, 1);
  if (!all || !part)
    return missingText(interpreter, call);
  const std::size_t at = all->find(*part);
  return known(at == std::string::npos ? 0 : call.arguments[0].bits + at);
}

//===-- Memory
//-------------------------------------------------------------------------------------------===//

HostValue allocateBytes(Interpreter &interpreter, const Call &call, HostValue size, HostMemory::Fill fill) {
  if (!size.isKnown())
    return {0, size.reason};
  const Address at = interpreter.memory().allocate(
      size.bits, fill, interpreter.reasons().add("it has no value yet", interpreter.locationOf(call.where)));
  return at == 0 ? interpreter.unknown(call.where, "an allocation larger than any memory") : known(at);
}
HostValue allocateFirst(Interpreter &interpreter, const Call &call) {
  return allocateBytes(interpreter, call, call.arguments[0], HostMemory::Fill::unknown);
}
HostValue allocateAligned(Interpreter &interpreter, const Call &call) {
  return allocateBytes(interpreter, call, call.arguments[1], HostMemory::Fill::unknown);
}
HostValue allocateZeroed(Interpreter &interpreter, const Call &call) {
  const HostValue a = call.arguments[0], b = call.arguments[1];
  const HostValue size =
      a.isKnown() && b.isKnown() ? known(a.bits * b.bits) : HostValue{0, a.isKnown() ? b.reason : a.reason};
  return allocateBytes(interpreter, call, size, HostMemory::Fill::zero);
}
HostValue allocateInto(Interpreter &interpreter, const Call &call) {
  const HostValue at = allocateBytes(interpreter, call, call.arguments[2], HostMemory::Fill::unknown);
  if (call.arguments[0].isKnown())
    interpreter.memory().store(call.arguments[0].bits, 8, at);
  return known(0);
}
HostValue reallocate(Interpreter &interpreter, const Call &call) {
  const HostValue at = allocateBytes(interpreter, call, call.arguments[1], HostMemory::Fill::unknown);
  if (at.isKnown() && call.arguments[0].isKnown() && call.arguments[0].bits != 0) {
    const HostMemory::Range old = interpreter.memory().objectAt(call.arguments[0].bits);
    interpreter.memory().copy(at.bits, old.begin, std::min(old.size, call.arguments[1].bits));
  }
  return at;
}
HostValue releaseFirst(Interpreter &interpreter, const Call &call) {
  if (!call.arguments.empty() && call.arguments[0].isKnown() && call.arguments[0].bits != 0) {
    interpreter.events().released(call.arguments[0].bits);
    interpreter.memory().release(call.arguments[0].bits);
  }
  return {};
}

HostValue copyMemory(Interpreter &interpreter, const Call &call) {
  const HostValue to = call.arguments[0], from = call.arguments[1], size = call.arguments[2];
  if (!to.isKnown())
    return to;
  if (!size.isKnown() || !from.isKnown()) {
    const HostMemory::Range object = interpreter.memory().objectAt(to.bits);
    interpreter.memory().invalidate(to.bits, object.begin + object.size - to.bits,
                                    size.isKnown() ? from.reason : size.reason);
  } else {
    interpreter.memory().copy(to.bits, from.bits, size.bits);
  }
  return to;
}
HostValue setMemory(Interpreter &interpreter, const Call &call) {
  const HostValue to = call.arguments[0], byte = call.arguments[1], size = call.arguments[2];
  if (!to.isKnown() || !size.isKnown())
    return to;
  if (byte.isKnown() && (byte.bits & 0xff) == 0) {
    interpreter.memory().zero(to.bits, size.bits);
  } else {
    const Address pattern = interpreter.scratch(call.where, 8);
    interpreter.memory().store(pattern, 1, byte);
    interpreter.memory().fill(to.bits, pattern, 1, size.bits, UnknownReasons::nowhere);
  }
  return to;
}
HostValue compareMemory(Interpreter &interpreter, const Call &call) {
  if (!call.arguments[2].isKnown() || !call.arguments[0].isKnown() || !call.arguments[1].isKnown())
    return interpreter.unknownResult(call);
  for (std::uint64_t i = 0; i < call.arguments[2].bits; ++i) {
    const HostValue a = interpreter.memory().load(call.arguments[0].bits + i, 1);
    const HostValue b = interpreter.memory().load(call.arguments[1].bits + i, 1);
    if (!a.isKnown() || !b.isKnown())
      return {0, a.isKnown() ? b.reason : a.reason};
    if (a.bits != b.bits)
      return known(a.bits < b.bits ? ~std::uint64_t{0} : 1);
  }
  return known(0);
}

// std::__fill_a1(first, last, value) on plain memory: all std::fill and the initialisation of std::vector.
HostValue fillRange(Interpreter &interpreter, const Call &call) {
  const HostValue first = call.arguments[0], last = call.arguments[1], value = call.arguments[2];
  if (!first.isKnown() || !last.isKnown() || !value.isKnown() || last.bits < first.bits)
    return interpreter.unknownResult(call);
  const std::uint64_t size = interpreter.sizeOf(call.callee->getParamDecl(0)->getType()->getPointeeType());
  const bool isByValue = !call.callee->getParamDecl(2)->getType()->isReferenceType();
  Address pattern = value.bits;
  if (isByValue) {
    pattern = interpreter.scratch(call.callee, 8);
    interpreter.memory().store(pattern, static_cast<unsigned>(std::min<std::uint64_t>(size, 8)), value);
  }
  interpreter.memory().fill(
      first.bits, pattern, size, (last.bits - first.bits) / size,
      interpreter.reasons().add("it is one of very many", interpreter.locationOf(call.where)));
  return {};
}

//===-- Mathematics
//--------------------------------------------------------------------------------------===//

struct Function1 {
  std::string_view name;
  double (*function)(double);
};
constexpr Function1 unaryFunctions[] = {
    {"sqrt", [](double x) { return std::sqrt(x); }},   {"fabs", [](double x) { return std::fabs(x); }},
    {"exp", [](double x) { return std::exp(x); }},     {"exp2", [](double x) { return std::exp2(x); }},
    {"log", [](double x) { return std::log(x); }},     {"log2", [](double x) { return std::log2(x); }},
    {"log10", [](double x) { return std::log10(x); }}, {"sin", [](double x) { return std::sin(x); }},
    {"cos", [](double x) { return std::cos(x); }},     {"tan", [](double x) { return std::tan(x); }},
    {"asin", [](double x) { return std::asin(x); }},   {"acos", [](double x) { return std::acos(x); }},
    {"atan", [](double x) { return std::atan(x); }},   {"tanh", [](double x) { return std::tanh(x); }},
    {"erf", [](double x) { return std::erf(x); }},     {"erfc", [](double x) { return std::erfc(x); }},
    {"cbrt", [](double x) { return std::cbrt(x); }},   {"floor", [](double x) { return std::floor(x); }},
    {"ceil", [](double x) { return std::ceil(x); }},   {"round", [](double x) { return std::round(x); }},
    {"trunc", [](double x) { return std::trunc(x); }}, {"rint", [](double x) { return std::rint(x); }},
};
struct Function2 {
  std::string_view name;
  double (*function)(double, double);
};
constexpr Function2 binaryFunctions[] = {
    {"pow", [](double x, double y) { return std::pow(x, y); }},
    {"fmod", [](double x, double y) { return std::fmod(x, y); }},
    {"fmax", [](double x, double y) { return std::fmax(x, y); }},
    {"fmin", [](double x, double y) { return std::fmin(x, y); }},
    {"atan2", [](double x, double y) { return std::atan2(x, y); }},
    {"hypot", [](double x, double y) { return std::hypot(x, y); }},
};

// "sqrtf", "__builtin_sqrt", "sqrtl" -> "sqrt"
std::string_view mathName(std::string_view name) {
  if (name.starts_with("__builtin_"))
    name.remove_prefix(10);
  const auto isNamed = [&](std::string_view candidate) {
    for (const Function1 &one : unaryFunctions)
      if (one.name == candidate)
        return true;
    for (const Function2 &one : binaryFunctions)
      if (one.name == candidate)
        return true;
    return false;
  };
  if (isNamed(name))
    return name;
  if (!name.empty() && (name.back() == 'f' || name.back() == 'l') && isNamed(name.substr(0, name.size() - 1)))
    return name.substr(0, name.size() - 1);
  return {};
}

HostValue mathematics(Interpreter &interpreter, const Call &call) {
  for (const HostValue &argument : call.arguments)
    if (!argument.isKnown())
      return argument;
  const std::string_view name = mathName(call.callee->getName());
  const auto argument = [&](unsigned index) { return std::bit_cast<double>(call.arguments[index].bits); };
  double result = 0;
  for (const Function1 &one : unaryFunctions)
    if (one.name == name)
      result = one.function(argument(0));
  for (const Function2 &one : binaryFunctions)
    if (one.name == name)
      result = one.function(argument(0), argument(1));
  const bool isFloat = interpreter.sizeOf(call.callee->getReturnType()) == 4;
  return ofDouble(isFloat ? static_cast<double>(static_cast<float>(result)) : result);
}

HostValue absolute(Interpreter &, const Call &call) {
  const HostValue value = call.arguments[0];
  if (!value.isKnown())
    return value;
  const auto number = static_cast<std::int64_t>(value.bits);
  return known(static_cast<std::uint64_t>(number < 0 ? -number : number));
}

//===-- std::string: its non-template members live in the library
//---------------------------------------------===//

struct StringRef {
  Interpreter &interpreter;
  Address self;
  std::optional<std::string> get() const {
    const HostValue data = interpreter.memory().load(self, 8), size = interpreter.memory().load(self + 8, 8);
    if (!data.isKnown() || !size.isKnown())
      return std::nullopt;
    std::string all(size.bits, '\0');
    for (std::uint64_t i = 0; i < size.bits; ++i) {
      const HostValue byte = interpreter.memory().load(data.bits + i, 1);
      if (!byte.isKnown())
        return std::nullopt;
      all[i] = static_cast<char>(byte.bits);
    }
    return all;
  }
  void set(const std::string &all) const {
    constexpr std::size_t local = 15; // libstdc++: shorter texts lie in the object
    Address data = self + 16;
    if (all.size() > local) {
      data = interpreter.memory().allocate(all.size() + 1, HostMemory::Fill::zero);
      interpreter.memory().store(self + 16, 8, known(all.size()));
    }
    interpreter.memory().store(self, 8, known(data));
    interpreter.memory().store(self + 8, 8, known(all.size()));
    for (std::size_t i = 0; i <= all.size(); ++i)
      interpreter.memory().store(data + i, 1,
                                 known(i == all.size() ? 0 : static_cast<unsigned char>(all[i])));
  }
};

HostValue stringForget(Interpreter &interpreter, const Call &call) {
  interpreter.memory().invalidate(call.self, 32,
                                  interpreter.unknown(call.where, "a text that is unknown").reason);
  return known(call.self);
}
std::optional<std::string> counted(Interpreter &interpreter, HostValue data, HostValue size) {
  if (!data.isKnown() || !size.isKnown())
    return std::nullopt;
  std::string all;
  for (std::uint64_t i = 0; i < size.bits; ++i) {
    const HostValue byte = interpreter.memory().load(data.bits + i, 1);
    if (!byte.isKnown())
      return std::nullopt;
    all.push_back(static_cast<char>(byte.bits));
  }
  return all;
}
HostValue stringRepeat(Interpreter &interpreter, const Call &call) { // _M_construct(n, c)
  if (call.arguments.size() != 2 || !call.arguments[0].isKnown() || !call.arguments[1].isKnown())
    return stringForget(interpreter, call);
  StringRef{interpreter, call.self}.set(
      std::string(call.arguments[0].bits, static_cast<char>(call.arguments[1].bits)));
  return {};
}
HostValue stringAppend(Interpreter &interpreter, const Call &call) { // _M_append(s, n)
  const StringRef self{interpreter, call.self};
  const std::optional<std::string> old = self.get(),
                                   more = counted(interpreter, call.arguments[0], call.arguments[1]);
  if (!old || !more)
    return stringForget(interpreter, call);
  self.set(*old + *more);
  return known(call.self);
}
HostValue stringAssign(Interpreter &interpreter, const Call &call) { // _M_assign(other)
  const std::optional<std::string> other =
      call.arguments[0].isKnown() ? StringRef{interpreter, call.arguments[0].bits}.get() : std::nullopt;
  if (!other)
    return stringForget(interpreter, call);
  StringRef{interpreter, call.self}.set(*other);
  return {};
}
HostValue stringReplace(Interpreter &interpreter, const Call &call) { // _M_replace(position, n, s, m)
  const StringRef self{interpreter, call.self};
  std::optional<std::string> old = self.get();
  const std::optional<std::string> more = counted(interpreter, call.arguments[2], call.arguments[3]);
  if (!old || !more || !call.arguments[0].isKnown() || !call.arguments[1].isKnown() ||
      call.arguments[0].bits > old->size())
    return stringForget(interpreter, call);
  self.set(old->replace(call.arguments[0].bits, call.arguments[1].bits, *more));
  return known(call.self);
}
HostValue stringCompare(Interpreter &interpreter, const Call &call) { // compare(const char *)
  const std::optional<std::string> self = StringRef{interpreter, call.self}.get();
  const bool isText = call.arguments.size() == 1 && call.callee->getParamDecl(0)->getType()->isPointerType();
  const std::optional<std::string> other = isText ? text(interpreter, call, 0) : std::nullopt;
  if (!self || !other)
    return interpreter.unknownResult(call);
  return known(static_cast<std::uint64_t>(static_cast<std::int64_t>(self->compare(*other))));
}
HostValue stringFind(Interpreter &interpreter,
                     const Call &call) { // find(s, position, n) and find(c, position)
  const std::optional<std::string> self = StringRef{interpreter, call.self}.get();
  if (!self || call.arguments.size() < 2 || !call.arguments[0].isKnown() || !call.arguments[1].isKnown())
    return interpreter.unknownResult(call);
  if (!call.callee->getParamDecl(0)->getType()->isPointerType())
    return known(self->find(static_cast<char>(call.arguments[0].bits), call.arguments[1].bits));
  const std::optional<std::string> part =
      call.arguments.size() > 2 ? counted(interpreter, call.arguments[0], call.arguments[2]) : std::nullopt;
  return part ? known(self->find(*part, call.arguments[1].bits)) : interpreter.unknownResult(call);
}
HostValue stringReserve(Interpreter &, const Call &) {
  return {};
}
HostValue stringResize(Interpreter &interpreter, const Call &call) { // resize(n, c)
  const StringRef self{interpreter, call.self};
  std::optional<std::string> all = self.get();
  if (!all || !call.arguments[0].isKnown())
    return stringForget(interpreter, call);
  all->resize(call.arguments[0].bits,
              call.arguments.size() > 1 ? static_cast<char>(call.arguments[1].bits) : '\0');
  self.set(*all);
  return {};
}

constexpr NamedModel stringModels[] = {
    {"_M_construct", stringRepeat}, {"_M_append", stringAppend},   {"append", stringAppend},
    {"_M_assign", stringAssign},    {"_M_replace", stringReplace}, {"compare", stringCompare},
    {"find", stringFind},           {"reserve", stringReserve},    {"resize", stringResize},
};

//===-- std::map and std::set: the tree's links are set in the library
//------------------------------------------===//

// A node is {colour, parent, left, right}; the header's parent is the root, its left and right the ends.
// Without rebalancing the tree is as right and deeper.
constexpr std::uint64_t parentAt = 8, leftAt = 16, rightAt = 24;

HostValue treeInsert(Interpreter &interpreter, const Call &call) {
  HostMemory &memory = interpreter.memory();
  for (const HostValue &argument : call.arguments)
    if (!argument.isKnown())
      return interpreter.unknownResult(call);
  const bool isLeft = call.arguments[0].bits != 0;
  const Address node = call.arguments[1].bits, parent = call.arguments[2].bits,
                header = call.arguments[3].bits;
  memory.store(node, 4, known(1));
  memory.store(node + parentAt, 8, known(parent));
  memory.store(node + leftAt, 8, known(0));
  memory.store(node + rightAt, 8, known(0));
  memory.store(parent + (isLeft ? leftAt : rightAt), 8, known(node));
  if (parent == header) {
    memory.store(header + parentAt, 8, known(node));
    memory.store(header + leftAt, 8, known(node));
    memory.store(header + rightAt, 8, known(node));
  } else if (isLeft && memory.load(header + leftAt, 8).bits == parent) {
    memory.store(header + leftAt, 8, known(node));
  } else if (!isLeft && memory.load(header + rightAt, 8).bits == parent) {
    memory.store(header + rightAt, 8, known(node));
  }
  return {};
}

HostValue treeStep(Interpreter &interpreter, const Call &call) {
  HostMemory &memory = interpreter.memory();
  if (!call.arguments[0].isKnown())
    return call.arguments[0];
  const bool isForward = call.callee->getName() == "_Rb_tree_increment";
  const std::uint64_t towards = isForward ? rightAt : leftAt, away = isForward ? leftAt : rightAt;
  Address node = call.arguments[0].bits;
  const auto link = [&](Address from, std::uint64_t at) { return memory.load(from + at, 8).bits; };
  const bool isHeader = memory.load(node, 4).bits == 0 && link(link(node, parentAt), parentAt) == node;
  if (!isForward && isHeader)
    return known(link(node, rightAt)); // --end()
  if (link(node, towards) != 0) {
    node = link(node, towards);
    while (link(node, away) != 0)
      node = link(node, away);
    return known(node);
  }
  Address parent = link(node, parentAt);
  while (parent != 0 && node == link(parent, towards)) {
    node = parent;
    parent = link(parent, parentAt);
  }
  return known(link(node, towards) == parent ? node : parent);
}

//===-- By name
//------------------------------------------------------------------------------------------===//

constexpr NamedModel plainModels[] = {
    {"atoi", parseInteger},
    {"atol", parseInteger},
    {"atoll", parseInteger},
    {"strtol", parseInteger},
    {"strtoll", parseInteger},
    {"strtoul", parseInteger},
    {"strtoull", parseInteger},
    {"__isoc23_strtol", parseInteger},
    {"__isoc23_strtoll", parseInteger},
    {"__isoc23_strtoul", parseInteger},
    {"__isoc23_strtoull", parseInteger},
    {"atof", parseFloating},
    {"strtod", parseFloating},
    {"strtof", parseFloating},
    {"strtold", parseFloating},
    {"strcmp", compareText},
    {"strncmp", compareText},
    {"__builtin_strcmp", compareText},
    {"strlen", length},
    {"__builtin_strlen", length},
    {"strcpy", copyText},
    {"strncpy", copyText},
    {"strchr", findCharacter},
    {"strrchr", findCharacter},
    {"strstr", findText},
    {"malloc", allocateFirst},
    {"__builtin_malloc", allocateFirst},
    {"calloc", allocateZeroed},
    {"realloc", reallocate},
    {"aligned_alloc", allocateAligned},
    {"posix_memalign", allocateInto},
    {"free", releaseFirst},
    {"__builtin_operator_new", allocateFirst},
    {"__builtin_operator_delete", releaseFirst},
    {"memcpy", copyMemory},
    {"memmove", copyMemory},
    {"__builtin_memcpy", copyMemory},
    {"__builtin_memmove", copyMemory},
    {"memset", setMemory},
    {"__builtin_memset", setMemory},
    {"memcmp", compareMemory},
    {"__builtin_memcmp", compareMemory},
    {"abs", absolute},
    {"labs", absolute},
    {"llabs", absolute},
    {"__builtin_abs", absolute},
    {"__builtin_labs", absolute},
    {"__builtin_llabs", absolute},
    {"printf", succeed},
    {"fprintf", succeed},
    {"vprintf", succeed},
    {"vfprintf", succeed},
    {"puts", succeed},
    {"fputs", succeed},
    {"putchar", succeed},
    {"fputc", succeed},
    {"putc", succeed},
    {"fflush", succeed},
    {"fclose", succeed},
    {"perror", succeed},
    {"srand", succeed},
    {"srand48", succeed},
    {"setvbuf", succeed},
    {"atexit", succeed},
    {"exit", end},
    {"_Exit", end},
    {"_exit", end},
    {"quick_exit", end},
    {"abort", end},
    {"terminate", end},
    {"__assert_fail", end},
    {"MPI_Abort", end},
    {"__throw_length_error", raise},
    {"__throw_bad_alloc", raise},
    {"__throw_bad_array_new_length", raise},
    {"__throw_out_of_range_fmt", raise},
    {"__throw_out_of_range", raise},
    {"__throw_logic_error", raise},
    {"__throw_invalid_argument", raise},
    {"__throw_bad_function_call", raise},
    {"_Rb_tree_insert_and_rebalance", treeInsert},
    {"_Rb_tree_increment", treeStep},
    {"_Rb_tree_decrement", treeStep},
};

HostValue errnoPlace(Interpreter &interpreter, const Call &) {
  return known(interpreter.literal(std::string(8, '\0')));
}

// Output streams: what they are given does not matter, and they return themselves.
HostValue stream(Interpreter &, const Call &call) {
  if (call.self != 0)
    return known(call.self);
  return call.arguments.empty() ? HostValue{} : call.arguments[0];
}

bool returnsStream(const FunctionDecl *function) {
  const QualType type = function->getReturnType();
  if (!type->isReferenceType())
    return false;
  const CXXRecordDecl *record = type->getPointeeType()->getAsCXXRecordDecl();
  return record && record->getIdentifier() && record->isInStdNamespace() &&
         record->getName() == "basic_ostream";
}

bool isPlainFill(const FunctionDecl *function) {
  if (function->getNumParams() != 3)
    return false;
  const QualType first = function->getParamDecl(0)->getType();
  const QualType value = function->getParamDecl(2)->getType().getNonReferenceType();
  const ASTContext &context = function->getASTContext();
  return first->isPointerType() && !first->getPointeeType()->isDependentType() &&
         context.hasSameUnqualifiedType(first->getPointeeType(), value) &&
         first->getPointeeType().isTriviallyCopyableType(context) && !value->isFloatingType();
}

// Floating values come as doubles; in memory they have their own width.
HostValue fillFloating(Interpreter &interpreter, const Call &call) {
  if (call.callee->getParamDecl(2)->getType()->isReferenceType())
    return fillRange(interpreter, call);
  Call copy = call;
  if (interpreter.sizeOf(call.callee->getParamDecl(2)->getType()) == 4)
    copy.arguments[2].bits =
        std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(call.arguments[2].bits)));
  return fillRange(interpreter, copy);
}

Model modelNamed(std::span<const NamedModel> models, std::string_view name) {
  for (const NamedModel &one : models)
    if (one.name == name)
      return one.model;
  return nullptr;
}

} // namespace

Model libraryModel(const FunctionDecl *function) {
  const SourceManager &sources = function->getASTContext().getSourceManager();
  const bool isSystem = isSystemCode(sources, function->getLocation());
  const bool hasBody = function->hasBody();
  if (hasBody && !isSystem)
    return nullptr; // the program's own, whatever its name
  switch (function->getOverloadedOperator()) {
  case OO_New:
  case OO_Array_New:
    return function->getNumParams() == 2 && function->getParamDecl(1)->getType()->isPointerType()
               ? nullptr
               : allocateFirst;
  case OO_Delete:
  case OO_Array_Delete:
    return releaseFirst;
  default:
    break;
  }
  if (function->isInStdNamespace() && returnsStream(function))
    return stream;
  const IdentifierInfo *identifier = function->getIdentifier();
  if (!identifier)
    return nullptr;
  const std::string_view name = identifier->getName();
  if (const auto *method = dyn_cast<CXXMethodDecl>(function)) {
    const IdentifierInfo *record = method->getParent()->getIdentifier();
    return !hasBody && record && record->getName() == "basic_string" ? modelNamed(stringModels, name)
                                                                     : nullptr;
  }
  if (name == "__fill_a1") {
    const bool isFloating = function->getNumParams() == 3 &&
                            function->getParamDecl(0)->getType()->isPointerType() &&
                            function->getParamDecl(0)->getType()->getPointeeType()->isFloatingType() &&
                            function->getASTContext().hasSameUnqualifiedType(
                                function->getParamDecl(0)->getType()->getPointeeType(),
                                function->getParamDecl(2)->getType().getNonReferenceType());
    return isFloating ? fillFloating : isPlainFill(function) ? fillRange : nullptr;
  }
  if (name == "__errno_location")
    return errnoPlace;
  if (const Model model = cudaModel(function))
    return model;
  if (hasBody)
    return nullptr;
  if (!mathName(name).empty() && function->getNumParams() != 0 &&
      function->getParamDecl(0)->getType()->isRealFloatingType())
    return mathematics;
  return modelNamed(plainModels, name);
}

} // namespace streammap
