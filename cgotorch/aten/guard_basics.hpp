// The guards on single arguments. Part of boxed.cpp.
#pragma once

#include "../capturing.hpp"
#include "guards.hpp"

#include <cmath>

namespace gt::guard {

// Throws a plain c10::Error, as libtorch does. Go recognizes a shape error by the words
// of the message.
#define GT_SHAPE(ok, ...) TORCH_CHECK(__builtin_expect(ok, 1), __VA_ARGS__)
#define GT_VALUE(ok, ...) TORCH_CHECK_VALUE(__builtin_expect(ok, 1), __VA_ARGS__)

void fail_length(const ints& list, int64_t want, lengths how) {
  const char* also = how == exactly ? "" : how == or_one ? ", or one for all" : ", or one for all, or none";
  TORCH_CHECK_VALUE(false, list.name, ": expected ", want, " numbers", also, ", got ", list.n);
}

void some(const tensors& list) { GT_VALUE(list.n > 0, list.name, ": expected a non-empty list of tensors"); }

void some(const ints& list) { GT_VALUE(list.n != 0, list.name, ": expected a non-empty list"); }

void count(const tensors& list, int64_t n) {
  GT_VALUE(list.n == n, list.name, ": expected ", n, " tensors, got ", list.n);
}

void same_count(const tensors& a, const tensors& b) {
  GT_VALUE(a.n == b.n, a.name, " and ", b.name, ": expected lists of the same length, got ", a.n, " and ", b.n,
           " tensors");
}

void between(const integer& v, int64_t least, int64_t most) {
  GT_VALUE(!v.given || (v.v >= least && v.v <= most), v.name, ": expected a number from ", least, " to ", most,
           ", got ", v.v);
}

void between(const ints& v, int64_t least, int64_t most) {
  for (int64_t i = 0; i < v.n; i++) {
    GT_VALUE(v.p[i] >= least && v.p[i] <= most, v.name, ": expected numbers from ", least, " to ", most, ", got ",
             v.p[i], " at index ", i);
  }
}

void between(const real& v, double least, double most) {
  GT_VALUE(!v.given || (v.v >= least && v.v <= most), v.name, ": expected a number from ", least, " to ", most,
           ", got ", v.v);
}

double as_double(const gt_scalar& s) {
  return s.kind == GT_SCALAR_INT || s.kind == GT_SCALAR_BOOL ? static_cast<double>(s.i) : s.d;
}

void between(const number& v, double least, double most) {
  const double d = as_double(v.v);
  GT_VALUE(v.v.kind == GT_SCALAR_NONE || (d >= least && d <= most), v.name, ": expected a number from ", least, " to ",
           most, ", got ", d);
}

void given(const tensor& t) { GT_VALUE(t.h != 0, t.name, ": expected a tensor, got an undefined one"); }

void check_rank(const char* name, const at::Tensor& t, int64_t least, int64_t most) {
  if (!t.defined() || (t.dim() >= least && t.dim() <= most)) return;
  if (least == most) TORCH_CHECK(false, name, ": expected ", least, " dimensions, got shape ", t.sizes());
  TORCH_CHECK(false, name, ": expected ", least, " to ", most, " dimensions, got shape ", t.sizes());
}
void rank(const tensor& t, int64_t least, int64_t most) { check_rank(t.name, *t, least, most); }
void rank(const tensors& list, int64_t least, int64_t most) {
  for (int64_t i = 0; i < list.n; i++) check_rank(list.name, as(list.p[i]), least, most);
}

bool nested(const at::Tensor& t) { return t.defined() && t.is_nested(); }

void same_shape(const tensor& t, const tensor& as) {
  if (!t.h || !as.h || nested(*t) || nested(*as)) return;
  GT_SHAPE(t->sizes() == as->sizes(), t.name, ": expected the shape of ", as.name, ", ", as->sizes(), ", got ",
           t->sizes());
}

void same_count(const tensor& t, const tensor& as) {
  if (!t.h || !as.h) return;
  GT_SHAPE(t->numel() == as->numel(), t.name, ": expected as many elements as ", as.name, " has, ", as->numel(),
           ", got shape ", t->sizes());
}

void same_dtype(const tensor& t, const tensor& as) {
  if (!t.h || !as.h) return;
  TORCH_CHECK(t->scalar_type() == as->scalar_type(), t.name, ": expected the dtype of ", as.name, ", ",
              as->scalar_type(), ", got ", t->scalar_type());
}

void as_long(const tensor& t, const tensor& as, int64_t d) {
  if (!t.h || !as.h || nested(*as)) return;
  rank(as, d + 1, INT64_MAX);
  GT_SHAPE(t->numel() == as->size(d), t.name, ": expected shape [", as->size(d), "], one for each place of dimension ",
           d, " of ", as.name, ", got ", t->sizes());
}

void elements(const tensor& t, int64_t least) {
  if (!t.h) return;
  GT_SHAPE(t->numel() >= least, t.name, ": expected at least ", least, " elements, got shape ", t->sizes());
}

void check_dense(const char* name, const at::Tensor& t) {
  if (!t.defined()) return;
  TORCH_CHECK_NOT_IMPLEMENTED(!t.is_nested() && t.layout() == at::kStrided && !t.is_quantized(), name,
                              ": expected a dense tensor, got a ",
                              t.is_nested()      ? "nested one"
                              : t.is_quantized() ? "quantized one"
                                                 : "sparse one or one of another layout");
}
void yes(const boolean& v) { GT_VALUE(v.v, v.name, ": expected true, got false"); }

void check_stored(const char* name, const at::Tensor& t) {
  TORCH_CHECK_NOT_IMPLEMENTED(!t.defined() || (!t.is_nested() && t.has_storage()), name,
                              ": expected a tensor with a storage, got a sparse one or one of another layout");
}
void stored(const tensor& t) { check_stored(t.name, *t); }
void stored(const tensors& list) {
  for (int64_t i = 0; i < list.n; i++) check_stored(list.name, as(list.p[i]));
}

void dense(const tensor& t) { check_dense(t.name, *t); }
void dense(const tensors& list) {
  for (int64_t i = 0; i < list.n; i++) check_dense(list.name, as(list.p[i]));
}

void resolved(const tensor& t) {
  if (t.h)
    GT_VALUE(!t->is_neg() && !t->is_conj(), t.name, ": expected a tensor that is not a negated or conjugated view");
}

void int64(const tensor& t) {
  if (t.h) TORCH_CHECK(t->scalar_type() == at::kLong, t.name, ": expected dtype int64, got ", t->scalar_type());
}
void indices(const tensor& t) {
  if (t.h)
    TORCH_CHECK(t->scalar_type() == at::kLong || t->scalar_type() == at::kInt, t.name,
                ": expected dtype int64 or int32, got ", t->scalar_type());
}
void floating(const tensor& t) {
  if (t.h)
    TORCH_CHECK(at::isFloatingType(t->scalar_type()), t.name, ": expected a floating-point dtype, got ",
                t->scalar_type());
}
void float32(const tensor& t) {
  if (t.h) TORCH_CHECK(t->scalar_type() == at::kFloat, t.name, ": expected dtype float32, got ", t->scalar_type());
}

void dimension(const tensor& t, const integer& dim) {
  if (!t.h || !dim.given) return;
  const int64_t n = std::max<int64_t>(t->dim(), 1);
  TORCH_CHECK_INDEX(dim.v >= -n && dim.v < n, dim.name, ": expected a dimension from ", -n, " to ", n - 1, ", got ",
                    dim.v);
}

void dimensions(const tensor& t, const ints& dims) {
  if (!t.h) return;
  for (int64_t i = 0; i < dims.n; i++) {
    TORCH_CHECK_INDEX(dims.p[i] >= 0 && dims.p[i] < t->dim(), dims.name, ": expected dimensions from 0 to ",
                      t->dim() - 1, ", got ", dims.p[i]);
    for (int64_t j = 0; j < i; j++)
      TORCH_CHECK_INDEX(dims.p[i] != dims.p[j], dims.name, ": dimension ", dims.p[i], " occurs twice");
  }
}

void fail_nested(const tensor& t, const integer& dim) {
  TORCH_CHECK_INDEX(false, dim.name, ": expected a dimension from 0 to ", t->dim() - 1, " of a nested tensor, got ",
                    dim.v);
}

void fail_nested_rank(const tensor& t) {
  TORCH_CHECK(false, t.name, ": expected a nested tensor of 2 dimensions or more, got ", t->dim());
}

void fail_meta(const tensor& a, const tensor& b) {
  TORCH_CHECK(false, a.name, " and ", b.name, ": expected the same device, got ", a->device(), " and ", b->device());
}

// Calls f with each element of a CPU tensor whose elements are of type T.
template <class T, class F>
void each_of(const at::Tensor& t, F f) {
  const auto* p = static_cast<const T*>(t.const_data_ptr());
  if (t.is_contiguous()) {
    for (int64_t i = 0, n = t.numel(); i < n; i++) f(p[i]);
    return;
  }
  const int64_t dims = t.dim();
  c10::SmallVector<int64_t, 8> at(dims, 0);
  for (int64_t n = t.numel(), offset = 0; n > 0; n--) {
    f(p[offset]);
    for (int64_t d = dims - 1; d >= 0; d--) {
      offset += t.stride(d);
      if (++at[d] < t.size(d)) break;
      offset -= at[d] * t.stride(d);
      at[d] = 0;
    }
  }
}
// Whether the elements can be read. A tensor of _efficientzerotensor has no memory.
bool readable(const at::Tensor& t) {
  return t.defined() && t.device().is_cpu() && !t.is_nested() && t.layout() == at::kStrided && !t.is_quantized() &&
         t.has_storage() && !t._is_zerotensor();
}
inline void looked_at(const at::Tensor& t) {
  if (tl_capture && readable(t)) watch_values.load()(t);
}
template <class F>
void each(const at::Tensor& given, F f) {
  looked_at(given);
  if (!readable(given)) return;
  const auto t = given.resolve_neg();
  switch (t.scalar_type()) {
    case at::kLong: return each_of<int64_t>(t, f);
    case at::kInt: return each_of<int32_t>(t, f);
    case at::kShort: return each_of<int16_t>(t, f);
    case at::kChar: return each_of<int8_t>(t, f);
    case at::kByte: return each_of<uint8_t>(t, f);
    case at::kUInt16: return each_of<uint16_t>(t, f);
    case at::kUInt32: return each_of<uint32_t>(t, f);
    case at::kUInt64:
      return each_of<uint64_t>(t, [&](uint64_t v) { f(static_cast<int64_t>(std::min<uint64_t>(v, INT64_MAX))); });
    default: return;
  }
}

void values(const tensor& t, int64_t least, int64_t most) {
  int64_t low = INT64_MAX, high = INT64_MIN;
  each(*t, [&](int64_t v) {
    low = std::min(low, v);
    high = std::max(high, v);
  });
  if (low > high) return;
  TORCH_CHECK_INDEX(low >= least && high <= most, t.name, ": expected values from ", least, " to ", most, ", got ",
                    low < least ? low : high);
}

void finite(const tensor& t) {
  if (!readable(*t) || !(at::isFloatingType(t->scalar_type()) || at::isComplexType(t->scalar_type()))) return;
  GT_VALUE(t->isfinite().all().item<bool>(), t.name, ": expected finite values, got infinities or NaN");
}

}  // namespace gt::guard
