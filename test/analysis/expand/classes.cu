// Objects with device memory: constructors, inheritance, virtual calls, templates, members in clauses.
#include <cuda_runtime.h>
#include <utility>

template <class T>
__global__ void fill(T *p, T value, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    p[i] = value;
}

template <class T>
class DeviceArray {
public:
  explicit DeviceArray(int n) : size_(n) { cudaMalloc(&data_, n * sizeof(T)); }
  ~DeviceArray() { cudaFree(data_); }
  DeviceArray(const DeviceArray &) = delete;
  DeviceArray(DeviceArray &&other) noexcept : data_(std::exchange(other.data_, nullptr)), size_(other.size_) {}
  T *data() { return data_; }
  int size() const { return size_; }

private:
  T *data_ = nullptr;
  int size_;
};

class Step {
public:
  virtual ~Step() = default;
  virtual void run(int t) = 0;
  int blocks(int n) const { return (n + threads_ - 1) / threads_; }

protected:
  int threads_ = 64;
};

template <class T, int Scale>
class FillStep : public Step {
public:
  explicit FillStep(int n) : array_(n) {}
  void run(int t) override {
#pragma streammap task out(array_.data()[0:array_.size()])
    fill<<<blocks(array_.size()), threads_>>>(array_.data(), T(t * Scale), array_.size());
  }

private:
  DeviceArray<T> array_;
};

namespace app {
struct Runner {
  Step *steps[2];
  void operator()(int times) const {
    for (int t = 0; t < times; ++t)
      for (Step *step : steps)
        step->run(t);
  }
};
} // namespace app

int main() {
  FillStep<float, 2> floats(100);
  FillStep<double, 3> doubles(50);
  app::Runner runner{{&floats, &doubles}};
  runner(2);
#pragma streammap wait
}
