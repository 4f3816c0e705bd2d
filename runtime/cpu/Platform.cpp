#include "cpu/Platform.h"
#include "cpu/Counters.h"
#include <cstdio>
#include <cstdlib>
#include <unistd.h>
#include <utility>

namespace streammap::cpu {

Platform::Platform(Settings settings)
    : settings_(std::move(settings)), workers_(settings_.threads), virtualMemory_(addresses_) {
  for (int ordinal = 0; ordinal != settings_.deviceCount; ++ordinal)
    devices_.push_back(std::make_unique<Device>(ordinal, settings_, addresses_, modules_));
}

Device *Platform::ownerOf(const Stream *stream) {
  for (const auto &device : devices_)
    if (device->owns(stream))
      return device.get();
  return nullptr;
}

void Platform::synchronizeAll() {
  for (const auto &device : devices_)
    device->synchronize();
}

void Platform::finish() {
  // A host function that calls exit() cannot wait for the stream it runs in.
  if (!onStreamThread()) {
    for (const auto &device : devices_)
      device->stopThreads();
    workers_.stop();
  }
  for (const auto &device : devices_)
    device->flushOutput();
  if (settings_.countsFile.empty())
    return;
  if (const auto written = writeCounts(settings_.countsFile, modules_.kernels()); !written) {
    std::fprintf(stderr, "streammap: %s\n", written.error().message.c_str());
    std::fflush(nullptr);
    _exit(1);
  }
}

namespace {

Platform *makePlatform() {
  Expected<Settings> settings = readSettings(processEnvironment);
  if (!settings) {
    std::fprintf(stderr, "streammap: %s\n", settings.error().message.c_str());
    std::fflush(nullptr);
    _exit(1); // before main: nothing to unwind, and no call to return an error from
  }
  Platform *made = std::make_unique<Platform>(std::move(*settings)).release();
  std::atexit([] { platform().finish(); });
  return made;
}

} // namespace

Platform &platform() {
  static Platform *const only = makePlatform();
  return *only;
}

ThreadState::~ThreadState() {
  for (Stream *stream : perThreadStreams) {
    if (!stream)
      continue;
    if (Device *owner = platform().ownerOf(stream))
      owner->destroyStream(*stream);
  }
}

ThreadState &threadState() {
  thread_local ThreadState state;
  return state;
}

} // namespace streammap::cpu
