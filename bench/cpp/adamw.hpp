// AdamW with libtorch's fused kernel, and its state.
#pragma once

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <vector>

namespace peer {

// The optimizer with its state. step calls the fused kernel once for all parameters.
struct FusedAdamW {
  std::vector<at::Tensor> parameters, gradients, averages, squares, steps;

  explicit FusedAdamW(const std::vector<at::Tensor>& of) : parameters(of), gradients(of.size()) {
    for (const auto& p : of) {
      averages.push_back(at::zeros_like(p).detach());
      squares.push_back(at::zeros_like(p).detach());
      steps.push_back(at::zeros({}));
    }
  }

  void step() {
    at::NoGradGuard no_grad;
    for (size_t i = 0; i < parameters.size(); i++) gradients[i] = parameters[i].grad();
    at::_foreach_add_(steps, 1);
    at::_fused_adamw_(parameters, gradients, averages, squares, {}, steps, /*lr=*/1e-3, /*beta1=*/0.9,
                      /*beta2=*/0.999, /*weight_decay=*/0.01, /*eps=*/1e-8, /*amsgrad=*/false,
                      /*maximize=*/false);
  }
};

}  // namespace peer
