// Deformable convolution. The samples of the kernel's elements become the columns of a
// matrix, which the weights multiply.
#ifdef GOTORCH_TOGETHER

namespace gt::vision {
namespace {

// The sizes of a deformable convolution. The images of a batch are processed in blocks,
// because the matrix of a whole batch may be large.
struct Deform {
  at::Tensor input, weight, offset, mask, bias;  // contiguous
  int64_t stride_h, stride_w, pad_h, pad_w, dilation_h, dilation_w, groups, offset_groups;
  bool use_mask;

  int64_t batch, channels, in_h, in_w, out_channels, kernel_h, kernel_w, out_h, out_w;
  int64_t block;  // images in a block

  void check();
  int64_t kernel() const { return kernel_h * kernel_w; }
  int64_t out_plane() const { return out_h * out_w; }
  int64_t block_plane() const { return block * out_plane(); }  // columns of the matrix
  int64_t in_plane() const { return in_h * in_w; }
  int64_t group_channels() const { return channels / offset_groups; }
};

// Returns the largest divisor of n up to 32, but n itself only if it is 1. This is the block
// size of torchvision, on which the rounding depends.
int64_t block_size(int64_t n) {
  for (int64_t k = std::min<int64_t>(n / 2, 32); k > 1; k--) {
    if (n % k == 0) return k;
  }
  return 1;
}

void Deform::check() {
  for (const auto& [name, t] : {std::pair{"weight", &weight}, {"offset", &offset}, {"mask", &mask}, {"bias", &bias}}) {
    check_cpu(name, *t);
    check_dtype(name, *t, input, "input");
  }
  check_cpu("input", input);
  check_dim("input", input, 4);
  check_dim("weight", weight, 4);
  check_dim("offset", offset, 4);
  if (use_mask) check_dim("mask", mask, 4);
  check_between("stride_h", stride_h, 1);
  check_between("stride_w", stride_w, 1);
  check_between("pad_h", pad_h, 0);
  check_between("pad_w", pad_w, 0);
  check_between("dilation_h", dilation_h, 1);
  check_between("dilation_w", dilation_w, 1);
  check_between("groups", groups, 1);
  check_between("offset_groups", offset_groups, 1);
  batch = input.size(0), channels = input.size(1), in_h = input.size(2), in_w = input.size(3);
  out_channels = weight.size(0), kernel_h = weight.size(2), kernel_w = weight.size(3);
  TORCH_CHECK(kernel_h > 0 && kernel_w > 0 && kernel_h <= kLargest && kernel_w <= kLargest,
              "weight must have a kernel of at least one element, got shape ", weight.sizes());
  TORCH_CHECK(in_h <= kLargest && in_w <= kLargest && in_plane() <= INT32_MAX,
              "the size of input is too large: ", input.sizes());
  out_h = (in_h + 2 * pad_h - (dilation_h * (kernel_h - 1) + 1)) / stride_h + 1;
  out_w = (in_w + 2 * pad_w - (dilation_w * (kernel_w - 1) + 1)) / stride_w + 1;
  TORCH_CHECK(out_h > 0 && out_w > 0, "the size of input is too small for the kernel: ", input.sizes(), " and ",
              weight.sizes());
  TORCH_CHECK(weight.size(1) * groups == channels, "expected weight of shape (out, ", channels, " / groups, ", kernel_h,
              ", ", kernel_w, "), got shape ", weight.sizes(), " and ", groups, " groups");
  TORCH_CHECK(out_channels % groups == 0, "weight must have a size that is a multiple of groups, got ", out_channels,
              " and ", groups);
  TORCH_CHECK(channels % offset_groups == 0, "the size of input's channels must be a multiple of offset_groups, got ",
              channels, " and ", offset_groups);
  const int64_t offsets[] = {batch, offset_groups * 2 * kernel(), out_h, out_w};
  TORCH_CHECK(offset.sizes().equals(offsets), "expected offset of shape ", at::IntArrayRef(offsets), ", got shape ",
              offset.sizes());
  const int64_t masks[] = {batch, offset_groups * kernel(), out_h, out_w};
  TORCH_CHECK(!use_mask || mask.sizes().equals(masks), "expected mask of shape ", at::IntArrayRef(masks),
              ", got shape ", mask.sizes());
  TORCH_CHECK(bias.dim() == 1 && bias.size(0) == out_channels, "expected bias of shape (", out_channels,
              "), got shape ", bias.sizes());
  block = block_size(batch);
}

// The data of one block.
template <class T>
struct Block {
  const T *input, *offset, *mask;  // mask is null if there is none

  Block(const Deform& d, int64_t number) {
    const int64_t first = number * d.block;
    input = d.input.const_data_ptr<T>() + first * d.channels * d.in_plane();
    offset = d.offset.const_data_ptr<T>() + first * d.offset_groups * 2 * d.kernel() * d.out_plane();
    mask = d.use_mask ? d.mask.const_data_ptr<T>() + first * d.offset_groups * d.kernel() * d.out_plane() : nullptr;
  }
};

// Where element (i, j) of the kernel samples the image for an element of the result.
template <class T>
struct Point {
  T y, x, mask;
};

// Calls fn(point, k) for each element k of one image of the result, in order.
template <class T, class Fn>
void each_point(const Deform& d, const Block<T>& b, int64_t image, int64_t group, int64_t i, int64_t j, Fn fn) {
  const int64_t element = i * d.kernel_w + j, plane = d.out_plane();
  const T* offset = b.offset + (image * d.offset_groups + group) * 2 * d.kernel() * plane + 2 * element * plane;
  const T* mask = b.mask ? b.mask + (image * d.offset_groups + group) * d.kernel() * plane + element * plane : nullptr;
  int64_t k = 0;
  for (int64_t h = 0; h < d.out_h; h++) {
    const int top = static_cast<int>(h * d.stride_h - d.pad_h + i * d.dilation_h);
    for (int64_t w = 0; w < d.out_w; w++, k++) {
      const int left = static_cast<int>(w * d.stride_w - d.pad_w + j * d.dilation_w);
      const T y = top + offset[k], x = left + offset[plane + k];
      fn(Point<T>{y, x, mask ? mask[k] : T(1)}, k);
    }
  }
}

template <class T>
T floor_of(T v) {
  return static_cast<T>(std::floor(static_cast<float>(v)));
}
template <>
double floor_of(double v) {
  return std::floor(v);
}

// Returns a pixel, or 0 outside the image.
template <class T>
T pixel(const T* plane, const Deform& d, int y, int x) {
  return y >= 0 && y < d.in_h && x >= 0 && x < d.in_w ? plane[y * d.in_w + x] : T(0);
}

// Returns the value of an image at a point, by bilinear interpolation.
template <class T>
T interpolate(const T* plane, const Deform& d, T y, T x) {
  const int height = static_cast<int>(d.in_h), width = static_cast<int>(d.in_w);
  if (!(y > -1 && height > y && x > -1 && width > x)) return 0;  // also if it is NaN
  const int y1 = static_cast<int>(floor_of(y)), x1 = static_cast<int>(floor_of(x));
  const T ly = y - y1, lx = x - x1;
  const T hy = 1 - ly, hx = 1 - lx;
  const T v1 = pixel(plane, d, y1, x1), v2 = pixel(plane, d, y1, x1 + 1);
  const T v3 = pixel(plane, d, y1 + 1, x1), v4 = pixel(plane, d, y1 + 1, x1 + 1);
  const T w1 = hy * hx, w2 = hy * lx, w3 = ly * hx, w4 = ly * lx;
  return w1 * v1 + w2 * v2 + w3 * v3 + w4 * v4;
}

// Fills the matrix of a block. A row belongs to a channel and an element of the kernel, a
// column to an element of the result.
template <class T>
void sample_columns(const Deform& d, const Block<T>& b, T* columns) {
  gt::parallel_for(0, d.channels, grain(d.kernel() * d.block_plane()), [&](int64_t first, int64_t last) {
    for (int64_t c = first; c < last; c++) {
      for (int64_t i = 0; i < d.kernel_h; i++) {
        for (int64_t j = 0; j < d.kernel_w; j++) {
          T* row = columns + (c * d.kernel() + i * d.kernel_w + j) * d.block_plane();
          for (int64_t image = 0; image < d.block; image++, row += d.out_plane()) {
            const T* plane = b.input + (image * d.channels + c) * d.in_plane();
            each_point(d, b, image, c / d.group_channels(), i, j, [&](const Point<T>& p, int64_t k) {
              row[k] = p.mask * interpolate(plane, d, p.y, p.x);
            });
          }
        }
      }
    }
  });
}

// Adds the gradients of the matrix to those of the images.
template <class T>
void add_input_grads(const Deform& d, const Block<T>& b, const T* columns, T* grad) {
  gt::parallel_for(0, d.channels, grain(d.kernel() * d.block_plane()), [&](int64_t first, int64_t last) {
    for (int64_t c = first; c < last; c++) {
      for (int64_t i = 0; i < d.kernel_h; i++) {
        for (int64_t j = 0; j < d.kernel_w; j++) {
          const T* row = columns + (c * d.kernel() + i * d.kernel_w + j) * d.block_plane();
          for (int64_t image = 0; image < d.block; image++, row += d.out_plane()) {
            T* plane = grad + (image * d.channels + c) * d.in_plane();
            each_point(d, b, image, c / d.group_channels(), i, j, [&](const Point<T>& p, int64_t k) {
              const int64_t y = whole(p.y), x = whole(p.x);
              for (int64_t yp = std::max<int64_t>(y - 1, 0); yp <= y + 1 && yp < d.in_h; yp++) {
                const auto dy = std::abs(p.y - static_cast<int>(yp));
                if (!(dy < 1)) continue;
                for (int64_t xp = std::max<int64_t>(x - 1, 0); xp <= x + 1 && xp < d.in_w; xp++) {
                  const auto dx = std::abs(p.x - static_cast<int>(xp));
                  if (!(dx < 1)) continue;
                  const T weight = (1 - dy) * (1 - dx);
                  plane[yp * d.in_w + xp] += p.mask * weight * row[k];
                }
              }
            });
          }
        }
      }
    }
  });
}

// Returns the derivative of an image at a point, in the direction of y or x.
template <class T>
T slope(const T* plane, const Deform& d, T y, T x, bool along_y) {
  const T fy = floor_of(y), fx = floor_of(x);
  // At NaN and far outside the image all pixels are 0.
  const int y1 = static_cast<int>(whole(fy)), x1 = static_cast<int>(whole(fx));
  const T a = pixel(plane, d, y1, x1), b = pixel(plane, d, y1, x1 + 1);
  const T e = pixel(plane, d, y1 + 1, x1), f = pixel(plane, d, y1 + 1, x1 + 1);
  if (along_y) {
    const T dx = x - fx;
    return dx * (f - b) + (1 - dx) * (e - a);
  }
  const T dy = y - fy;
  return dy * (f - e) + (1 - dy) * (b - a);
}

// Computes the gradients of a block's offsets and masks. grad_mask is null without masks.
template <class T>
void offset_grads(const Deform& d, const Block<T>& b, const T* columns, T* grad_offset, T* grad_mask) {
  const int64_t plane = d.out_plane(), per_image = d.offset_groups * d.kernel();
  gt::parallel_for(0, d.block * per_image, grain(d.group_channels() * plane), [&](int64_t first, int64_t last) {
    for (int64_t n = first; n < last; n++) {
      const int64_t image = n / per_image, group = n % per_image / d.kernel(), element = n % d.kernel();
      T* along_y = grad_offset + 2 * n * plane;
      T* along_x = along_y + plane;
      T* of_mask = grad_mask ? grad_mask + n * plane : nullptr;
      std::fill_n(along_y, 2 * plane, T(0));
      if (of_mask) std::fill_n(of_mask, plane, T(0));
      for (int64_t g = 0; g < d.group_channels(); g++) {
        const int64_t c = group * d.group_channels() + g;
        const T* from = b.input + (image * d.channels + c) * d.in_plane();
        const T* row = columns + (c * d.kernel() + element) * d.block_plane() + image * plane;
        each_point(d, b, image, group, element / d.kernel_w, element % d.kernel_w,
                   [&](const Point<T>& p, int64_t k) {
                     along_y[k] += p.mask * slope(from, d, p.y, p.x, true) * row[k];
                     along_x[k] += p.mask * slope(from, d, p.y, p.x, false) * row[k];
                     if (of_mask) of_mask[k] += row[k] * interpolate(from, d, p.y, p.x);
                   });
      }
    }
  });
}

at::Tensor deform_conv2d(const at::Tensor& input, const at::Tensor& weight, const at::Tensor& offset,
                         const at::Tensor& mask, const at::Tensor& bias, int64_t stride_h, int64_t stride_w,
                         int64_t pad_h, int64_t pad_w, int64_t dilation_h, int64_t dilation_w, int64_t groups,
                         int64_t offset_groups, bool use_mask) {
  Deform d{input,    weight, offset, mask,       bias,       stride_h, stride_w,
           pad_h,    pad_w,  dilation_h, dilation_w, groups, offset_groups, use_mask};
  d.check();
  if (d.batch == 0 || d.out_channels == 0) {
    return at::zeros({d.batch, d.out_channels, d.out_h, d.out_w}, input.options());
  }
  d.input = input.contiguous(), d.offset = offset.contiguous(), d.mask = mask.contiguous();
  const int64_t blocks = d.batch / d.block;
  const auto weights = weight.contiguous().view({groups, d.out_channels / groups, -1});
  auto columns = at::zeros({groups, d.channels * d.kernel() / groups, d.block_plane()}, input.options());
  auto out = at::zeros({blocks, groups, d.out_channels / groups, d.block_plane()}, input.options());
  GT_VISION_DISPATCH(input.scalar_type(), "deform_conv2d", [&] {
    for (int64_t n = 0; n < blocks; n++) {
      sample_columns(d, Block<scalar_t>(d, n), columns.mutable_data_ptr<scalar_t>());
      for (int64_t g = 0; g < groups; g++) out[n][g].addmm_(weights[g], columns[g]);
    }
  });
  out = out.view({blocks, d.out_channels, d.block, d.out_h, d.out_w}).transpose(1, 2);
  return out.reshape({d.batch, d.out_channels, d.out_h, d.out_w}) + bias.view({1, d.out_channels, 1, 1});
}

using FiveTensors = std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor, at::Tensor>;

FiveTensors deform_conv2d_backward(const at::Tensor& grad, const at::Tensor& input, const at::Tensor& weight,
                                   const at::Tensor& offset, const at::Tensor& mask, const at::Tensor& bias,
                                   int64_t stride_h, int64_t stride_w, int64_t pad_h, int64_t pad_w,
                                   int64_t dilation_h, int64_t dilation_w, int64_t groups, int64_t offset_groups,
                                   bool use_mask) {
  Deform d{input,    weight, offset, mask,       bias,       stride_h, stride_w,
           pad_h,    pad_w,  dilation_h, dilation_w, groups, offset_groups, use_mask};
  d.check();
  check_cpu("grad", grad);
  check_dtype("grad", grad, input, "input");
  const int64_t expected[] = {d.batch, d.out_channels, d.out_h, d.out_w};
  TORCH_CHECK(grad.sizes().equals(expected), "expected grad of shape ", at::IntArrayRef(expected), ", got shape ",
              grad.sizes());
  d.input = input.contiguous(), d.offset = offset.contiguous(), d.mask = mask.contiguous();
  auto grad_input = at::zeros(input.sizes(), input.options());
  auto grad_offset = at::zeros(offset.sizes(), input.options());
  auto grad_mask = at::zeros(mask.sizes(), input.options());
  auto grad_weight = at::zeros(weight.sizes(), input.options());
  const auto grad_bias = at::ones_like(bias) * grad.sum({0, 2, 3});
  if (d.batch == 0 || d.out_channels == 0 || d.channels == 0) {
    return {grad_input, grad_weight, grad_offset, grad_mask, grad_bias};
  }
  const int64_t blocks = d.batch / d.block, per_group = d.out_channels / groups;
  const auto weights = weight.contiguous().view({groups, per_group, -1});
  auto weight_grads = grad_weight.view({groups, per_group, -1});
  // Like torchvision, one product reads the gradient of a block through a view and the
  // other reads a copy.
  const auto grads = grad.contiguous()
                         .view({blocks, d.block, groups, per_group, d.out_h, d.out_w})
                         .permute({0, 2, 3, 1, 4, 5});
  const auto copied = grads.contiguous();
  auto columns = at::zeros({groups, d.channels * d.kernel() / groups, d.block_plane()}, input.options());
  GT_VISION_DISPATCH(input.scalar_type(), "deform_conv2d_backward", [&] {
    auto* c = columns.mutable_data_ptr<scalar_t>();
    auto* to_input = grad_input.mutable_data_ptr<scalar_t>();
    auto* to_offset = grad_offset.mutable_data_ptr<scalar_t>();
    auto* to_mask = use_mask ? grad_mask.mutable_data_ptr<scalar_t>() : nullptr;
    for (int64_t n = 0; n < blocks; n++) {
      const Block<scalar_t> b(d, n);
      columns.zero_();
      for (int64_t g = 0; g < groups; g++) columns[g].addmm_(weights[g].t(), grads[n][g].flatten(1));
      const int64_t images = n * d.block, offsets = d.offset_groups * d.kernel() * d.out_plane();
      offset_grads(d, b, c, to_offset + images * 2 * offsets, to_mask ? to_mask + images * offsets : nullptr);
      add_input_grads(d, b, c, to_input + images * d.channels * d.in_plane());
    }
    for (int64_t n = 0; n < blocks; n++) {
      sample_columns(d, Block<scalar_t>(d, n), c);
      for (int64_t g = 0; g < groups; g++) weight_grads[g].addmm_(copied[n][g].flatten(1), columns[g].t());
    }
  });
  return {grad_input, grad_weight, grad_offset, grad_mask, grad_bias};
}

}  // namespace
}  // namespace gt::vision

#endif
