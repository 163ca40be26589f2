#include "own.hpp"

#include <cmath>

namespace gt::capture {

namespace {

// For more elements, libtorch uses wider instructions and several threads.
constexpr int64_t kSmall = 1 << 13;

// Operators on up to two tensors and a number. Each computes one IEEE 754 operation or a
// selection, so the result does not depend on the order or the vector width, except for
// NaN payloads.
using Kernel = void (*)(float* out, const float* x, const float* y, float s, int64_t n);

// g++ vectorizes the loop only at -O3. clang does so at -O2, and does not support the attribute.
#ifdef __clang__
#define GT_VECTORIZED
#else
#define GT_VECTORIZED __attribute__((optimize("O3")))
#endif

template <class F>
GT_VECTORIZED void each(float* out, const float* x, const float* y, float s, int64_t n) {
  for (int64_t i = 0; i < n; i++) out[i] = F::of(x[i], y[i], s);
}

struct Add {
  static float of(float x, float y, float) { return x + y; }
};
struct Sub {
  static float of(float x, float y, float) { return x - y; }
};
struct Mul {
  static float of(float x, float y, float) { return x * y; }
};
struct Div {
  static float of(float x, float y, float) { return x / y; }
};
struct Relu {  // keeps NaN and -0
  static float of(float x, float, float) { return x < 0 ? 0 : x; }
};
struct Threshold {  // the gradient x where y is above the threshold, else 0
  static float of(float x, float y, float s) { return y <= s ? 0 : x; }
};

class Elements final : public Direct {
 public:
  Elements(Kernel kernel, at::Tensor out, at::Tensor x, at::Tensor y, float s)
      : kernel_(kernel), out_(std::move(out)), x_(std::move(x)), y_(std::move(y)), s_(s), n_(out_.numel()) {}
  void run(c10::DispatchKeySet) override { apply(); }

 private:
  void apply();

  Kernel kernel_;
  at::Tensor out_, x_, y_;
  float s_;
  int64_t n_;
};

void Elements::apply() {
  kernel_(static_cast<float*>(out_.mutable_data_ptr()), static_cast<const float*>(x_.const_data_ptr()),
          static_cast<const float*>(y_.const_data_ptr()), s_, n_);
}

bool alike(const at::Tensor& t, const at::Tensor& out) {
  return t.scalar_type() == at::kFloat && t.sizes() == out.sizes() && t.strides() == out.strides() &&
         t.is_non_overlapping_and_dense() && !t.is_conj() && !t.is_neg();
}

// Whether t and out overlap fully or not at all. libtorch must reject a partial overlap.
bool apart(const at::Tensor& t, const at::Tensor& out) {
  return storage(t) != storage(out) || t.storage_offset() == out.storage_offset();
}

}  // namespace

std::unique_ptr<Direct> own_elements(const Call& c) {
  if (c.how != How::out && c.how != How::write) return nullptr;
  const std::string name = c.op->schema().name() + "." + c.op->schema().overload_name();
  const auto& args = c.args;
  const auto make = [&](Kernel kernel, const at::Tensor& out, const at::Tensor& x, const at::Tensor& y,
                        float s) -> std::unique_ptr<Direct> {
    if (!alike(out, out) || !alike(x, out) || !alike(y, out) || out.numel() > kSmall || !apart(x, out) ||
        !apart(y, out))
      return nullptr;
    return std::make_unique<Elements>(kernel, out, x, y, s);
  };
  const auto one = [](const IValue& v) { return v.toScalar().toDouble() == 1; };
  const auto zero = [](const IValue& v) {
    return v.toScalar().toDouble() == 0 && !std::signbit(v.toScalar().toDouble());
  };
  const auto at = [&](size_t i) -> const at::Tensor& { return args[i].toTensor(); };
  if (name == "aten::add.out" && one(args[2])) return make(&each<Add>, at(3), at(0), at(1), 0);
  if (name == "aten::sub.out" && one(args[2])) return make(&each<Sub>, at(3), at(0), at(1), 0);
  if (name == "aten::mul.out") return make(&each<Mul>, at(2), at(0), at(1), 0);
  if (name == "aten::div.out") return make(&each<Div>, at(2), at(0), at(1), 0);
  if (name == "aten::add_.Tensor" && one(args[2])) return make(&each<Add>, at(0), at(0), at(1), 0);
  if (name == "aten::sub_.Tensor" && one(args[2])) return make(&each<Sub>, at(0), at(0), at(1), 0);
  if (name == "aten::mul_.Tensor") return make(&each<Mul>, at(0), at(0), at(1), 0);
  if (name == "aten::div_.Tensor") return make(&each<Div>, at(0), at(0), at(1), 0);
  if (name == "aten::clamp_min.out" && zero(args[1])) return make(&each<Relu>, at(2), at(0), at(0), 0);
  if (name == "aten::threshold_backward.grad_input")
    return make(&each<Threshold>, at(3), at(0), at(1), args[2].toScalar().toFloat());
  return nullptr;
}

}  // namespace gt::capture
