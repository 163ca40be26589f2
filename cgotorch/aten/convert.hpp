// Conversions between the types of abi.h and the arguments and results of operators, for
// the generated files in this directory.
#pragma once

#include "../abi.hpp"

#include <c10/core/SymBool.h>
#include <c10/core/SymIntArrayRef.h>
#include <c10/util/OptionalArrayRef.h>

#include <array>
#include <optional>
#include <tuple>
#include <vector>

namespace gt {

[[noreturn]] __attribute__((noinline, cold)) inline void missing(const char* what) {
  throw MissingOperator(std::string(what) + " is not in libtorch " TORCH_VERSION);
}

// --- arguments --------------------------------------------------------------

// A borrowed handle as an optional tensor. It holds the caller's reference. Neither the
// constructor nor the destructor changes the reference count.
class opt_tensor {
 public:
  explicit opt_tensor(gt_tensor h) {
    if (h)
      v_.emplace(
          c10::intrusive_ptr<at::TensorImpl, at::UndefinedTensorImpl>::reclaim(reinterpret_cast<at::TensorImpl*>(h)));
  }
  ~opt_tensor() {
    if (v_) v_->unsafeReleaseTensorImpl();
  }
  opt_tensor(const opt_tensor&) = delete;
  opt_tensor& operator=(const opt_tensor&) = delete;
  operator const std::optional<at::Tensor>&() const { return v_; }

 private:
  std::optional<at::Tensor> v_;
};

// Copies the tensor that an operator has assigned to a slot (left) to the caller's tensor
// (own).
void settle(const at::Tensor& own, const at::Tensor& left);

// An argument that an operator writes to. Some kernels assign a different tensor to it,
// so a slot owns a reference. The caller has only a handle to the original tensor, so
// settle copies the assigned tensor to the original.
class slot {
 public:
  explicit slot(gt_tensor h) : h_(h) {
    TORCH_CHECK(h, "expected a tensor to write to, got an undefined one");
    own_ = as(h_);
  }
  operator at::Tensor&() { return own_; }
  void settle() {
    if (__builtin_expect(!own_.is_same(as(h_)), 0)) gt::settle(as(h_), own_);
  }

 private:
  gt_tensor h_;
  at::Tensor own_;
};

class scalars {
 public:
  scalars(const gt_scalar* p, int64_t n) {
    v_.reserve(n);
    for (int64_t i = 0; i < n; i++) v_.push_back(scalar(p[i]));
  }
  at::ArrayRef<at::Scalar> list() const { return v_; }

 private:
  std::vector<at::Scalar> v_;
};

inline std::optional<at::Scalar> opt_scalar(const gt_scalar& s) {
  return s.kind == GT_SCALAR_NONE ? std::nullopt : std::optional<at::Scalar>(scalar(s));
}

// Optional numbers are pointers, null for None. The length of an optional list is -1 for
// None.
template <class T>
inline std::optional<T> opt(const T* p) {
  return p ? std::optional<T>(*p) : std::nullopt;
}
inline std::optional<c10::SymInt> opt_sym(const int64_t* p) {
  return p ? std::optional<c10::SymInt>(c10::SymInt(*p)) : std::nullopt;
}

inline at::IntArrayRef ints(const int64_t* p, int64_t n) { return at::IntArrayRef(p, n); }
inline at::OptionalIntArrayRef opt_ints(const int64_t* p, int64_t n) {
  return n < 0 ? at::OptionalIntArrayRef() : at::OptionalIntArrayRef(ints(p, n));
}
inline c10::SymIntArrayRef syms(const int64_t* p, int64_t n) { return c10::fromIntArrayRefSlow(ints(p, n)); }
inline at::OptionalSymIntArrayRef opt_syms(const int64_t* p, int64_t n) {
  return n < 0 ? at::OptionalSymIntArrayRef() : at::OptionalSymIntArrayRef(syms(p, n));
}
inline std::optional<at::ArrayRef<double>> opt_floats(const double* p, int64_t n) {
  return n < 0 ? std::nullopt : std::optional<at::ArrayRef<double>>(at::ArrayRef<double>(p, n));
}
inline std::optional<c10::string_view> opt_str(const char* p, int64_t n) {
  return n < 0 ? std::nullopt : std::optional<c10::string_view>(c10::string_view(p, n));
}
template <size_t N>
inline std::array<bool, N> mask(const bool* p) {
  std::array<bool, N> a;
  for (size_t i = 0; i < N; i++) a[i] = p[i];
  return a;
}

// Enumerations have libtorch's numbers; -1 means None where None is allowed. They are
// checked because a program can convert any integer to such a type, and libtorch does not
// check the value.
inline at::ScalarType dtype(int8_t v) {
  TORCH_CHECK(v >= 0 && v < static_cast<int8_t>(at::ScalarType::NumOptions) &&
                  v != static_cast<int8_t>(at::ScalarType::Undefined),
              "unknown dtype number ", int(v));
  return static_cast<at::ScalarType>(v);
}
inline at::Layout layout(int8_t v) {
  TORCH_CHECK_VALUE(v >= 0 && v < static_cast<int8_t>(at::Layout::NumOptions), "unknown layout number ", int(v));
  return static_cast<at::Layout>(v);
}
inline at::MemoryFormat memory_format(int8_t v) {
  TORCH_CHECK_VALUE(v >= 0 && v < static_cast<int8_t>(at::MemoryFormat::NumOptions), "unknown memory format number ",
                    int(v));
  return static_cast<at::MemoryFormat>(v);
}
// A device is type << 8 | (index + 1), so that an absent index is 0. The CPU has
// no indices.
inline at::Device device(int32_t v) {
  TORCH_CHECK(v != -1, "expected a device type, got none");
  const int32_t type = v >> 8, index = (v & 0xff) - 1;
  TORCH_CHECK(
      v >= 0 && type < c10::COMPILE_TIME_MAX_DEVICE_TYPES && index <= INT8_MAX && (type != GT_DEVICE_CPU || index < 0),
      "invalid device: Device(", v + 1, ") is no device, one of CUDA is written torch.CUDA(n)");
  return at::Device(static_cast<at::DeviceType>(type), static_cast<at::DeviceIndex>(index));
}
inline std::optional<at::ScalarType> opt_dtype(int8_t v) {
  return v == -1 ? std::nullopt : std::optional<at::ScalarType>(dtype(v));
}
inline std::optional<at::Layout> opt_layout(int8_t v) {
  return v == -1 ? std::nullopt : std::optional<at::Layout>(layout(v));
}
inline std::optional<at::MemoryFormat> opt_memory_format(int8_t v) {
  return v == -1 ? std::nullopt : std::optional<at::MemoryFormat>(memory_format(v));
}
inline std::optional<at::Device> opt_device(int32_t v) {
  return v == -1 ? std::nullopt : std::optional<at::Device>(device(v));
}
inline std::optional<at::Generator> generator(gt_generator h) {
  if (!h) return std::nullopt;
  at::Generator g(
      c10::intrusive_ptr<c10::GeneratorImpl>::unsafe_reclaim_from_nonowning(reinterpret_cast<c10::GeneratorImpl*>(h)));
  if (auto* note = note_draws.load(std::memory_order_relaxed)) note(g);
  return g;
}

// --- results ----------------------------------------------------------------

inline gt_ret one(at::Tensor&& t) { return gt_ret{release(std::move(t)), 0}; }

__attribute__((noinline)) inline gt_list_ret list(std::vector<at::Tensor>&& v) {
  gt_list_ret r{nullptr, static_cast<int64_t>(v.size()), 0};
  if (v.empty()) return r;
  r.items = static_cast<gt_tensor*>(std::malloc(v.size() * sizeof(gt_tensor)));
  if (!r.items) throw std::bad_alloc();
  for (size_t i = 0; i < v.size(); i++) r.items[i] = release(std::move(v[i]));
  return r;
}

inline int64_t number(int64_t v) { return v; }
inline int64_t number(bool v) { return v; }
inline double number(double v) { return v; }
inline int64_t number(at::ScalarType v) { return static_cast<int64_t>(v); }
inline int64_t number(at::QScheme v) { return static_cast<int64_t>(v); }
inline int64_t number(const c10::SymInt& v) { return v.guard_int(__FILE__, __LINE__); }
inline int64_t number(const c10::SymBool& v) { return v.guard_bool(__FILE__, __LINE__); }

inline gt_scalar number(const at::Scalar& s) {
  if (s.isBoolean()) return gt_scalar{GT_SCALAR_BOOL, s.toBool(), 0, 0};
  if (s.isIntegral(false)) return gt_scalar{GT_SCALAR_INT, s.toLong(), 0, 0};
  if (s.isComplex()) {
    const auto c = s.toComplexDouble();
    return gt_scalar{GT_SCALAR_COMPLEX, 0, c.real(), c.imag()};
  }
  return gt_scalar{GT_SCALAR_FLOAT, 0, s.toDouble(), 0};
}

}  // namespace gt
