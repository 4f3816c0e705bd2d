#include "analysis/WarpAccess.h"
#include <algorithm>
#include <array>
#include <numeric>
#include <set>

namespace streammap {
namespace {

constexpr std::int64_t sector = 32, warp = 32, banks = 32, bankBytes = 4;
const std::string laneX = "threadIdx.x", laneY = "threadIdx.y", width = "blockDim.x";

std::int64_t modulo(std::int64_t a, std::int64_t b) {
  return ((a % b) + b) % b;
}

std::int64_t ceilOf(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

/// Lanes of a warp that can be active: 32, or fewer where the way to the block bounds threadIdx.x by a
/// number.
std::int64_t activeLanes(const BlockAccesses &block) {
  std::int64_t most = block.cells.empty() ? warp : 0;
  for (const IterationSpace &cell : block.cells) {
    std::int64_t lanes = warp;
    for (const Expression &constraint : cell.constraints) {
      const auto coefficients = constraint.coefficients(laneX);
      if (!coefficients || coefficients->size() != 2 || (*coefficients)[1].constant() != -1)
        continue;
      if (const auto bound = (*coefficients)[0].constant())
        lanes = std::min(lanes, std::max<std::int64_t>(1, *bound + 1));
    }
    most = std::max(most, lanes);
  }
  return most;
}

std::int64_t constantPart(const Expression &e) {
  for (const Expression::Term &term : e.terms())
    if (term.factors.empty() && term.denominator == 1)
      return term.numerator;
  return 0;
}

bool isVariable(const BlockAccesses &block, const std::string &symbol) {
  return std::ranges::any_of(block.cells, [&](const IterationSpace &cell) {
    return std::ranges::find(cell.variables, symbol) != cell.variables.end();
  });
}

/// Whether a loop moves the address by part of a sector from one iteration to the next.
bool movesWithinSector(const BlockAccesses &block, const Expression &offset) {
  for (const std::string &symbol : offset.symbols()) {
    if (!symbol.starts_with("i@") || !isVariable(block, symbol))
      continue;
    const auto coefficients = offset.coefficients(symbol);
    if (!coefficients || coefficients->size() != 2)
      return true;
    if (const auto step = (*coefficients)[1].constant(); step && modulo(*step, sector) != 0)
      return true;
  }
  return false;
}

/// One choice of everything that an address depends on, but the lane.
struct Assumed {
  double variables, arguments, width;
};

std::optional<std::vector<std::int64_t>> laneOffsets(const BlockAccesses &block, const Expression &offset,
                                                     std::int64_t lanes, const Assumed &assumed) {
  Bindings bindings;
  for (const std::string &symbol : offset.symbols())
    bindings[symbol] = isVariable(block, symbol) ? assumed.variables : assumed.arguments;
  bindings[width] = assumed.width;
  std::vector<std::int64_t> offsets;
  const auto rowLength = static_cast<std::int64_t>(assumed.width);
  for (std::int64_t lane = 0; lane != lanes; ++lane) {
    bindings[laneX] = static_cast<double>(lane % rowLength);
    bindings[laneY] = static_cast<double>(lane / rowLength);
    bindings["threadIdx.z"] = 0;
    const Expected<Evaluated> value = evaluate(offset, bindings);
    if (!value || !value->exact)
      return std::nullopt;
    offsets.push_back(*value->exact);
  }
  return offsets;
}

/// For index expressions with quotients and remainders: the lanes of one warp of a wide block, one by one.
Expression sectorsByLane(const BlockAccesses &block, const MemoryAccess &access, std::int64_t lanes) {
  const auto offsets = laneOffsets(block, *access.offset, lanes, {0, 1024, 256});
  const std::int64_t each = ceilOf(static_cast<std::int64_t>(access.size), sector);
  if (!offsets)
    return each * block.count;
  std::set<std::int64_t> touched;
  for (const std::int64_t offset : *offsets)
    for (std::int64_t byte = 0; byte < static_cast<std::int64_t>(access.size); byte += bankBytes)
      touched.insert((offset - modulo(offset + byte, sector) + byte) / sector);
  return ceilDiv(static_cast<std::int64_t>(touched.size()) * block.count, lanes);
}

/// Passes beyond the first, for one warp whose lanes use these offsets.
std::int64_t conflictsOf(const std::vector<std::int64_t> &offsets, std::int64_t size) {
  const auto words = std::max<std::int64_t>(1, size / bankBytes);
  const auto lanesTogether = static_cast<std::size_t>(std::max<std::int64_t>(1, warp / words));
  std::int64_t extra = 0;
  for (std::size_t first = 0; first < offsets.size(); first += lanesTogether) {
    std::array<std::set<std::int64_t>, banks> wanted;
    for (std::size_t lane = first; lane < std::min(offsets.size(), first + lanesTogether); ++lane)
      for (std::int64_t word = 0; word != words; ++word) {
        const std::int64_t at = (offsets[lane] - modulo(offsets[lane], bankBytes)) / bankBytes + word;
        wanted[static_cast<std::size_t>(modulo(at, banks))].insert(at);
      }
    std::size_t most = 1;
    for (const auto &bank : wanted)
      most = std::max(most, bank.size());
    extra += static_cast<std::int64_t>(most) - 1;
  }
  return extra;
}

} // namespace

std::optional<Expression> sectorsOf(const BlockAccesses &block, const MemoryAccess &access) {
  if (!access.offset)
    return std::nullopt;
  const auto size = static_cast<std::int64_t>(access.size);
  const std::int64_t each = ceilOf(size, sector), lanes = activeLanes(block);
  const auto inX = access.offset->coefficients(laneX);
  if (!inX || inX->size() > 2)
    return sectorsByLane(block, access, lanes);
  const Expression rest = inX->empty() ? Expression() : (*inX)[0];
  const Expression stride = inX->size() == 2 ? (*inX)[1] : Expression();
  const auto step = stride.constant();
  // A stride that an argument gives is the length of a row: every lane has a sector of its own.
  if (!step || *step >= sector || *step <= -sector)
    return each * block.count;
  const auto inY = rest.coefficients(laneY);
  const Expression rowStride = inY && inY->size() == 2 ? (*inY)[1] : Expression();
  const bool rowsJoin = inY && rowStride == stride * Expression::symbol(width);
  const Expression together =
      rowsJoin || lanes < warp ? Expression(lanes) : minimum(warp, Expression::symbol(width));
  const std::int64_t distance = *step < 0 ? -*step : *step;
  std::int64_t misaligned = modulo(constantPart(rest) - (*step < 0 ? (lanes - 1) * distance : 0), sector);
  if (*step != 0 && misaligned == 0 && movesWithinSector(block, rest))
    misaligned = std::min(size, sector - 1);
  if (*step == 0 && misaligned + size <= sector)
    return ceilDiv(block.count, together);
  const Expression perRequest = ceilDiv((together - 1) * distance + size + misaligned, sector);
  return ceilDiv(perRequest * block.count, together);
}

std::optional<Expression> bankConflictsOf(const BlockAccesses &block, const MemoryAccess &access) {
  if (!access.offset)
    return std::nullopt;
  const auto size = static_cast<std::int64_t>(access.size);
  const std::int64_t lanes = activeLanes(block);
  Expression extra;
  std::int64_t wider = 0;
  for (const std::int64_t blockWidth : {32, 16, 8, 4, 2, 1}) {
    const auto offsets =
        laneOffsets(block, *access.offset, lanes, {0, 1024, static_cast<double>(blockWidth)});
    const auto others = laneOffsets(block, *access.offset, lanes, {1, 1031, static_cast<double>(blockWidth)});
    if (!offsets || !others)
      return std::nullopt;
    const std::int64_t conflicts = conflictsOf(*offsets, size);
    if (conflicts != conflictsOf(*others, size))
      return std::nullopt;
    // For all widths below the one before.
    extra += blockWidth == warp ? Expression(conflicts)
                                : (conflicts - wider) * positive(2 * blockWidth - Expression::symbol(width));
    wider = conflicts;
  }
  return extra.isZero() ? Expression() : ceilDiv(extra * block.count, lanes);
}

} // namespace streammap
