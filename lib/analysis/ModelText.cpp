// The C library's functions on text and numbers, and those members of std::string that live in the library.
#include "analysis/LibraryModels.h"
#include <bit>
#include <cstdlib>
#include <cstring>

namespace streammap {

using namespace clang;

using Call = Interpreter::Call;
using Model = Interpreter::Model;

namespace {

HostValue known(std::uint64_t bits) {
  return {bits, 0};
}

HostValue ofDouble(double value) {
  return {std::bit_cast<std::uint64_t>(value), 0};
}

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

constexpr NamedModel textFunctions[] = {
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
};

//===-- std::string --===//

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

constexpr NamedModel stringMembers[] = {
    {"_M_construct", stringRepeat}, {"_M_append", stringAppend},   {"append", stringAppend},
    {"_M_assign", stringAssign},    {"_M_replace", stringReplace}, {"compare", stringCompare},
    {"find", stringFind},           {"reserve", stringReserve},    {"resize", stringResize},
};

} // namespace

std::span<const NamedModel> textModels() {
  return textFunctions;
}

std::span<const NamedModel> stringModels() {
  return stringMembers;
}

} // namespace streammap
