// The backward passes of losses, written with operators that have all derivatives and
// vmap rules, so that the results can be differentiated in forward mode and in reverse
// mode.
#ifndef GOTORCH_FUNCTORCH_RULES_HPP
#define GOTORCH_FUNCTORCH_RULES_HPP

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>

namespace gt::functorch {

// The backward pass of nll_loss and nll_loss2d. total is the sum of the targets' weights.
at::Tensor nll_loss_backward(const at::Tensor& grad, const at::Tensor& input, const at::Tensor& target,
                             const std::optional<at::Tensor>& weight, int64_t reduction, int64_t ignore_index,
                             const at::Tensor& total);

at::Tensor huber_loss_backward(const at::Tensor& grad, const at::Tensor& input, const at::Tensor& target,
                               int64_t reduction, double delta);

}  // namespace gt::functorch
#endif
