// Pooling of boxes by bilinear samples: roi_align and ps_roi_align.
#ifdef GOTORCH_TOGETHER

namespace gt::vision {
namespace {

// A sample of an image: four pixels and their weights.
template <class T>
struct Sample {
  int at[4];
  T w[4];
};

template <class T>
Sample<T> sample(const Between<T>& y, const Between<T>& x, int width) {
  if (!y.inside || !x.inside) return {{0, 0, 0, 0}, {T(0), T(0), T(0), T(0)}};
  return {{y.low * width + x.low, y.low * width + x.high, y.high * width + x.low, y.high * width + x.high},
          {y.before * x.before, y.before * x.after, y.after * x.before, y.after * x.after}};
}

// Adds a gradient to the four pixels of a sample.
template <class T>
void spread(T* plane, T grad, T count, const Between<T>& y, const Between<T>& x, int width) {
  if (!y.inside || !x.inside) return;
  const Sample<T> s = sample(y, x, width);
  for (int k = 0; k < 4; k++) plane[s.at[k]] += grad * s.w[k] / count;
}

// Calls fn(box, n) with each box and its samples, for boxes from first to last.
template <class T, class Fn>
void each_box(const Regions& r, const T* rois, double spatial_scale, int64_t sampling_ratio, bool aligned, bool ps,
              int64_t first, int64_t last, Fn fn) {
  const T scale = static_cast<T>(spatial_scale);
  const T offset = static_cast<T>(aligned || ps ? 0.5 : 0.0);
  const int height = static_cast<int>(r.height), width = static_cast<int>(r.width);
  Box<T> b;
  for (int64_t n = first; n < last; n++) {
    b.measure(r, rois + 5 * n, scale, sampling_ratio, offset, aligned || ps);
    if (b.area() == 0) {
      b.ys.clear(), b.xs.clear();
    } else if (ps) {
      sample_axis<T>(b.ys, r.pooled_height, b.grid_h, b.bin_h, height,
                     [&](int p) { return static_cast<T>(static_cast<T>(p) * b.bin_h + b.start_h); });
      sample_axis<T>(b.xs, r.pooled_width, b.grid_w, b.bin_w, width,
                     [&](int p) { return static_cast<T>(static_cast<T>(p) * b.bin_w + b.start_w); });
    } else {
      sample_axis<T>(b.ys, r.pooled_height, b.grid_h, b.bin_h, height,
                     [&](int p) { return static_cast<T>(b.start_h + p * b.bin_h); });
      sample_axis<T>(b.xs, r.pooled_width, b.grid_w, b.bin_w, width,
                     [&](int p) { return static_cast<T>(b.start_w + p * b.bin_w); });
    }
    fn(b, n);
  }
}

// The most samples of one box that are listed: more would take too much memory.
constexpr int64_t kMostListed = int64_t{1} << 20;

// Lists the samples of a box, those of each bin in order.
template <class T>
void list_samples(const Box<T>& b, const Regions& r, std::vector<Sample<T>>& samples) {
  samples.clear();
  if (b.area() * r.bins() > kMostListed) return;
  const int width = static_cast<int>(r.width);
  for (int64_t ph = 0; ph < r.pooled_height; ph++) {
    for (int64_t pw = 0; pw < r.pooled_width; pw++) {
      for (int64_t iy = 0; iy < b.grid_h; iy++) {
        for (int64_t ix = 0; ix < b.grid_w; ix++) {
          samples.push_back(sample(b.ys[ph * b.grid_h + iy], b.xs[pw * b.grid_w + ix], width));
        }
      }
    }
  }
}

// Returns the sum of n samples of an image.
template <class T>
T add_samples(const T* plane, const Sample<T>* s, int64_t n) {
  T sum = 0;
  for (int64_t k = 0; k < n; k++, s++) {
    sum += s->w[0] * plane[s->at[0]] + s->w[1] * plane[s->at[1]] + s->w[2] * plane[s->at[2]] +
           s->w[3] * plane[s->at[3]];
  }
  return sum;
}

// Returns the sum of the samples of a bin. samples are those of the box, and empty if there are
// too many.
template <class T>
T add_bin(const T* plane, const Box<T>& b, const Regions& r, const std::vector<Sample<T>>& samples, int64_t bin) {
  if (!samples.empty() || b.area() == 0) return add_samples(plane, samples.data() + bin * b.area(), b.area());
  const Between<T>* ys = b.ys.data() + bin / r.pooled_width * b.grid_h;
  const Between<T>* xs = b.xs.data() + bin % r.pooled_width * b.grid_w;
  T sum = 0;
  for (int64_t iy = 0; iy < b.grid_h; iy++) {
    for (int64_t ix = 0; ix < b.grid_w; ix++) {
      const Sample<T> s = sample(ys[iy], xs[ix], static_cast<int>(r.width));
      sum += add_samples(plane, &s, 1);
    }
  }
  return sum;
}

// The number of boxes that one thread takes at least.
int64_t grain(int64_t work_per_box) { return std::max<int64_t>(1, 16384 / std::max<int64_t>(1, work_per_box)); }

at::Tensor roi_align(const at::Tensor& input, const at::Tensor& rois, double spatial_scale, int64_t pooled_height,
                     int64_t pooled_width, int64_t sampling_ratio, bool aligned) {
  const Regions r(input, rois, pooled_height, pooled_width);
  check_between("sampling_ratio", std::max<int64_t>(sampling_ratio, 0), 0);
  auto output = at::zeros({r.count, r.channels, pooled_height, pooled_width}, input.options());
  if (output.numel() == 0) return output;
  const auto images = input.contiguous(), boxes = rois.contiguous();
  GT_VISION_DISPATCH(input.scalar_type(), "roi_align", [&] {
    const scalar_t* from = images.const_data_ptr<scalar_t>();
    const scalar_t* list = boxes.const_data_ptr<scalar_t>();
    scalar_t* to = output.mutable_data_ptr<scalar_t>();
    r.check_images(list);
    if (r.plane() == 0) return;
    gt::parallel_for(0, r.count, grain(r.channels * r.bins()), [&](int64_t first, int64_t last) {
      std::vector<Sample<scalar_t>> samples;
      each_box<scalar_t>(r, list, spatial_scale, sampling_ratio, aligned, false, first, last, [&](auto& b, int64_t n) {
        const scalar_t count = number<scalar_t>(std::max<int64_t>(b.area(), 1));
        list_samples(b, r, samples);
        const scalar_t* plane = from + r.image(list + 5 * n, n) * r.channels * r.plane();
        scalar_t* out = to + n * r.channels * r.bins();
        for (int64_t c = 0; c < r.channels; c++, plane += r.plane()) {
          for (int64_t bin = 0; bin < r.bins(); bin++) *out++ = add_bin(plane, b, r, samples, bin) / count;
        }
      });
    });
  });
  return output;
}

at::Tensor roi_align_backward(const at::Tensor& grad, const at::Tensor& rois, double spatial_scale,
                              int64_t pooled_height, int64_t pooled_width, int64_t batch_size, int64_t channels,
                              int64_t height, int64_t width, int64_t sampling_ratio, bool aligned) {
  const Regions r(grad, rois, pooled_height, pooled_width, batch_size, channels, height, width, channels);
  check_between("sampling_ratio", std::max<int64_t>(sampling_ratio, 0), 0);
  auto grad_input = at::zeros({batch_size, channels, height, width}, grad.options());
  if (grad.numel() == 0) return grad_input;
  const auto grads = grad.contiguous(), boxes = rois.contiguous();
  GT_VISION_DISPATCH(grad.scalar_type(), "roi_align_backward", [&] {
    const scalar_t* from = grads.const_data_ptr<scalar_t>();
    const scalar_t* list = boxes.const_data_ptr<scalar_t>();
    scalar_t* to = grad_input.mutable_data_ptr<scalar_t>();
    r.check_images(list);
    if (r.plane() == 0) return;
    // Threads share the channels, so each pixel gets its gradients in the order of the boxes.
    gt::parallel_for(0, channels, grain(r.count * r.bins()), [&](int64_t first, int64_t last) {
      each_box<scalar_t>(r, list, spatial_scale, sampling_ratio, aligned, false, 0, r.count, [&](auto& b, int64_t n) {
        const scalar_t count = number<scalar_t>(b.grid_h * b.grid_w);
        const int64_t image = r.image(list + 5 * n, n);
        for (int64_t c = first; c < last; c++) {
          const scalar_t* g = from + (n * channels + c) * r.bins();
          scalar_t* plane = to + (image * channels + c) * r.plane();
          for (int64_t ph = 0; ph < pooled_height; ph++) {
            for (int64_t pw = 0; pw < pooled_width; pw++, g++) {
              for (int64_t iy = 0; iy < b.grid_h; iy++) {
                for (int64_t ix = 0; ix < b.grid_w; ix++) {
                  spread(plane, *g, count, b.ys[ph * b.grid_h + iy], b.xs[pw * b.grid_w + ix],
                         static_cast<int>(width));
                }
              }
            }
          }
        }
      });
    });
  });
  return grad_input;
}

// Returns how many channels of the input make one channel of the output, one for each bin.
int64_t channels_out(int64_t channels, int64_t pooled_height, int64_t pooled_width) {
  check_between("pooled_height", pooled_height, 1);
  check_between("pooled_width", pooled_width, 1);
  TORCH_CHECK(channels % (pooled_height * pooled_width) == 0,
              "the size of input's channels must be a multiple of pooled_height * pooled_width, got ", channels, ", ",
              pooled_height, " and ", pooled_width);
  return channels / (pooled_height * pooled_width);
}

// Returns the channel of the input for each element of the output.
at::Tensor channel_mapping(const Regions& r, int64_t out) {
  const auto one = at::arange(out * r.bins(), at::TensorOptions().dtype(at::kInt).device(at::kCPU));
  return one.view({1, out, r.pooled_height, r.pooled_width}).repeat({r.count, 1, 1, 1});
}

// Checks a channel mapping that a program passes to a backward pass, and returns it.
at::Tensor checked_mapping(const Regions& r, const at::Tensor& mapping, const at::Tensor& grad) {
  check_cpu("channel_mapping", mapping);
  TORCH_CHECK(mapping.scalar_type() == at::kInt, "channel_mapping must have the dtype int32, got ",
              mapping.scalar_type());
  TORCH_CHECK(mapping.sizes().equals(grad.sizes()), "channel_mapping must have the shape of grad, got shape ",
              mapping.sizes());
  const auto m = mapping.contiguous();
  const int* p = m.const_data_ptr<int>();
  for (int64_t i = 0; i < m.numel(); i++) {
    TORCH_CHECK_INDEX(p[i] >= 0 && p[i] < r.channels, "channel_mapping contains ", p[i], ", which is out of range for ",
                      r.channels, " channels");
  }
  return m;
}

std::tuple<at::Tensor, at::Tensor> ps_roi_align(const at::Tensor& input, const at::Tensor& rois, double spatial_scale,
                                                int64_t pooled_height, int64_t pooled_width, int64_t sampling_ratio) {
  const Regions r(input, rois, pooled_height, pooled_width);
  check_between("sampling_ratio", std::max<int64_t>(sampling_ratio, 0), 0);
  const int64_t out = channels_out(r.channels, pooled_height, pooled_width);
  auto output = at::zeros({r.count, out, pooled_height, pooled_width}, input.options());
  auto mapping = channel_mapping(r, out);
  if (output.numel() == 0) return {output, mapping};
  const auto images = input.contiguous(), boxes = rois.contiguous();
  GT_VISION_DISPATCH(input.scalar_type(), "ps_roi_align", [&] {
    const scalar_t* from = images.const_data_ptr<scalar_t>();
    const scalar_t* list = boxes.const_data_ptr<scalar_t>();
    scalar_t* to = output.mutable_data_ptr<scalar_t>();
    r.check_images(list);
    if (r.plane() == 0) return;
    gt::parallel_for(0, r.count, grain(r.channels), [&](int64_t first, int64_t last) {
      std::vector<Sample<scalar_t>> samples;
      each_box<scalar_t>(r, list, spatial_scale, sampling_ratio, true, true, first, last, [&](auto& b, int64_t n) {
        const scalar_t count = number<scalar_t>(b.grid_h * b.grid_w);
        list_samples(b, r, samples);
        const scalar_t* plane = from + r.image(list + 5 * n, n) * r.channels * r.plane();
        scalar_t* o = to + n * r.channels;
        for (int64_t c = 0; c < out; c++) {
          for (int64_t bin = 0; bin < r.bins(); bin++, plane += r.plane()) {
            *o++ = add_bin(plane, b, r, samples, bin) / count;  // NaN for an empty box, as in torchvision
          }
        }
      });
    });
  });
  return {output, mapping};
}

at::Tensor ps_roi_align_backward(const at::Tensor& grad, const at::Tensor& rois, const at::Tensor& mapping,
                                 double spatial_scale, int64_t pooled_height, int64_t pooled_width,
                                 int64_t sampling_ratio, int64_t batch_size, int64_t channels, int64_t height,
                                 int64_t width) {
  const int64_t out = channels_out(channels, pooled_height, pooled_width);
  const Regions r(grad, rois, pooled_height, pooled_width, batch_size, channels, height, width, out);
  check_between("sampling_ratio", std::max<int64_t>(sampling_ratio, 0), 0);
  auto grad_input = at::zeros({batch_size, channels, height, width}, grad.options());
  if (grad.numel() == 0) return grad_input;
  const auto grads = grad.contiguous(), boxes = rois.contiguous(), channel = checked_mapping(r, mapping, grad);
  GT_VISION_DISPATCH(grad.scalar_type(), "ps_roi_align_backward", [&] {
    const scalar_t* from = grads.const_data_ptr<scalar_t>();
    const scalar_t* list = boxes.const_data_ptr<scalar_t>();
    const int* in = channel.const_data_ptr<int>();
    scalar_t* to = grad_input.mutable_data_ptr<scalar_t>();
    r.check_images(list);
    if (r.plane() == 0) return;
    each_box<scalar_t>(r, list, spatial_scale, sampling_ratio, true, true, 0, r.count, [&](auto& b, int64_t n) {
      const scalar_t count = number<scalar_t>(b.grid_h * b.grid_w);
      const int64_t image = r.image(list + 5 * n, n);
      int64_t at = n * channels;
      for (int64_t c = 0; c < out; c++) {
        for (int64_t ph = 0; ph < pooled_height; ph++) {
          for (int64_t pw = 0; pw < pooled_width; pw++, at++) {
            scalar_t* plane = to + (image * channels + in[at]) * r.plane();
            for (int64_t iy = 0; iy < b.grid_h; iy++) {
              for (int64_t ix = 0; ix < b.grid_w; ix++) {
                spread(plane, from[at], count, b.ys[ph * b.grid_h + iy], b.xs[pw * b.grid_w + ix],
                       static_cast<int>(width));
              }
            }
          }
        }
      }
    });
  });
  return grad_input;
}

}  // namespace
}  // namespace gt::vision

#endif
