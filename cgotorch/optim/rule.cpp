#ifdef GOTORCH_TOGETHER  // together.cpp includes this file

#include "rule.hpp"

#include "../parallel.hpp"

#include <ATen/ops/_foreach_add_ops.h>
#include <ATen/ops/_foreach_neg_ops.h>
#include <ATen/ops/_foreach_sub_ops.h>
#include <ATen/ops/add_ops.h>
#include <ATen/ops/as_strided_ops.h>
#include <ATen/ops/copy_ops.h>
#include <ATen/ops/neg_ops.h>
#include <ATen/ops/view_as_real_ops.h>

#include <algorithm>

namespace gt {

namespace {

// An update processes a parameter's tensors in blocks of this length. A block of each tensor fits
// into a core's cache, from which all operators read it. The length is a multiple of all vector
// lengths, so that the results are bitwise the same as without blocks.
constexpr int64_t kBlock = 1 << 14;

bool full_size(const One& x, const at::Tensor& t) { return t.defined() && t.sizes() == x.param.sizes(); }

// Whether each tensor is contiguous memory on the CPU, and all have the same strides.
bool in_blocks(const One& x) {
  const at::Tensor& p = x.param;
  if (!p.is_cpu() || p.numel() < 2 * kBlock || !p.is_non_overlapping_and_dense()) return false;
  if (x.grad.layout() != at::kStrided || x.grad.strides() != p.strides() || x.grad.is_neg()) return false;
  for (const at::Tensor& s : x.state) {
    if (full_size(x, s) && (s.layout() != at::kStrided || s.strides() != p.strides())) return false;
  }
  return true;
}

// Returns n elements of t from index `from` on, as a vector.
at::Tensor block(const at::Tensor& t, int64_t from, int64_t n) {
  return at::_ops::as_strided::call(t, {c10::SymInt(n)}, {c10::SymInt(1)}, c10::SymInt(t.storage_offset() + from));
}

void update_blocks(const Rule& r, const One& x) {
  const int64_t n = x.param.numel(), blocks = (n + kBlock - 1) / kBlock;
  gt::parallel_for(0, blocks, 1, [&](int64_t from, int64_t to) {
    Quiet quiet;  // once on each thread, because autograd's modes belong to a thread
    for (int64_t i = from; i < to; i++) {
      const int64_t at = i * kBlock, size = std::min(kBlock, n - at);
      One part = x;
      part.param = block(x.param, at, size);
      part.grad = block(x.grad, at, size);
      for (int k = 0; k < kMaxStates; k++) {
        if (full_size(x, x.state[k])) part.state[k] = block(x.state[k], at, size);
      }
      r.update(part);
    }
  });
}

void as_real(at::Tensor& t) {
  if (t.is_complex()) t = at::_ops::view_as_real::call(t.resolve_conj());
}

void single(Rule& r, Work& w, size_t i) {
  One x;
  x.param = w.params[i];
  x.grad = w.grads[i];
  for (int k = 0; k < r.states; k++) {
    if (i < w.state[k].size()) x.state[k] = w.state[k][i];
  }
  x.first = w.first[i];
  if (r.real && x.param.is_complex() && !x.grad.is_sparse()) {
    as_real(x.param);
    as_real(x.grad);
    for (at::Tensor& s : x.state) {
      if (s.defined()) as_real(s);
    }
  }
  r.prepare(x);
  r.elements && in_blocks(x) ? update_blocks(r, x) : r.update(x);
  r.finish(x);
}

void foreach(Rule& r, Work& w, Batch& b) {
  bool sparse = false;
  for (const at::Tensor& g : b.grads) sparse = sparse || g.is_sparse();
  if (sparse) {  // Not with foreach, whose operators do not support sparse gradients.
    for (size_t i : b.at) single(r, w, i);
    return;
  }
  if (r.real && b.params.front().is_complex()) {
    for (at::Tensor& t : b.params) as_real(t);
    for (at::Tensor& t : b.grads) as_real(t);
    for (auto& s : b.state) {
      for (at::Tensor& t : s) as_real(t);
    }
  }
  r.foreach(w, b);
}

}  // namespace

at::Tensor Rule::gradient(const One& x, double decay) const {
  at::Tensor grad = o.maximize ? at::_ops::neg::call(x.grad) : x.grad;
  return decay == 0 ? grad : at::_ops::add_Tensor::call(grad, x.param, decay);
}

void Rule::gradients(Batch& b, double decay) const {
  if (o.maximize) b.grads = at::_ops::_foreach_neg::call(b.grads);
  if (decay == 0) return;
  if (o.maximize) {
    at::_ops::_foreach_add__List::call(b.grads, b.params, decay);
  } else {
    b.grads = at::_ops::_foreach_add_List::call(b.grads, b.params, decay);
  }
}

std::optional<at::Tensor> beside(const Batch& b, const std::optional<at::Tensor>& t) {
  return t ? std::optional<at::Tensor>(t->to(b.params.front().device())) : std::nullopt;
}

void count_fused(Batch& b, int k) {
  if (!b.params.front().is_cpu()) {
    at::_ops::_foreach_add__Scalar::call(b.state[k], 1);
    return;
  }
  for (at::Tensor& s : b.state[k]) count(s);
}

void uncount_fused(Batch& b, int k, const std::optional<at::Tensor>& inf) {
  if (!inf) return;
  std::vector<at::Tensor> by(b.state[k].size(), inf->reshape({}));
  at::_ops::_foreach_sub__List::call(b.state[k], by, 1);
}

void copy_back(Batch& b) {
  for (auto& [dst, src] : b.copies) at::_ops::copy_::call(dst, src, false);
}

void run(Rule& r, const gt_tensor* params, gt_tensor* state, int64_t n, const gt_how& how) {
  Quiet quiet;
  const auto scale = one_number("scale", how.grad_scale), inf = one_number("foundInf", how.found_inf);
  Step step({params, state, n}, r.states);
  Work& w = step.work;
  list(w);
  if (w.size() == 0) return;
  How chosen = choose(w, how);
  if (chosen == How::fused && !r.with_fused) chosen = How::single;
  check(w, r.name, chosen, r.sparse);
  if (inf && r.must_know(w, chosen) && inf->item<float>() == 1) return;
  if (!r.beginnings) std::fill(w.first.begin(), w.first.end(), false);
  r.collect(w, chosen);
  if (scale && chosen != How::fused) unscale(w, *scale);
  if (chosen == How::single || (chosen == How::foreach && !r.has_foreach())) {
    for (size_t i = 0; i < w.size(); i++) {
      single(r, w, i);
      w.keep(i);
    }
  } else if (chosen == How::fused && alike(w)) {
    {
      Lent lent(w);
      r.fused(lent.batch, scale, inf);
    }
    for (size_t i = 0; i < w.size(); i++) w.keep(i);
  } else {
    for (Batch& b : batches(w, chosen)) {
      chosen == How::fused ? r.fused(b, scale, inf) : foreach(r, w, b);
      for (size_t i : b.at) w.keep(i);
    }
  }
  for (size_t i = 0; i < w.size(); i++) {
    wrote(w.params[i]);
    for (auto& s : w.state) {
      if (i < s.size() && s[i].defined()) wrote(s[i]);
    }
  }
}

}  // namespace gt

#endif
