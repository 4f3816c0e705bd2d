// Formulas of library calls, each with its arithmetic.
#include "analysis/LibraryWork.h"
#include "support/Catch.h"

using namespace streammap;

namespace {

using Arguments = std::vector<std::optional<std::int64_t>>;

LibraryWork workOf(const std::string &function, const Arguments &arguments,
                   const std::optional<FourierPlan> &plan = {}) {
  INFO(function);
  CHECK(kindOfLibraryCall(function) == LibraryCallKind::costly);
  const auto work = libraryWork(function, arguments, plan);
  REQUIRE(work);
  return *work;
}

const std::nullopt_t pointer = std::nullopt;

} // namespace

TEST_CASE("matrix products") {
  const LibraryWork real = workOf("cublasDgemm_v2", {pointer, 0, 0, 10, 20, 30});
  CHECK(real[FlopType::fp64] == 2 * 10 * 20 * 30);
  CHECK(real.read == 8 * (10 * 30 + 30 * 20 + 10 * 20));
  CHECK(real.written == 8 * 10 * 20);
  // a complex multiplication and addition are 8 real operations
  CHECK(workOf("cublasCgemm_v2", {pointer, 0, 0, 10, 20, 30})[FlopType::fp32] == 8 * 10 * 20 * 30);
  CHECK(workOf("cublasHgemm", {pointer, 0, 0, 10, 20, 30})[FlopType::tensor] == 2 * 10 * 20 * 30);
  CHECK(workOf("cublasGemmEx", {pointer, 0, 0, 10, 20, 30})[FlopType::tensor] == 2 * 10 * 20 * 30);
  CHECK(workOf("cublasSgemm_v2_64", {pointer, 0, 0, 10, 20, 30})[FlopType::fp32] == 2 * 10 * 20 * 30);
  Arguments batched(18, pointer);
  batched[3] = batched[4] = batched[5] = 4;
  batched[17] = 7;
  CHECK(workOf("cublasSgemmStridedBatched", batched)[FlopType::fp32] == 7 * 128);
}

TEST_CASE("half the matrix for symmetric and triangular ones") {
  // 10 * 11 / 2 elements, k = 3: two operations for each of them and each of k
  CHECK(workOf("cublasSsyrk_v2", {pointer, 0, 0, 10, 3})[FlopType::fp32] == 3 * 10 * 11);
  // left: m * m * n
  CHECK(workOf("cublasDtrsm_v2", {pointer, 0, 0, 0, 0, 10, 30})[FlopType::fp64] == 10 * 10 * 30);
  CHECK(workOf("cublasDtrsm_v2", {pointer, 1, 0, 0, 0, 10, 30})[FlopType::fp64] == 10 * 30 * 30);
}

TEST_CASE("vectors") {
  CHECK(workOf("cublasDaxpy_v2", {pointer, 50})[FlopType::fp64] == 100);
  CHECK(workOf("cublasDaxpy_v2", {pointer, 50}).read == 800);
  CHECK(workOf("cublasDaxpy_v2", {pointer, 50}).written == 400);
  CHECK(workOf("cublasSgemv_v2", {pointer, 0, 10, 20})[FlopType::fp32] == 400);
  CHECK(workOf("cublasIsamax_v2", {pointer, 50}).read == 200);
}

TEST_CASE("factorisations") {
  // potrf of order 3 by hand: 3 roots, 3 divisions, 4 multiplications, 4 subtractions = 14
  CHECK(workOf("cusolverDnDpotrf", {pointer, 0, 3})[FlopType::fp64] == 14);
  // getrf of order 3: 3 reciprocals, 2 + 1 scalings, 4 + 1 multiplications, 4 + 1 subtractions = 16
  CHECK(workOf("cusolverDnDgetrf", {pointer, 3, 3})[FlopType::fp64] == Approx(16));
}

TEST_CASE("transforms follow their plan") {
  const Arguments sizes{pointer, 8, 0x29, 3};
  const auto plan = fourierPlan("cufftPlan1d", sizes);
  REQUIRE(plan);
  const LibraryWork work = workOf("cufftExecC2C", {1, pointer, pointer, -1}, plan);
  CHECK(work[FlopType::fp32] == 3 * 5 * 8 * 3);
  CHECK(work.read == 3 * 8 * 8);
  CHECK(workOf("cufftExecD2Z", {1}, plan)[FlopType::fp64] == 3 * 5 * 8 * 3 / 2);
  CHECK_FALSE(libraryWork("cufftExecC2C", Arguments{1}));
}

TEST_CASE("copies between devices read and write, others only one of them") {
  CHECK(workOf("cudaMemcpy", {pointer, pointer, 100, 3}).read == 100);
  CHECK(workOf("cudaMemcpy", {pointer, pointer, 100, 3}).written == 100);
  CHECK(workOf("cudaMemcpyAsync", {pointer, pointer, 100, 1}).read == 0);
  CHECK(workOf("cudaMemcpyAsync", {pointer, pointer, 100, 2}).written == 0);
  CHECK(workOf("cudaMemset", {pointer, 0, 100}).written == 100);
  CHECK(workOf("cudaMemcpy2D", {pointer, 64, pointer, 64, 32, 10, 3}).read == 320);
}

TEST_CASE("what prepares is free, and what nobody knows is said to be unknown") {
  for (const char *name : {"cublasCreate_v2", "cublasSetStream_v2", "cufftPlan2d", "curandGenerateSeeds",
                           "cusolverDnDpotrf_bufferSize", "cudaMalloc", "cudnnSetTensor4dDescriptor"})
    CHECK(kindOfLibraryCall(name) == LibraryCallKind::free);
  for (const char *name : {"cusparseSpMV", "cudnnConvolutionForward", "ncclAllReduce"})
    CHECK(kindOfLibraryCall(name) == LibraryCallKind::unknown);
  CHECK_FALSE(libraryWork("cublasDgemm_v2", Arguments{pointer, 0, 0, 10, pointer, 30}));
}
