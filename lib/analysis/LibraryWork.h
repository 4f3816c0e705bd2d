#pragma once
// What calls of NVIDIA's libraries cost, from their arguments: so that a task that calls cublasDgemm needs no
// flops() clause.
//
//   LibraryWork w = *libraryWork("cublasDgemm_v2", {{}, 0, 0, 100, 200, 300});
//   w[FlopType::fp64], w.read, w.written       // 12e6 flops, 0.88 MB and 0.16 MB
//
// Formulas: dense linear algebra as in LAPACK Working Note 41 (Blackford, Dongarra, 1999, appendix C),
// without the terms of lower order that no one times; 4 real operations for each pair of a complex
// multiplication and addition (8 for 2). Fourier transforms 5 n log2 n, half of it for real data (the
// convention of FFTW; Frigo, Johnson, Proc. IEEE 93, 2005). Random numbers: cuRAND's default generator
// XORWOW, 5 shifts, 5 exclusive ors and an addition each (Marsaglia, "Xorshift RNGs", 2003), and a logarithm,
// a root, a sine and a cosine for each pair of normal ones (Box, Muller 1958). Bytes: each operand once; what
// is updated is read and written. Half precision runs on tensor cores.
#include "model/TaskGraph.h"
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace streammap {

struct LibraryWork {
  std::array<double, flopTypeCount> flops{};
  double read = 0, written = 0; ///< bytes of device memory
  double &operator[](FlopType type) { return flops[static_cast<std::size_t>(type)]; }
  double operator[](FlopType type) const { return flops[static_cast<std::size_t>(type)]; }
};

/// A Fourier transform that was planned, by the number that the library calls it by.
struct FourierPlan {
  double points = 0; ///< of one transform
  double batch = 1;
};

enum class LibraryCallKind {
  free,    ///< does no work that counts: creates, sets, queries
  costly,  ///< in the table
  unknown, ///< works, and nobody knows how much
};

/// For functions of cuBLAS, cuSOLVER, cuFFT, cuRAND, cuSPARSE, cuDNN, NCCL and the runtime's copies.
LibraryCallKind kindOfLibraryCall(std::string_view function);

/// Arguments in order, nothing for those that are unknown or no integers. Nothing if the formula needs one of
/// them. For a transform, `plan` is the one that its first argument names.
std::optional<LibraryWork> libraryWork(std::string_view function,
                                       std::span<const std::optional<std::int64_t>> arguments,
                                       const std::optional<FourierPlan> &plan = {});

/// cufftPlan1d, 2d, 3d: what they plan. Nothing for other functions and unknown sizes.
std::optional<FourierPlan> fourierPlan(std::string_view function,
                                       std::span<const std::optional<std::int64_t>> arguments);

} // namespace streammap
