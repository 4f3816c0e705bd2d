#pragma once
// Device printf: the format is interpreted on the host, with the arguments packed as the compiler packs them
// for vprintf (CUDA C++ Programming Guide, "Formatted Output"): each at its natural alignment, small integers
// widened to int and float to double.
#include <string>

namespace streammap::cpu {

/// Appends the formatted text. Returns how many arguments were consumed, as device printf does; -1 when
/// `format` is null. Unknown conversions are copied as they stand; %n consumes its pointer and writes
/// nothing.
int formatDevicePrintf(std::string &text, const char *format, const void *packedArguments);

} // namespace streammap::cpu
