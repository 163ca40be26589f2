// The kernels of the operators.
#ifdef GOTORCH_TOGETHER

namespace gt::blocks {
namespace {

// With at most this many rows, x is quantised and multiplied by the blocks themselves. With
// more, the blocks are turned into float32, some rows of the matrix at a time.
constexpr int64_t kFewRows = 16;
constexpr int64_t kTile = 256;

// The number of multiplications that are worth a thread.
constexpr int64_t kGrain = 1 << 15;

struct Matrix {
  const uint8_t* data;
  int64_t out, in, row_bytes;
};

template <class F>
Matrix matrix(const at::Tensor& blocks) {
  TORCH_CHECK(blocks.device().is_cpu() && blocks.scalar_type() == at::kByte && blocks.dim() == 2 &&
                  blocks.is_contiguous(),
              "expected blocks as a contiguous uint8 tensor (out, bytes) on the CPU, got ", blocks.scalar_type(), " ",
              blocks.sizes(), " on ", blocks.device());
  TORCH_CHECK_VALUE(blocks.size(1) % F::kBytes == 0, "expected rows of whole blocks of ", F::kBytes, " bytes, got ",
                    blocks.size(1));
  return {blocks.const_data_ptr<uint8_t>(), blocks.size(0), blocks.size(1) / F::kBytes * F::kWeights, blocks.size(1)};
}

void check_features(const at::Tensor& x, int64_t in) {
  TORCH_CHECK(x.device().is_cpu() && at::isFloatingType(x.scalar_type()), "expected floating-point x on the CPU, got ",
              x.scalar_type(), " on ", x.device());
  TORCH_CHECK(x.dim() > 0 && x.size(-1) == in, "expected x of shape (*, ", in, "), got ", x.sizes());
}

at::Tensor with_last(const at::Tensor& x, int64_t last, const at::Tensor& rows) {
  auto shape = x.sizes().vec();
  shape.back() = last;
  return rows.view(shape);
}

template <class F>
void unpack_rows(const Matrix& m, int64_t from, int64_t to, float* out) {
  const int64_t blocks = m.in / F::kWeights;
  for (int64_t r = from; r < to; r++) {
    const uint8_t* row = m.data + r * m.row_bytes;
    for (int64_t b = 0; b < blocks; b++, out += F::kWeights) F::unpack(row + b * F::kBytes, out);
  }
}

template <class F>
void multiply_few(const Matrix& m, const float* x, int64_t rows, float* out) {
  const int64_t groups = m.in / 32, blocks = m.in / F::kWeights;
  std::vector<Features> quantized(rows * groups);
  for (int64_t r = 0; r < rows; r++) quantize(x + r * m.in, m.in, quantized.data() + r * groups);
  const bool avx2 = has_avx2();
  gt::parallel_for(0, m.out, std::max<int64_t>(1, kGrain / (m.in * rows)), [&](int64_t from, int64_t to) {
    for (int64_t o = from; o < to; o++) {
      const uint8_t* row = m.data + o * m.row_bytes;
      for (int64_t r = 0; r < rows; r++) {
        out[r * m.out + o] = dot<F>(row, quantized.data() + r * groups, blocks, avx2);
      }
    }
  });
}

template <class F>
void multiply_many(const Matrix& m, const at::Tensor& x, at::Tensor& out) {
  auto tile = at::empty({std::min(kTile, m.out), m.in}, x.options());
  float* to = tile.mutable_data_ptr<float>();
  for (int64_t at = 0; at < m.out; at += kTile) {
    const int64_t n = std::min(kTile, m.out - at);
    gt::parallel_for(0, n, std::max<int64_t>(1, kGrain / m.in),
                     [&](int64_t a, int64_t b) { unpack_rows<F>(m, at + a, at + b, to + a * m.in); });
    out.narrow(1, at, n).copy_(at::mm(x, tile.narrow(0, 0, n).t()));
  }
}

template <class F>
at::Tensor linear(const at::Tensor& x, const at::Tensor& blocks, const at::Tensor& bias) {
  const Matrix m = matrix<F>(blocks);
  check_features(x, m.in);
  const auto rows = x.reshape({-1, m.in}).to(at::kFloat).contiguous();
  auto out = at::empty({rows.size(0), m.out}, rows.options());
  if (rows.size(0) <= kFewRows) {
    multiply_few<F>(m, rows.const_data_ptr<float>(), rows.size(0), out.mutable_data_ptr<float>());
  } else {
    multiply_many<F>(m, rows, out);
  }
  if (bias.defined()) out.add_(bias);
  return with_last(x, m.out, out.to(x.scalar_type()));
}

template <class F>
at::Tensor rows_of(const at::Tensor& blocks, const at::Tensor& indices) {
  const Matrix m = matrix<F>(blocks);
  TORCH_CHECK(indices.device().is_cpu() && (indices.scalar_type() == at::kLong || indices.scalar_type() == at::kInt),
              "expected int64 or int32 indices on the CPU, got ", indices.scalar_type());
  const auto at = indices.to(at::kLong).contiguous();
  const int64_t* row = at.const_data_ptr<int64_t>();
  const int64_t n = at.numel();
  for (int64_t i = 0; i < n; i++) {
    TORCH_CHECK_INDEX(row[i] >= 0 && row[i] < m.out, "index ", row[i], " is not between 0 and ", m.out - 1);
  }
  auto shape = indices.sizes().vec();
  shape.push_back(m.in);
  auto out = at::empty(shape, at::TensorOptions().dtype(at::kFloat));
  float* to = out.mutable_data_ptr<float>();
  for (int64_t i = 0; i < n; i++) unpack_rows<F>(m, row[i], row[i] + 1, to + i * m.in);
  return out;
}

template <class F>
at::Tensor dequantize(const at::Tensor& blocks) {
  const Matrix m = matrix<F>(blocks);
  auto out = at::empty({m.out, m.in}, at::TensorOptions().dtype(at::kFloat));
  float* to = out.mutable_data_ptr<float>();
  gt::parallel_for(0, m.out, std::max<int64_t>(1, kGrain / std::max<int64_t>(1, m.in)),
                   [&](int64_t a, int64_t b) { unpack_rows<F>(m, a, b, to + a * m.in); });
  return out;
}

at::Tensor linear_float(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
  const bool few = has_avx2() && weight.dim() == 2 && x.dim() > 0 && x.size(-1) == weight.size(1) && x.size(-1) > 0 &&
                   x.numel() / x.size(-1) <= 2 && x.scalar_type() == at::kFloat && weight.scalar_type() == at::kFloat &&
                   x.device().is_cpu() && weight.device().is_cpu() && weight.is_contiguous();
  if (!few) return at::linear(x, weight, bias.defined() ? std::optional(bias) : std::nullopt);
  const int64_t in = weight.size(1), out_features = weight.size(0);
  const auto rows = x.reshape({-1, in}).contiguous();
  auto out = at::empty({rows.size(0), out_features}, rows.options());
  const float *w = weight.const_data_ptr<float>(), *from_x = rows.const_data_ptr<float>();
  float* to = out.mutable_data_ptr<float>();
  gt::parallel_for(0, out_features, std::max<int64_t>(1, kGrain / in), [&](int64_t from, int64_t end) {
    for (int64_t o = from; o < end; o++) {
      for (int64_t r = 0; r < rows.size(0); r++) {
        to[r * out_features + o] = dot_float(w + o * in, from_x + r * in, in, true);
      }
    }
  });
  if (bias.defined()) out.add_(bias);
  return with_last(x, out_features, out);
}

}  // namespace
}  // namespace gt::blocks

#endif
