#include "cpu/Settings.h"
#include "support/Catch.h"
#include <map>

using namespace streammap::cpu;

namespace {

using Variables = std::map<std::string, std::string>;

streammap::Expected<Settings> settingsOf(const Variables &variables) {
  return readSettings([&](const char *name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  });
}

std::string errorOf(const Variables &variables) {
  const auto settings = settingsOf(variables);
  return settings ? "" : settings.error().message;
}

} // namespace

TEST_CASE("without variables there is one device with 4 GiB") {
  const auto settings = settingsOf({});
  REQUIRE(settings);
  CHECK(settings->deviceCount == 1);
  CHECK(settings->deviceMemory == std::size_t{4} << 30);
  CHECK(settings->threads >= 1);
  CHECK(settings->faults.empty());
  CHECK(settings->countsFile.empty());
}

TEST_CASE("every variable is read") {
  const auto settings = settingsOf({{"STREAMMAP_CPU_DEVICES", "8"},
                                    {"STREAMMAP_CPU_MEMORY", "256MiB"},
                                    {"STREAMMAP_CPU_THREADS", "3"},
                                    {"STREAMMAP_CPU_FAULT", "launch:3@1,malloc:2@0,copy:10@7"},
                                    {"STREAMMAP_CPU_COUNTS", "counts.json"}});
  REQUIRE(settings);
  CHECK(settings->deviceCount == 8);
  CHECK(settings->deviceMemory == std::size_t{256} << 20);
  CHECK(settings->threads == 3);
  CHECK(settings->countsFile == "counts.json");
  REQUIRE(settings->faults.size() == 3);
  CHECK(settings->faults[0].kind == FaultKind::launch);
  CHECK(settings->faults[0].number == 3);
  CHECK(settings->faults[0].device == 1);
  CHECK(settings->faults[1].kind == FaultKind::malloc);
  CHECK(settings->faults[2].kind == FaultKind::copy);
  CHECK(settings->faults[2].number == 10);
}

TEST_CASE("a variable that makes no sense is named, with what it may hold") {
  CHECK(errorOf({{"STREAMMAP_CPU_DEVICES", "0"}}) ==
        "STREAMMAP_CPU_DEVICES='0': expected a whole number from 1 to 64");
  CHECK(errorOf({{"STREAMMAP_CPU_DEVICES", "two"}}) ==
        "STREAMMAP_CPU_DEVICES='two': expected a whole number from 1 to 64");
  CHECK(errorOf({{"STREAMMAP_CPU_THREADS", "-1"}}) ==
        "STREAMMAP_CPU_THREADS='-1': expected a whole number from 1 to 1024");
  CHECK(errorOf({{"STREAMMAP_CPU_MEMORY", "12QB"}}) ==
        "STREAMMAP_CPU_MEMORY='12QB': expected a size such as 256MiB");
  CHECK(errorOf({{"STREAMMAP_CPU_MEMORY", "0B"}}) ==
        "STREAMMAP_CPU_MEMORY='0B': expected a size such as 256MiB");
  for (const char *fault : {"launch", "launch:0@1", "launch:1", "jump:1@1", "launch:1@x", "@1:launch"}) {
    CHECK(errorOf({{"STREAMMAP_CPU_FAULT", fault}}) ==
          "STREAMMAP_CPU_FAULT='" + std::string(fault) +
              "': expected launch:N@D, malloc:N@D or copy:N@D, separated by commas");
  }
}
