// Products of a row of blocks and a row of x, whose features are rounded to 16 bits. With 8
// bits, as in llama.cpp, the products are faster where memory is fast, but near ties of the
// most probable tokens often come out differently from those of the unpacked matrix.
#ifdef GOTORCH_TOGETHER

#if defined(__x86_64__)
#include <immintrin.h>
#define GT_AVX2 __attribute__((target("avx2,fma,f16c")))
#endif

namespace gt::blocks {
namespace {

// 32 features: q[i] * d.
struct Features {
  float d;
  float sum;  // d times the sum of q
  int16_t q[32];
};

void quantize(const float* x, int64_t n, Features* out) {
  for (int64_t b = 0; b < n / 32; b++, x += 32) {
    float most = 0;
    for (int i = 0; i < 32; i++) most = std::max(most, std::fabs(x[i]));
    const float d = most / 32767, inverse = d > 0 ? 1 / d : 0;
    int sum = 0;
    for (int i = 0; i < 32; i++) {
      const auto q = static_cast<int16_t>(std::clamp(std::nearbyintf(x[i] * inverse), -32767.f, 32767.f));
      out[b].q[i] = q;
      sum += q;
    }
    out[b].d = d;
    out[b].sum = d * static_cast<float>(sum);
  }
}

// --- without vector instructions ------------------------------------------------------

template <class F>
float dot_plain(const uint8_t* row, const Features* x, int64_t blocks) {
  float w[F::kWeights], total = 0;
  for (int64_t b = 0; b < blocks; b++, row += F::kBytes) {
    F::unpack(row, w);
    for (int part = 0; part < F::kWeights / 32; part++, x++) {
      float sum = 0;
      for (int i = 0; i < 32; i++) sum += w[32 * part + i] * static_cast<float>(x->q[i]);
      total += x->d * sum;
    }
  }
  return total;
}

#if defined(__x86_64__)

// --- AVX2 --------------------------------------------------------------------------------

GT_AVX2 inline __m256i load(const void* p) { return _mm256_loadu_si256(static_cast<const __m256i*>(p)); }

// Sums of four products each of the 32 signed values of w, at most 128, and of 32 features.
// They fit 32 bits.
GT_AVX2 inline __m256i products(__m256i w, const Features& x) {
  const __m256i low = _mm256_cvtepi8_epi16(_mm256_castsi256_si128(w));
  const __m256i high = _mm256_cvtepi8_epi16(_mm256_extracti128_si256(w, 1));
  return _mm256_add_epi32(_mm256_madd_epi16(low, load(x.q)), _mm256_madd_epi16(high, load(x.q + 16)));
}

// The 32 values of 4 bits in 16 bytes: the low ones first.
GT_AVX2 inline __m256i nibbles(const uint8_t* p) {
  const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  return _mm256_and_si256(_mm256_set_m128i(_mm_srli_epi16(v, 4), v), _mm256_set1_epi8(15));
}

GT_AVX2 inline float half_f16c(const uint8_t* p) {
  uint16_t bits;
  std::memcpy(&bits, p, 2);
  return _cvtsh_ss(bits);
}

GT_AVX2 inline __m256 add(__m256 total, __m256i sums, float scale) {
  return _mm256_fmadd_ps(_mm256_cvtepi32_ps(sums), _mm256_set1_ps(scale), total);
}

GT_AVX2 inline float sum(__m256 v) {
  __m128 s = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
  s = _mm_add_ps(s, _mm_movehl_ps(s, s));
  return _mm_cvtss_f32(_mm_add_ss(s, _mm_movehdup_ps(s)));
}

template <class F>
struct Dot;

template <>
struct Dot<Q4_0> {
  GT_AVX2 static float run(const uint8_t* row, const Features* x, int64_t blocks) {
    __m256 total = _mm256_setzero_ps();
    for (int64_t b = 0; b < blocks; b++, row += Q4_0::kBytes, x++) {
      const __m256i q = _mm256_sub_epi8(nibbles(row + 2), _mm256_set1_epi8(8));
      total = add(total, products(q, *x), half_f16c(row) * x->d);
    }
    return sum(total);
  }
};

template <>
struct Dot<Q4_1> {
  GT_AVX2 static float run(const uint8_t* row, const Features* x, int64_t blocks) {
    __m256 total = _mm256_setzero_ps();
    float minima = 0;
    for (int64_t b = 0; b < blocks; b++, row += Q4_1::kBytes, x++) {
      total = add(total, products(nibbles(row + 4), *x), half_f16c(row) * x->d);
      minima += half_f16c(row + 2) * x->sum;
    }
    return sum(total) + minima;
  }
};

template <>
struct Dot<Q8_0> {
  GT_AVX2 static float run(const uint8_t* row, const Features* x, int64_t blocks) {
    __m256 total = _mm256_setzero_ps();
    for (int64_t b = 0; b < blocks; b++, row += Q8_0::kBytes, x++) {
      total = add(total, products(load(row + 2), *x), half_f16c(row) * x->d);
    }
    return sum(total);
  }
};

template <>
struct Dot<Q4_K> {
  GT_AVX2 static float run(const uint8_t* row, const Features* x, int64_t blocks) {
    __m256 total = _mm256_setzero_ps();
    float minima = 0;
    for (int64_t b = 0; b < blocks; b++, row += Q4_K::kBytes, x += 8) {
      const float d = half_f16c(row), dmin = half_f16c(row + 2);
      for (int j = 0; j < 8; j += 2) {
        const __m256i v = load(row + 16 + 16 * j), mask = _mm256_set1_epi8(15);
        uint8_t scale, min;
        scale_min(row + 4, j, scale, min);
        total = add(total, products(_mm256_and_si256(v, mask), x[j]), d * scale * x[j].d);
        minima += dmin * min * x[j].sum;
        scale_min(row + 4, j + 1, scale, min);
        const __m256i high = _mm256_and_si256(_mm256_srli_epi16(v, 4), mask);
        total = add(total, products(high, x[j + 1]), d * scale * x[j + 1].d);
        minima += dmin * min * x[j + 1].sum;
      }
    }
    return sum(total) - minima;
  }
};

template <>
struct Dot<Q6_K> {
  GT_AVX2 static float run(const uint8_t* row, const Features* x, int64_t blocks) {
    __m256 total = _mm256_setzero_ps();
    const __m256i low_bits = _mm256_set1_epi8(15), high_bits = _mm256_set1_epi8(48);
    for (int64_t b = 0; b < blocks; b++, row += Q6_K::kBytes, x += 8) {
      const float d = half_f16c(row + 208);
      const auto* scales = reinterpret_cast<const int8_t*>(row + 192);
      for (int part = 0; part < 2; part++) {
        const __m256i first = load(row + 64 * part), second = load(row + 64 * part + 32);
        const __m256i high = load(row + 128 + 32 * part);
        const __m256i q[4] = {
            _mm256_or_si256(_mm256_and_si256(first, low_bits), _mm256_and_si256(_mm256_slli_epi16(high, 4), high_bits)),
            _mm256_or_si256(_mm256_and_si256(second, low_bits),
                            _mm256_and_si256(_mm256_slli_epi16(high, 2), high_bits)),
            _mm256_or_si256(_mm256_and_si256(_mm256_srli_epi16(first, 4), low_bits), _mm256_and_si256(high, high_bits)),
            _mm256_or_si256(_mm256_and_si256(_mm256_srli_epi16(second, 4), low_bits),
                            _mm256_and_si256(_mm256_srli_epi16(high, 2), high_bits)),
        };
        for (int k = 0; k < 4; k++) {
          const int at = 4 * part + k;
          const __m256i v = _mm256_sub_epi8(q[k], _mm256_set1_epi8(32));
          const __m256i low = _mm256_cvtepi8_epi16(_mm256_castsi256_si128(v));
          const __m256i high_half = _mm256_cvtepi8_epi16(_mm256_extracti128_si256(v, 1));
          const __m256i first_sums = _mm256_madd_epi16(low, load(x[at].q));
          const __m256i second_sums = _mm256_madd_epi16(high_half, load(x[at].q + 16));
          const __m256i sums = _mm256_add_epi32(_mm256_mullo_epi32(first_sums, _mm256_set1_epi32(scales[2 * at])),
                                                _mm256_mullo_epi32(second_sums, _mm256_set1_epi32(scales[2 * at + 1])));
          total = add(total, sums, d * x[at].d);
        }
      }
    }
    return sum(total);
  }
};

GT_AVX2 float dot_float_avx2(const float* w, const float* x, int64_t n) {
  __m256 t[4] = {};
  int64_t i = 0;
  for (; i + 32 <= n; i += 32) {
    for (int k = 0; k < 4; k++) {
      t[k] = _mm256_fmadd_ps(_mm256_loadu_ps(w + i + 8 * k), _mm256_loadu_ps(x + i + 8 * k), t[k]);
    }
  }
  float rest = 0;
  for (; i < n; i++) rest += w[i] * x[i];
  return sum(_mm256_add_ps(_mm256_add_ps(t[0], t[1]), _mm256_add_ps(t[2], t[3]))) + rest;
}

bool has_avx2() {
  static const bool has =
      __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c");
  return has;
}

#else

bool has_avx2() { return false; }

#endif

float dot_float(const float* a, const float* b, int64_t n, [[maybe_unused]] bool avx2) {
#if defined(__x86_64__)
  if (avx2) return dot_float_avx2(a, b, n);
#endif
  float total = 0;
  for (int64_t i = 0; i < n; i++) total += a[i] * b[i];
  return total;
}

template <class F>
float dot(const uint8_t* row, const Features* x, int64_t blocks, bool avx2) {
#if defined(__x86_64__)
  if (avx2) return Dot<F>::run(row, x, blocks);
#endif
  return dot_plain<F>(row, x, blocks);
}

}  // namespace
}  // namespace gt::blocks

#endif
