// The kernels of images for one kind of vector instructions. products.cpp includes this file
// after products_vector.hpp.

// Computes a row of a depthwise convolution's result.
GT_KERNEL void depthwise_row(const Depthwise& d, const float* x, const float* weight, const float* bias,
                             const float* other, float* out, int64_t row) {
  const int64_t image = row / d.out_height, oy = row % d.out_height, c = d.channels;
  for (int64_t ox = 0; ox < d.out_width; ox++) {
    const int64_t at = (row * d.out_width + ox) * c;
    const int64_t y0 = oy * d.stride[0] - d.padding[0], x0 = ox * d.stride[1] - d.padding[1];
    const auto channels = [&](int64_t k, auto vectors, int64_t left) __attribute__((always_inline)) {
      constexpr int N = decltype(vectors)::value;
      V s[N];
      const auto get = [&](const float* p, int i) __attribute__((always_inline)) {
        if (left >= N * kWidth) return load(p + i * kWidth);
        float part[kWidth] = {};
        __builtin_memcpy(part, p, left * sizeof(float));
        return load(part);
      };
#pragma GCC unroll 16
      for (int i = 0; i < N; i++) s[i] = get(bias + k, i);
      for (int64_t ky = 0; ky < d.kernel[0]; ky++) {
        const int64_t iy = y0 + ky * d.dilation[0];
        if (iy < 0 || iy >= d.height) continue;
        for (int64_t kx = 0; kx < d.kernel[1]; kx++) {
          const int64_t ix = x0 + kx * d.dilation[1];
          if (ix < 0 || ix >= d.width) continue;
          const float* in = x + ((image * d.height + iy) * d.width + ix) * c + k;
          const float* w = weight + (ky * d.kernel[1] + kx) * c + k;
#pragma GCC unroll 16
          for (int i = 0; i < N; i++) s[i] += get(in, i) * get(w, i);
        }
      }
#pragma GCC unroll 16
      for (int i = 0; i < N; i++) {
        if (other) s[i] += get(other + at + k, i);
        s[i] = activate(s[i], d.act, d.low, d.high);
        if (left >= N * kWidth) {
          store(out + at + k + i * kWidth, s[i]);
        } else {
          float part[kWidth];
          store(part, s[i]);
          __builtin_memcpy(out + at + k, part, left * sizeof(float));
        }
      }
    };
    int64_t k = 0;
    for (; k + 4 * kWidth <= c; k += 4 * kWidth) channels(k, std::integral_constant<int, 4>(), c - k);
    for (; k < c; k += kWidth) channels(k, std::integral_constant<int, 1>(), c - k);
  }
}

// Computes a row of a maximum pool's result.
GT_KERNEL void pool_row(const Pool& p, const float* x, float* out, int64_t row) {
  const int64_t image = row / p.out_height, oy = row % p.out_height, c = p.channels;
  const int64_t y0 = oy * p.stride[0] - p.padding[0];
  for (int64_t ox = 0; ox < p.out_width; ox++) {
    const int64_t x0 = ox * p.stride[1] - p.padding[1];
    float* to = out + (row * p.out_width + ox) * c;
    for (int64_t k = 0; k < c; k += kWidth) {
      const int64_t left = std::min<int64_t>(c - k, kWidth);
      V most = splat(-__builtin_inff());
      for (int64_t ky = 0; ky < p.kernel[0]; ky++) {
        const int64_t iy = y0 + ky * p.dilation[0];
        if (iy < 0 || iy >= p.height) continue;
        for (int64_t kx = 0; kx < p.kernel[1]; kx++) {
          const int64_t ix = x0 + kx * p.dilation[1];
          if (ix < 0 || ix >= p.width) continue;
          const float* from = x + ((image * p.height + iy) * p.width + ix) * c + k;
          V v = {};
          if (left == kWidth) v = load(from);
          else __builtin_memcpy(&v, from, left * sizeof(float));
          most = select((v > most) | (v != v), v, most);  // NaN counts as the largest
        }
      }
      if (left == kWidth) store(to + k, most);
      else __builtin_memcpy(to + k, &most, left * sizeof(float));
    }
  }
}

// Computes the means of channels [from, to) over the pixels of an image.
GT_KERNEL void mean_of(const float* x, float* out, int64_t pixels, int64_t channels, int64_t from, int64_t to) {
  for (int64_t k = from; k < to; k += kWidth) {
    const int64_t left = std::min<int64_t>(to - k, kWidth);
    V sums[4] = {};
    for (int64_t i = 0; i < pixels; i++) {
      V v = {};
      if (left == kWidth) v = load(x + i * channels + k);
      else __builtin_memcpy(&v, x + i * channels + k, left * sizeof(float));
      sums[i & 3] += v;
    }
    const V mean = (sums[0] + sums[1] + (sums[2] + sums[3])) / splat(static_cast<float>(pixels));
    __builtin_memcpy(out + k, &mean, left * sizeof(float));
  }
}

// Winograd's convolution F(4x4, 3x3), as in Lavin and Gray, "Fast Algorithms for Convolutional Neural Networks".

// Transforms six values of the input.
GT_INLINE void transform_input(const V* d, V* v, int step) {
  const V d0 = d[0], d1 = d[step], d2 = d[2 * step], d3 = d[3 * step], d4 = d[4 * step], d5 = d[5 * step];
  v[0] = splat(4.0f) * d0 - splat(5.0f) * d2 + d4;
  v[step] = d4 + d3 - splat(4.0f) * (d1 + d2);
  v[2 * step] = d4 - d3 + splat(4.0f) * (d1 - d2);
  v[3 * step] = d4 - d2 + splat(2.0f) * (d3 - d1);
  v[4 * step] = d4 - d2 - splat(2.0f) * (d3 - d1);
  v[5 * step] = splat(4.0f) * d1 - splat(5.0f) * d3 + d5;
}

GT_KERNEL void winograd_input(const Winograd& g, const float* x, float* v, int64_t tile) {
  const int64_t across = g.tiles_across(), down = g.tiles_down(), c = g.channels;
  const int64_t image = tile / (across * down);
  const int64_t y0 = tile / across % down * 4 - g.padding[0], x0 = tile % across * 4 - g.padding[1];
  for (int64_t k = 0; k < c; k += kWidth) {
    V d[36];
    for (int i = 0; i < 36; i++) {
      const int64_t iy = y0 + i / 6, ix = x0 + i % 6;
      const bool inside = iy >= 0 && iy < g.height && ix >= 0 && ix < g.width;
      d[i] = inside ? load(x + ((image * g.height + iy) * g.width + ix) * c + k) : V{};
    }
#pragma GCC unroll 6
    for (int i = 0; i < 6; i++) transform_input(d + i, d + i, 6);
#pragma GCC unroll 6
    for (int i = 0; i < 6; i++) transform_input(d + 6 * i, d + 6 * i, 1);
    for (int i = 0; i < 36; i++) store(v + (i * g.tiles() + tile) * c + k, d[i]);
  }
}

// Transforms six products to four values.
GT_INLINE void transform_output(const V* m, V* y, int from, int to) {
  const V a = m[from] + m[2 * from], b = m[from] - m[2 * from], c = m[3 * from] + m[4 * from],
          d = m[3 * from] - m[4 * from], first = m[0], last = m[5 * from];
  y[0] = first + a + c;
  y[to] = b + splat(2.0f) * d;
  y[2 * to] = a + splat(4.0f) * c;
  y[3 * to] = b + splat(8.0f) * d + last;
}

GT_KERNEL void winograd_output(const Winograd& g, const float* m, const float* bias, const float* other, float* out,
                               int64_t tile) {
  const int64_t across = g.tiles_across(), down = g.tiles_down(), c = g.out_channels;
  const int64_t image = tile / (across * down), y0 = tile / across % down * 4, x0 = tile % across * 4;
  for (int64_t k = 0; k < c; k += kWidth) {
    V s[36], half[24], y[16];
    for (int i = 0; i < 36; i++) s[i] = load(m + (i * g.tiles() + tile) * c + k);
#pragma GCC unroll 6
    for (int i = 0; i < 6; i++) transform_output(s + i, half + i, 6, 6);
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) transform_output(half + 6 * i, y + 4 * i, 1, 1);
    const V b = load(bias + k);
    for (int i = 0; i < 16; i++) {
      const int64_t oy = y0 + i / 4, ox = x0 + i % 4;
      if (oy >= g.out_height || ox >= g.out_width) continue;
      const int64_t at = ((image * g.out_height + oy) * g.out_width + ox) * c + k;
      V value = y[i] + b;
      if (other) value += load(other + at);
      store(out + at, activate(value, g.act, g.low, g.high));
    }
  }
}

// Multiplies the transformed tiles of step i with the transformed weights.
GT_KERNEL void winograd_product(const Winograd& g, const float* v, const float* packed, const float* zero, float* m,
                                int64_t i) {
  const Operands o{&g.product, v + i * g.tiles() * g.channels, packed + i * g.product.packed_weight(), zero, nullptr,
                   m + i * g.tiles() * g.out_channels};
  for (int64_t block = 0; block < g.product.blocks(); block++) strip(o, block, 0, g.tiles());
}
