#ifdef GOTORCH_TOGETHER  // together.cpp includes this file

#include "copies.hpp"
#include "own.hpp"

#include <ATen/Context.h>
#include <dlfcn.h>

#include <climits>
#include <cstring>

namespace gt::capture {

bool exact_products() {
  const auto p = at::globalContext().float32Precision(at::Float32Backend::MKLDNN, at::Float32Op::MATMUL);
  return p != at::Float32Precision::TF32 && p != at::Float32Precision::BF16;
}

namespace {

using Sgemm = void (*)(const char*, const char*, const int*, const int*, const int*, const float*, const float*,
                       const int*, const float*, const int*, const float*, float*, const int*);

// The BLAS function that libtorch calls on this processor, or null.
Sgemm sgemm() {
#ifdef __x86_64__
  static const auto found = reinterpret_cast<Sgemm>(dlsym(RTLD_DEFAULT, "sgemm_"));
  return found;
#else
  return nullptr;
#endif
}

// A matrix as passed to sgemm_, which expects column-major matrices.
struct Matrix {
  bool transposed = false;
  int64_t leading = 0;
};

// sgemm_ computes a row-major result as the product of the transposed factors in reverse
// order. The strides show how a factor is stored. The conditions and their order are the
// same as in addmm, because sgemm_ may give different results for different arguments.
std::optional<Matrix> factor(const at::Tensor& t, int64_t rows, int64_t columns) {
  if (t.stride(1) == 1 && t.stride(0) >= std::max<int64_t>(1, rows)) return Matrix{false, t.stride(0)};
  if (t.stride(0) == 1 && t.stride(1) >= std::max<int64_t>(1, columns)) return Matrix{true, t.stride(1)};
  return {};
}

class Product final : public Direct {
 public:
  static std::unique_ptr<Product> make(const at::Tensor& bias, const at::Tensor& left, const at::Tensor& right,
                                       const at::Tensor& out) {
    for (const auto* t : {&left, &right, &out}) {
      if (t->scalar_type() != at::kFloat || t->dim() != 2 || t->is_conj() || t->is_neg() || t->numel() == 0)
        return nullptr;
    }
    const int64_t rows = out.size(0), columns = out.size(1), inner = left.size(1);
    // Whether the result is column-major, as every single column is. Then addmm does not
    // swap the factors.
    const bool by_columns = out.stride(0) == 1 && (columns == 1 || out.stride(1) >= std::max<int64_t>(1, rows));
    if (by_columns || out.stride(1) != 1 || out.stride(0) < columns) return nullptr;
    if (bias.defined() && (bias.scalar_type() != at::kFloat || bias.dim() != 1 || bias.size(0) != columns ||
                           bias.stride(0) != 1 || bias.is_neg()))
      return nullptr;
    const auto a = factor(right, columns, inner), b = factor(left, inner, rows);
    if (!a || !b || std::max({rows, columns, inner, a->leading, b->leading, out.stride(0)}) > INT_MAX) return nullptr;
    auto p = std::make_unique<Product>();
    p->bias_ = bias, p->left_ = left, p->right_ = right, p->out_ = out;
    p->a_ = a->transposed ? 'T' : 'N', p->b_ = b->transposed ? 'T' : 'N';
    p->m_ = static_cast<int>(columns), p->n_ = static_cast<int>(rows), p->k_ = static_cast<int>(inner);
    p->lda_ = static_cast<int>(a->leading), p->ldb_ = static_cast<int>(b->leading),
    p->ldc_ = static_cast<int>(out.stride(0));
    if (p->n_ == 1) p->ldc_ = p->m_;
    if (p->a_ == 'T' ? p->m_ == 1 : p->k_ == 1) p->lda_ = p->a_ == 'T' ? p->k_ : p->m_;
    if (p->b_ == 'T' ? p->k_ == 1 : p->n_ == 1) p->ldb_ = p->b_ == 'T' ? p->n_ : p->k_;
    return p;
  }

  void run(c10::DispatchKeySet) override { multiply(); }

 private:
  void multiply();

  at::Tensor bias_, left_, right_, out_;
  char a_, b_;
  int m_, n_, k_, lda_, ldb_, ldc_;
};

void Product::multiply() {
  auto* out = static_cast<float*>(out_.mutable_data_ptr());
  if (bias_.defined()) {
    const void* row = bias_.const_data_ptr();
    for (int i = 0; i < n_; i++) std::memcpy(out + int64_t{i} * out_.stride(0), row, sizeof(float) * m_);
  }
  const float alpha = 1, beta = bias_.defined() ? 1 : 0;
  sgemm()(&a_, &b_, &m_, &n_, &k_, &alpha, static_cast<const float*>(right_.const_data_ptr()), &lda_,
          static_cast<const float*>(left_.const_data_ptr()), &ldb_, &beta, out, &ldc_);
}

std::unique_ptr<Product> product(const std::string& name, const std::vector<IValue>& args) {
  if (name == "aten::mm") return Product::make({}, args[0].toTensor(), args[1].toTensor(), args[2].toTensor());
  const auto one = [](const IValue& v) { return v.toScalar().toDouble() == 1; };
  if (!one(args[3]) || !one(args[4])) return nullptr;
  return Product::make(args[0].toTensor(), args[1].toTensor(), args[2].toTensor(), args[5].toTensor());
}

}  // namespace

std::unique_ptr<Direct> own_product(const Call& c) {
  const auto& schema = c.op->schema();
  const std::string& name = schema.name();
  if (c.how != How::out || (name != "aten::mm" && name != "aten::addmm") || schema.overload_name() != "out" || !sgemm())
    return nullptr;
  auto found = product(name, c.args);
  if (!found) return nullptr;
  // Compare the product with libtorch's, because other versions of libtorch may compute
  // it differently.
  torch::jit::Stack args;
  for (const IValue& v : c.args)
    args.push_back(v.isTensor() && (&v == &c.args.back() || !storage(v.toTensor())->data()) ? copied(v.toTensor()) : v);
  const auto copy = product(name, args);
  if (!copy) return nullptr;
  at::Tensor out = args.back().toTensor();
  c.op->redispatchBoxed(c.keys, &args);
  const at::Tensor want = out.clone();
  std::memset(out.mutable_data_ptr(), 0xc3, out.nbytes());  // any value
  copy->run(c.keys);
  return same_bits(want, out) ? std::move(found) : nullptr;
}

}  // namespace gt::capture

#endif
