#ifdef GOTORCH_TOGETHER  // together.cpp includes this file

#include "copies.hpp"

#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_strided.h>

#include <cstring>

namespace gt::capture {

at::Tensor copied(const at::Tensor& t) {
  if (!t.defined()) return t;
  if (storage(t)->data() || t.numel() == 0) return t.clone();
  at::Tensor c = t.is_non_overlapping_and_dense() ? at::empty_strided(t.sizes(), t.strides(), t.options())
                                                  : at::empty(t.sizes(), t.options());
  if (!t.is_floating_point()) return c.zero_();
  return c.copy_(at::arange(t.numel(), at::kFloat).mul_(0.6180339887).frac_().view(t.sizes()));
}

static IValue copied(const IValue& v) {
  if (v.isTensor()) return copied(v.toTensor());
  if (v.isTensorList()) {
    c10::List<at::Tensor> l;
    for (const at::Tensor& t : v.toTensorList()) l.push_back(copied(t));
    return l;
  }
  if (v.isOptionalTensorList()) {
    c10::List<std::optional<at::Tensor>> l;
    for (const std::optional<at::Tensor>& t : v.toOptionalTensorList()) {
      l.push_back(t && t->defined() ? std::optional<at::Tensor>(copied(*t)) : std::nullopt);
    }
    return l;
  }
  return v;
}

std::vector<IValue> copied(const std::vector<IValue>& values) {
  std::vector<IValue> all;
  for (const IValue& v : values) all.push_back(copied(v));
  return all;
}

bool same_bits(const at::Tensor& a, const at::Tensor& b) {
  if (a.sizes() != b.sizes() || a.strides() != b.strides() || a.scalar_type() != b.scalar_type()) return false;
  const at::Tensor x = a.contiguous(), y = b.contiguous();
  return x.numel() == 0 || !std::memcmp(x.const_data_ptr(), y.const_data_ptr(), x.nbytes());
}

}  // namespace gt::capture

#endif
