// The formats: how blocks store weights, and the weights of a block as float32.
//
// Each format computes a weight with the operations of the gguf package, in its order, so
// the results are the same to the bit.
#pragma once

#include <c10/util/Half.h>

#include <cstdint>
#include <cstring>

namespace gt::blocks {

inline float half(const uint8_t* p) {
  uint16_t bits;
  std::memcpy(&bits, p, 2);
  return c10::detail::fp16_ieee_to_fp32_value(bits);
}

// q * d, with 32 weights in 16 bytes.
struct Q4_0 {
  static constexpr int64_t kFormat = 2, kBytes = 18, kWeights = 32;
  static void unpack(const uint8_t* b, float* out) {
    const float d = half(b);
    for (int i = 0; i < 16; i++) {
      out[i] = d * static_cast<float>((b[2 + i] & 15) - 8);
      out[i + 16] = d * static_cast<float>((b[2 + i] >> 4) - 8);
    }
  }
};

// q * d + m.
struct Q4_1 {
  static constexpr int64_t kFormat = 3, kBytes = 20, kWeights = 32;
  static void unpack(const uint8_t* b, float* out) {
    const float d = half(b), m = half(b + 2);
    for (int i = 0; i < 16; i++) {
      out[i] = d * static_cast<float>(b[4 + i] & 15) + m;
      out[i + 16] = d * static_cast<float>(b[4 + i] >> 4) + m;
    }
  }
};

struct Q8_0 {
  static constexpr int64_t kFormat = 8, kBytes = 34, kWeights = 32;
  static void unpack(const uint8_t* b, float* out) {
    const float d = half(b);
    const auto* q = reinterpret_cast<const int8_t*>(b + 2);
    for (int i = 0; i < 32; i++) out[i] = static_cast<float>(q[i]) * d;
  }
};

// The scale and the minimum of part j of a block of Q4_K: 6 bits each.
inline void scale_min(const uint8_t* s, int j, uint8_t& scale, uint8_t& min) {
  if (j < 4) {
    scale = s[j] & 63;
    min = s[j + 4] & 63;
  } else {
    scale = (s[j + 4] & 15) | ((s[j - 4] >> 6) << 4);
    min = (s[j + 4] >> 4) | ((s[j] >> 6) << 4);
  }
}

// Eight parts of 32 weights: q * (d * scale) - dmin * min.
struct Q4_K {
  static constexpr int64_t kFormat = 12, kBytes = 144, kWeights = 256;
  static void unpack(const uint8_t* b, float* out) {
    const float d = half(b), dmin = half(b + 2);
    const uint8_t* q = b + 16;
    for (int j = 0; j < 8; j++) {
      uint8_t scale, min;
      scale_min(b + 4, j, scale, min);
      const float ds = d * static_cast<float>(scale), dm = dmin * static_cast<float>(min);
      const uint8_t* part = q + 32 * (j / 2);
      for (int i = 0; i < 32; i++) {
        const int v = j % 2 ? part[i] >> 4 : part[i] & 15;
        out[32 * j + i] = ds * static_cast<float>(v) - dm;
      }
    }
  }
};

// 16 parts of 16 weights: q * (d * scale).
struct Q6_K {
  static constexpr int64_t kFormat = 14, kBytes = 210, kWeights = 256;
  // Writes the 256 values, from -32 to 31.
  static void values(const uint8_t* b, int8_t* out) {
    const uint8_t *low = b, *high = b + 128;
    for (int half = 0; half < 2; half++, low += 64, high += 32, out += 128) {
      for (int i = 0; i < 32; i++) {
        out[i] = static_cast<int8_t>(((low[i] & 15) | ((high[i] & 3) << 4)) - 32);
        out[i + 32] = static_cast<int8_t>(((low[i + 32] & 15) | (((high[i] >> 2) & 3) << 4)) - 32);
        out[i + 64] = static_cast<int8_t>(((low[i] >> 4) | (((high[i] >> 4) & 3) << 4)) - 32);
        out[i + 96] = static_cast<int8_t>(((low[i + 32] >> 4) | ((high[i] >> 6) << 4)) - 32);
      }
    }
  }
  static void unpack(const uint8_t* b, float* out) {
    int8_t q[256];
    values(b, q);
    const float d = half(b + 208);
    const auto* scales = reinterpret_cast<const int8_t*>(b + 192);
    for (int i = 0; i < 256; i++) out[i] = (d * static_cast<float>(scales[i / 16])) * static_cast<float>(q[i]);
  }
};

// Calls fn with the format of that number, and returns whether there is one.
template <class Fn>
bool with_format(int64_t format, Fn&& fn) {
  switch (format) {
    case Q4_0::kFormat: fn(Q4_0{}); return true;
    case Q4_1::kFormat: fn(Q4_1{}); return true;
    case Q8_0::kFormat: fn(Q8_0{}); return true;
    case Q4_K::kFormat: fn(Q4_K{}); return true;
    case Q6_K::kFormat: fn(Q6_K{}); return true;
    default: return false;
  }
}

}  // namespace gt::blocks
