// Data-parallel training of a small neural network: a 2-16-1 perceptron learns a ring of points.
//
//   training [shards] [samples-per-shard] [epochs]          default: 4 shards of 256 samples, 30 epochs
//
// Each shard of the data is one task per epoch that computes the gradient of its samples; a tree of tasks adds
// the gradients in a fixed order; one task takes the step. Forward and backward pass are those of Rumelhart,
// Hinton and Williams (Nature 323, 1986) with tanh hidden units, a logistic output and cross-entropy loss.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CUDA_CHECK(call)                                                                                     \
  do {                                                                                                       \
    cudaError_t error = (call);                                                                              \
    if (error != cudaSuccess) {                                                                              \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(error));         \
      std::exit(1);                                                                                          \
    }                                                                                                        \
  } while (0)

constexpr int hidden = 16;
// Weights of the hidden layer (x, y, bias per unit), then of the output (one per unit, bias), then the loss.
constexpr int weightCount = 4 * hidden + 1;
constexpr int gradientCount = weightCount + 1;

struct Sample {
  float x, y, label;
};

/// Activations of every sample: `hidden` hidden ones, then the error of the output and the loss.
__global__ void forward(const float *weights, const Sample *samples, float *activations, int count) {
  int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= count)
    return;
  float *row = activations + s * (hidden + 2);
  float z = weights[4 * hidden];
  for (int h = 0; h < hidden; ++h) {
    float a = tanhf(weights[3 * h] * samples[s].x + weights[3 * h + 1] * samples[s].y + weights[3 * h + 2]);
    row[h] = a;
    z += weights[3 * hidden + h] * a;
  }
  float p = 1.0f / (1.0f + expf(-z));
  row[hidden] = p - samples[s].label;
  row[hidden + 1] = -(samples[s].label * logf(p + 1e-7f) + (1.0f - samples[s].label) * logf(1.0f - p + 1e-7f));
}

/// One thread per weight sums its derivative over the samples, in order; one more thread sums the loss.
__global__ void backward(const float *weights, const Sample *samples, const float *activations, float *gradient,
                         int count) {
  int w = blockIdx.x * blockDim.x + threadIdx.x;
  if (w >= gradientCount)
    return;
  float sum = 0;
  for (int s = 0; s < count; ++s) {
    const float *row = activations + s * (hidden + 2);
    if (w == gradientCount - 1)
      sum += row[hidden + 1];
    else if (w == weightCount - 1)
      sum += row[hidden];
    else if (w >= 3 * hidden)
      sum += row[hidden] * row[w - 3 * hidden];
    else {
      int h = w / 3;
      float input = w % 3 == 0 ? samples[s].x : w % 3 == 1 ? samples[s].y : 1.0f;
      sum += row[hidden] * weights[3 * hidden + h] * (1.0f - row[h] * row[h]) * input;
    }
  }
  gradient[w] = sum;
}

/// to[i] += from[i]
__global__ void reduce(float *to, const float *from) {
  int i = threadIdx.x;
  if (i < gradientCount)
    to[i] += from[i];
}

/// weights -= rate * gradient, and the epoch's loss is kept.
__global__ void update(float *weights, const float *gradient, float *loss, float rate) {
  int i = threadIdx.x;
  if (i < weightCount)
    weights[i] -= rate * gradient[i];
  if (i == weightCount)
    *loss = gradient[i];
}

class Trainer {
public:
  Trainer(int shards, int samplesPerShard, int epochs)
      : shards_(shards), samples_(samplesPerShard), epochs_(epochs), data_(shards), activations_(shards) {
    std::vector<float> weights(weightCount);
    unsigned state = 1;
    auto next = [&state] { // Numerical Recipes' quick linear congruential generator, in (-1, 1)
      state = state * 1664525u + 1013904223u;
      return static_cast<int>(state) * 4.656612873e-10f;
    };
    for (float &w : weights)
      w = next();
    CUDA_CHECK(cudaMalloc(&weights_, weightCount * sizeof(float)));
    CUDA_CHECK(cudaMemcpy(weights_, weights.data(), weightCount * sizeof(float), cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMalloc(&gradients_, shards * gradientCount * sizeof(float)));
    CUDA_CHECK(cudaMalloc(&losses_, epochs * sizeof(float)));

    std::vector<Sample> host(samplesPerShard);
    for (int s = 0; s < shards; ++s) {
      for (Sample &sample : host) {
        sample.x = 1.5f * next();
        sample.y = 1.5f * next();
        sample.label = sample.x * sample.x + sample.y * sample.y < 1.0f ? 1.0f : 0.0f;
      }
      CUDA_CHECK(cudaMalloc(&data_[s], samplesPerShard * sizeof(Sample)));
      CUDA_CHECK(cudaMalloc(&activations_[s], samplesPerShard * (hidden + 2) * sizeof(float)));
      CUDA_CHECK(cudaMemcpy(data_[s], host.data(), samplesPerShard * sizeof(Sample), cudaMemcpyHostToDevice));
    }
  }

  void train(float rate) {
    const float scale = rate / (static_cast<float>(shards_) * samples_);
    for (int epoch = 0; epoch < epochs_; ++epoch) {
      for (int s = 0; s < shards_; ++s) {
        // Two launches are one task: the activations never leave the device.
#pragma streammap task name(gradient, s, epoch) in(weights_[0 : weightCount], data_[s][0 : samples_]) \
    out(activations_[s], gradients_[s * gradientCount : gradientCount])
        {
          forward<<<(samples_ + 127) / 128, 128>>>(weights_, data_[s], activations_[s], samples_);
          backward<<<1, 128>>>(weights_, data_[s], activations_[s], gradients_ + s * gradientCount, samples_);
        }
      }
      for (int stride = 1; stride < shards_; stride *= 2)
        for (int s = 0; s + stride < shards_; s += 2 * stride)
#pragma streammap task name(reduce, s, stride, epoch) inout(gradients_[s * gradientCount : gradientCount]) \
    in(gradients_[(s + stride) * gradientCount : gradientCount])
          reduce<<<1, 128>>>(gradients_ + s * gradientCount, gradients_ + (s + stride) * gradientCount);
#pragma streammap task name(update, epoch) inout(weights_[0 : weightCount]) in(gradients_[0 : gradientCount]) \
    out(losses_[epoch : 1])
      update<<<1, 128>>>(weights_, gradients_, losses_ + epoch, scale);
    }
  }

  /// Mean loss of every epoch.
  std::vector<float> losses() {
    std::vector<float> result(epochs_);
#pragma streammap wait on(losses_[0 : epochs_])
    CUDA_CHECK(cudaMemcpy(result.data(), losses_, epochs_ * sizeof(float), cudaMemcpyDeviceToHost));
    for (float &loss : result)
      loss /= static_cast<float>(shards_) * samples_;
    return result;
  }

private:
  int shards_, samples_, epochs_;
  float *weights_, *gradients_, *losses_;
  std::vector<Sample *> data_;
  std::vector<float *> activations_;
};

int main(int argc, char *argv[]) {
  const int shards = argc > 1 ? std::atoi(argv[1]) : 4;
  const int samples = argc > 2 ? std::atoi(argv[2]) : 256;
  const int epochs = argc > 3 ? std::atoi(argv[3]) : 30;
  if (shards < 1 || samples < 1 || epochs < 2) {
    std::fprintf(stderr, "usage: training [shards] [samples-per-shard] [epochs]; at least 2 epochs\n");
    return 2;
  }
  Trainer trainer(shards, samples, epochs);
  trainer.train(3.0f);
  const std::vector<float> losses = trainer.losses();
  bool falls = losses.back() < 0.7f * losses.front();
  for (float loss : losses)
    falls = falls && std::isfinite(loss);
#pragma streammap root
  std::printf("training: %d shards of %d samples, loss %.4f -> %.4f in %d epochs, %s\n", shards, samples,
              losses.front(), losses.back(), epochs, falls ? "verified" : "WRONG");
  return falls ? 0 : 1;
}
