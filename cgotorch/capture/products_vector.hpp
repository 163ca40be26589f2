// The kernels of products.cpp for one kind of vector instructions. products.cpp includes this
// file once for each, with V (a vector of floats), kRows and the namespace around it.

constexpr int kWidth = sizeof(V) / sizeof(float);
constexpr int kColumns = 2 * kWidth;  // columns of a block
using I = int32_t __attribute__((vector_size(sizeof(V))));

GT_INLINE V load(const float* p) {
  V v;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}
GT_INLINE void store(float* p, V v) { __builtin_memcpy(p, &v, sizeof v); }
GT_INLINE V splat(float s) { return s - V{}; }
GT_INLINE V select(I mask, V a, V b) { return (V)((mask & (I)a) | (~mask & (I)b)); }
GT_INLINE V least(V a, V b) { return select(a < b, a, b); }
GT_INLINE V most(V a, V b) { return select(a > b, a, b); }
// Keeps NaN, as libtorch does.
GT_INLINE V clamp(V x, float low, float high) {
  x = select(x < splat(low), splat(low), x);
  return select(x > splat(high), splat(high), x);
}

// exp(x) within 2 units in the last place, for finite results.
GT_INLINE V exponential(V x) {
  const V bounded = clamp(x, -87.3f, 88.7f);
  const V scaled = bounded * splat(1.44269504f);
  const I whole = __builtin_convertvector(scaled + select(scaled < V{}, splat(-0.5f), splat(0.5f)), I);
  const V n = __builtin_convertvector(whole, V);
  const V r = (bounded - n * splat(0.693359375f)) - n * splat(-2.12194440e-4f);
  V p = splat(1.9875691500e-4f);
  p = p * r + splat(1.3981999507e-3f);
  p = p * r + splat(8.3334519073e-3f);
  p = p * r + splat(4.1665795894e-2f);
  p = p * r + splat(1.6666665459e-1f);
  p = p * r + splat(5.0000001201e-1f);
  p = p * r * r + r + splat(1.0f);
  // Two factors, because 2^128 is no float.
  const I half = whole >> 1;
  const V first = (V)((half + 127) << 23), second = (V)((whole - half + 127) << 23);
  return p * first * second;
}

// The error function, within 2e-7 (Abramowitz and Stegun, 7.1.26).
GT_INLINE V error_function(V x) {
  const V magnitude = select(x < V{}, -x, x);
  const V t = splat(1.0f) / (splat(1.0f) + splat(0.3275911f) * magnitude);
  V p = splat(1.061405429f);
  p = p * t + splat(-1.453152027f);
  p = p * t + splat(1.421413741f);
  p = p * t + splat(-0.284496736f);
  p = p * t + splat(0.254829592f);
  const V y = splat(1.0f) - p * t * exponential(-magnitude * magnitude);
  return select(x < V{}, -y, y);
}

GT_INLINE V logistic(V x) { return splat(1.0f) / (splat(1.0f) + exponential(-x)); }
GT_INLINE V hyperbolic(V x) {
  const V e = exponential(clamp(x, -10.0f, 10.0f) * splat(2.0f));
  // Near 0 the quotient cancels.
  const V s = x * x;
  const V near = x * (splat(1.0f) + s * (splat(-1.0f / 3) + s * (splat(2.0f / 15) + s * splat(-17.0f / 315))));
  const V far = (e - splat(1.0f)) / (e + splat(1.0f));
  return select((s < splat(0.04f)), near, far);
}

GT_INLINE V activate(V x, Act act, float low, float high) {
  switch (act) {
    case Act::none: return x;
    case Act::relu: return select(x < V{}, V{}, x);
    case Act::clamp: return clamp(x, low, high);
    case Act::hardswish: return x * clamp(x + splat(3.0f), 0, 6) / splat(6.0f);
    case Act::hardsigmoid: return clamp(x + splat(3.0f), 0, 6) / splat(6.0f);
    case Act::silu: return x * logistic(x);
    case Act::sigmoid: return logistic(x);
    case Act::tanh: return hyperbolic(x);
    case Act::gelu: return splat(0.5f) * x * (splat(1.0f) + error_function(x * splat(0.70710678f)));
    case Act::gelu_tanh: {
      const V inner = splat(0.79788456f) * (x + splat(0.044715f) * x * x * x);
      return splat(0.5f) * x * (splat(1.0f) + hyperbolic(inner));
    }
  }
  return x;
}

// Adds other to out, both in bfloat16, with rounding to nearest even.
GT_KERNEL void add_bfloat16(const uint16_t* other, uint16_t* out, bool relu, int64_t from, int64_t to) {
  const auto wide = [](uint16_t b) { return __builtin_bit_cast(float, static_cast<uint32_t>(b) << 16); };
  for (int64_t i = from; i < to; i++) {
    float sum = wide(out[i]) + wide(other[i]);
    sum = relu && sum < 0 ? 0 : sum;
    const uint32_t bits = __builtin_bit_cast(uint32_t, sum);
    const uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    out[i] = static_cast<uint16_t>(sum == sum ? rounded : 0x7fc0);
  }
}

struct Operands {
  const Product* p;
  const float *x, *weight, *bias, *other;
  float* out;
};

GT_INLINE void finish(const Operands& o, int64_t row, int64_t column, V value) {
  const Product& p = *o.p;
  const int64_t left = p.columns - column;
  if (left <= 0) return;
  const int64_t at = row * p.columns + column;
  if (left >= kWidth) {
    if (o.other) value += load(o.other + at);
    store(o.out + at, activate(value, p.act, p.low, p.high));
    return;
  }
  float part[kWidth] = {};
  if (o.other) __builtin_memcpy(part, o.other + at, left * sizeof(float));
  store(part, activate(value + load(part), p.act, p.low, p.high));
  __builtin_memcpy(o.out + at, part, left * sizeof(float));
}

// Computes R rows of one block of columns.
template <int R>
GT_KERNEL void tile(const Operands& o, int64_t row, int64_t block) {
  const Product& p = *o.p;
  const float* w = o.weight + block * p.taps * p.inner * kColumns;
  const V b0 = load(o.bias + block * kColumns), b1 = load(o.bias + block * kColumns + kWidth);
  V s0[R], s1[R];
#pragma GCC unroll 16
  for (int r = 0; r < R; r++) s0[r] = b0, s1[r] = b1;
  for (int64_t tap = 0; tap < p.taps; tap++) {
    const float* x[R];
#pragma GCC unroll 16
    for (int r = 0; r < R; r++) {
      if (p.offsets.empty()) {
        x[r] = o.x + (row + r) * p.row_stride;
      } else {
        const int32_t at = p.offsets[(row + r) * p.taps + tap];
        x[r] = at < 0 ? p.zeros.data() : o.x + at;
      }
    }
    for (int64_t k = 0; k < p.inner; k++) {
      const V w0 = load(w), w1 = load(w + kWidth);
      w += kColumns;
#pragma GCC unroll 16
      for (int r = 0; r < R; r++) {
        const V v = splat(x[r][k]);
        s0[r] += v * w0;
        s1[r] += v * w1;
      }
    }
  }
#pragma GCC unroll 16
  for (int r = 0; r < R; r++) {
    finish(o, row + r, block * kColumns, s0[r]);
    finish(o, row + r, block * kColumns + kWidth, s1[r]);
  }
}

// Computes one row of four blocks: one block alone would wait for its own additions.
GT_KERNEL void row_of_four(const Operands& o, int64_t row, int64_t block) {
  const Product& p = *o.p;
  const int64_t size = p.taps * p.inner * kColumns;
  const float* w = o.weight + block * size;
  V s[8];
#pragma GCC unroll 16
  for (int i = 0; i < 8; i++) s[i] = load(o.bias + block * kColumns + i * kWidth);
  const float* x = o.x + row * p.row_stride;
  for (int64_t k = 0; k < p.inner; k++) {
    const V v = splat(x[k]);
#pragma GCC unroll 16
    for (int i = 0; i < 4; i++) {
      s[2 * i] += v * load(w + i * size + k * kColumns);
      s[2 * i + 1] += v * load(w + i * size + k * kColumns + kWidth);
    }
  }
#pragma GCC unroll 16
  for (int i = 0; i < 8; i++) finish(o, row, block * kColumns + i * kWidth, s[i]);
}

template <int R>
GT_KERNEL void rows_of(const Operands& o, int64_t row, int64_t block, int64_t n) {
  if constexpr (R > 0) {
    if (n == R) tile<R>(o, row, block);
    else rows_of<R - 1>(o, row, block, n);
  }
}

// Computes the rows [from, to) of a block, in tiles of about the same number of rows.
GT_KERNEL void strip(const Operands& o, int64_t block, int64_t from, int64_t to) {
  const int64_t n = to - from, tiles = (n + kRows - 1) / kRows;
  for (int64_t t = 0; t < tiles; t++) {
    const int64_t first = from + n * t / tiles, last = from + n * (t + 1) / tiles;
    rows_of<kRows>(o, first, block, last - first);
  }
}

// Computes the units [from, to) of a product. A unit is a block of columns and a range of rows.
GT_KERNEL void units(const Operands& o, int64_t chunks, int64_t from, int64_t to) {
  const Product& p = *o.p;
  for (int64_t u = from; u < to; u++) {
    const int64_t block = u / chunks, chunk = u % chunks;
    if (p.rows == 1 && p.offsets.empty() && u + 4 <= to && (block + 4) * kColumns <= p.columns) {
      row_of_four(o, 0, block);
      u += 3;
      continue;
    }
    strip(o, block, p.rows * chunk / chunks, p.rows * (chunk + 1) / chunks);
  }
}
