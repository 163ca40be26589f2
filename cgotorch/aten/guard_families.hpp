// The guards of single operators and families. Part of boxed.cpp.
#pragma once

#include "guard_basics.hpp"

#include <ATen/ops/result_type_ops.h>

#include <limits>
#include <string_view>

#if defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#ifndef HWCAP_SVE
#define HWCAP_SVE (1 << 22)
#endif
#endif

namespace gt::guard {

int64_t least_of(at::ScalarType t) {
  switch (t) {
    case at::kLong: return INT64_MIN;
    case at::kInt: return INT32_MIN;
    default: return 0;
  }
}

bool has(const at::Tensor& t, int64_t value) {
  bool found = false;
  each(t, [&](int64_t v) { found |= v == value; });
  return found;
}

constexpr const char* overflows = " / -1 cannot be represented: expected other values of self or other";

bool truncates(const text& mode) { return mode.n == 5 && std::string_view(mode.p, 5) == "trunc"; }

void no_overflow(const tensor& self, const tensor& other, const text& mode) {
  if (!self.h || !other.h || !truncates(mode) || !at::isIntegralType(self->scalar_type(), true) ||
      !at::isIntegralType(other->scalar_type(), true))
    return;
  if (!readable(*self) || !readable(*other)) return;
  if (self->scalar_type() == other->scalar_type() && !has(*other, -1)) return;
  // The common dtype may be narrower, so the conversion may turn an element into the
  // smallest int32 or -1.
  const auto to = at::_ops::result_type_Tensor::call(*self, *other);
  const int64_t least = least_of(to);
  if (!least) return;
  const auto a = self->detach().to(to).eq(least), b = other->detach().to(to).eq(-1);
  if (!a.any().item<bool>() || !b.any().item<bool>()) return;
  GT_VALUE(!a.logical_and(b).any().item<bool>(), "other: ", least, overflows);
}

void no_overflow(const tensor& self, const number& other, const text& mode) {
  if (!self.h || !truncates(mode) || (other.v.kind != GT_SCALAR_INT) || other.v.i != -1) return;
  const int64_t least = least_of(self->scalar_type());
  GT_VALUE(!least || !has(*self, least), "other: ", least, overflows);
}

// libtorch divides self by the greatest common divisor, which may be -1 if self is the
// smallest integer.
void no_overflow_lcm(const tensor& self, const tensor& other) {
  if (!self.h || !other.h || !readable(*self) || !readable(*other) || !at::isIntegralType(self->scalar_type(), false) ||
      !at::isIntegralType(other->scalar_type(), false))
    return;
  if (self->scalar_type() == other->scalar_type() &&
      (!least_of(self->scalar_type()) || !has(*self, least_of(self->scalar_type()))))
    return;
  const auto to = at::_ops::result_type_Tensor::call(*self, *other);
  const int64_t least = least_of(to);
  if (!least) return;
  const auto bad = self->detach().to(to).eq(least).logical_and(self->detach().gcd(other->detach()).eq(-1));
  GT_VALUE(!bad.any().item<bool>(), self.name, ": the multiples of ", least,
           " cannot be represented: expected other values");
}

// Converts a scalar as libtorch does for an integer dtype. Returns false if libtorch rejects it.
bool as_int64(const gt_scalar& s, int64_t& v) {
  switch (s.kind) {
    case GT_SCALAR_INT:
    case GT_SCALAR_BOOL: v = s.i; return true;
    case GT_SCALAR_COMPLEX:
      if (s.im != 0) return false;
      [[fallthrough]];
    case GT_SCALAR_FLOAT:
      if (!(s.d > -9.2e18 && s.d < 9.2e18)) return false;
      v = static_cast<int64_t>(s.d);
      return true;
    default: return false;
  }
}

void check_steps(const number& start, const number& end, const number& step) {
  int64_t a, b, by;
  if (!as_int64(start.v, a) || !as_int64(end.v, b) || !as_int64(step.v, by)) return;
  GT_VALUE(by != 0, step.name, ": expected a step that is not 0 in an integer dtype, got ", as_double(step.v));
  int64_t apart;
  GT_VALUE(!(__builtin_sub_overflow(b, a, &apart) || (by == -1 && apart == INT64_MIN)), end.name, ": ", b,
           " is too far from ", a);
}
bool whole(const integer& dtype) {
  return dtype.given && dtype.v >= 0 && dtype.v < static_cast<int64_t>(at::ScalarType::NumOptions) &&
         at::isIntegralType(static_cast<at::ScalarType>(dtype.v), true);
}
void arange_steps(const number& start, const number& end, const number& step, const integer& dtype) {
  if (dtype.given && dtype.v == static_cast<int64_t>(at::kLong)) check_steps(start, end, step);
}
void arange_steps(const number& start, const number& end, const number& step, const tensor& out) {
  if (out.h && out->scalar_type() == at::kLong) check_steps(start, end, step);
}
void range_steps(const number& start, const number& end, const number& step, const integer& dtype) {
  if (whole(dtype)) check_steps(start, end, step);
}
void range_steps(const number& start, const number& end, const number& step, const tensor& out) {
  if (out.h && at::isIntegralType(out->scalar_type(), true)) check_steps(start, end, step);
}

// A higher degree takes seconds for a few elements, and its values are not meaningful.
constexpr int64_t highest_degree = 10'000'000;
void degree(const tensor& n) {
  if (!readable(*n)) return;
  bool more;
  if (at::isIntegralType(n->scalar_type(), true)) {
    more = false;
    each(*n, [&](int64_t v) { more |= v > highest_degree; });
  } else {
    more = n->detach().gt(highest_degree).any().item<bool>();
  }
  GT_VALUE(!more, n.name, ": expected degrees of at most ", highest_degree);
}
void degree(const number& n) { between(n, -std::numeric_limits<double>::infinity(), highest_degree); }

void inside(const tensor& self, const ints& size, const ints& stride) {
  if (!self.h || !self->has_storage()) return;
  GT_VALUE(size.n == stride.n, stride.name, ": expected ", size.n, " numbers, as ", size.name, " has, got ", stride.n);
  double last = static_cast<double>(self->storage_offset());
  bool none = false;
  for (int64_t i = 0; i < size.n; i++) {
    GT_VALUE(size.p[i] >= 0, size.name, ": expected sizes from 0 up, got ", size.p[i]);
    GT_VALUE(stride.p[i] >= 0, stride.name, ": expected strides from 0 up, got ", stride.p[i]);
    none |= size.p[i] == 0;
    last += static_cast<double>(size.p[i] - 1) * static_cast<double>(stride.p[i]);
  }
  const double has = static_cast<double>(self->storage().nbytes() / std::max<size_t>(self->itemsize(), 1));
  GT_SHAPE(none || last < has, stride.name, ": sizes ", at::IntArrayRef(size.p, size.n), " with strides ",
           at::IntArrayRef(stride.p, stride.n), " go beyond the ", static_cast<int64_t>(has),
           " elements of the storage of ", self.name);
}

void nearest(const real& scale) {
  constexpr double least = 1.0 / (int64_t{1} << 31);
  GT_VALUE(!scale.given || !(scale.v > 0) || scale.v >= least, scale.name, ": expected a scale of at least 2^-31, got ",
           scale.v);
}

static void antialiased(int64_t height, int64_t width, const ints& output_size, const boolean& align_corners,
                        const real& scales_h, const real& scales_w, int64_t reach) {
  if (align_corners.v || output_size.n != 2) return;
  for (const int i : {0, 1}) {
    const real& scale = i ? scales_w : scales_h;
    nearest(scale);
    if (!scale.given || !(scale.v > 0)) continue;
    const int64_t has = i ? width : height;
    const double by = 1 / scale.v, first = by * (static_cast<double>(output_size.p[i]) - 0.5) -
                                           static_cast<double>(reach) * std::max(by, 1.0) + 0.5;
    GT_VALUE(first < static_cast<double>(has), scale.name, ": a scale of ", scale.v, " and ", output_size.p[i],
             " pixels go beyond the ", has, " pixels of the image");
  }
}
void antialiased(const tensor& self, const ints& output_size, const boolean& align_corners, const real& scales_h,
                 const real& scales_w, int64_t reach) {
  if (!self.h) return;
  rank(self, 4, 4);
  const auto size = as(self.h).sizes();
  antialiased(size[2], size[3], output_size, align_corners, scales_h, scales_w, reach);
}
void antialiased(const ints& input_size, const ints& output_size, const boolean& align_corners, const real& scales_h,
                 const real& scales_w, int64_t reach) {
  if (input_size.n == 4)
    antialiased(input_size.p[2], input_size.p[3], output_size, align_corners, scales_h, scales_w, reach);
}

void batch_norm(const tensor& input, const tensor& weight, const tensor& bias) {
  rank(input, 2, INT64_MAX);
  for (const auto* t : {&weight, &bias}) as_long(*t, input, 1);
}
void batch_norm(const tensor& input, const tensor& weight, const tensor& bias, const tensor& mean, const tensor& var,
                const boolean& training) {
  batch_norm(input, weight, bias);
  batch_norm(input, mean, var);
  if (!training.v) {
    given(mean);
    given(var);
  }
}
void batch_norm_backward(const tensor& grad, const tensor& input, const tensor& weight, const tensor& mean,
                         const tensor& var, const tensor& save_mean, const tensor& save_invstd, const boolean& train) {
  batch_norm(input, weight, weight, mean, var, train);
  same_shape(grad, input);
  if (!train.v) return;  // saved statistics are read only in training, and are usually empty otherwise
  batch_norm(input, save_mean, save_invstd);
  given(save_mean);
  given(save_invstd);
}

void places(const tensor& indices, const tensor& self, int64_t dims, int64_t least) {
  if (!self.h || !indices.h) return;
  rank(self, dims, INT64_MAX);
  int64_t n = 1;
  for (int64_t d = 1; d <= dims; d++) n *= self->size(-d);
  values(indices, least, n - 1);
}

void rows(const tensor& indices, const integer& num_weights, const integer& padding_idx, const boolean& scale) {
  int64_t bad = 0;
  bool found = false;
  each(*indices, [&](int64_t v) {
    if ((v < 0 || v >= num_weights.v) && (scale.v || v != padding_idx.v)) found = true, bad = v;
  });
  TORCH_CHECK_INDEX(!found, indices.name, ": expected values from 0 to ", num_weights.v - 1, ", got ", bad);
}

void pivots(const tensor& LU, const tensor& pivots, int64_t sign) {
  if (!LU.h || !pivots.h) return;
  rank(LU, 2, INT64_MAX);
  rank(pivots, 1, INT64_MAX);
  const int64_t n = LU->size(-2);
  int64_t bad = 0;
  bool found = false;
  each(*pivots, [&](int64_t v) {
    const int64_t u = sign < 0 && v < 0 && v != INT64_MIN ? -v : v;
    if (u < 1 || u > n) found = true, bad = v;
  });
  TORCH_CHECK_INDEX(!found, pivots.name, ": expected values from 1 to ", n, ", got ", bad);
}

void check_segments(const tensor& data, const tensor& t, int64_t axis, bool ends) {
  if (!t.h) return;
  TORCH_CHECK_INDEX(axis >= 0 && axis < data->dim() && axis == t->dim() - 1, "axis: expected the last dimension of ",
                    t.name, ", ", t->dim() - 1, ", got ", axis);
  for (int64_t d = 0; d < axis; d++) {
    GT_SHAPE(t->size(d) == data->size(d), t.name, ": expected size ", data->size(d), " in dimension ", d, ", as ",
             data.name, " has, got shape ", t->sizes());
  }
  indices(t);
  looked_at(*t);
  if (!readable(*t)) return;
  const auto values = t->detach().to(at::kLong).contiguous();
  const auto* p = static_cast<const int64_t*>(values.const_data_ptr());
  const int64_t each = t->size(axis), n = data->size(axis);
  GT_SHAPE(!ends || each > 0, t.name, ": expected at least one number in the last dimension, got shape ", t->sizes());
  for (int64_t row = each > 0 ? t->numel() / each : 0; row > 0; row--, p += each) {
    int64_t at = 0;
    for (int64_t i = 0; i < each; i++) {
      const bool fits = ends ? p[i] >= at && p[i] <= n : p[i] >= 0 && p[i] <= n - at;
      TORCH_CHECK_INDEX(fits, t.name, ": expected ", ends ? "numbers in order" : "lengths", " within the ", n,
                        " places of ", data.name, ", got ", p[i], " at index ", i);
      at = ends ? p[i] : at + p[i];
    }
  }
}
void segments(const tensor& data, const tensor& lengths, const tensor& offsets, const integer& axis) {
  if (!data.h) return;
  dense(data);
  const int64_t at = axis.v < 0 ? axis.v + data->dim() : axis.v;
  check_segments(data, lengths, at, false);
  check_segments(data, offsets, at, true);
}
void segments_backward(const tensor& grad, const tensor& output, const tensor& data, const tensor& lengths,
                       const tensor& offsets, const integer& axis) {
  segments(data, lengths, offsets, axis);
  same_shape(grad, output);
  same_dtype(grad, data);
  same_dtype(output, data);
  if (!data.h || !output.h) return;
  const int64_t at = axis.v < 0 ? axis.v + data->dim() : axis.v;
  GT_SHAPE(output->dim() == data->dim(), output.name, ": expected ", data->dim(), " dimensions, got shape ",
           output->sizes());
  for (int64_t d = 0; d < data->dim(); d++) {
    const int64_t want = d != at     ? data->size(d)
                         : lengths.h ? lengths->size(-1)
                         : offsets.h ? offsets->size(-1) - 1
                                     : output->size(d);
    GT_SHAPE(output->size(d) == want, output.name, ": expected size ", want, " in dimension ", d, ", got shape ",
             output->sizes());
  }
}

void grid_grad(const tensor& grad, const tensor& input, const tensor& grid) {
  if (!grad.h || !input.h || !grid.h) return;
  const int64_t n = input->dim();
  GT_SHAPE(n >= 3 && grad->dim() == n && grid->dim() == n, grad.name, ": expected the dimensions of ", input.name,
           " and ", grid.name, ", ", n, ", got shape ", grad->sizes());
  for (int64_t d = 0; d < n; d++) {
    const int64_t want = d < 2 ? input->size(d) : grid->size(d - 1);
    GT_SHAPE(grad->size(d) == want, grad.name, ": expected size ", want, " in dimension ", d, ", got shape ",
             grad->sizes());
  }
}

void gates(const tensor& t, int64_t n) {
  rank(t, 2, 2);
  if (t.h)
    GT_SHAPE(t->size(1) > 0 && t->size(1) % n == 0, t.name, ": expected shape [batch, ", n, " x hidden size], got ",
             t->sizes());
}

void vectors() {
#if defined(__aarch64__) && defined(__linux__)
  static const bool sve = getauxval(AT_HWCAP) & HWCAP_SVE;
  TORCH_CHECK_NOT_IMPLEMENTED(sve, "libtorch's kernel has instructions (SVE) that this processor lacks");
#endif
}

}  // namespace gt::guard
