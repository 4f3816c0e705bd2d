#include "cpudevice/DeviceLibrary.h"
#include <llvm/Support/MemoryBufferRef.h>

// STREAMMAP_DEVICELIB is the path of the bitcode that the build has just made.
__asm__(".section .rodata\n"
        ".balign 16\n"
        "streammapDeviceLibrary:\n"
        ".incbin \"" STREAMMAP_DEVICELIB "\"\n"
        "streammapDeviceLibraryEnd:\n"
        ".previous\n");

extern "C" {
extern const char streammapDeviceLibrary[] __attribute__((visibility("hidden")));
extern const char streammapDeviceLibraryEnd[] __attribute__((visibility("hidden")));
}

namespace streammap {

llvm::MemoryBufferRef deviceLibrary() {
  const auto size = static_cast<std::size_t>(streammapDeviceLibraryEnd - streammapDeviceLibrary);
  return {llvm::StringRef(streammapDeviceLibrary, size), "the device library"};
}

} // namespace streammap
