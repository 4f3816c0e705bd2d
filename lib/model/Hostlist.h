#pragma once
// Slurm's way to write many node names:
//
//   expandHostlist("n[001-003,020],gpu-a[1-2]b[01-02]")
//     -> n001 n002 n003 n020 gpu-a1b01 gpu-a1b02 gpu-a2b01 gpu-a2b02
//   compressHostlist(...)                                    -> the first two of them: "n[001-003,020]"
//
// A range's first number says how wide its numbers are padded with zeros; of several brackets the last runs
// fastest (slurm.conf(5), "NodeName").
#include "support/Expected.h"
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace streammap {

inline constexpr std::size_t maxHostlistNames = 1000000;

/// In the order written, duplicates kept. Errors name the character (from 1) where the list goes wrong:
/// "character 3:
/// '[' is never closed".
Expected<std::vector<std::string>> expandHostlist(std::string_view text);

/// The inverse, for names in any order: expanding gives back the same names in the same order. Neighbours
/// that differ in their last number share a bracket.
std::string compressHostlist(std::span<const std::string> names);

} // namespace streammap
