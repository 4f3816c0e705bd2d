#include "support/Digest.h"
#include <cstdint>

namespace streammap {

std::string digest(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (char letter : text)
    hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3u;
  std::string hex(16, '0');
  for (std::size_t digit = 16; digit-- > 0; hash >>= 4)
    hex[digit] = "0123456789abcdef"[hash & 15];
  return "fnv1a64:" + hex;
}

} // namespace streammap
