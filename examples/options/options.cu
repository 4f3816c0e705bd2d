// Monte-Carlo price of a European call option, checked against the Black-Scholes closed form.
//
//   options [batches] [paths-per-batch]          default: 16 batches of 65536 paths
//
// Each batch is one task that simulates its paths and leaves the sum and the sum of squares of their payoffs; a
// tree of small tasks adds the batches up, always in the same order, so the result has the same bits anywhere.
// Random numbers are a function of the path's number (counter-based, the idea of Salmon et al., SC 2011), with
// the mixer of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014) and the Box-Muller transform.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#define CUDA_CHECK(call)                                                                                     \
  do {                                                                                                       \
    cudaError_t error = (call);                                                                              \
    if (error != cudaSuccess) {                                                                              \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(error));         \
      std::exit(1);                                                                                          \
    }                                                                                                        \
  } while (0)

struct Option {
  double spot, strike, rate, volatility, years;
};

struct Moments {
  double sum, squares;
};

constexpr int threads = 128;

/// A well-mixed 64-bit number for each counter value.
__device__ uint64_t mix(uint64_t counter) {
  uint64_t z = (counter + 1) * 0x9E3779B97F4A7C15ull;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

/// Uniform in (0, 1), never 0.
__device__ double uniform(uint64_t counter) { return ((mix(counter) >> 11) + 0.5) * 0x1p-53; }

/// Discounted payoff of one path: one normal number moves the price to the end.
__device__ double payoff(const Option &option, uint64_t path) {
  double normal = sqrt(-2.0 * log(uniform(2 * path))) * cos(6.283185307179586 * uniform(2 * path + 1));
  double drift = (option.rate - 0.5 * option.volatility * option.volatility) * option.years;
  double price = option.spot * exp(drift + option.volatility * sqrt(option.years) * normal);
  return exp(-option.rate * option.years) * fmax(price - option.strike, 0.0);
}

/// One block: simulates `paths` paths from number `first` and leaves their moments in `out`.
__global__ void simulate(Option option, uint64_t first, int paths, Moments *out) {
  __shared__ double warpSum[threads / 32], warpSquares[threads / 32];
  double sum = 0, squares = 0;
  for (int i = threadIdx.x; i < paths; i += blockDim.x) {
    double value = payoff(option, first + i);
    sum += value;
    squares += value * value;
  }
  for (int offset = 16; offset > 0; offset >>= 1) {
    sum += __shfl_down_sync(0xffffffffu, sum, offset);
    squares += __shfl_down_sync(0xffffffffu, squares, offset);
  }
  if (threadIdx.x % 32 == 0) {
    warpSum[threadIdx.x / 32] = sum;
    warpSquares[threadIdx.x / 32] = squares;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    sum = squares = 0;
    for (int warp = 0; warp < threads / 32; ++warp) {
      sum += warpSum[warp];
      squares += warpSquares[warp];
    }
    out->sum = sum;
    out->squares = squares;
  }
}

/// to += from
__global__ void add(Moments *to, const Moments *from) {
  to->sum += from->sum;
  to->squares += from->squares;
}

static double normalDistribution(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

/// Black and Scholes, Journal of Political Economy 81 (1973), equation 13.
static double closedForm(const Option &o) {
  const double spread = o.volatility * std::sqrt(o.years);
  const double d1 = (std::log(o.spot / o.strike) + (o.rate + 0.5 * o.volatility * o.volatility) * o.years) / spread;
  return o.spot * normalDistribution(d1) -
         o.strike * std::exp(-o.rate * o.years) * normalDistribution(d1 - spread);
}

int main(int argc, char *argv[]) {
  const int batches = argc > 1 ? std::atoi(argv[1]) : 16;
  const int paths = argc > 2 ? std::atoi(argv[2]) : 65536;
  if (batches < 1 || paths < 1) {
    std::fprintf(stderr, "usage: options [batches] [paths-per-batch]\n");
    return 2;
  }
  const Option option{100.0, 105.0, 0.03, 0.25, 1.5};

  Moments *moments = nullptr;
  CUDA_CHECK(cudaMalloc(&moments, batches * sizeof(Moments)));
  for (int b = 0; b < batches; ++b) {
#pragma streammap task name(simulate, b) out(moments[b : 1])
    simulate<<<1, threads>>>(option, static_cast<uint64_t>(b) * paths, paths, moments + b);
  }
  for (int stride = 1; stride < batches; stride *= 2)
    for (int b = 0; b + stride < batches; b += 2 * stride) {
#pragma streammap task name(add, b, stride) inout(moments[b : 1]) in(moments[b + stride : 1])
      add<<<1, 1>>>(moments + b, moments + b + stride);
    }
#pragma streammap wait on(moments[0 : 1])
  Moments total;
  CUDA_CHECK(cudaMemcpy(&total, moments, sizeof total, cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(moments));

  const double n = static_cast<double>(batches) * paths;
  const double mean = total.sum / n;
  const double deviation = std::sqrt((total.squares / n - mean * mean) / n);
  const double exact = closedForm(option);
  const bool right = std::fabs(mean - exact) < 4 * deviation;
#pragma streammap root
  std::printf("options: %.0f paths, price %.6f, closed form %.6f, standard error %.6f, %s\n", n, mean, exact,
              deviation, right ? "verified" : "WRONG");
  return right ? 0 : 1;
}
