#include "cpu/Settings.h"
#include "support/Units.h"
#include <charconv>
#include <cstdlib>
#include <sched.h>
#include <string_view>

namespace streammap::cpu {
namespace {

constexpr int mostDevices = 64, mostThreads = 1024;
constexpr double mostMemory = 0x1p46; // 64 TiB: what an address space has room for, several times over

std::optional<std::uint64_t> wholeNumber(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size())
    return std::nullopt;
  return value;
}

std::unexpected<Error> wrong(const char *variable, std::string_view value, std::string_view expected) {
  return failure(std::string(variable) + "='" + std::string(value) + "': expected " + std::string(expected));
}

Expected<int> readCount(const Environment &environment, const char *variable, int otherwise, int most) {
  const std::optional<std::string> text = environment(variable);
  if (!text)
    return otherwise;
  const std::optional<std::uint64_t> value = wholeNumber(*text);
  if (!value || *value < 1 || *value > static_cast<std::uint64_t>(most))
    return wrong(variable, *text, "a whole number from 1 to " + std::to_string(most));
  return static_cast<int>(*value);
}

/// "launch:3@1"
std::optional<Fault> readFault(std::string_view text) {
  const std::size_t colon = text.find(':'), at = text.find('@');
  if (colon == text.npos || at == text.npos || at < colon)
    return std::nullopt;
  const std::string_view kind = text.substr(0, colon);
  const auto number = wholeNumber(text.substr(colon + 1, at - colon - 1));
  const auto device = wholeNumber(text.substr(at + 1));
  if (!number || *number == 0 || !device || *device >= mostDevices)
    return std::nullopt;
  Fault fault{FaultKind::launch, *number, static_cast<int>(*device)};
  if (kind == "malloc")
    fault.kind = FaultKind::malloc;
  else if (kind == "copy")
    fault.kind = FaultKind::copy;
  else if (kind != "launch")
    return std::nullopt;
  return fault;
}

Expected<std::vector<Fault>> readFaults(const Environment &environment) {
  const char *variable = "STREAMMAP_CPU_FAULT";
  std::vector<Fault> faults;
  const std::optional<std::string> text = environment(variable);
  std::string_view rest = text ? std::string_view(*text) : std::string_view();
  while (!rest.empty()) {
    const std::size_t comma = rest.find(',');
    const std::optional<Fault> fault = readFault(rest.substr(0, comma));
    if (!fault)
      return wrong(variable, *text, "launch:N@D, malloc:N@D or copy:N@D, separated by commas");
    faults.push_back(*fault);
    rest = comma == rest.npos ? std::string_view() : rest.substr(comma + 1);
  }
  return faults;
}

Expected<std::size_t> readMemory(const Environment &environment, std::size_t otherwise) {
  const char *variable = "STREAMMAP_CPU_MEMORY";
  const std::optional<std::string> text = environment(variable);
  if (!text)
    return otherwise;
  const Expected<Bytes> size = parseBytes(*text);
  if (!size || !(size->value() >= 1) || size->value() > mostMemory)
    return wrong(variable, *text, "a size such as 256MiB");
  return static_cast<std::size_t>(size->value());
}

int usableCores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0)
    return 1;
  const int cores = CPU_COUNT(&set);
  return cores < 1 ? 1 : cores;
}

} // namespace

Expected<Settings> readSettings(const Environment &environment) {
  Settings settings;
  const auto devices = readCount(environment, "STREAMMAP_CPU_DEVICES", 1, mostDevices);
  if (!devices)
    return std::unexpected(devices.error());
  const auto memory = readMemory(environment, settings.deviceMemory);
  if (!memory)
    return std::unexpected(memory.error());
  const auto threads = readCount(environment, "STREAMMAP_CPU_THREADS", usableCores(), mostThreads);
  if (!threads)
    return std::unexpected(threads.error());
  auto faults = readFaults(environment);
  if (!faults)
    return std::unexpected(faults.error());
  settings.deviceCount = *devices;
  settings.deviceMemory = *memory;
  settings.threads = *threads;
  settings.faults = std::move(*faults);
  settings.countsFile = environment("STREAMMAP_CPU_COUNTS").value_or("");
  return settings;
}

std::optional<std::string> processEnvironment(const char *name) {
  const char *value = std::getenv(name);
  return value ? std::optional<std::string>(value) : std::nullopt;
}

} // namespace streammap::cpu
