#ifdef GOTORCH_TOGETHER  // together.cpp includes this file

// Forward derivatives that libtorch lacks, for the backward passes of softmax, losses and
// normalizations. A Hessian, which is forward mode over reverse mode, needs them. If an
// operator has no forward derivative, libtorch asks an interface of autograd,
// JitDecompInterface, for another way to run it. libtorch implements that interface with
// TorchScript graphs. This file runs C++ instead: each rule expresses an operator in
// terms of operators that have a forward derivative. A rule runs only if an argument has
// a tangent.
#include "rules.hpp"

#include <ATen/OpMathType.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Reduction.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/boxing/KernelFunction.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/op_registration/op_registration.h>
#include <torch/csrc/autograd/jit_decomp_interface.h>

#include <array>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <vector>

using at::Tensor;

namespace {

using Optional = std::optional<Tensor>;
using Three = std::tuple<Tensor, Tensor, Tensor>;  // the gradients of input, weight and bias
using Mask = std::array<bool, 3>;                  // which gradients of a Three to compute; the others stay undefined

Tensor given(const Optional& t) { return t ? *t : Tensor(); }

// t in the dtype that kernels compute in: float32 for half precision.
Tensor wide(const Tensor& t) { return t.to(at::toOpMathType(t.scalar_type())); }

Tensor sum(const Tensor& t, at::IntArrayRef dims) {
  return dims.empty() ? t : t.sum(dims);
}  // t.sum without dims would sum over all

// --- softmax ----------------------------------------------------------------

// Computed from output alone, because output has its own tangent, so input is not needed.
Tensor softmax_backward(const Tensor& grad, const Tensor& output, int64_t dim, at::ScalarType type) {
  const Tensor y = wide(output), each = wide(grad) * y;
  return (each - y * each.sum(dim, true)).to(type);
}

Tensor log_softmax_backward(const Tensor& grad, const Tensor& output, int64_t dim, at::ScalarType type) {
  const Tensor g = wide(grad);
  return (g - wide(output).exp() * g.sum(dim, true)).to(type);
}

// --- losses, dropout --------------------------------------------------------

Tensor soft_margin_loss_backward(const Tensor& grad, const Tensor& input, const Tensor& target, int64_t reduction) {
  const Tensor y = wide(target);
  Tensor g = wide(grad);
  if (reduction == at::Reduction::Mean) g = g / static_cast<double>(input.numel());
  return ((y * wide(input)).neg().sigmoid() * y * g).neg().to(input.scalar_type());
}

Tensor native_dropout_backward(const Tensor& grad, const Tensor& mask, double scale) { return grad * mask * scale; }

// --- normalizations ---------------------------------------------------------

// The values that a normalization over dims computes, and the gradients that follow from
// them.
struct Normalized {
  Three backward(const Tensor& grad, const Tensor& input, const Tensor& weight, const Tensor& bias,
                 const Mask& mask) const {
    const Tensor g = wide(grad);
    const auto type = input.scalar_type();
    Three out;
    if (mask[0]) {
      const Tensor by = weight.defined() ? g * wide(weight).reshape(affine) : g;
      // Subtracts the effect of each element through the mean and through the variance.
      const Tensor rest = constant ? by : by - by.mean(dims, true) - x * (by * x).mean(dims, true);
      std::get<0>(out) = (rest * scale).to(type);
    }
    if (mask[1])
      std::get<1>(out) = sum(g * x, others).reshape(parameter).to(weight.defined() ? weight.scalar_type() : type);
    if (mask[2]) std::get<2>(out) = sum(g, others).reshape(parameter).to(bias.defined() ? bias.scalar_type() : type);
    return out;
  }

  Tensor x;                     // input, normalized
  Tensor scale;                 // 1 / standard deviation
  std::vector<int64_t> dims;    // dimensions that share a mean and a variance
  std::vector<int64_t> others;  // dimensions along which the parameters do not change
  std::vector<int64_t> parameter, affine;  // shape of the parameters, and that shape with ones to broadcast to input
  bool constant = false;        // whether mean and variance are constants, as in evaluation mode
};

// libtorch passes mean and rstd without tangents, so this recomputes them from input.
// Epsilon is not passed either, and is derived from rstd. The recomputed rstd has the
// value that was passed, but the derivatives of (variance + eps)^-1/2.
Three native_layer_norm_backward(const Tensor& grad, const Tensor& input, at::IntArrayRef shape, const Tensor&,
                                 const Tensor& rstd, const Optional& weight, const Optional& bias, Mask mask) {
  Normalized n;
  n.parameter = n.affine = shape.vec();
  const auto first = input.dim() - static_cast<int64_t>(shape.size());
  for (int64_t d = 0; d < input.dim(); d++) (d < first ? n.others : n.dims).push_back(d);
  const Tensor x = wide(input), centered = x - x.mean(n.dims, true);
  const Tensor variance = (centered * centered).mean(n.dims, true), known = wide(rstd).detach();
  n.scale = known * ((variance - variance.detach()) * known.square() + 1).rsqrt();
  n.x = centered * n.scale;
  return n.backward(grad, input, given(weight), given(bias), mask);
}

Three native_batch_norm_backward(const Tensor& grad, const Tensor& input, const Optional& weight,
                                 const Optional& running_mean, const Optional& running_var, const Optional&,
                                 const Optional&, bool train, double eps, Mask mask) {
  TORCH_CHECK(input.dim() > 1, "batch_norm: expected at least 2 dimensions, got ", input.dim());
  Normalized n;
  n.constant = !train;
  n.parameter = {input.size(1)};
  n.affine.assign(input.dim(), 1);
  n.affine[1] = input.size(1);
  for (int64_t d = 0; d < input.dim(); d++) {
    if (d != 1) n.dims.push_back(d);
  }
  n.others = n.dims;
  const Tensor x = wide(input);
  Tensor mean, variance;
  if (train) {
    mean = x.mean(n.dims, true);
    variance = (x - mean).square().mean(n.dims, true);
  } else {
    mean = wide(running_mean.value()).reshape(n.affine);
    variance = wide(running_var.value()).reshape(n.affine);
  }
  n.scale = (variance + eps).rsqrt();
  n.x = (x - mean) * n.scale;
  return n.backward(grad, input, given(weight), Tensor(), mask);
}

Three batch_norm_backward(const Tensor& grad, const Tensor& input, const Tensor& weight, const Optional& running_mean,
                          const Optional& running_var, const Optional&, const Optional&, bool train, double eps,
                          Mask mask, const Tensor&) {
  return native_batch_norm_backward(grad, input, weight, running_mean, running_var, {}, {}, train, eps, mask);
}

Three miopen_batch_norm_backward(const Tensor& input, const Tensor& grad, const Tensor& weight, const Optional&,
                                 const Optional&, const Optional&, const Optional&, double eps) {
  return native_batch_norm_backward(grad, input, weight, {}, {}, {}, {}, true, eps, {true, true, true});
}

Three cudnn_batch_norm_backward(const Tensor& input, const Tensor& grad, const Tensor& weight, const Optional&,
                                const Optional&, const Optional&, const Optional&, double eps, const Tensor&) {
  return native_batch_norm_backward(grad, input, weight, {}, {}, {}, {}, true, eps, {true, true, true});
}

// ----------------------------------------------------------------------------

class Rules final : public torch::autograd::impl::JitDecompInterface {
 public:
  explicit Rules(JitDecompInterface* others) : others_(others) {
    const auto add = [this](const char* name, auto rule) {
      rules_.emplace(c10::OperatorName(std::string("aten::") + name, ""),
                     c10::KernelFunction::makeFromUnboxedFunction(rule));
    };
    add("_softmax_backward_data", TORCH_FN(softmax_backward));
    add("_log_softmax_backward_data", TORCH_FN(log_softmax_backward));
    add("nll_loss_backward", TORCH_FN(gt::functorch::nll_loss_backward));
    add("nll_loss2d_backward", TORCH_FN(gt::functorch::nll_loss_backward));
    add("huber_loss_backward", TORCH_FN(gt::functorch::huber_loss_backward));
    add("soft_margin_loss_backward", TORCH_FN(soft_margin_loss_backward));
    add("native_dropout_backward", TORCH_FN(native_dropout_backward));
    add("native_layer_norm_backward", TORCH_FN(native_layer_norm_backward));
    add("native_batch_norm_backward", TORCH_FN(native_batch_norm_backward));
    add("batch_norm_backward", TORCH_FN(batch_norm_backward));
    add("cudnn_batch_norm_backward", TORCH_FN(cudnn_batch_norm_backward));
    add("miopen_batch_norm_backward", TORCH_FN(miopen_batch_norm_backward));
  }

  bool has_jit_decomposition(const c10::FunctionSchema& schema) const override {
    return rules_.count(schema.operator_name()) || (others_ && others_->has_jit_decomposition(schema));
  }

  void run_jit_decomposition(const c10::OperatorHandle& op, torch::jit::Stack* stack) const override {
    const auto rule = rules_.find(op.operator_name());
    if (rule == rules_.end()) return others_->run_jit_decomposition(op, stack);
    rule->second.callBoxed(op, c10::DispatchKeySet(), stack);
  }

 private:
  std::unordered_map<c10::OperatorName, c10::KernelFunction> rules_;
  JitDecompInterface* const others_;  // libtorch's
};

// Never destroyed, because threads may outlive static objects.
[[gnu::used]] const Rules* const jvp_rules = [] {
  auto* rules = new Rules(torch::autograd::impl::getJitDecompImpl());
  torch::autograd::impl::setJitDecompImpl(rules);
  return rules;
}();

}  // namespace

#endif
