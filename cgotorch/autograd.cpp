#ifdef GOTORCH_TOGETHER  // together_autograd.cpp includes this file

#include "autograd.h"

#include "abi.hpp"
#include "call_site.hpp"
#include "capturing.hpp"
#include "nodes.hpp"

#include <ATen/ops/ones_like.h>
#include <ATen/core/Tensor.h>
#include <torch/csrc/autograd/anomaly_mode.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/accumulate_grad.h>
#include <torch/csrc/autograd/variable.h>

using gt::as;

namespace {

at::TensorList list(const gt_tensor* ts, int64_t n) {
  return at::TensorList(reinterpret_cast<const at::Tensor*>(ts), n);
}

std::vector<at::Tensor> tensors(const gt_tensor* ts, int64_t n) {
  std::vector<at::Tensor> r;
  if (!ts) return r;
  r.reserve(n);
  for (int64_t i = 0; i < n; i++) r.push_back(as(ts[i]));
  return r;
}

// Releases what a failed backward pass left behind. libtorch keeps the remaining nodes,
// their gradients and the rest of the graph in a thread-local queue until the thread's
// next pass, which may be much later. So this runs a pass over an empty graph. The pass
// accumulates gradients, because a pass that returns gradients needs inputs.
__attribute__((noinline, cold)) void drop_failed_pass() noexcept {
  try {
    gt::uncounted_nodes(1);
    torch::autograd::Engine::get_default_engine().execute({}, {}, false, false, true);
  } catch (...) {  // The caller reports the error of the failed pass, so drop the error of this one.
  }
}

// Tells the capture that this backward pass adds to the gradients of leaves. It visits
// the whole graph, because a graph built before the captured step may end at leaves that
// the step itself does not use.
void watch_leaves(const gt_tensor* outputs, int64_t n, const gt_tensor* inputs, int64_t n_inputs) {
  if (!gt::tl_capture) return;
  for (int64_t i = 0; i < n_inputs; i++) {
    gt::gradient_is(gt::Gradient::added, as(inputs[i]));
  }
  std::vector<torch::autograd::Node*> next;
  std::unordered_set<torch::autograd::Node*> seen;
  const auto add = [&](torch::autograd::Node* node) {
    if (node && seen.insert(node).second) next.push_back(node);
  };
  for (int64_t i = 0; i < n && !n_inputs; i++) {
    const at::Tensor& t = as(outputs[i]);
    if (t.requires_grad()) add(torch::autograd::impl::gradient_edge(t).function.get());
  }
  while (!next.empty()) {
    auto* node = next.back();
    next.pop_back();
    if (const auto* leaf = dynamic_cast<torch::autograd::AccumulateGrad*>(node))
      gt::gradient_is(gt::Gradient::added, leaf->variable);
    for (const auto& edge : node->next_edges()) add(edge.function.get());
  }
}

// While a PassNodes exists, the nodes that libtorch adds to each pass are not counted:
// one for the roots, unless there is exactly one root, and one for each input that is not
// in a graph.
struct PassNodes {
  PassNodes(int64_t roots, const gt_tensor* inputs, int64_t n_inputs) {
    int64_t n = roots != 1;
    for (int64_t i = 0; i < n_inputs; i++) {
      const at::Tensor& t = as(inputs[i]);
      if (t.defined() && !t.grad_fn() && !torch::autograd::impl::try_get_grad_accumulator(t)) n++;
    }
    gt::uncounted_nodes(n);
  }
  ~PassNodes() { gt::uncounted_nodes(0); }
};

// Ends a failed pass. Call only from a catch block.
uintptr_t pass_failed() noexcept {
  const uintptr_t err = gt::caught();
  drop_failed_pass();
  return err;
}

}  // namespace

extern "C" {

// Returns the gradients that a pass starts with. A missing gradient of a scalar is
// replaced with a one. The one is created by the operator that Python uses, not by
// libtorch's, so that profiles are the same as Python's. libtorch rejects other missing
// gradients.
static std::vector<at::Tensor> first_gradients(const gt_tensor* outputs, const gt_tensor* grads, int64_t n) {
  auto gs = tensors(grads, grads ? n : 0);
  gs.resize(n);
  const at::NoGradGuard none;
  for (int64_t i = 0; i < n; i++) {
    const at::Tensor& t = as(outputs[i]);
    if (gs[i].defined() || !t.defined() || !t.requires_grad() || !t.is_floating_point() || t.numel() != 1) continue;
    gs[i] = at::ones_like(t, at::MemoryFormat::Preserve);
  }
  return gs;
}

uintptr_t gt_backward(gt_ctx ctx, const gt_tensor* outputs, const gt_tensor* grads, int64_t n,
                      const gt_tensor* inputs, int64_t n_inputs, int retain_graph,
                      int create_graph) {
  try {
    gt::enter(ctx);
    // The pass would not see the transform's tensors, and leave gradients out.
    TORCH_CHECK_NOT_IMPLEMENTED(!gt::in_transform(),
                                "a backward pass cannot run within a functional transform; use torch.Grad, or "
                                "functorch.Grad and its like");
    const gt::history::CallSiteGuard site(GT_CTX_STACK(ctx));
    watch_leaves(outputs, n, inputs, n_inputs);
    auto first = first_gradients(outputs, grads, n);
    const PassNodes not_counted(n, inputs, n_inputs);
    torch::autograd::backward(tensors(outputs, n), first,
                              static_cast<bool>(retain_graph), create_graph,
                              tensors(inputs, n_inputs));
    return 0;
  } catch (...) {
    return pass_failed();
  }
}

uintptr_t gt_grad(gt_ctx ctx, const gt_tensor* outputs, const gt_tensor* grads, int64_t n,
                  const gt_tensor* inputs, int64_t n_inputs, int retain_graph, int create_graph,
                  int allow_unused, gt_tensor* out_grads) {
  try {
    gt::enter(ctx);
    const gt::history::CallSiteGuard site(GT_CTX_STACK(ctx));
    const PassNodes not_counted(n, inputs, n_inputs);
    auto r = torch::autograd::grad(tensors(outputs, n), tensors(inputs, n_inputs),
                                   tensors(grads, grads ? n : 0), static_cast<bool>(retain_graph),
                                   create_graph, allow_unused);
    for (int64_t i = 0; i < n_inputs; i++) out_grads[i] = gt::release(std::move(r[i]));
    return 0;
  } catch (...) {
    return pass_failed();
  }
}

uintptr_t gt_tensor_set_requires_grad(gt_ctx ctx, gt_tensor t, int on) {
  try {
    gt::enter(ctx);
    const at::Tensor& self = as(t);
    // vmap would not know that the batched tensor requires gradients, so the gradients
    // would be zero.
    TORCH_CHECK_NOT_IMPLEMENTED(!on || !self.key_set().has(c10::DispatchKey::FuncTorchBatched),
                                "a tensor of VMap cannot be made to require gradients; take derivatives within it by "
                                "functorch.Grad and its like");
    TORCH_CHECK(on || self.is_leaf(),
                "you can only change requires_grad flags of leaf variables; use Detach for a "
                "tensor that is part of no graph");
    self.requires_grad_(on);
    return 0;
  } catch (...) {
    return gt::caught();
  }
}

gt_ret gt_tensor_get_grad(gt_ctx ctx, gt_tensor t) {
  try {
    gt::enter(ctx);
    gt::gradient_is(gt::Gradient::read, as(t));
    return {gt::release(as(t).grad()), 0};
  } catch (...) {
    return {0, gt::caught()};
  }
}

uintptr_t gt_tensor_set_grad(gt_ctx ctx, gt_tensor t, gt_tensor grad) {
  try {
    gt::enter(ctx);
    const at::Tensor& self = as(t);
    const at::Tensor& g = as(grad);
    if (g.defined()) {
      // The tensor would refer to itself and never be freed.
      TORCH_CHECK(!g.is_same(self), "a tensor cannot be its own grad");
      TORCH_CHECK(g.sizes() == self.sizes(), "assigned grad has data of a different size: ",
                  g.sizes(), " for a tensor of ", self.sizes());
      const auto expected = self.is_leaf() ? self.grad_dtype() : self.scalar_type();
      TORCH_CHECK_TYPE(!expected || g.scalar_type() == *expected, "assigned grad has data type ",
                       g.scalar_type(), ", expected ", *expected);
      TORCH_CHECK(g.device() == self.device(), "assigned grad is on ", g.device(),
                  ", the tensor on ", self.device());
    }
    gt::gradient_is(gt::Gradient::set, self);
    self.mutable_grad() = g;
    return 0;
  } catch (...) {
    return gt::caught();
  }
}

uintptr_t gt_zero_grads(gt_ctx ctx, const gt_tensor* ts, int64_t n, int set_to_none) {
  try {
    gt::enter(ctx);
    for (const at::Tensor& t : list(ts, n)) {
      gt::gradient_is(set_to_none ? gt::Gradient::set : gt::Gradient::added, t);
      at::Tensor& g = t.mutable_grad();
      if (!g.defined()) continue;
      if (set_to_none) {
        g.reset();
      } else {
        if (g.grad_fn()) g = g.detach();
        g.requires_grad_(false);
        g.zero_();
      }
    }
    return 0;
  } catch (...) {
    return gt::caught();
  }
}

uintptr_t gt_tensor_retain_grad(gt_ctx ctx, gt_tensor t) {
  try {
    gt::enter(ctx);
    TORCH_CHECK_NOT_IMPLEMENTED(!gt::in_transform(), "a gradient cannot be retained within a functional transform");
    as(t).retain_grad();
    return 0;
  } catch (...) {
    return gt::caught();
  }
}

int gt_tensor_retains_grad(gt_tensor t) { return as(t).retains_grad(); }

uintptr_t gt_tensor_set_data(gt_ctx ctx, gt_tensor t, gt_tensor data) {
  try {
    gt::enter(ctx);
    as(t).set_data(as(data));
    return 0;
  } catch (...) {
    return gt::caught();
  }
}

int64_t gt_tensor_version(gt_tensor t, uintptr_t* err) {
  try {
    return as(t)._version();
  } catch (...) {
    *err = gt::caught();
    return 0;
  }
}

char* gt_tensor_grad_fn_name(gt_tensor t) {
  try {
    const auto& fn = as(t).grad_fn();
    return fn ? strdup(fn->name().c_str()) : nullptr;
  } catch (const std::exception&) {
    return strdup("Invalid");  // as in Python; see gt_tensor_info
  }
}

int8_t gt_tensor_grad_dtype(gt_tensor t, uintptr_t* err) {
  try {
    TORCH_CHECK(as(t).is_leaf(), "grad_dtype belongs to a leaf variable");
    const auto dtype = as(t).grad_dtype();
    return dtype ? static_cast<int8_t>(*dtype) : -1;
  } catch (...) {
    *err = gt::caught();
    return -1;
  }
}

uintptr_t gt_tensor_set_grad_dtype(gt_ctx ctx, gt_tensor t, int8_t dtype) {
  try {
    gt::enter(ctx);
    const at::Tensor& self = as(t);
    TORCH_CHECK(self.is_leaf(), "grad_dtype belongs to a leaf variable");
    const auto wanted = dtype < 0 ? std::nullopt : std::make_optional(static_cast<at::ScalarType>(dtype));
    const at::Tensor& grad = self.grad();
    TORCH_CHECK_TYPE(!wanted || !grad.defined() || grad.scalar_type() == *wanted, "there is a gradient of ",
                     grad.scalar_type(), " already, which ", *wanted, " does not fit: remove it first");
    self.set_grad_dtype(wanted);
    return 0;
  } catch (...) {
    return gt::caught();
  }
}

void gt_set_anomaly(int enabled, int check_nan) {
  torch::autograd::AnomalyMode::set_enabled(enabled, check_nan);
}

int gt_anomaly(void) { return torch::autograd::AnomalyMode::is_enabled(); }
int gt_anomaly_checks_nan(void) { return torch::autograd::AnomalyMode::should_check_nan(); }

}  // extern "C"

#endif
