#include "analysis/LibraryWork.h"
#include <algorithm>
#include <array>
#include <cmath>

namespace streammap {
namespace {

/// The letter of a routine: S, D, C, Z or H.
struct Precision {
  FlopType type;
  double bytes;  ///< of an element
  double factor; ///< of the flops of real arithmetic
};

std::optional<Precision> precisionOf(char letter) {
  switch (letter) {
  case 'S':
    return Precision{FlopType::fp32, 4, 1};
  case 'D':
    return Precision{FlopType::fp64, 8, 1};
  case 'C':
    return Precision{FlopType::fp32, 8, 4};
  case 'Z':
    return Precision{FlopType::fp64, 16, 4};
  case 'H':
    return Precision{FlopType::tensor, 2, 1};
  default:
    return std::nullopt;
  }
}

/// Flops of real arithmetic, elements read, elements written.
struct Amounts {
  double flops = 0, read = 0, written = 0;
};

struct Routine {
  std::string_view name;           ///< without library, letter and version: "gemm"
  std::array<unsigned, 4> indices; ///< of the arguments that the formula takes; 0: none
  Amounts (*amounts)(const std::array<double, 4> &);
};

using Numbers = std::array<double, 4>;

Amounts gemm(const Numbers &n) {
  const double batch = n[3];
  return {2 * n[0] * n[1] * n[2] * batch, (n[0] * n[2] + n[2] * n[1] + n[0] * n[1]) * batch,
          n[0] * n[1] * batch};
}
Amounts oneGemm(const Numbers &n) {
  return gemm({n[0], n[1], n[2], 1});
}
Amounts syrk(const Numbers &n) {
  const double half = n[0] * (n[0] + 1) / 2;
  return {n[1] * n[0] * (n[0] + 1), n[0] * n[1] + half, half};
}
Amounts syr2k(const Numbers &n) {
  const double half = n[0] * (n[0] + 1) / 2;
  return {2 * n[1] * n[0] * n[0] + n[0], 2 * n[0] * n[1] + half, half};
}
/// A square matrix on one side of m x n; `side` 0 is left.
Amounts sided(const Numbers &n, double perElement, bool isTriangle) {
  const double order = n[0] == 0 ? n[1] : n[2];
  const double square = isTriangle ? order * (order + 1) / 2 : order * order;
  return {perElement * n[1] * n[2] * order, square + n[1] * n[2], n[1] * n[2]};
}
Amounts symm(const Numbers &n) {
  return sided(n, 2, true);
}
Amounts triangular(const Numbers &n) {
  return sided(n, 1, true);
}
Amounts gemv(const Numbers &n) {
  return {2 * n[0] * n[1], n[0] * n[1] + n[0] + n[1], n[0]};
}
Amounts ger(const Numbers &n) {
  return {2 * n[0] * n[1], n[0] * n[1] + n[0] + n[1], n[0] * n[1]};
}
Amounts symv(const Numbers &n) {
  return {2 * n[0] * n[0], n[0] * (n[0] + 1) / 2 + 2 * n[0], n[0]};
}
Amounts trsv(const Numbers &n) {
  return {n[0] * n[0], n[0] * (n[0] + 1) / 2 + n[0], n[0]};
}
Amounts axpy(const Numbers &n) {
  return {2 * n[0], 2 * n[0], n[0]};
}
Amounts dot(const Numbers &n) {
  return {2 * n[0], 2 * n[0], 0};
}
Amounts scal(const Numbers &n) {
  return {n[0], n[0], n[0]};
}
Amounts nrm2(const Numbers &n) {
  return {2 * n[0], n[0], 0};
}
Amounts asum(const Numbers &n) {
  return {n[0], n[0], 0};
}
Amounts copied(const Numbers &n) {
  return {0, n[0], n[0]};
}
Amounts swapped(const Numbers &n) {
  return {0, 2 * n[0], 2 * n[0]};
}
Amounts searched(const Numbers &n) {
  return {0, n[0], 0};
}
Amounts potrf(const Numbers &n) {
  const double half = n[0] * (n[0] + 1) / 2;
  return {n[0] * n[0] * n[0] / 3 + n[0] * n[0] / 2 + n[0] / 6, half, half};
}
Amounts getrf(const Numbers &n) {
  const double most = std::max(n[0], n[1]), least = std::min(n[0], n[1]);
  return {most * least * least - least * least * least / 3 - least * least / 2 + 5 * least / 6, n[0] * n[1],
          n[0] * n[1]};
}
Amounts geqrf(const Numbers &n) {
  const double most = std::max(n[0], n[1]), least = std::min(n[0], n[1]);
  return {2 * most * least * least - 2 * least * least * least / 3, n[0] * n[1], n[0] * n[1]};
}
Amounts solve(const Numbers &n) {
  return {2 * n[0] * n[0] * n[1], n[0] * n[0] + n[0] * n[1], n[0] * n[1]};
}

constexpr Routine blas[] = {
    {"gemm", {3, 4, 5}, oneGemm},
    {"gemmBatched", {3, 4, 5, 14}, gemm},
    {"gemmStridedBatched", {3, 4, 5, 17}, gemm},
    {"syrk", {3, 4}, syrk},
    {"herk", {3, 4}, syrk},
    {"syr2k", {3, 4}, syr2k},
    {"symm", {1, 3, 4}, symm},
    {"hemm", {1, 3, 4}, symm},
    {"trsm", {1, 5, 6}, triangular},
    {"trmm", {1, 5, 6}, triangular},
    {"gemv", {2, 3}, gemv},
    {"ger", {1, 2}, ger},
    {"symv", {2}, symv},
    {"trsv", {4}, trsv},
    {"trmv", {4}, trsv},
    {"axpy", {1}, axpy},
    {"dot", {1}, dot},
    {"scal", {1}, scal},
    {"nrm2", {1}, nrm2},
    {"asum", {1}, asum},
    {"copy", {1}, copied},
    {"swap", {1}, swapped},
    {"amax", {1}, searched},
    {"amin", {1}, searched},
};
constexpr Routine lapack[] = {
    {"potrf", {2}, potrf},    {"getrf", {1, 2}, getrf}, {"geqrf", {1, 2}, geqrf},
    {"potrs", {2, 3}, solve}, {"getrs", {2, 3}, solve},
};

/// "Dgemm" -> the routine and its precision.
struct Found {
  const Routine *routine = nullptr;
  Precision precision{};
};

std::optional<Found> find(std::string_view name, std::span<const Routine> routines) {
  for (std::string_view version : {"_64", "_v2", "_64"}) // cublasSgemm_v2_64
    if (name.ends_with(version))
      name.remove_suffix(version.size());
  if (name.starts_with('I')) // cublasIsamax: the index of the largest
    name.remove_prefix(1);
  if (name.size() < 2)
    return std::nullopt;
  const char letter = name.front() >= 'a' ? static_cast<char>(name.front() - 'a' + 'A') : name.front();
  const auto precision = precisionOf(letter);
  const auto routine = std::ranges::find(routines, name.substr(1), &Routine::name);
  if (!precision || routine == routines.end())
    return std::nullopt;
  return Found{&*routine, *precision};
}

std::optional<Found> findRoutine(std::string_view function) {
  if (function.starts_with("cublasGemmEx"))
    return Found{&blas[0], {FlopType::tensor, 2, 1}};
  if (function.starts_with("cublas"))
    return find(function.substr(6), blas);
  if (function.starts_with("cusolverDn"))
    return find(function.substr(10), lapack);
  return std::nullopt;
}

using Arguments = std::span<const std::optional<std::int64_t>>;

std::optional<double> at(Arguments arguments, std::size_t index) {
  if (index >= arguments.size() || !arguments[index])
    return std::nullopt;
  return static_cast<double>(*arguments[index]);
}

std::optional<LibraryWork> denseWork(const Found &found, Arguments arguments) {
  Numbers numbers{};
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (found.routine->indices[i] == 0)
      continue;
    const auto number = at(arguments, found.routine->indices[i]);
    if (!number)
      return std::nullopt;
    numbers[i] = *number;
  }
  const Amounts amounts = found.routine->amounts(numbers);
  LibraryWork work;
  work[found.precision.type] = amounts.flops * found.precision.factor;
  work.read = amounts.read * found.precision.bytes;
  work.written = amounts.written * found.precision.bytes;
  return work;
}

std::optional<LibraryWork> transformWork(std::string_view function, const std::optional<FourierPlan> &plan) {
  if (!plan)
    return std::nullopt;
  const std::string_view kind = function.substr(std::string_view("cufftExec").size());
  const bool isDouble = kind.contains('Z') || kind.contains('D');
  const bool isReal = kind.contains('R') || kind.contains('D');
  const double element = isDouble ? 8 : 4, all = plan->points * plan->batch;
  LibraryWork work;
  work[isDouble ? FlopType::fp64 : FlopType::fp32] =
      (isReal ? 2.5 : 5.0) * all * std::log2(std::max(1.0, plan->points));
  // A real row of n has n / 2 + 1 complex coefficients: about as many bytes on either side.
  work.read = work.written = all * element * (isReal ? 1 : 2);
  return work;
}

std::optional<LibraryWork> randomWork(std::string_view function, Arguments arguments) {
  const auto count = at(arguments, 2);
  if (!count)
    return std::nullopt;
  constexpr double integerEach = 11;
  LibraryWork work;
  work[FlopType::integer] = integerEach * *count;
  if (function.contains("Normal"))
    work[FlopType::special] = 2 * *count; // four functions for two numbers
  if (function.contains("Uniform") || function.contains("Normal"))
    work[function.ends_with("Double") ? FlopType::fp64 : FlopType::fp32] = 2 * *count;
  work.written = *count * (function.ends_with("Double") || function.ends_with("LongLong") ? 8 : 4);
  return work;
}

/// cudaMemcpy(to, from, size, kind), cudaMemcpy2D(to, pitch, from, pitch, width, height, kind).
std::optional<LibraryWork> copyWork(std::string_view function, Arguments arguments) {
  const bool isSet = function.starts_with("cudaMemset"), is2d = function.contains("2D");
  const auto size = at(arguments, is2d ? (isSet ? 3 : 4) : 2);
  const auto rows = is2d ? at(arguments, isSet ? 4 : 5) : std::optional(1.0);
  if (!size || !rows)
    return std::nullopt;
  const double moved = *size * *rows;
  LibraryWork work;
  if (isSet) {
    work.written = moved;
    return work;
  }
  // 1 is host to device, 2 device to host: one end is no device memory.
  const auto kind = at(arguments, is2d ? 6 : 3);
  work.read = kind == 1 ? 0 : moved;
  work.written = kind == 2 ? 0 : moved;
  return work;
}

constexpr std::string_view copies[] = {"cudaMemcpy", "cudaMemcpyAsync", "cudaMemcpy2D", "cudaMemcpy2DAsync",
                                       "cudaMemset", "cudaMemsetAsync", "cudaMemset2D", "cudaMemset2DAsync"};
constexpr std::string_view libraries[] = {"cublas", "cusolver", "cusparse", "cufft",
                                          "curand", "cudnn",    "nccl"};
/// Parts of the names of functions that prepare, ask or free.
constexpr std::string_view harmless[] = {
    "Create", "Destroy", "Set",    "Get",  "set",   "get",    "uffer",    "Plan", "Init", "Query",
    "Error",  "Version", "Malloc", "Free", "Group", "Logger", "Estimate", "Make", "Comm"};

} // namespace

LibraryCallKind kindOfLibraryCall(std::string_view function) {
  if (std::ranges::find(copies, function) != std::end(copies) || findRoutine(function) ||
      function.starts_with("cufftExec") || function.starts_with("curandGenerate")) {
    // "curandGenerateSeeds" prepares.
    return function.ends_with("Seeds") ? LibraryCallKind::free : LibraryCallKind::costly;
  }
  if (std::ranges::none_of(libraries,
                           [&](std::string_view library) { return function.starts_with(library); }))
    return LibraryCallKind::free;
  for (const std::string_view part : harmless)
    if (function.contains(part))
      return LibraryCallKind::free;
  return LibraryCallKind::unknown;
}

std::optional<LibraryWork> libraryWork(std::string_view function, Arguments arguments,
                                       const std::optional<FourierPlan> &plan) {
  if (const auto found = findRoutine(function))
    return denseWork(*found, arguments);
  if (function.starts_with("cufftExec"))
    return transformWork(function, plan);
  if (function.starts_with("curandGenerate"))
    return randomWork(function, arguments);
  if (std::ranges::find(copies, function) != std::end(copies))
    return copyWork(function, arguments);
  return std::nullopt;
}

std::optional<FourierPlan> fourierPlan(std::string_view function, Arguments arguments) {
  const std::size_t dimensions = function == "cufftPlan1d"   ? 1
                                 : function == "cufftPlan2d" ? 2
                                 : function == "cufftPlan3d" ? 3
                                                             : 0;
  if (dimensions == 0)
    return std::nullopt;
  FourierPlan plan{1, 1};
  for (std::size_t i = 1; i <= dimensions; ++i) {
    const auto extent = at(arguments, i);
    if (!extent)
      return std::nullopt;
    plan.points *= *extent;
  }
  if (dimensions == 1) {
    const auto batch = at(arguments, 3);
    if (!batch)
      return std::nullopt;
    plan.batch = *batch;
  }
  return plan;
}

} // namespace streammap
