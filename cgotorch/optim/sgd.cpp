// SGD, computed as in torch/optim/sgd.py.
#ifdef GOTORCH_TOGETHER  // together.cpp includes this file

#include "rule.hpp"

#include <ATen/ops/_foreach_add_ops.h>
#include <ATen/ops/_foreach_mul_ops.h>
#include <ATen/ops/_fused_sgd_ops.h>
#include <ATen/ops/add_ops.h>
#include <ATen/ops/copy_ops.h>
#include <ATen/ops/mul_ops.h>

namespace gt {

namespace {

struct SGD final : Rule {
  enum { MOMENTUM };

  const at::Tensor momentum;

  explicit SGD(const gt_settings& o) : Rule(o, "SGD", 1), momentum(wrapped(o.momentum)) {
    sparse = with_fused = true;
    real = false;
    beginnings = o.momentum != 0;
  }

  // If a fused kernel skips the step, it leaves a new buffer uninitialized. So the step
  // must know before it creates buffers.
  bool must_know(const Work& w, How how) const override {
    bool first = false;
    for (char f : w.first) first = first || f;
    return how != How::fused || (o.momentum != 0 && first);
  }

  void collect(Work& w, How) override {
    for (size_t i = 0; i < w.size(); i++) {
      if (!w.grads[i].is_sparse()) continue;
      TORCH_CHECK(o.weight_decay == 0, "SGD with weight_decay does not support sparse gradients");
      const at::Tensor& buf = as(w.group.state[w.index[i]]);
      TORCH_CHECK(o.momentum == 0 || !buf.defined() || buf.is_sparse(),
                  "the gradient is sparse, but the momentum of the steps before is not");
    }
    if (o.momentum != 0) collect_state(w, MOMENTUM, Make::anything);
  }

  void update(One& x) const override {
    at::Tensor grad = gradient(x, o.weight_decay);
    if (o.momentum != 0) {
      at::Tensor& buf = x.state[MOMENTUM];
      if (x.first) {  // at the first step, the buffer is a copy of the gradient
        at::_ops::copy_::call(buf, grad, false);
      } else {
        at::_ops::mul__Tensor::call(buf, momentum);
        at::_ops::add__Tensor::call(buf, grad, 1 - o.dampening);
      }
      grad = o.nesterov ? at::_ops::add_Tensor::call(grad, buf, o.momentum) : buf;
    }
    at::_ops::add__Tensor::call(x.param, grad, -o.lr);
  }

  // In a batch, either all parameters have a momentum buffer or none do. Python adds
  // Nesterov momentum to the gradients in place; this function leaves them unchanged.
  void foreach(Work& w, Batch& b) override {
    gradients(b, o.weight_decay);
    if (o.momentum != 0) {
      std::vector<at::Tensor>& bufs = b.state[MOMENTUM];
      if (b.first) {
        for (size_t i = 0; i < bufs.size(); i++) at::_ops::copy_::call(bufs[i], b.grads[i], false);
      } else {
        at::_ops::_foreach_mul__Scalar::call(bufs, o.momentum);
        at::_ops::_foreach_add__List::call(bufs, b.grads, 1 - o.dampening);
      }
      b.grads = o.nesterov ? at::_ops::_foreach_add_List::call(b.grads, bufs, o.momentum) : bufs;
    }
    at::_ops::_foreach_add__List::call(b.params, b.grads, -o.lr);
  }

  void fused(Batch& b, const std::optional<at::Tensor>& scale, const std::optional<at::Tensor>& inf) override {
    at::_ops::_fused_sgd_::call(b.params, b.grads, b.state[MOMENTUM], o.weight_decay, o.momentum, o.lr, o.dampening,
                                o.nesterov, o.maximize, b.first, beside(b, scale), beside(b, inf));
    copy_back(b);
  }
};

GT_OPTIMIZER(SGD, SGD(o));

}  // namespace

}  // namespace gt

#endif
