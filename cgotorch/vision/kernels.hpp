// What the kernels share: checks of arguments, and the geometry of boxes.
//
// The results equal torchvision's, so the kernels round where torchvision rounds: each
// formula has its types and its order of operations. They differ where torchvision reads
// out of bounds or overflows, and in the order in which the work is distributed.
#pragma once

#include "vision.h"

#include "abi.hpp"
#include "parallel.hpp"

#include <ATen/Dispatch.h>
#include <ATen/autocast_mode.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include <cfloat>
#include <cmath>
#include <tuple>
#include <vector>

namespace gt::vision {

// The largest size, stride or count that the kernels accept. Products of two do not overflow.
constexpr int64_t kLargest = int64_t{1} << 30;

inline void check_between(const char* name, int64_t v, int64_t least) {
  TORCH_CHECK_VALUE(v >= least && v <= kLargest, "expected ", name, " from ", least, " to ", kLargest, ", got ", v);
}

inline void check_cpu(const char* name, const at::Tensor& t) {
  TORCH_CHECK(t.device().is_cpu(), name, " must be on the CPU, the only device type of this kernel, got ", t.device());
  TORCH_CHECK(t.layout() == at::kStrided, name, " must have the layout strided, got ", t.layout());
}

inline void check_dim(const char* name, const at::Tensor& t, int64_t dim) {
  TORCH_CHECK(t.dim() == dim, "expected ", name, " with ", dim, " dimensions, got shape ", t.sizes());
}

inline void check_dtype(const char* name, const at::Tensor& t, const at::Tensor& like, const char* like_name) {
  TORCH_CHECK(t.scalar_type() == like.scalar_type(), name, " must have the same dtype as ", like_name, ", got ",
              t.scalar_type(), " and ", like.scalar_type());
}

inline void check_rois(const at::Tensor& rois, const at::Tensor& like, const char* like_name) {
  check_cpu("rois", rois);
  TORCH_CHECK(rois.dim() == 2 && rois.size(1) == 5, "expected rois of shape (K, 5), got shape ", rois.sizes());
  check_dtype("rois", rois, like, like_name);
}

// Regions of interest: boxes in a batch of images, and the grid of bins into which each is
// divided.
struct Regions {
  int64_t count, batch, channels, height, width;
  int64_t pooled_height, pooled_width;

  // Checks the arguments of a forward pass.
  Regions(const at::Tensor& input, const at::Tensor& rois, int64_t ph, int64_t pw)
      : pooled_height(ph), pooled_width(pw) {
    check_cpu("input", input);
    check_dim("input", input, 4);
    check_rois(rois, input, "input");
    check_between("pooled_height", ph, 0);
    check_between("pooled_width", pw, 0);
    count = rois.size(0), batch = input.size(0), channels = input.size(1);
    height = input.size(2), width = input.size(3);
    check_plane();
  }

  // Checks the arguments of a backward pass.
  Regions(const at::Tensor& grad, const at::Tensor& rois, int64_t ph, int64_t pw, int64_t batch, int64_t channels,
          int64_t height, int64_t width, int64_t channels_out)
      : count(rois.dim() > 0 ? rois.size(0) : 0), batch(batch), channels(channels), height(height), width(width),
        pooled_height(ph), pooled_width(pw) {
    check_cpu("grad", grad);
    check_rois(rois, grad, "grad");
    check_between("pooled_height", ph, 0);
    check_between("pooled_width", pw, 0);
    check_between("batch_size", batch, 0);
    check_between("channels", channels, 0);
    check_between("height", height, 0);
    check_between("width", width, 0);
    check_plane();
    const int64_t expected[] = {count, channels_out, ph, pw};
    TORCH_CHECK(grad.sizes().equals(expected), "expected grad of shape ", at::IntArrayRef(expected), ", got shape ",
                grad.sizes());
  }

  int64_t bins() const { return pooled_height * pooled_width; }
  int64_t plane() const { return height * width; }

  // Positions in an image are ints, as in torchvision.
  void check_plane() const {
    TORCH_CHECK(height <= kLargest && width <= kLargest && height * width <= INT32_MAX,
                "the size of an image is too large: ", height, " x ", width);
  }

  // Returns the index of a box's image.
  template <class T>
  int64_t image(const T* roi, int64_t n) const {
    const double v = static_cast<double>(roi[0]);
    TORCH_CHECK_INDEX(v > -1 && v < static_cast<double>(batch), "rois[", n, "] is a box of image ", v,
                      ", which is out of range for a batch of ", batch);
    return static_cast<int64_t>(v);
  }

  template <class T>
  void check_images(const T* rois) const {
    for (int64_t n = 0; n < count; n++) image(rois + 5 * n, n);
  }
};

// Converts a coordinate to an integer, as the processor does if the integer fits.
template <class T>
int64_t whole(T v) {
  const double d = static_cast<double>(v);
  if (!(d > -kLargest)) return -kLargest;
  return d < kLargest ? static_cast<int64_t>(d) : kLargest;
}

// Converts an integer, also to a Half.
template <class T>
T number(int64_t n) {
  return static_cast<T>(static_cast<double>(n));
}

// The number of samples along one side of a bin.
template <class T>
int64_t grid_size(int64_t sampling_ratio, T size, int64_t pooled) {
  if (sampling_ratio > 0) return sampling_ratio;
  const double n = std::ceil(static_cast<double>(static_cast<T>(size / static_cast<int>(pooled))));
  if (std::isnan(n) || n < -kLargest) return 0;
  TORCH_CHECK_VALUE(n < kLargest, "a box needs ", n, " samples per bin: give a sampling_ratio");
  return static_cast<int64_t>(n);
}

// A sample's position along one axis: the pixels on both sides and their weights.
template <class T>
struct Between {
  int low = 0, high = 0;
  T after = 0, before = 0;  // the distances from low and to high
  bool inside = false;
};

template <class T>
Between<T> between(T at, int size) {
  Between<T> b;
  if (!(at >= -1.0 && at <= size)) return b;  // also if it is NaN
  if (at <= 0) at = 0;
  b.low = static_cast<int>(at);
  if (b.low >= size - 1) {
    b.high = b.low = size - 1;
    at = static_cast<T>(b.low);
  } else {
    b.high = b.low + 1;
  }
  b.after = at - b.low;
  b.before = 1. - b.after;
  b.inside = true;
  return b;
}

// Fills positions with the samples along one axis, those of each bin in order.
template <class T, class Start>
void sample_axis(std::vector<Between<T>>& positions, int64_t pooled, int64_t grid, T bin, int size, Start start) {
  positions.resize(std::max<int64_t>(grid, 0) * pooled);
  size_t at = 0;
  for (int p = 0; p < pooled; p++) {
    const T from = start(p);
    for (int i = 0; i < grid; i++) {
      positions[at++] =
          between<T>(from + static_cast<T>(i + .5f) * bin / static_cast<T>(static_cast<int>(grid)), size);
    }
  }
}

// The most samples of one box; torchvision would need 4 GiB of memory for more.
constexpr int64_t kMostSamples = int64_t{1} << 27;

// The most positions of samples along one side of a box, which a thread keeps in memory.
constexpr int64_t kMostPositions = int64_t{1} << 24;

inline void check_samples(int64_t grid_h, int64_t grid_w, int64_t pooled_h, int64_t pooled_w) {
  if (grid_h <= 0 || grid_w <= 0) return;
  const int64_t bins = pooled_h * pooled_w;
  TORCH_CHECK_VALUE(grid_h * grid_w <= kMostSamples && grid_h * grid_w * bins <= kMostSamples &&
                        grid_h * pooled_h <= kMostPositions && grid_w * pooled_w <= kMostPositions,
                    "a box needs ", grid_h, " x ", grid_w, " samples for each of ", bins,
                    " bins: give a smaller sampling_ratio");
}

// A box on the feature map, divided into bins, with the samples of roi_align and
// ps_roi_align.
template <class T>
struct Box {
  T start_h, start_w, height, width, bin_h, bin_w;
  int64_t grid_h, grid_w;
  std::vector<Between<T>> ys, xs;

  // Measures the box. Unless aligned, its sides are at least 1.
  void measure(const Regions& r, const T* roi, T scale, int64_t sampling_ratio, T offset, bool aligned) {
    start_w = roi[1] * scale - offset;
    start_h = roi[2] * scale - offset;
    const T end_w = roi[3] * scale - offset;
    const T end_h = roi[4] * scale - offset;
    width = end_w - start_w;
    height = end_h - start_h;
    if (!aligned) {
      width = std::max(width, static_cast<T>(1.));
      height = std::max(height, static_cast<T>(1.));
    }
    bin_h = static_cast<T>(height) / static_cast<T>(static_cast<int>(r.pooled_height));
    bin_w = static_cast<T>(width) / static_cast<T>(static_cast<int>(r.pooled_width));
    grid_h = grid_size(sampling_ratio, height, r.pooled_height);
    grid_w = grid_size(sampling_ratio, width, r.pooled_width);
    check_samples(grid_h, grid_w, r.pooled_height, r.pooled_width);
  }

  // The samples of a bin. A side that ends before it begins may have a negative number.
  int64_t area() const { return std::max<int64_t>(grid_h, 0) * std::max<int64_t>(grid_w, 0); }
};

#define GT_VISION_DISPATCH(TYPE, NAME, ...) AT_DISPATCH_FLOATING_TYPES_AND_HALF(TYPE, NAME, __VA_ARGS__)

}  // namespace gt::vision
