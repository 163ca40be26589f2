#include "fused.hpp"

#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <limits>

namespace gt::capture {

namespace {

// Convolutions of fewer channels first copy the image into a frame of zeros: then the numbers that a row of
// the filter reads are in one piece.
constexpr int64_t kFewChannels = 8;

const float* floats(const at::Tensor& t) { return t.defined() ? t.const_data_ptr<float>() : nullptr; }
float* writable(const at::Tensor& t) { return t.mutable_data_ptr<float>(); }

at::Tensor result_of(const Layer& l) {
  auto options = l.x.options();
  if (l.convolution) options = options.memory_format(at::MemoryFormat::ChannelsLast);
  return at::empty(l.result_sizes(), options);
}

class PackedProduct final : public Fused {
 public:
  explicit PackedProduct(const Layer& l) : x_(l.x), other_(l.other), out_(result_of(l)) {
    name_ = l.convolution ? "packed convolution" : "packed linear";
    name_ += suffix(l);
    p_.act = l.act, p_.low = l.low, p_.high = l.high;
    at::Tensor weight = l.weight.contiguous();
    if (l.convolution) weight = lay_out(l, weight);
    else p_.rows = l.x.size(0), p_.columns = l.weight.size(0), p_.inner = l.x.size(1), p_.row_stride = p_.inner;
    packed_ = at::empty({p_.packed_weight()}, l.x.options());
    packed_bias_ = at::empty({p_.packed_bias()}, l.x.options());
    const at::Tensor bias = l.bias.defined() ? l.bias.contiguous() : l.bias;
    p_.pack(floats(weight), floats(bias), writable(packed_), writable(packed_bias_));
  }

  std::string name() const override { return name_; }
  const at::Tensor& out() const { return out_; }
  std::vector<at::Tensor> packed() const {
    std::vector<at::Tensor> all{packed_, packed_bias_};
    if (frame_.defined()) all.push_back(frame_);
    return all;
  }

  void run(torch::jit::Stack&) override {
    const float* x = floats(x_);
    if (frame_.defined()) x = fill_frame();
    p_.run(x, floats(packed_), floats(packed_bias_), floats(other_), writable(out_));
  }

 private:
  // Sets the rows and taps of a convolution, and returns the weight as columns x inner x taps.
  at::Tensor lay_out(const Layer& l, const at::Tensor& weight) {
    const int64_t n = l.x.size(0), c = l.x.size(1), h = l.x.size(2), w = l.x.size(3);
    const int64_t kh = weight.size(2), kw = weight.size(3), oh = out_.size(2), ow = out_.size(3);
    p_.rows = n * oh * ow, p_.columns = weight.size(0);
    const bool single = kh == 1 && kw == 1;
    if (single && l.stride[0] == 1 && l.stride[1] == 1 && l.padding[0] == 0 && l.padding[1] == 0) {
      p_.inner = p_.row_stride = c;
      return weight;
    }
    p_.offsets.reserve(p_.rows * (any_layout(l) ? kh : kh * kw));
    if (any_layout(l)) {
      pad_[0] = l.padding[0], pad_[1] = l.padding[1];
      frame_ = at::zeros({n, h + 2 * pad_[0], w + 2 * pad_[1], c}, l.x.options());
      p_.taps = kh, p_.inner = kw * c;
      for (int64_t row = 0; row < p_.rows; row++) {
        const int64_t image = row / (oh * ow), y = row / ow % oh * l.stride[0], x = row % ow * l.stride[1];
        for (int64_t ky = 0; ky < kh; ky++) {
          const int64_t at = ((image * frame_.size(1) + y + ky * l.dilation[0]) * frame_.size(2) + x) * c;
          p_.offsets.push_back(static_cast<int32_t>(at));
        }
      }
      // columns x kw x c x kh
      return weight.permute({0, 3, 1, 2}).contiguous();
    }
    p_.taps = kh * kw, p_.inner = c;
    p_.zeros.assign(c, 0);
    for (int64_t row = 0; row < p_.rows; row++) {
      const int64_t image = row / (oh * ow), y0 = row / ow % oh * l.stride[0] - l.padding[0];
      const int64_t x0 = row % ow * l.stride[1] - l.padding[1];
      for (int64_t tap = 0; tap < p_.taps; tap++) {
        const int64_t y = y0 + tap / kw * l.dilation[0], x = x0 + tap % kw * l.dilation[1];
        const bool inside = y >= 0 && y < h && x >= 0 && x < w;
        p_.offsets.push_back(inside ? static_cast<int32_t>(((image * h + y) * w + x) * c) : -1);
      }
    }
    return weight;
  }

  const float* fill_frame() {
    const float* from = floats(x_);
    float* frame = writable(frame_);
    const int64_t h = x_.size(2), w = x_.size(3), c = x_.size(1);
    for (int64_t n = 0; n < x_.size(0); n++) {
      for (int64_t y = 0; y < h; y++) {
        float* to = frame + ((n * frame_.size(1) + y + pad_[0]) * frame_.size(2) + pad_[1]) * c;
        for (int64_t k = 0; k < c; k++) {
          const float* row = from + n * x_.stride(0) + k * x_.stride(1) + y * x_.stride(2);
          for (int64_t x = 0; x < w; x++) to[x * c + k] = row[x * x_.stride(3)];
        }
      }
    }
    return frame;
  }

  std::string name_;
  Product p_;
  at::Tensor x_, other_, out_, packed_, packed_bias_, frame_;
  int64_t pad_[2] = {};
};

class DepthwiseConvolution final : public Fused {
 public:
  explicit DepthwiseConvolution(const Layer& l) : x_(l.x), other_(l.other), out_(result_of(l)) {
    name_ = "depthwise convolution" + suffix(l);
    d_.act = l.act, d_.low = l.low, d_.high = l.high;
    d_.images = x_.size(0), d_.channels = x_.size(1), d_.height = x_.size(2), d_.width = x_.size(3);
    d_.out_height = out_.size(2), d_.out_width = out_.size(3);
    for (int i = 0; i < 2; i++) {
      d_.kernel[i] = l.weight.size(2 + i);
      d_.stride[i] = l.stride[i], d_.padding[i] = l.padding[i], d_.dilation[i] = l.dilation[i];
    }
    weight_ = l.weight.reshape({d_.channels, -1}).t().clone(at::MemoryFormat::Contiguous);
    bias_ = l.bias.defined() ? l.bias.clone() : at::zeros({d_.channels}, x_.options());
  }

  std::string name() const override { return name_; }
  const at::Tensor& out() const { return out_; }
  std::vector<at::Tensor> packed() const { return {weight_, bias_}; }
  void run(torch::jit::Stack&) override {
    d_.run(floats(x_), floats(weight_), floats(bias_), floats(other_), writable(out_));
  }

 private:
  std::string name_;
  Depthwise d_;
  at::Tensor x_, other_, out_, weight_, bias_;
};

class WinogradConvolution final : public Fused {
 public:
  explicit WinogradConvolution(const Layer& l) : x_(l.x), other_(l.other), out_(result_of(l)) {
    name_ = "winograd convolution" + suffix(l);
    w_ = geometry(l);
    w_.act = l.act, w_.low = l.low, w_.high = l.high;
    const auto room = [&](int64_t n) { return at::empty({n}, x_.options()); };
    packed_ = room(36 * w_.product.packed_weight());
    w_.pack(floats(l.weight.contiguous()), writable(packed_));
    zero_ = at::zeros({w_.product.packed_bias()}, x_.options());
    bias_ = l.bias.defined() ? l.bias.clone() : at::zeros({w_.out_channels}, x_.options());
    scratch_ = l.scratch;
    scratch_->reserve(scratch_size(w_));
  }

  static bool fits(const Layer& l) {
    const auto all = [](const std::vector<int64_t>& v, int64_t n) { return v[0] == n && v[1] == n; };
    // With fewer tiles, reading the larger weights takes too long.
    return l.convolution && l.groups == 1 && l.weight.size(2) == 3 && l.weight.size(3) == 3 && all(l.stride, 1) &&
           all(l.dilation, 1) && geometry(l).tiles() >= kFewestTiles && geometry(l).supported() &&
           scratch_size(geometry(l)) <= kMostScratch;
  }

  std::string name() const override { return name_; }
  const at::Tensor& out() const { return out_; }
  std::vector<at::Tensor> packed() const { return {packed_, zero_, bias_}; }
  void run(torch::jit::Stack&) override {
    float* scratch = writable(scratch_->memory);
    w_.run(floats(x_), floats(packed_), floats(zero_), floats(bias_), floats(other_), writable(out_),
           scratch, scratch + 36 * w_.tiles() * w_.channels);
  }

 private:
  static constexpr int64_t kFewestTiles = 8;
  static constexpr int64_t kMostScratch = int64_t{2} << 20;  // floats
  static int64_t scratch_size(const Winograd& w) { return 36 * w.tiles() * (w.channels + w.out_channels); }
  static Winograd geometry(const Layer& l) {
    Winograd w;
    const auto sizes = l.result_sizes();
    w.images = l.x.size(0), w.channels = l.x.size(1), w.height = l.x.size(2), w.width = l.x.size(3);
    w.out_channels = sizes[1], w.out_height = sizes[2], w.out_width = sizes[3];
    w.padding[0] = l.padding[0], w.padding[1] = l.padding[1];
    w.prepare();
    return w;
  }

  std::string name_;
  Winograd w_;
  at::Tensor x_, other_, out_, packed_, zero_, bias_;
  std::shared_ptr<Scratch> scratch_;
};

class MaxPool final : public Fused {
 public:
  MaxPool(const Call& c, const at::Tensor& x) : x_(x) {
    const auto pair = [&](size_t i, int64_t* to) {
      const auto v = c.args[i].toIntVector();
      for (int k = 0; k < 2; k++) to[k] = v[v.size() == 2 ? k : 0];
    };
    p_.images = x.size(0), p_.channels = x.size(1), p_.height = x.size(2), p_.width = x.size(3);
    p_.out_height = c.made[0].size(2), p_.out_width = c.made[0].size(3);
    pair(1, p_.kernel), pair(c.args[2].toIntVector().empty() ? 1 : 2, p_.stride), pair(3, p_.padding);
    pair(4, p_.dilation);
    out_ = at::empty(c.made[0].sizes(), x.options().memory_format(at::MemoryFormat::ChannelsLast));
  }
  std::string name() const override { return "maximum pool"; }
  const at::Tensor& out() const { return out_; }
  void run(torch::jit::Stack&) override { p_.run(floats(x_), writable(out_)); }

 private:
  Pool p_;
  at::Tensor x_, out_;
};

class ChannelMeans final : public Fused {
 public:
  ChannelMeans(const Call& c, const at::Tensor& x) : x_(x), out_(at::empty(c.made[0].sizes(), x.options())) {}
  std::string name() const override { return "channel means"; }
  const at::Tensor& out() const { return out_; }
  void run(torch::jit::Stack&) override {
    channel_means(floats(x_), writable(out_), x_.size(0), x_.size(2) * x_.size(3), x_.size(1));
  }

 private:
  at::Tensor x_, out_;
};

class ToContiguous final : public Fused {
 public:
  explicit ToContiguous(const at::Tensor& x) : x_(x), out_(at::empty(x.sizes(), x.options())) {}
  std::string name() const override { return "channels-last to contiguous"; }
  const at::Tensor& out() const { return out_; }
  void run(torch::jit::Stack&) override {
    const int64_t channels = x_.size(1), pixels = x_.size(2) * x_.size(3);
    for (int64_t n = 0; n < x_.size(0); n++) {
      const float* from = floats(x_) + n * channels * pixels;
      float* to = writable(out_) + n * channels * pixels;
      for (int64_t k = 0; k < channels; k++) {
        for (int64_t i = 0; i < pixels; i++) to[k * pixels + i] = from[i * channels + k];
      }
    }
  }

 private:
  at::Tensor x_, out_;
};

// A copy in another dtype.
class Converted final : public Fused {
 public:
  Converted(const at::Tensor& x, at::ScalarType dtype) : x_(x), out_(at::empty_like(x, x.options().dtype(dtype))) {}
  std::string name() const override { return std::string("to ") + c10::toString(out_.scalar_type()); }
  const at::Tensor& out() const { return out_; }
  void run(torch::jit::Stack&) override { out_.copy_(x_); }

 private:
  at::Tensor x_, out_;
};

template <class K>
Candidate own(const Layer& l) {
  Candidate c;
  auto kernel = std::make_unique<K>(l);
  c.result = kernel->out();
  c.packed = kernel->packed();
  c.kernel = std::move(kernel);
  c.reads = {l.x};
  if (l.other.defined()) c.reads.push_back(l.other);
  return c;
}

template <class K>
Candidate of(std::unique_ptr<K> kernel, const at::Tensor& x) {
  Candidate c;
  c.result = kernel->out();
  c.kernel = std::move(kernel);
  c.reads = {x};
  return c;
}

// Whether the call computes the means of images over their pixels.
bool over_pixels(const Call& c, const std::string& name) {
  if (name == "aten::_adaptive_avg_pool2d") {
    const auto sizes = c.args[1].toIntVector();
    return std::all_of(sizes.begin(), sizes.end(), [](int64_t n) { return n == 1; });
  }
  if (name != "aten::mean" || c.op->schema().overload_name() != "dim" || c.args[1].isNone() || !c.args[3].isNone())
    return false;
  auto dims = c.args[1].toIntVector();
  for (int64_t& d : dims) d = d < 0 ? d + 4 : d;
  std::sort(dims.begin(), dims.end());
  return dims == std::vector<int64_t>{2, 3};
}

}  // namespace

bool same_strides(const at::Tensor& a, at::IntArrayRef strides) {
  for (int64_t i = 0; i < a.dim(); i++) {
    if (a.size(i) != 1 && a.stride(i) != strides[i]) return false;
  }
  return true;
}


std::string suffix(const Layer& l) {
  static const char* names[] = {"",      "+relu",    "+clamp", "+hardswish", "+hardsigmoid",
                                "+silu", "+sigmoid", "+tanh",  "+gelu",      "+gelu_tanh"};
  return (l.other.defined() ? "+add" : "") + std::string(names[static_cast<int>(l.act)]);
}

std::optional<Candidate> of_images(const Call& c, const at::Tensor& x, bool only_first) {
  const std::string& name = c.op->schema().name();
  if (x.dim() != 4 || x.scalar_type() != at::kFloat || x.numel() == 0 || c.made[0].numel() == 0 ||
      !x.is_contiguous(at::MemoryFormat::ChannelsLast))
    return {};
  if (name == "aten::max_pool2d_with_indices" && only_first) return of(std::make_unique<MaxPool>(c, x), x);
  if (over_pixels(c, name)) return of(std::make_unique<ChannelMeans>(c, x), x);
  return {};
}

Candidate converted(const at::Tensor& x, at::ScalarType dtype) { return of(std::make_unique<Converted>(x, dtype), x); }

Candidate to_contiguous(const at::Tensor& x) { return of(std::make_unique<ToContiguous>(x), x); }

void Scratch::reserve(int64_t floats) {
  if (!memory.defined() || memory.numel() < floats) memory = at::empty({floats}, at::TensorOptions().dtype(at::kFloat));
}

std::vector<int64_t> Layer::result_sizes() const {
  if (!convolution) return {x.size(0), weight.size(0)};
  std::vector<int64_t> sizes{x.size(0), weight.size(0)};
  for (int i = 0; i < 2; i++) {
    const int64_t filter = dilation[i] * (weight.size(2 + i) - 1) + 1;
    sizes.push_back((x.size(2 + i) + 2 * padding[i] - filter) / stride[i] + 1);
  }
  return sizes;
}

bool any_layout(const Layer& l) {
  return l.convolution && l.groups == 1 && l.x.size(1) < kFewChannels && l.dilation[1] == 1 &&
         l.weight.size(2) * l.weight.size(3) > 1;
}

std::vector<Candidate> candidates(const Layer& l) {
  std::vector<Candidate> all;
  const bool is_float = l.x.scalar_type() == at::kFloat;
  const bool fits = l.x.numel() < std::numeric_limits<int32_t>::max() / 4;
  if (is_float && l.groups == 1 && fits) all.push_back(own<PackedProduct>(l));
  else if (is_float && l.groups == l.x.size(1) && l.weight.size(0) == l.groups && l.weight.size(1) == 1)
    all.push_back(own<DepthwiseConvolution>(l));
  if (is_float && !any_layout(l) && WinogradConvolution::fits(l)) all.push_back(own<WinogradConvolution>(l));
  for (const auto make : {one_dnn, one_dnn_then_add}) {
    try {
      if (auto c = make(l)) all.push_back(std::move(*c));
    } catch (const std::exception&) {  // oneDNN does not support the layer on this processor
    }
  }
  return all;
}

}  // namespace gt::capture
