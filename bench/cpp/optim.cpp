// A single optimizer step for tensors of n elements: the fused kernels of AdamW and SGD
// and the foreach kernels of RMSprop.
#include "peer.hpp"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <vector>

namespace peer {

namespace {

struct Group {
  std::vector<at::Tensor> parameters, gradients, first, second, steps;

  explicit Group(const Args& args) {
    for (int64_t i = 0; i < args.get("tensors", 60); i++) {
      parameters.push_back(at::randn({args.get("n", 16384)}).requires_grad_());
      parameters.back().mutable_grad() = at::randn({args.get("n", 16384)});
      first.push_back(at::zeros_like(parameters.back()).detach());
      second.push_back(at::zeros_like(parameters.back()).detach());
      steps.push_back(at::zeros({}));
    }
    gradients.resize(parameters.size());
  }

  // Reads the gradients from the parameters again, as an optimizer must after each
  // backward pass.
  void fetch() {
    for (size_t i = 0; i < parameters.size(); i++) gradients[i] = parameters[i].grad();
  }
};

int64_t adamw(const Args& args) {
  Group g(args);
  at::NoGradGuard no_grad;
  return timed(args.iterations, [&] {
    g.fetch();
    at::_foreach_add_(g.steps, 1);
    at::_fused_adamw_(g.parameters, g.gradients, g.first, g.second, {}, g.steps, /*lr=*/1e-3, /*beta1=*/0.9,
                      /*beta2=*/0.999, /*weight_decay=*/0.01, /*eps=*/1e-8, /*amsgrad=*/false, /*maximize=*/false);
  });
}

int64_t sgd(const Args& args) {
  Group g(args);
  at::NoGradGuard no_grad;
  return timed(args.iterations, [&] {
    g.fetch();
    at::_fused_sgd_(g.parameters, g.gradients, g.first, /*weight_decay=*/0, /*momentum=*/0.9, /*lr=*/1e-3,
                    /*dampening=*/0, /*nesterov=*/false, /*maximize=*/false, /*is_first_step=*/false);
  });
}

int64_t rmsprop(const Args& args) {
  Group g(args);
  at::NoGradGuard no_grad;
  return timed(args.iterations, [&] {
    g.fetch();
    at::_foreach_add_(g.steps, 1);
    at::_foreach_mul_(g.first, 0.99);
    at::_foreach_addcmul_(g.first, g.gradients, g.gradients, 1 - 0.99);
    std::vector<at::Tensor> avg = at::_foreach_sqrt(g.first);
    at::_foreach_add_(avg, 1e-8);
    at::_foreach_addcdiv_(g.parameters, g.gradients, avg, -1e-3);
  });
}

Register adamw_case("optim.adamw", adamw);
Register sgd_case("optim.sgd", sgd);
Register rmsprop_case("optim.rmsprop", rmsprop);

}  // namespace

}  // namespace peer
