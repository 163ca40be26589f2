#include "products.hpp"

#include "parallel.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace gt::capture {

#define GT_INLINE inline __attribute__((always_inline))
#ifdef __clang__
#define GT_KERNEL
#else
#define GT_KERNEL __attribute__((optimize("O3")))
#endif

namespace plain {
using V = float __attribute__((vector_size(16)));
#ifdef __aarch64__
constexpr int kRows = 8;
#else
constexpr int kRows = 4;
#endif
#include "products_vector.hpp"
#include "images_vector.hpp"
}  // namespace plain

#if defined(__x86_64__) && !defined(__clang__)
#pragma GCC push_options
#pragma GCC target("avx2,fma")
namespace avx2 {
using V = float __attribute__((vector_size(32)));
constexpr int kRows = 6;
#include "products_vector.hpp"
#include "images_vector.hpp"
}  // namespace avx2
#pragma GCC pop_options
#pragma GCC push_options
#pragma GCC target("avx512f,avx512vl,avx512dq,fma")
namespace avx512 {
using V = float __attribute__((vector_size(64)));
constexpr int kRows = 8;
#include "products_vector.hpp"
#include "images_vector.hpp"
}  // namespace avx512
#pragma GCC pop_options
#endif

namespace {

// The kernels for this processor.
struct Kernels {
  int64_t columns;  // of a block
  int64_t rows;     // of a tile
  void (*product)(const Product& p, const float* x, const float* w, const float* b, const float* other, float* out,
                  int64_t chunks, int64_t from, int64_t to);
  void (*add_bfloat16)(const uint16_t* other, uint16_t* out, bool relu, int64_t from, int64_t to);
  void (*depthwise)(const Depthwise& d, const float* x, const float* w, const float* b, const float* other, float* out,
                    int64_t row);
  void (*pool)(const Pool& p, const float* x, float* out, int64_t row);
  void (*mean)(const float* x, float* out, int64_t pixels, int64_t channels, int64_t from, int64_t to);
  void (*winograd_input)(const Winograd& g, const float* x, float* v, int64_t tile);
  void (*winograd_product)(const Winograd& g, const float* v, const float* packed, const float* zero, float* m,
                           int64_t i);
  void (*winograd_output)(const Winograd& g, const float* m, const float* bias, const float* other, float* out,
                          int64_t tile);
};

#define GT_KERNELS(ns)                                                                                            \
  Kernels{ns::kColumns, ns::kRows,                                                                                \
          [](const Product& p, const float* x, const float* w, const float* b, const float* other, float* out,    \
             int64_t chunks, int64_t from, int64_t to) { ns::units({&p, x, w, b, other, out}, chunks, from, to); }, \
          ns::add_bfloat16, ns::depthwise_row, ns::pool_row, ns::mean_of, ns::winograd_input,                       \
          ns::winograd_product, ns::winograd_output}

const Kernels& kernels() {
  static const Kernels found = [] {
#if defined(__x86_64__) && !defined(__clang__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"))
      return GT_KERNELS(avx512);
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return GT_KERNELS(avx2);
#endif
    return GT_KERNELS(plain);
  }();
  return found;
}

// Calls f with parts of [0, n), on several threads if the work, a number of multiplications, is worth it.
template <class F>
void share(int64_t n, int64_t work, const F& f) {
  constexpr int64_t kWorthwhile = 1 << 20;
  gt::parallel_for(0, n, work < kWorthwhile ? n : 1, f);
}

}  // namespace

int64_t Product::blocks() const { return (columns + kernels().columns - 1) / kernels().columns; }
int64_t Product::packed_weight() const { return blocks() * kernels().columns * taps * inner; }
int64_t Product::packed_bias() const { return blocks() * kernels().columns; }

void Product::pack(const float* weight, const float* bias, float* packed, float* packed_bias) const {
  const int64_t n = kernels().columns;
  for (int64_t block = 0; block < blocks(); block++) {
    for (int64_t tap = 0; tap < taps; tap++) {
      for (int64_t k = 0; k < inner; k++) {
        for (int64_t j = 0; j < n; j++) {
          const int64_t column = block * n + j;
          *packed++ = column < columns ? weight[(column * inner + k) * taps + tap] : 0;
        }
      }
    }
    for (int64_t j = 0; j < n; j++) *packed_bias++ = bias && block * n + j < columns ? bias[block * n + j] : 0;
  }
}

void Product::run(const float* x, const float* packed, const float* bias, const float* other, float* out) const {
  // Several chunks of rows for each block, so that threads get equal shares.
  constexpr int64_t kUnits = 16;
  const int64_t tiles = (rows + kernels().rows - 1) / kernels().rows;
  const int64_t chunks = std::clamp<int64_t>((kUnits + blocks() - 1) / blocks(), 1, std::max<int64_t>(tiles, 1));
  // A product of few rows takes the time that reading the weights takes: several threads read faster.
  constexpr int64_t kFewRows = 4;
  share(blocks() * chunks, std::max(rows, kFewRows) * columns * taps * inner,
        [&](int64_t from, int64_t to) { kernels().product(*this, x, packed, bias, other, out, chunks, from, to); });
}

void add_bfloat16(const uint16_t* other, uint16_t* out, int64_t n, bool relu) {
  share(n, n * 8, [&](int64_t from, int64_t to) { kernels().add_bfloat16(other, out, relu, from, to); });
}

void Depthwise::run(const float* x, const float* weight, const float* bias, const float* other, float* out) const {
  share(images * out_height, images * out_height * out_width * channels * kernel[0] * kernel[1] * 2,
        [&](int64_t from, int64_t to) {
          for (int64_t row = from; row < to; row++) kernels().depthwise(*this, x, weight, bias, other, out, row);
        });
}

void Pool::run(const float* x, float* out) const {
  share(images * out_height, images * out_height * out_width * channels * kernel[0] * kernel[1] / 2,
        [&](int64_t from, int64_t to) {
          for (int64_t row = from; row < to; row++) kernels().pool(*this, x, out, row);
        });
}

void channel_means(const float* x, float* out, int64_t images, int64_t pixels, int64_t channels) {
  constexpr int64_t kPart = 64;
  const int64_t parts = (channels + kPart - 1) / kPart;
  share(images * parts, images * pixels * channels / 2, [&](int64_t from, int64_t to) {
    for (int64_t i = from; i < to; i++) {
      const int64_t image = i / parts, first = i % parts * kPart;
      kernels().mean(x + image * pixels * channels, out + image * channels, pixels, channels, first,
                     std::min(channels, first + kPart));
    }
  });
}

bool Winograd::supported() const {
  const int64_t width = kernels().columns / 2;
  return channels % width == 0 && out_channels % width == 0;
}

void Winograd::prepare() {
  product.rows = tiles(), product.columns = out_channels;
  product.inner = product.row_stride = channels;
}

void Winograd::pack(const float* weight, float* packed) const {
  static const double G[6][3] = {{1. / 4, 0, 0},           {-1. / 6, -1. / 6, -1. / 6}, {-1. / 6, 1. / 6, -1. / 6},
                                 {1. / 24, 1. / 12, 1. / 6}, {1. / 24, -1. / 12, 1. / 6}, {0, 0, 1}};
  std::vector<float> step(out_channels * channels), bias(product.packed_bias());
  for (int i = 0; i < 36; i++) {
    for (int64_t k = 0; k < out_channels * channels; k++) {
      double sum = 0;
      for (int y = 0; y < 3; y++) {
        for (int x = 0; x < 3; x++) sum += G[i / 6][y] * G[i % 6][x] * weight[k * 9 + y * 3 + x];
      }
      step[k] = static_cast<float>(sum);
    }
    product.pack(step.data(), nullptr, packed + i * product.packed_weight(), bias.data());
  }
}

void Winograd::run(const float* x, const float* packed, const float* zero, const float* bias, const float* other,
                   float* out, float* transformed, float* products) const {
  const int64_t work = tiles() * channels * out_channels * 36;
  share(tiles(), work, [&](int64_t from, int64_t to) {
    for (int64_t t = from; t < to; t++) kernels().winograd_input(*this, x, transformed, t);
  });
  share(36, work, [&](int64_t from, int64_t to) {
    for (int64_t i = from; i < to; i++) kernels().winograd_product(*this, transformed, packed, zero, products, i);
  });
  share(tiles(), work, [&](int64_t from, int64_t to) {
    for (int64_t t = from; t < to; t++) kernels().winograd_output(*this, products, bias, other, out, t);
  });
}

}  // namespace gt::capture
