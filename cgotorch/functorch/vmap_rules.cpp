#ifdef GOTORCH_TOGETHER  // together.cpp includes this file

// vmap rules that PyTorch has in Python but libtorch lacks. An operator without a rule
// runs once per example. A rule expresses an operator on the tensors of one example in
// terms of operators that have rules, at any depth of vmap. A transform inside vmap still
// differentiates the original operator, with libtorch's formula.
#include "rules.hpp"

#include <ATen/OpMathType.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Reduction.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/outer.h>
#include <ATen/ops/result_type.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>
#include <torch/library.h>

#include <optional>
#include <tuple>

using at::Tensor;

namespace {

// --- class indices ----------------------------------------------------------

// The common arguments of the nll_loss rules. The dimension `channel` of input contains
// the classes. target contains class indices and lacks that dimension.
struct Classes {
  Classes(const Tensor& input, const Tensor& target, const std::optional<Tensor>& weight, int64_t ignore_index)
      : channel(input.dim() < 2 ? 0 : 1) {
    auto sizes = input.sizes().vec();
    if (!sizes.empty()) sizes.erase(sizes.begin() + channel);
    TORCH_CHECK(input.dim() > 0 && target.sizes() == at::IntArrayRef(sizes), "nll_loss: size mismatch of an input of ",
                input.sizes(), " and a target of ", target.sizes());
    ignored = target == ignore_index;
    const Tensor wide = target.scalar_type() == at::kByte ? target.to(at::kLong) : target;  // index types
    index = wide.masked_fill(ignored, 0).unsqueeze(channel);
    if (!weight || !weight->defined()) return;
    TORCH_CHECK(weight->dim() == 1 && weight->size(0) == input.size(channel),
                "nll_loss: size mismatch of an input of ", input.sizes(), " and weights of ", weight->sizes());
    weights = weight->gather(0, index.reshape(-1)).reshape(target.sizes());
  }

  const int64_t channel;
  Tensor ignored;  // true where target is ignore_index
  Tensor index;    // target as an index along channel; 0 where ignored
  Tensor weights;  // weights of the targets; undefined if all are 1
};

std::tuple<Tensor, Tensor> nll_loss_forward(const Tensor& input, const Tensor& target,
                                            const std::optional<Tensor>& weight, int64_t reduction,
                                            int64_t ignore_index) {
  const Classes c(input, target, weight, ignore_index);
  Tensor loss = input.gather(c.channel, c.index).squeeze(c.channel).neg();
  if (c.weights.defined()) loss = loss * c.weights;
  loss = loss.masked_fill(c.ignored, 0);
  if (reduction == at::Reduction::None && input.dim() > 1) return {loss, input.new_zeros({})};
  const Tensor total = c.weights.defined() ? c.weights.masked_fill(c.ignored, 0).sum()
                                           : c.ignored.logical_not().sum().to(input.scalar_type());
  if (reduction != at::Reduction::None) loss = loss.sum();
  if (reduction == at::Reduction::Mean) loss = loss / total;
  return {loss, total};
}

}  // namespace

Tensor gt::functorch::nll_loss_backward(const Tensor& grad, const Tensor& input, const Tensor& target,
                                        const std::optional<Tensor>& weight, int64_t reduction, int64_t ignore_index,
                                        const Tensor& total) {
  const Classes c(input, target, weight, ignore_index);
  Tensor each = grad.neg();
  if (reduction == at::Reduction::Mean) each = each / total;
  if (c.weights.defined()) each = each * c.weights;
  each = each.expand(target.sizes()).masked_fill(c.ignored, 0);
  return at::zeros_like(input).scatter(c.channel, c.index, each.unsqueeze(c.channel));
}

namespace {

// --- differences ------------------------------------------------------------

// The arguments of the backward pass of a loss of two tensors, in the dtype that kernels
// compute in (float32 for half precision).
struct Difference {
  Difference(const Tensor& grad, const Tensor& input, const Tensor& target, int64_t reduction)
      : type(at::result_type(input, target)) {
    const auto wide = at::toOpMathType(type);
    x = input.to(wide) - target.to(wide);
    g = grad.to(wide);
    if (reduction == at::Reduction::Mean) g = g * (1.0 / static_cast<double>(input.numel()));
  }

  const at::ScalarType type;  // of the result
  Tensor x, g;                // input - target, and the gradient that multiplies the loss's derivative
};

Tensor mse_loss_backward(const Tensor& grad, const Tensor& input, const Tensor& target, int64_t reduction) {
  const Difference d(grad, input, target, reduction);
  return (d.x * (d.g * 2)).to(d.type);
}

Tensor smooth_l1_loss_backward(const Tensor& grad, const Tensor& input, const Tensor& target, int64_t reduction,
                               double beta) {
  const Difference d(grad, input, target, reduction);
  return (at::where(d.x.abs() < beta, d.x / beta, d.x.sign()) * d.g).to(d.type);
}

}  // namespace

Tensor gt::functorch::huber_loss_backward(const Tensor& grad, const Tensor& input, const Tensor& target,
                                          int64_t reduction, double delta) {
  const Difference d(grad, input, target, reduction);
  return (d.x.clamp(-delta, delta) * d.g).to(d.type);
}

namespace {

// --- addr -------------------------------------------------------------------

Tensor addr(const Tensor& self, const Tensor& vec1, const Tensor& vec2, const at::Scalar& beta,
            const at::Scalar& alpha) {
  TORCH_CHECK(vec1.dim() == 1 && vec2.dim() == 1, "addr: Expected 1-D vectors, but got ", vec1.dim(), "-D and ",
              vec2.dim(), "-D");
  Tensor product = at::outer(vec1, vec2);
  const Tensor added = self.expand(product.sizes());
  const auto type = at::result_type(added, product);
  if (type == at::kBool) {
    TORCH_CHECK(beta.isIntegral(true) && alpha.isIntegral(true),
                "addr: For bool tensors, beta and alpha must not be floating point");
    if (!alpha.to<bool>()) product = at::zeros_like(product);
    return beta.to<bool>() ? added.logical_or(product) : product;
  }
  TORCH_CHECK(c10::canCast(beta.type(), type) && c10::canCast(alpha.type(), type), "addr: For tensors of ", type,
              ", beta and alpha must not be floating point or complex");
  if (beta.equal(0)) return product.to(type) * alpha;  // because 0 * NaN would be NaN
  return (added.to(type) * beta).add(product.to(type), alpha);
}

// Never destroyed, because threads may outlive static objects.
[[gnu::used]] torch::Library* const vmap_rules = [] {
  auto* library = new torch::Library(torch::Library::IMPL, "aten", c10::DispatchKey::FuncTorchBatched,
                                     "cgotorch/functorch/vmap_rules.cpp", 0);
  library->impl("nll_loss_forward", TORCH_FN(nll_loss_forward));
  library->impl("nll_loss_backward", TORCH_FN(gt::functorch::nll_loss_backward));
  library->impl("nll_loss2d_forward", TORCH_FN(nll_loss_forward));
  library->impl("nll_loss2d_backward", TORCH_FN(gt::functorch::nll_loss_backward));
  library->impl("mse_loss_backward", TORCH_FN(mse_loss_backward));
  library->impl("smooth_l1_loss_backward", TORCH_FN(smooth_l1_loss_backward));
  library->impl("huber_loss_backward", TORCH_FN(gt::functorch::huber_loss_backward));
  library->impl("addr", TORCH_FN(addr));
  return library;
}();

}  // namespace

#endif
