#include "fused.hpp"

#include <ATen/ops/zeros.h>

namespace gt::capture {

namespace {

// An operator of libtorch's for oneDNN, with a packed weight.
class OneDNN final : public Fused {
 public:
  OneDNN(std::string name, c10::OperatorHandle op, torch::jit::Stack args)
      : name_(std::move(name)), op_(std::move(op)), args_(std::move(args)) {}
  std::string name() const override { return name_; }
  void run(torch::jit::Stack& stack) override {
    stack = args_;
    op_.callBoxed(&stack);
  }

 private:
  std::string name_;
  c10::OperatorHandle op_;
  torch::jit::Stack args_;
};

// Adds other to result, both in bfloat16.
void add_in_place(const at::Tensor& result, const at::Tensor& other, bool relu) {
  TORCH_CHECK(same_strides(result, other.strides()), "oneDNN returned a result with other strides");
  add_bfloat16(static_cast<const uint16_t*>(other.const_data_ptr()), static_cast<uint16_t*>(result.mutable_data_ptr()),
               result.numel(), relu);
}

// A layer in bfloat16 without its addition and activation, which follow in the layer's result. oneDNN may be faster
// so.
class ThenAdd final : public Fused {
 public:
  ThenAdd(std::string name, std::unique_ptr<Fused> layer, at::Tensor other, bool relu)
      : name_(std::move(name)), layer_(std::move(layer)), other_(std::move(other)), relu_(relu) {}
  std::string name() const override { return name_; }
  void run(torch::jit::Stack& stack) override {
    layer_->run(stack);
    add_in_place(stack[0].toTensor(), other_, relu_);
  }

 private:
  std::string name_;
  std::unique_ptr<Fused> layer_;
  at::Tensor other_;
  bool relu_;
};

// Returns oneDNN's name of the layer's activation, or null if oneDNN does not support the layer.
const char* attribute_of(const Layer& l) {
  static const char* attributes[] = {"none",  "relu",    nullptr, "hardswish", nullptr,
                                     "swish", "sigmoid", "tanh",  "gelu",      "gelu"};
  if (l.other.defined() && l.act != Act::none && (!l.convolution || l.act != Act::relu)) return nullptr;
  return attributes[static_cast<int>(l.act)];
}

}  // namespace

bool computes_bfloat16() {
  static const bool yes = [] {
    Layer l;
    l.x = at::zeros({1, 8}, at::kBFloat16), l.weight = at::zeros({8, 8});
    try {
      torch::jit::Stack stack;
      auto c = one_dnn(l);
      if (c) c->kernel->run(stack);
      return c.has_value();
    } catch (const std::exception&) {
      return false;
    }
  }();
  return yes;
}

std::optional<Candidate> one_dnn(const Layer& l) {
  const char* attribute = attribute_of(l);
  if (!attribute) return {};
  const bool add = l.other.defined();
  const at::Tensor weight = l.weight.to(l.x.scalar_type());
  const at::Tensor bias = l.bias.defined() ? l.bias.to(l.x.scalar_type()) : l.bias;
  auto& dispatcher = c10::Dispatcher::singleton();
  const std::string op = l.convolution ? "mkldnn::_convolution_pointwise" : "mkldnn::_linear_pointwise";
  const auto found = dispatcher.findSchema({op, add ? "binary" : ""});
  const auto reorder = dispatcher.findSchema(
      {l.convolution ? "mkldnn::_reorder_convolution_weight" : "mkldnn::_reorder_linear_weight", ""});
  if (!found || !reorder) return {};
  torch::jit::Stack pack{weight};
  if (l.convolution)
    pack.insert(pack.end(), {l.padding, l.stride, l.dilation, l.groups, l.x.sizes().vec()});
  else pack.push_back(l.x.size(0));
  reorder->callBoxed(&pack);
  Candidate c;
  c.how = How::swap;
  c.reads = {l.x};
  torch::jit::Stack args{l.x};
  if (add) args.push_back(l.other), c.reads.push_back(l.other);
  c.packed = {pack[0].toTensor()};
  args.push_back(pack[0].toTensor());
  args.push_back(bias.defined() ? IValue(bias) : IValue());
  if (l.convolution) args.insert(args.end(), {l.padding, l.stride, l.dilation, l.groups});
  c10::List<std::optional<c10::Scalar>> no_scalars;
  if (!add) {
    const char* algorithm = l.act == Act::gelu_tanh ? "tanh" : l.act == Act::gelu ? "none" : "";
    args.insert(args.end(), {attribute, no_scalars, algorithm});
  } else {
    args.push_back("add");
    if (l.convolution) {
      args.push_back(c10::Scalar(1));
      args.push_back(l.act == Act::none ? IValue() : IValue(attribute));
      args.push_back(no_scalars);
      args.push_back(IValue());
    }
  }
  const char* precision = l.x.scalar_type() == at::kBFloat16 ? " in bfloat16" : "";
  c.kernel = std::make_unique<OneDNN>(op + suffix(l) + precision, *found, std::move(args));
  return c;
}

std::optional<Candidate> one_dnn_then_add(const Layer& l) {
  if (l.x.scalar_type() != at::kBFloat16 || !l.other.defined() || (l.act != Act::none && l.act != Act::relu)) return {};
  Layer alone = l;
  alone.other.reset(), alone.act = Act::none;
  auto c = one_dnn(alone);
  if (!c) return {};
  c->reads.push_back(l.other);
  c->kernel = std::make_unique<ThenAdd>(c->kernel->name() + ", then" + suffix(l), std::move(c->kernel), l.other,
                                        l.act == Act::relu);
  return c;
}

bool one_dnn_computes(const Layer& l, at::ScalarType dtype) {
  return dtype == at::kBFloat16 && attribute_of(l) && computes_bfloat16();
}

}  // namespace gt::capture
