// Second handles to tensors, which a recording keeps.
#pragma once

#include "graph.hpp"

namespace gt::capture {

// Returns a second TensorImpl for the same memory. Autograd takes over a gradient, or
// writes to it, only if nothing else holds its TensorImpl. The same tensor always gets
// the same alias during a call, because some kernels check whether two arguments are the
// same tensor.
class Aliases {
 public:
  at::Tensor of(const at::Tensor& t) {
    if (!t.defined()) return t;
    at::Tensor& alias = made_[t.unsafeGetTensorImpl()];
    if (!alias.defined()) alias = t.tensor_data();
    return alias;
  }

  IValue of(const IValue& v) {
    if (v.isTensor()) return of(v.toTensor());
    if (v.isTensorList()) {
      c10::List<at::Tensor> l;
      for (const at::Tensor& t : v.toTensorList()) l.push_back(of(t));
      return l;
    }
    if (v.isOptionalTensorList()) {
      c10::List<std::optional<at::Tensor>> l;
      for (const std::optional<at::Tensor>& t : v.toOptionalTensorList()) {
        l.push_back(t ? std::optional<at::Tensor>(of(*t)) : std::nullopt);
      }
      return l;
    }
    return v;
  }

  template <class F>
  void each(F f) const {
    for (const auto& [_, alias] : made_) f(alias);
  }

 private:
  std::unordered_map<c10::TensorImpl*, at::Tensor> made_;
};

}  // namespace gt::capture
