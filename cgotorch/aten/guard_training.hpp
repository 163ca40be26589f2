// The guards of backward passes and optimizers. Part of boxed.cpp.
#pragma once

#include "../capturing.hpp"
#include "guard_raw.hpp"

namespace gt::guard {

void same_planes(const tensor& t, const tensor& as, int64_t dims) {
  if (!t.h || !as.h) return;
  const int64_t n = as->dim();
  GT_SHAPE(t->dim() == n && n >= dims && t->sizes().slice(0, n - dims) == as->sizes().slice(0, n - dims), t.name,
           ": expected the shape of ", as.name, ", ", as->sizes(), ", but for the last ", dims, " dimensions, got ",
           t->sizes());
}

void same_shapes(const tensors& list, const tensors& like) {
  same_count(list, like);
  for (int64_t i = 0; i < list.n; i++) {
    const auto &t = as(list.p[i]), &u = as(like.p[i]);
    GT_VALUE(t.defined() && u.defined(), list.name, ": expected a tensor at index ", i, ", got an undefined one");
    check_stored(list.name, t);
    check_stored(like.name, u);
    if (!u.device().is_cpu()) continue;
    GT_SHAPE(t.sizes() == u.sizes(), list.name, ": expected the shape of ", like.name, ", ", u.sizes(), ", at index ",
             i, ", got ", t.sizes());
    TORCH_CHECK(t.scalar_type() == u.scalar_type(), list.name, ": expected the dtype of ", like.name, ", ",
                u.scalar_type(), ", at index ", i, ", got ", t.scalar_type());
  }
}

void one_each(const tensors& list, const tensors& like) {
  same_count(list, like);
  for (int64_t i = 0; i < list.n; i++) {
    const auto& t = as(list.p[i]);
    GT_SHAPE(t.defined() && t.numel() == 1, list.name, ": expected one element at index ", i);
  }
}

void fail_groups(const tensor& t) {
  TORCH_CHECK(false, t.name, ": expected heads in dimension -3, as enable_gqa says, got shape ", t->sizes());
}

void distances(const tensor& grad, const tensor& x1, const tensor& x2, const tensor& cdist) {
  rank(x1, 2, INT64_MAX);
  rank(x2, 2, INT64_MAX);
  rank(grad, 2, INT64_MAX);
  same_shape(grad, cdist);
  same_dtype(grad, cdist);
  same_dtype(x1, x2);
  same_dtype(grad, x1);
  if (!x1.h || !x2.h || !grad.h) return;
  GT_SHAPE(x1->size(-1) == x2->size(-1), x2.name, ": expected ", x1->size(-1), " columns, as ", x1.name,
           " has, got shape ", x2->sizes());
  const int64_t n = std::max(x1->dim(), x2->dim());
  GT_SHAPE(grad->dim() == n, grad.name, ": expected ", n, " dimensions, got shape ", grad->sizes());
  for (int64_t d = 1; d <= n; d++) {
    const int64_t a = d <= x1->dim() ? x1->size(-d) : 1, b = d <= x2->dim() ? x2->size(-d) : 1;
    const int64_t want = d == 1 ? x2->size(-2) : d == 2 ? x1->size(-2) : a == 1 ? b : a;
    GT_SHAPE(d < 3 || a == b || a == 1 || b == 1, x2.name, ": expected the batches of ", x1.name, ", shape ",
             x1->sizes(), ", got ", x2->sizes());
    GT_SHAPE(grad->size(-d) == want, grad.name, ": expected size ", want, " in dimension ", n - d, ", got shape ",
             grad->sizes());
  }
}

void ctc(const tensor& grad, const tensor& log_probs, const tensor& targets, const ints& input_lengths,
         const ints& target_lengths, const tensor& nll, const tensor& log_alpha, const integer& blank) {
  rank(log_probs, 3, 3);
  rank(targets, 1, 2);
  rank(log_alpha, 3, 3);
  indices(targets);
  dense(targets);
  dense(log_probs);
  same_dtype(grad, log_probs);
  same_dtype(nll, log_probs);
  same_dtype(log_alpha, log_probs);
  as_long(grad, log_probs, 1);
  as_long(nll, log_probs, 1);
  if (!log_probs.h || !targets.h || !log_alpha.h) return;
  const int64_t steps = log_probs->size(0), batch = log_probs->size(1), classes = log_probs->size(2);
  length(input_lengths, batch, exactly);
  length(target_lengths, batch, exactly);
  between(blank, 0, classes - 1);
  between(input_lengths, 0, steps);
  int64_t longest = 0;
  double all = 0;
  for (int64_t i = 0; i < batch; i++) {
    longest = std::max(longest, target_lengths.p[i]);
    all += static_cast<double>(target_lengths.p[i]);
  }
  between(target_lengths, 0, targets->dim() == 2 ? targets->size(1) : targets->numel());
  if (targets->dim() == 2) {
    GT_SHAPE(targets->size(0) == batch, targets.name, ": expected shape [", batch, ", length], got ", targets->sizes());
  } else {
    GT_SHAPE(static_cast<double>(targets->numel()) >= all, targets.name, ": expected shape [", all, "], got ",
             targets->sizes());
  }
  GT_SHAPE(log_alpha->size(0) == batch && log_alpha->size(1) >= steps && log_alpha->size(2) >= 2 * longest + 1,
           log_alpha.name, ": expected shape [", batch, ", ", steps, ", ", 2 * longest + 1, "], got ",
           log_alpha->sizes());
  if (!readable(*targets)) return;
  const auto labels = targets->detach().to(at::kLong).resolve_neg().contiguous();
  const auto* row = static_cast<const int64_t*>(labels.const_data_ptr());
  for (int64_t i = 0; i < batch; i++) {  // The padding after a row's labels is not checked, because it is not read.
    for (int64_t k = 0; k < target_lengths.p[i]; k++) {
      TORCH_CHECK_INDEX(row[k] >= 0 && row[k] < classes, targets.name, ": expected values from 0 to ", classes - 1,
                        ", got ", row[k]);
    }
    row += targets->dim() == 2 ? targets->size(1) : target_lengths.p[i];
  }
}
void ctc(const tensor& grad, const tensor& log_probs, const tensor& targets, const tensor& input_lengths,
         const tensor& target_lengths, const tensor& nll, const tensor& log_alpha, const integer& blank) {
  std::vector<int64_t> in, out;
  each(*input_lengths, [&](int64_t v) { in.push_back(v); });
  each(*target_lengths, [&](int64_t v) { out.push_back(v); });
  if (readable(*input_lengths) && readable(*target_lengths)) {
    ctc(grad, log_probs, targets, ints{input_lengths.name, in.data(), static_cast<int64_t>(in.size())},
        ints{target_lengths.name, out.data(), static_cast<int64_t>(out.size())}, nll, log_alpha, blank);
  }
}

void no_more_than_dims(const tensors& list, const tensor& self) {
  if (self.h)
    TORCH_CHECK_INDEX(list.n <= self->dim(), list.name, ": expected at most ", self->dim(),
                      " tensors, one for each dimension, got ", list.n);
}

void not_captured(const tensor& t) {
  if (t.h && tl_capture) not_in_capture(c10::str("the values of ", t.name, " are read").c_str());
}

void packed(const tensor& data, const tensor& batch_sizes) {
  rank(data, 1, INT64_MAX);
  rank(batch_sizes, 1, 1);
  int64(batch_sizes);
  elements(batch_sizes, 1);
  if (!data.h) return;
  int64_t before = INT64_MAX, left = data->size(0);
  each(*batch_sizes, [&](int64_t v) {
    TORCH_CHECK_INDEX(v >= 1 && v <= before && v <= left, batch_sizes.name,
                      ": expected descending numbers that add up to the ", data->size(0), " rows of ", data.name,
                      ", got ", v);
    before = v;
    left -= v;
  });
}

void nested_view(const tensor& self, const tensor& size, const tensor& strides, const tensor& offsets) {
  for (const auto* t : {&size, &strides, &offsets}) int64(*t);
  rank(size, 2, 2);
  same_shape(strides, size);
  as_long(offsets, size, 0);
  elements(size, 1);
  if (!self.h || !size.h || !strides.h || !offsets.h || !readable(*size) || !readable(*strides) || !readable(*offsets))
    return;
  looked_at(*size);
  const auto n = size->contiguous(), by = strides->contiguous(), from = offsets->contiguous();
  const auto *p = static_cast<const int64_t*>(n.const_data_ptr()),
             *q = static_cast<const int64_t*>(by.const_data_ptr()),
             *at = static_cast<const int64_t*>(from.const_data_ptr());
  for (int64_t i = 0; i < n.size(0); i++) {
    double last = static_cast<double>(at[i]);
    bool none = false, bad = at[i] < 0;
    for (int64_t d = 0; d < n.size(1); d++, p++, q++) {
      none |= *p == 0;
      bad |= *p < 0 || *q < 0;
      last += static_cast<double>(*p - 1) * static_cast<double>(*q);
    }
    TORCH_CHECK_INDEX(!bad && (none || last < static_cast<double>(self->numel())), size.name,
                      ": expected tensors within the ", self->numel(), " elements of ", self.name,
                      ", got one at index ", i, " that is not");
  }
}

}  // namespace gt::guard
