// Pooling of boxes whose bins consist of whole pixels: roi_pool and ps_roi_pool.
#ifdef GOTORCH_TOGETHER

namespace gt::vision {
namespace {

// The pixels from first up to end.
struct Range {
  int64_t first, end;
  bool empty() const { return end <= first; }
  int64_t size() const { return end - first; }
};

// Divides one side of a box into bins. The bins of a side are clipped to a number of
// pixels.
template <class T>
void divide(std::vector<Range>& bins, int64_t start, int64_t size, int64_t pooled, int64_t pixels) {
  const T bin = static_cast<T>(static_cast<double>(size)) / static_cast<T>(static_cast<int>(pooled));
  bins.clear();
  for (int p = 0; p < pooled; p++) {
    const int64_t first = whole(std::floor(static_cast<double>(static_cast<T>(static_cast<T>(p) * bin))));
    const int64_t end = whole(std::ceil(static_cast<double>(static_cast<T>(static_cast<T>(p + 1) * bin))));
    bins.push_back({std::clamp<int64_t>(first + start, 0, pixels), std::clamp<int64_t>(end + start, 0, pixels)});
  }
}

// A box in whole pixels.
struct Pixels {
  std::vector<Range> ys, xs;

  // Divides a box. A box has at least one pixel; extra is 1 if its last pixel belongs to
  // it. single rounds the coordinates as floats.
  template <class T>
  void divide(const Regions& r, const T* roi, T scale, int64_t extra, bool single, int64_t height, int64_t width) {
    const auto at = [&](int i) {
      const T v = roi[i] * scale;
      return single ? whole(std::round(static_cast<float>(v))) : whole(std::round(static_cast<double>(v)));
    };
    const int64_t x1 = at(1), y1 = at(2), x2 = at(3), y2 = at(4);
    vision::divide<T>(ys, y1, std::max<int64_t>(y2 - y1 + extra, 1), r.pooled_height, height);
    vision::divide<T>(xs, x1, std::max<int64_t>(x2 - x1 + extra, 1), r.pooled_width, width);
  }
};

std::tuple<at::Tensor, at::Tensor> roi_pool(const at::Tensor& input, const at::Tensor& rois, double spatial_scale,
                                            int64_t pooled_height, int64_t pooled_width) {
  const Regions r(input, rois, pooled_height, pooled_width);
  auto output = at::zeros({r.count, r.channels, pooled_height, pooled_width}, input.options());
  auto argmax = at::zeros(output.sizes(), input.options().dtype(at::kInt));
  if (output.numel() == 0) return {output, argmax};
  const auto images = input.contiguous(), boxes = rois.contiguous();
  GT_VISION_DISPATCH(input.scalar_type(), "roi_pool", [&] {
    const scalar_t* from = images.const_data_ptr<scalar_t>();
    const scalar_t* list = boxes.const_data_ptr<scalar_t>();
    scalar_t* to = output.mutable_data_ptr<scalar_t>();
    int* where = argmax.mutable_data_ptr<int>();
    r.check_images(list);
    gt::parallel_for(0, r.count, grain(r.channels * r.bins()), [&](int64_t first, int64_t last) {
      Pixels box;
      for (int64_t n = first; n < last; n++) {
        box.divide(r, list + 5 * n, static_cast<scalar_t>(spatial_scale), 1, false, r.height, r.width);
        const scalar_t* plane = from + r.image(list + 5 * n, n) * r.channels * r.plane();
        int64_t at = n * r.channels * r.bins();
        for (int64_t c = 0; c < r.channels; c++, plane += r.plane()) {
          for (const Range& y : box.ys) {
            for (const Range& x : box.xs) {
              scalar_t most = y.empty() || x.empty() ? 0 : -FLT_MAX;
              int most_at = -1;
              for (int64_t h = y.first; h < y.end; h++) {
                const scalar_t* row = plane + h * r.width;
                for (int64_t w = x.first; w < x.end; w++) {
                  if (row[w] > most) most = row[w], most_at = static_cast<int>(h * r.width + w);
                }
              }
              to[at] = most;
              where[at++] = most_at;
            }
          }
        }
      }
    });
  });
  return {output, argmax};
}

at::Tensor roi_pool_backward(const at::Tensor& grad, const at::Tensor& rois, const at::Tensor& argmax,
                             double spatial_scale, int64_t pooled_height, int64_t pooled_width, int64_t batch_size,
                             int64_t channels, int64_t height, int64_t width) {
  const Regions r(grad, rois, pooled_height, pooled_width, batch_size, channels, height, width, channels);
  auto grad_input = at::zeros({batch_size, channels, height, width}, grad.options());
  if (grad.numel() == 0) return grad_input;
  check_cpu("argmax", argmax);
  TORCH_CHECK(argmax.scalar_type() == at::kInt, "argmax must have the dtype int32, got ", argmax.scalar_type());
  TORCH_CHECK(argmax.sizes().equals(grad.sizes()), "argmax must have the shape of grad, got shape ", argmax.sizes());
  const auto grads = grad.contiguous(), boxes = rois.contiguous(), index = argmax.contiguous();
  GT_VISION_DISPATCH(grad.scalar_type(), "roi_pool_backward", [&] {
    const scalar_t* g = grads.const_data_ptr<scalar_t>();
    const scalar_t* list = boxes.const_data_ptr<scalar_t>();
    const int* where = index.const_data_ptr<int>();
    scalar_t* to = grad_input.mutable_data_ptr<scalar_t>();
    for (int64_t n = 0; n < r.count; n++) {
      scalar_t* plane = to + r.image(list + 5 * n, n) * channels * r.plane();
      for (int64_t c = 0; c < channels; c++, plane += r.plane()) {
        for (int64_t bin = 0; bin < r.bins(); bin++, g++) {
          const int at = *where++;
          if (at == -1) continue;
          TORCH_CHECK_INDEX(at >= 0 && at < r.plane(), "argmax contains ", at, ", which is out of range for images of ",
                            height, " x ", width);
          plane[at] += *g;
        }
      }
    }
  });
  return grad_input;
}

std::tuple<at::Tensor, at::Tensor> ps_roi_pool(const at::Tensor& input, const at::Tensor& rois, double spatial_scale,
                                               int64_t pooled_height, int64_t pooled_width) {
  const Regions r(input, rois, pooled_height, pooled_width);
  const int64_t out = channels_out(r.channels, pooled_height, pooled_width);
  auto output = at::zeros({r.count, out, pooled_height, pooled_width}, input.options());
  auto mapping = channel_mapping(r, out);
  if (output.numel() == 0) return {output, mapping};
  const auto images = input.contiguous(), boxes = rois.contiguous();
  GT_VISION_DISPATCH(input.scalar_type(), "ps_roi_pool", [&] {
    const scalar_t* from = images.const_data_ptr<scalar_t>();
    const scalar_t* list = boxes.const_data_ptr<scalar_t>();
    scalar_t* to = output.mutable_data_ptr<scalar_t>();
    r.check_images(list);
    if (r.plane() == 0) return;
    gt::parallel_for(0, r.count, grain(r.channels), [&](int64_t first, int64_t last) {
      Pixels box;
      for (int64_t n = first; n < last; n++) {
        // Like torchvision, the forward pass leaves out the last row and column of an image.
        box.divide(r, list + 5 * n, static_cast<scalar_t>(spatial_scale), 0, false, r.height - 1, r.width - 1);
        const scalar_t* plane = from + r.image(list + 5 * n, n) * r.channels * r.plane();
        scalar_t* o = to + n * r.channels;
        for (int64_t c = 0; c < out; c++) {
          for (const Range& y : box.ys) {
            for (const Range& x : box.xs) {
              scalar_t sum = 0;
              for (int64_t h = y.first; h < y.end; h++) {
                for (int64_t w = x.first; w < x.end; w++) sum += plane[h * r.width + w];
              }
              const bool empty = y.empty() || x.empty();
              *o++ = empty ? scalar_t(0) : static_cast<scalar_t>(sum / number<scalar_t>(y.size() * x.size()));
              plane += r.plane();
            }
          }
        }
      }
    });
  });
  return {output, mapping};
}

at::Tensor ps_roi_pool_backward(const at::Tensor& grad, const at::Tensor& rois, const at::Tensor& mapping,
                                double spatial_scale, int64_t pooled_height, int64_t pooled_width, int64_t batch_size,
                                int64_t channels, int64_t height, int64_t width) {
  const int64_t out = channels_out(channels, pooled_height, pooled_width);
  const Regions r(grad, rois, pooled_height, pooled_width, batch_size, channels, height, width, out);
  auto grad_input = at::zeros({batch_size, channels, height, width}, grad.options());
  if (grad.numel() == 0) return grad_input;
  const auto grads = grad.contiguous(), boxes = rois.contiguous(), channel = checked_mapping(r, mapping, grad);
  GT_VISION_DISPATCH(grad.scalar_type(), "ps_roi_pool_backward", [&] {
    const scalar_t* g = grads.const_data_ptr<scalar_t>();
    const scalar_t* list = boxes.const_data_ptr<scalar_t>();
    const int* in = channel.const_data_ptr<int>();
    scalar_t* to = grad_input.mutable_data_ptr<scalar_t>();
    Pixels box;
    for (int64_t n = 0; n < r.count; n++) {
      box.divide(r, list + 5 * n, static_cast<scalar_t>(spatial_scale), 0, true, height, width);
      const int64_t image = r.image(list + 5 * n, n);
      // Bins are in the outer loops, because that is the order in which torchvision adds.
      for (size_t ph = 0; ph < box.ys.size(); ph++) {
        for (size_t pw = 0; pw < box.xs.size(); pw++) {
          const Range y = box.ys[ph], x = box.xs[pw];
          if (y.empty() || x.empty()) continue;
          for (int64_t c = 0; c < out; c++) {
            const int64_t at = ((n * out + c) * pooled_height + ph) * pooled_width + pw;
            scalar_t* plane = to + (image * channels + in[at]) * r.plane();
            const scalar_t v = g[at] / number<scalar_t>(y.size() * x.size());
            for (int64_t h = y.first; h < y.end; h++) {
              for (int64_t w = x.first; w < x.end; w++) plane[h * width + w] += v;
            }
          }
        }
      }
    }
  });
  return grad_input;
}

}  // namespace
}  // namespace gt::vision

#endif
