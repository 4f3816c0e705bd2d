#pragma once
// A short fingerprint that says whether two texts are the same file; no protection against forgery.
#include <string>
#include <string_view>

namespace streammap {

/// FNV-1a, 64 bits (Fowler, Noll, Vo 1991), as "fnv1a64:cbf29ce484222325". O(bytes).
std::string digest(std::string_view text);

} // namespace streammap
