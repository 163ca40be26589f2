// Products of packed weights, for inference: linear layers, and convolutions of channels-last
// images, with the bias, an addition and an activation in the same pass over the result.
#pragma once

#include <cstdint>
#include <vector>

namespace gt::capture {

enum class Act { none, relu, clamp, hardswish, hardsigmoid, silu, sigmoid, tanh, gelu, gelu_tanh };

// A product of a matrix, whose rows need not be in one piece, with packed weights. Row r of the
// result is the sum over all taps of the input's row at offsets[r * taps + tap] times the weights
// of that tap.
struct Product {
  int64_t rows = 0, columns = 0, taps = 1, inner = 0;  // inner: the numbers of a row and tap
  int64_t row_stride = 0;            // of the input, if there are no offsets
  std::vector<int32_t> offsets;      // -1: a row of zeros
  std::vector<float> zeros;          // such a row
  Act act = Act::none;
  float low = 0, high = 0;           // of Act::clamp

  int64_t blocks() const;            // of columns
  // The sizes of the packed weights and the packed bias, in numbers.
  int64_t packed_weight() const;
  int64_t packed_bias() const;
  // Packs a weight that is contiguous as columns x inner x taps.
  void pack(const float* weight, const float* bias, float* packed, float* packed_bias) const;
  // out has contiguous rows; so has other, which may be null.
  void run(const float* x, const float* packed, const float* bias, const float* other, float* out) const;
};

// Adds other to out, n numbers in bfloat16, and replaces negative sums by 0 if relu is set.
void add_bfloat16(const uint16_t* other, uint16_t* out, int64_t n, bool relu);

// A convolution with one filter for each channel, of channels-last images.
struct Depthwise {
  int64_t images = 0, height = 0, width = 0, channels = 0, out_height = 0, out_width = 0;
  int64_t kernel[2] = {}, stride[2] = {}, padding[2] = {}, dilation[2] = {};
  Act act = Act::none;
  float low = 0, high = 0;

  // weight is taps x channels.
  void run(const float* x, const float* weight, const float* bias, const float* other, float* out) const;
};

// A maximum pool of channels-last images.
struct Pool {
  int64_t images = 0, height = 0, width = 0, channels = 0, out_height = 0, out_width = 0;
  int64_t kernel[2] = {}, stride[2] = {}, padding[2] = {}, dilation[2] = {};

  void run(const float* x, float* out) const;
};

// Computes the mean of each channel of channels-last images.
void channel_means(const float* x, float* out, int64_t images, int64_t pixels, int64_t channels);

// A convolution of 3 x 3 with stride 1, of channels-last images, by Winograd's algorithm: it multiplies a quarter
// as often, and rounding errors are somewhat larger.
struct Winograd {
  int64_t images = 0, height = 0, width = 0, channels = 0, out_height = 0, out_width = 0, out_channels = 0;
  int64_t padding[2] = {};
  Act act = Act::none;
  float low = 0, high = 0;
  Product product;  // of one of the 36 steps

  int64_t tiles_across() const { return (out_width + 3) / 4; }
  int64_t tiles_down() const { return (out_height + 3) / 4; }
  int64_t tiles() const { return images * tiles_across() * tiles_down(); }
  // Whether the kernels support the number of channels.
  bool supported() const;
  void prepare();
  // Packs a weight that is contiguous as out_channels x channels x 3 x 3, into 36 * product.packed_weight() numbers.
  void pack(const float* weight, float* packed) const;
  // transformed and products have room for 36 * tiles() * channels and out_channels numbers. zero is a zero bias.
  void run(const float* x, const float* packed, const float* zero, const float* bias, const float* other, float* out,
           float* transformed, float* products) const;
};

}  // namespace gt::capture
