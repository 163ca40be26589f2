// Max pooling of planes. libtorch's kernel for contiguous tensors has a branch for each
// element. Processors predict these branches badly, so that kernel takes ten times as
// long as libtorch's kernel for channels_last. Like that kernel, this one processes
// several windows at a time. Its results are the same: it takes the first of equal
// values, and the last of NaNs.
//
// This kernel replaces libtorch's in the dispatcher, so derivatives and errors stay the
// same. It passes other dtypes, layouts and invalid arguments on to libtorch's kernel.

#ifdef GOTORCH_TOGETHER  // together_autograd.cpp includes this file

#include "kernels.hpp"

#include "parallel.hpp"
#include <ATen/Version.h>
#include <ATen/core/Tensor.h>
#include <ATen/native/Pool.h>
#include <ATen/EmptyTensor.h>
#include <ATen/ops/max_pool2d_with_indices_cpu_dispatch.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <tuple>
#include <type_traits>

#define GOTORCH_INLINE inline __attribute__((always_inline))

namespace {

// The sizes of the image, the windows and the result, in elements.
struct Windows {
  int64_t height, width, out_height, out_width;
  int64_t kernel_h, kernel_w, stride_h, stride_w, pad_h, pad_w, dilation_h, dilation_w;
  int64_t first, last;  // range of the result's columns whose windows do not reach the padding
};

// A SIMD vector of N values, and a vector of integers of the same size.
template <class T, int N>
struct Lanes {
  using Index = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;
  typedef T Values __attribute__((vector_size(N * sizeof(T))));
  typedef Index Places __attribute__((vector_size(N * sizeof(T))));
};

// load reads N values that are stride apart. It reads no memory after the last value.
template <class T, int N>
GOTORCH_INLINE void load(const T* p, int64_t stride, typename Lanes<T, N>::Values& v) {
  if (stride == 1) {
    std::memcpy(&v, p, sizeof v);
    return;
  }
#if !defined(__clang__)
  if (stride == 2) {
    typename Lanes<T, N>::Values a, b;
    typename Lanes<T, N>::Places even;
    std::memcpy(&a, p, sizeof a);
    std::memcpy(&b, p + N - 1, sizeof b);
    for (int i = 0; i < N; i++) even[i] = i < N / 2 ? 2 * i : 2 * i + 1;
    v = __builtin_shuffle(a, b, even);
    return;
  }
#endif
  for (int i = 0; i < N; i++) v[i] = p[i * stride];
}

// block computes N adjacent windows that do not reach the padding. They start at column x
// of the result.
template <class T, int N>
GOTORCH_INLINE void block(const Windows& w, const T* plane, int64_t top, int64_t bottom, int64_t x, int64_t stride,
                          T* values, int64_t* indices) {
  using Index = typename Lanes<T, N>::Index;
  typename Lanes<T, N>::Values best, v = {};
  typename Lanes<T, N>::Places at, here, steps;
  const int64_t left = x * stride - w.pad_w;
  for (int i = 0; i < N; i++) {
    best[i] = -std::numeric_limits<T>::infinity();
    steps[i] = static_cast<Index>(i * stride);
  }
  at = steps + static_cast<Index>(top * w.width + left);
  for (int64_t y = top; y < bottom; y += w.dilation_h) {
    int64_t place = y * w.width + left;
    for (int64_t k = 0; k < w.kernel_w; k++, place += w.dilation_w) {
      load<T, N>(plane + place, stride, v);
      here = steps + static_cast<Index>(place);
      const auto better = (v > best) | (v != v);
      best = better ? v : best;
      at = better ? here : at;
    }
  }
  std::memcpy(values + x, &best, sizeof best);
  for (int i = 0; i < N; i++) indices[x + i] = at[i];
}

// one computes the window for column x of the result. The window may extend beyond the image.
template <class T>
GOTORCH_INLINE void one(const Windows& w, const T* plane, int64_t top, int64_t bottom, int64_t x, T* values,
                        int64_t* indices) {
  int64_t left = x * w.stride_w - w.pad_w;
  const int64_t right = std::min(left + (w.kernel_w - 1) * w.dilation_w + 1, w.width);
  while (left < 0) left += w.dilation_w;
  T best = -std::numeric_limits<T>::infinity();
  int64_t at = top * w.width + left;
  for (int64_t y = top; y < bottom; y += w.dilation_h) {
    for (int64_t c = left; c < right; c += w.dilation_w) {
      const T v = plane[y * w.width + c];
      const bool better = (v > best) | (v != v);
      best = better ? v : best;
      at = better ? y * w.width + c : at;
    }
  }
  values[x] = best;
  indices[x] = at;
}

// blocks computes columns first to last of the result. The last block may overlap the
// previous one.
template <class T, int N>
GOTORCH_INLINE void blocks(const Windows& w, const T* plane, int64_t top, int64_t bottom, int64_t stride, T* values,
                           int64_t* indices) {
  int64_t x = w.first;
  for (; x + N <= w.last; x += N) block<T, N>(w, plane, top, bottom, x, stride, values, indices);
  if (x < w.last) block<T, N>(w, plane, top, bottom, w.last - N, stride, values, indices);
}

template <class T, int N>
GOTORCH_INLINE void columns(const Windows& w, const T* plane, int64_t top, int64_t bottom, T* values,
                            int64_t* indices) {
  switch (w.stride_w) {  // constants, so that the compiler knows the stride
    case 1: return blocks<T, N>(w, plane, top, bottom, 1, values, indices);
    case 2: return blocks<T, N>(w, plane, top, bottom, 2, values, indices);
    default: return blocks<T, N>(w, plane, top, bottom, w.stride_w, values, indices);
  }
}

// planes computes the planes from begin to end. Its vectors have `Bytes` or 16 bytes.
template <class T, int Bytes>
GOTORCH_INLINE void planes(const Windows& w, const T* in, T* values, int64_t* indices, int64_t begin, int64_t end) {
  constexpr int N = Bytes / sizeof(T), Least = 16 / sizeof(T);
  for (int64_t p = begin; p < end; p++) {
    const T* plane = in + p * w.height * w.width;
    for (int64_t y = 0; y < w.out_height; y++) {
      int64_t top = y * w.stride_h - w.pad_h;
      const int64_t bottom = std::min(top + (w.kernel_h - 1) * w.dilation_h + 1, w.height);
      while (top < 0) top += w.dilation_h;
      T* v = values + (p * w.out_height + y) * w.out_width;
      int64_t* i = indices + (p * w.out_height + y) * w.out_width;
      if (w.last - w.first >= N) {
        columns<T, N>(w, plane, top, bottom, v, i);
      } else if (w.last - w.first >= Least) {
        columns<T, Least>(w, plane, top, bottom, v, i);
      } else {
        for (int64_t x = w.first; x < w.last; x++) one(w, plane, top, bottom, x, v, i);
      }
      for (int64_t x = 0; x < w.first; x++) one(w, plane, top, bottom, x, v, i);
      for (int64_t x = w.last; x < w.out_width; x++) one(w, plane, top, bottom, x, v, i);
    }
  }
}

template <class T>
void plain(const Windows& w, const T* in, T* values, int64_t* indices, int64_t begin, int64_t end) {
  planes<T, 16>(w, in, values, indices, begin, end);
}

#if defined(__x86_64__)
template <class T>
__attribute__((target("avx2"))) void wide(const Windows& w, const T* in, T* values, int64_t* indices, int64_t begin,
                                          int64_t end) {
  planes<T, 32>(w, in, values, indices, begin, end);
}
// Like libtorch, uses the instructions that ATEN_CPU_CAPABILITY allows.
template <class T>
auto chosen() {
  static const bool avx2 = __builtin_cpu_supports("avx2") && at::get_cpu_capability().starts_with("AVX");
  return avx2 ? wide<T> : plain<T>;
}
#else
template <class T>
auto chosen() {
  return plain<T>;
}
#endif

// number returns element i of a list, or its only element.
int64_t number(at::IntArrayRef list, size_t i) { return list.size() == 1 ? list[0] : list[i]; }

// fits reads the arguments of a pooling operator. It returns whether this kernel supports
// them.
bool fits(const at::Tensor& x, at::IntArrayRef kernel, at::IntArrayRef stride, at::IntArrayRef padding,
          at::IntArrayRef dilation, bool ceil, Windows& w) {
  const auto type = x.scalar_type();
  if ((type != at::kFloat && type != at::kDouble) || (x.dim() != 3 && x.dim() != 4) || x.numel() == 0 || gt::named(x) ||
      !x.is_contiguous() || x.suggest_memory_format() != at::MemoryFormat::Contiguous) {
    return false;
  }
  for (const auto list : {kernel, stride.empty() ? kernel : stride, padding, dilation}) {
    if (list.size() != 1 && list.size() != 2) return false;
  }
  w.height = x.size(-2);
  w.width = x.size(-1);
  // These bounds exclude overflow in the sums and products below.
  constexpr int64_t most = 1 << 20;
  if (w.height > most || w.width > most || w.height * w.width > std::numeric_limits<int32_t>::max()) return false;
  w.kernel_h = number(kernel, 0), w.kernel_w = number(kernel, 1);
  w.stride_h = number(stride.empty() ? kernel : stride, 0), w.stride_w = number(stride.empty() ? kernel : stride, 1);
  w.pad_h = number(padding, 0), w.pad_w = number(padding, 1);
  w.dilation_h = number(dilation, 0), w.dilation_w = number(dilation, 1);
  for (const int64_t n : {w.kernel_h, w.kernel_w, w.stride_h, w.stride_w, w.dilation_h, w.dilation_w}) {
    if (n <= 0 || n > most) return false;
  }
  if (w.pad_h < 0 || w.pad_w < 0 || w.pad_h > w.kernel_h / 2 || w.pad_w > w.kernel_w / 2) return false;
  w.out_height =
      at::native::pooling_output_shape<int64_t>(w.height, w.kernel_h, w.pad_h, w.stride_h, w.dilation_h, ceil);
  w.out_width = at::native::pooling_output_shape<int64_t>(w.width, w.kernel_w, w.pad_w, w.stride_w, w.dilation_w, ceil);
  if (w.out_height <= 0 || w.out_width <= 0) return false;
  // If a window might contain no element, leave the call to libtorch.
  if ((w.out_height - 1) * w.stride_h - w.pad_h >= w.height || (w.out_width - 1) * w.stride_w - w.pad_w >= w.width ||
      (w.pad_h > 0 && w.dilation_h > w.height) || (w.pad_w > 0 && w.dilation_w > w.width)) {
    return false;
  }
  const int64_t room =
      // Divided by the stride, this is the number of windows that begin before the right
      // padding.
      w.width + w.pad_w - (w.kernel_w - 1) * w.dilation_w - 1;
  w.first = (w.pad_w + w.stride_w - 1) / w.stride_w;
  w.last = room < 0 ? 0 : std::min(room / w.stride_w + 1, w.out_width);
  if (w.last < w.first) w.first = w.last = 0;
  return true;
}

template <class T>
void pool(const Windows& w, const at::Tensor& x, at::Tensor& values, at::Tensor& indices) {
  const auto* in = static_cast<const T*>(x.const_data_ptr());
  T* out = values.mutable_data_ptr<T>();
  int64_t* at = indices.mutable_data_ptr<int64_t>();
  const int64_t work = w.out_height * w.out_width * w.kernel_h * w.kernel_w;
  constexpr int64_t grain = 1 << 15;  // number of values for which another thread is worth its cost
  const auto run = chosen<T>();
  gt::parallel_for(0, x.numel() / (w.height * w.width), std::max<int64_t>(1, grain / std::max<int64_t>(1, work)),
                   [&](int64_t begin, int64_t end) { run(w, in, out, at, begin, end); });
}

std::tuple<at::Tensor, at::Tensor> max_pool2d_with_indices(const at::Tensor& x, at::IntArrayRef kernel,
                                                           at::IntArrayRef stride, at::IntArrayRef padding,
                                                           at::IntArrayRef dilation, bool ceil) {
  Windows w;
  if (!fits(x, kernel, stride, padding, dilation, ceil, w)) {
    return at::cpu::max_pool2d_with_indices(x, kernel, stride, padding, dilation, ceil);
  }
  at::DimVector shape(x.sizes().begin(), x.sizes().end());
  shape[shape.size() - 2] = w.out_height;
  shape[shape.size() - 1] = w.out_width;
  // Like libtorch's kernel, this does not call the operator empty, because profiles would
  // show it.
  at::Tensor values = at::detail::empty_cpu(shape, x.options());
  at::Tensor indices = at::detail::empty_cpu(shape, x.options().dtype(at::kLong));
  if (x.scalar_type() == at::kFloat) {
    pool<float>(w, x, values, indices);
  } else {
    pool<double>(w, x, values, indices);
  }
  return {std::move(values), std::move(indices)};
}

[[gnu::used]] torch::Library* const pool_registration =
    gt::take_place("cgotorch/pool.cpp", "max_pool2d_with_indices", TORCH_FN(max_pool2d_with_indices));

}  // namespace

#endif
