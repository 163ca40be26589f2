// Conversions of tensor lists. They are not in convert.hpp
// because the headers that they need are slow to compile.
#pragma once

#include "convert.hpp"

#include <ATen/core/IListRef.h>
#include <ATen/core/List.h>
#include <c10/util/SmallVector.h>

namespace gt {

// Borrowed handles as a tensor list. The list is the caller's array itself, or a copy if
// the array contains undefined tensors, which are not null pointers in C++.
class tensors {
 public:
  tensors(const gt_tensor* p, int64_t n) : p_(p), n_(n) {
    for (int64_t i = 0; i < n; i++) {
      if (p[i]) continue;
      own_.assign(p, p + n);
      for (auto& h : own_) {
        if (!h) h = reinterpret_cast<gt_tensor>(static_cast<at::TensorImpl*>(at::UndefinedTensorImpl::singleton()));
      }
      p_ = own_.data();
      break;
    }
  }
  tensors(const tensors&) = delete;
  tensors& operator=(const tensors&) = delete;
  at::TensorList list() const { return at::TensorList(reinterpret_cast<const at::Tensor*>(p_), n_); }

 private:
  const gt_tensor* p_;
  int64_t n_;
  c10::SmallVector<gt_tensor, 4> own_;
};

__attribute__((noinline)) inline c10::List<std::optional<at::Tensor>> opt_tensors(const gt_tensor* p, int64_t n) {
  c10::List<std::optional<at::Tensor>> l;
  l.reserve(n);
  for (int64_t i = 0; i < n; i++) {
    l.push_back(p[i] ? std::optional<at::Tensor>(as(p[i])) : std::nullopt);
  }
  return l;
}

}  // namespace gt
