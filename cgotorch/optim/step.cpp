#ifdef GOTORCH_TOGETHER  // together.cpp includes this file

#include "../capturing.hpp"
#include "step.hpp"

#include <ATen/EmptyTensor.h>
#include <ATen/MemoryOverlap.h>
#include <ATen/ops/add_ops.h>
#include <ATen/ops/clone_ops.h>
#include <ATen/ops/copy_ops.h>
#include <ATen/ops/empty_like_ops.h>
#include <ATen/ops/fill_ops.h>
#include <ATen/ops/mul_ops.h>
#include <ATen/ops/reciprocal_ops.h>
#include <ATen/ops/to_ops.h>
#include <ATen/ops/view_as_real_ops.h>
#include <ATen/ops/zero_ops.h>
#include <ATen/ops/zeros_like_ops.h>
#include <ATen/ops/zeros_ops.h>

namespace gt {

namespace {

thread_local Work tl_work;

at::Tensor like(const at::Tensor& p, bool zero) {
  return zero ? at::_ops::zeros_like::call(p, {}, {}, {}, {}, c10::MemoryFormat::Preserve)
              : at::_ops::empty_like::call(p, {}, {}, {}, {}, c10::MemoryFormat::Preserve);
}

// Compares two lists of a few numbers, for which calling memcmp would be slower.
bool same(at::IntArrayRef a, at::IntArrayRef b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); i++) {
    if (a[i] != b[i]) return false;
  }
  return true;
}

// Adds t to list without counting a reference. The caller must keep t alive.
void borrow(std::vector<at::Tensor>& list, const at::Tensor& t) {
  list.emplace_back(c10::intrusive_ptr<c10::TensorImpl, c10::UndefinedTensorImpl>::reclaim(t.unsafeGetTensorImpl()));
}

// Empties a list of borrowed tensors.
void give_back(std::vector<at::Tensor>& list) {
  for (at::Tensor& t : list) t.unsafeReleaseTensorImpl();
  list.clear();
}

// Returns a copy of t with the strides of p.
at::Tensor laid_out(const at::Tensor& t, const at::Tensor& p) {
  at::Tensor moved = like(p, false);
  at::_ops::copy_::call(moved, t, false);
  return moved;
}

// Returns the dtype of the scalars in PyTorch's state. It does not depend on the parameters' dtype.
at::ScalarType number_type() {
  return c10::get_default_dtype_as_scalartype() == at::kDouble ? at::kDouble : at::kFloat;
}

bool computes(at::ScalarType t) {
  return t == at::kFloat || t == at::kDouble || t == at::kHalf || t == at::kBFloat16;
}

void check_state(const at::Tensor& p, const at::Tensor& state, const at::Tensor& grad) {
  check_writable(state, "the optimizer's state");
  TORCH_CHECK_VALUE(state.layout() == at::kStrided || state.layout() == grad.layout(), "the optimizer's state is ",
                    state.layout(), " and the gradient ", grad.layout());
  TORCH_CHECK_TYPE(state.scalar_type() == p.scalar_type(), "the optimizer's state is ", state.scalar_type(),
                   " and the parameter ", p.scalar_type(), ": it was converted after the optimizer began");
  TORCH_CHECK(state.device() == p.device(), "the optimizer's state is on ", state.device(), " and the parameter on ",
              p.device(), ": it was moved after the optimizer began");
  TORCH_CHECK_VALUE(same(state.sizes(), p.sizes()), "the optimizer's state has the shape ", state.sizes(),
                    " and the parameter ", p.sizes());
}

}  // namespace

// Fails if any elements of t share memory, because a step writes to t.
void check_writable(const at::Tensor& t, const char* what) {
  TORCH_CHECK_VALUE(!t.is_meta(), what, " is on the meta device and has no data");
  if (t.layout() != at::kStrided) return;
  TORCH_CHECK_VALUE(at::has_internal_overlap(t) != at::MemOverlap::Yes, what,
                    " has elements that share memory, as after expand, and cannot be written to");
  TORCH_CHECK_VALUE(!t.is_conj(), what, " is a conjugate that is not resolved, and cannot be written to");
}

Step::Step(const Group& g, int states) : work(tl_work) {
  work.group = g;
  work.states = states;
}

Step::~Step() {
  work.group = {};
  work.index.clear();
  give_back(work.params);
  work.grads.clear();
  for (int k = 0; k < kMaxStates; k++) {
    if (work.borrowed[k]) give_back(work.state[k]);
    work.state[k].clear();
    work.borrowed[k] = false;
  }
  work.first.clear();
}

How choose(const Work& w, const gt_how& how) {
  if (how.fused > 0) return How::fused;
  if (how.foreach > 0) return How::foreach;
  if (how.fused >= 0 || how.foreach >= 0) return How::single;
  for (const at::Tensor& p : w.params) {
    if (!p.is_cuda()) return How::single;
  }
  return How::foreach;
}

void list(Work& w) {
  for (int64_t i = 0; i < w.group.n; i++) {
    const at::Tensor& p = as(w.group.params[i]);
    const at::Tensor& g = p.grad();
    if (!g.defined()) continue;
    w.index.push_back(i);
    borrow(w.params, p);
    w.grads.push_back(g);
    bool first = true;
    for (int k = 0; k < w.states; k++) first = first && !w.group.state[i * w.states + k];
    w.first.push_back(first);
  }
}

void check(const Work& w, const char* name, How how, bool sparse) {
  for (size_t i = 0; i < w.size(); i++) {
    const at::Tensor &p = w.params[i], &g = w.grads[i];
    if (g.layout() != at::kStrided) {
      TORCH_CHECK(sparse && how != How::fused && g.layout() == at::kSparse, name,
                  how == How::fused ? " with fused=True" : "", " does not support ", g.layout(), " gradients");
    }
    TORCH_CHECK_VALUE(p.layout() == at::kStrided, name, " does not support ", p.layout(), " parameters");
    check_writable(p, "a parameter");
    TORCH_CHECK_TYPE(g.scalar_type() == p.scalar_type(), "gradient of dtype ", g.scalar_type(),
                     " for a parameter of dtype ", p.scalar_type());
    TORCH_CHECK_VALUE(same(g.sizes(), p.sizes()), "gradient of size ", g.sizes(), " for a parameter of size ",
                      p.sizes());
    TORCH_CHECK(g.device() == p.device(), "gradient on ", g.device(), " for a parameter on ", p.device());
    const bool floating = computes(p.scalar_type());
    TORCH_CHECK_TYPE(floating || p.is_complex(),
                     "parameters must be complex or floating-point tensors of 16 bits or more, got dtype ",
                     p.scalar_type());
    TORCH_CHECK_TYPE(floating || how != How::fused,
                     "fused=True requires all the parameters to be floating-point tensors, got dtype ",
                     p.scalar_type());
  }
}

void collect_state(Work& w, int k, Make make, double value) {
  bool all = true;
  for (size_t i = 0; i < w.size(); i++) {
    const at::Tensor& had = as(w.group.state[w.index[i] * w.states + k]);
    if (had.defined()) {
      check_state(w.params[i], had, w.grads[i]);
    } else {
      all = false;
    }
  }
  if (all) {
    w.borrowed[k] = true;
    for (size_t i = 0; i < w.size(); i++) borrow(w.state[k], as(w.group.state[w.index[i] * w.states + k]));
    return;
  }
  for (size_t i = 0; i < w.size(); i++) {
    const at::Tensor& had = as(w.group.state[w.index[i] * w.states + k]);
    if (had.defined()) {
      w.state[k].push_back(had);
      continue;
    }
    if (make == Make::anything && w.grads[i].is_sparse()) {  // a sparse gradient gets sparse state
      w.state[k].push_back(at::_ops::clone::call(w.grads[i], {}));
      continue;
    }
    at::Tensor t = like(w.params[i], make == Make::zeros);
    if (make == Make::value) {  // A complex number gets the value as its real and its imaginary part.
      at::Tensor parts = t.is_complex() ? at::_ops::view_as_real::call(t) : t;
      at::_ops::fill__Scalar::call(parts, value);
    }
    w.state[k].push_back(std::move(t));
  }
}

void check_number(const at::Tensor& t, const char* what) {
  TORCH_CHECK_VALUE(t.layout() == at::kStrided && t.numel() == 1, what, " is not one number");
  TORCH_CHECK_TYPE(computes(t.scalar_type()), what, " is no floating-point number but ", t.scalar_type());
  check_writable(t, what);
}

// Step counts are on the CPU, unless a fused kernel reads them. Such a kernel requires
// float32.
void collect_steps(Work& w, int k, How how) {
  for (size_t i = 0; i < w.size(); i++) {
    const at::Tensor& had = as(w.group.state[w.index[i] * w.states + k]);
    const at::Device device = how == How::fused ? w.params[i].device() : at::Device(at::kCPU);
    const at::ScalarType type = how == How::fused ? at::kFloat : number_type();
    if (had.defined()) {
      check_number(had, "the optimizer's step");
      if (how == How::fused) {
        TORCH_CHECK_TYPE(had.scalar_type() == at::kFloat, "fused=True requires a step of float32, got ",
                         had.scalar_type());
        TORCH_CHECK(had.device() == device, "fused=True requires the step on ", device, ", it is on ", had.device(),
                    ": load the state dict once fused is set");
      }
    }
    w.state[k].push_back(had.defined() ? had : at::_ops::zeros::call(std::vector<c10::SymInt>{}, type, {}, device, {}));
  }
}

void collect_numbers(Work& w, int k, double value, bool with_parameter) {
  for (size_t i = 0; i < w.size(); i++) {
    const at::Tensor& had = as(w.group.state[w.index[i] * w.states + k]);
    if (had.defined()) {
      check_number(had, "a number of the optimizer's state");
      w.state[k].push_back(had);
      continue;
    }
    const at::Device device = with_parameter ? w.params[i].device() : at::Device(at::kCPU);
    w.state[k].push_back(at::_ops::zeros::call(std::vector<c10::SymInt>{}, number_type(), {}, device, {}));
    if (value != 0) at::_ops::fill__Scalar::call(w.state[k].back(), value);
  }
}

at::Tensor wrapped(double v) {
  at::Tensor t(at::detail::empty_cpu({}, at::kDouble));
  *t.mutable_data_ptr<double>() = v;
  t.unsafeGetTensorImpl()->set_wrapped_number(true);
  return t;
}

double count(at::Tensor& step) {
  if (step.is_cpu() && step.scalar_type() == at::kFloat) {
    return *static_cast<float*>(step.mutable_data_ptr()) += 1;
  }
  at::_ops::add__Scalar::call(step, 1, 1);
  return step.item<double>();
}

std::optional<at::Tensor> one_number(const char* name, gt_tensor t) {
  if (!t) return std::nullopt;
  const at::Tensor& x = as(t);
  TORCH_CHECK_VALUE(x.layout() == at::kStrided && !x.is_meta(), name, " has to be a dense tensor with data");
  TORCH_CHECK_VALUE(x.numel() == 1, name, " has to be one number, got the shape ", x.sizes());
  TORCH_CHECK_TYPE(x.scalar_type() == at::kFloat, name, " has to be a float32, got ", x.scalar_type());
  return x;
}

// Multiplies by the reciprocal, which is computed in double and rounded, as in Python's GradScaler.
void unscale(Work& w, const at::Tensor& scale) {
  const at::Tensor by = scale.reshape({}).to(at::kDouble).reciprocal().to(at::kFloat);
  for (const at::Tensor& g : w.grads) check_writable(g, "a gradient that is to be unscaled");
  for (at::Tensor& g : w.grads) {
    at::_ops::mul__Tensor::call(g, by.to(g.device()));
    wrote(g);
  }
}

bool Batch::takes(const Work& w, size_t i) const {
  const at::Tensor &p = w.params[at.front()], &q = w.params[i];
  return q.scalar_type() == p.scalar_type() && q.device() == p.device() && first == bool(w.first[i]);
}

bool alike(const Work& w) {
  const at::Tensor& first = w.params.front();
  for (size_t i = 0; i < w.size(); i++) {
    const at::Tensor& p = w.params[i];
    if (p.scalar_type() != first.scalar_type() || p.device() != first.device() || w.first[i] != w.first[0] ||
        !p.is_non_overlapping_and_dense() || !same(w.grads[i].strides(), p.strides())) {
      return false;
    }
    for (int k = 0; k < w.states; k++) {
      if (i >= w.state[k].size()) continue;
      const at::Tensor& s = w.state[k][i];
      if (same(s.sizes(), p.sizes()) && !same(s.strides(), p.strides())) return false;
    }
  }
  return true;
}

void Lent::exchange() {
  batch.params.swap(work_.params);
  batch.grads.swap(work_.grads);
  for (int k = 0; k < kMaxStates; k++) batch.state[k].swap(work_.state[k]);
  batch.first = !work_.first.empty() && work_.first[0];
}

std::vector<Batch> batches(Work& w, How how) {
  std::vector<Batch> all;
  for (size_t i = 0; i < w.size(); i++) {
    Batch* b = nullptr;
    for (Batch& other : all) {
      if (other.takes(w, i)) b = &other;
    }
    if (!b) {
      b = &all.emplace_back();
      b->first = w.first[i];
      b->params.reserve(w.size() - i);
      b->grads.reserve(w.size() - i);
      b->at.reserve(w.size() - i);
    }
    b->at.push_back(i);
    b->params.push_back(w.params[i]);
    if (how == How::fused) {  // in place, because nothing else reads these gradients
      b->grads.push_back(std::move(w.grads[i]));
    } else {
      b->grads.push_back(w.grads[i]);
    }
    at::Tensor &p = b->params.back(), &g = b->grads.back();
    if (how == How::fused && !p.is_non_overlapping_and_dense()) {
      p = at::_ops::clone::call(p, c10::MemoryFormat::Preserve);
      b->copies.emplace_back(w.params[i], p);
    }
    if (how == How::fused && g.strides() != p.strides()) g = laid_out(g, p);
    for (int k = 0; k < w.states; k++) {
      if (i >= w.state[k].size()) continue;
      at::Tensor& s = w.state[k][i];
      if (how == How::fused && s.sizes() == p.sizes() && s.strides() != p.strides()) {
        // The parameter's memory format has changed since the state was created.
        s.unsafeGetTensorImpl()->shallow_copy_from(laid_out(s, p).getIntrusivePtr());
      }
      b->state[k].push_back(s);
    }
  }
  return all;
}

}  // namespace gt

using gt::as;

extern "C" uintptr_t gt_zero_grad(gt_ctx ctx, const gt_tensor* params, int64_t n, int set_to_none) {
  try {
    gt::enter(ctx);
    at::NoGradGuard no_grad;
    for (int64_t i = 0; i < n; i++) {
      gt::gradient_is(set_to_none ? gt::Gradient::set : gt::Gradient::added, as(params[i]));
      at::Tensor& grad = as(params[i]).mutable_grad();
      if (!grad.defined()) continue;
      if (set_to_none) {
        grad.reset();
      } else {
        if (grad.grad_fn()) grad = grad.detach();
        grad.requires_grad_(false);
        at::_ops::zero_::call(grad);
      }
    }
    return 0;
  } catch (...) {
    return gt::caught();
  }
}

#endif
