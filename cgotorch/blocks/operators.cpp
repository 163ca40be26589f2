// The operators: their schemas, gradients, and calls through the dispatcher, so that graphs
// and exported programs record them.
#ifdef GOTORCH_TOGETHER

namespace gt::blocks {
namespace {

using OptionalTensor = std::optional<at::Tensor>;

template <class Fn>
at::Tensor with_known(int64_t format, Fn&& fn) {
  at::Tensor out;
  const bool known = with_format(format, [&](auto f) { out = fn(f); });
  TORCH_CHECK_NOT_IMPLEMENTED(known, "there is no kernel for the GGUF format ", format);
  return out;
}

at::Tensor linear_kernel(const at::Tensor& x, const at::Tensor& blocks, const OptionalTensor& bias, int64_t format) {
  return with_known(format, [&](auto f) { return linear<decltype(f)>(x, blocks, bias.value_or(at::Tensor())); });
}

at::Tensor rows_kernel(const at::Tensor& blocks, const at::Tensor& indices, int64_t format) {
  return with_known(format, [&](auto f) { return rows_of<decltype(f)>(blocks, indices); });
}

at::Tensor dequantize_kernel(const at::Tensor& blocks, int64_t format) {
  return with_known(format, [&](auto f) { return dequantize<decltype(f)>(blocks); });
}

at::Tensor linear_float_kernel(const at::Tensor& x, const at::Tensor& weight, const OptionalTensor& bias) {
  return linear_float(x, weight, bias.value_or(at::Tensor()));
}

using Linear = at::Tensor(const at::Tensor&, const at::Tensor&, const OptionalTensor&, int64_t);
using Rows = at::Tensor(const at::Tensor&, const at::Tensor&, int64_t);
using Dequantize = at::Tensor(const at::Tensor&, int64_t);
using Attend = at::Tensor(const at::Tensor&, const at::Tensor&, const at::Tensor&, const at::Tensor&, const at::Tensor&,
                          int64_t, double, int64_t);
using LinearFloat = at::Tensor(const at::Tensor&, const at::Tensor&, const OptionalTensor&);

template <class Signature>
auto find(const char* name) {
  return c10::Dispatcher::singleton().findSchemaOrThrow(name, "").typed<Signature>();
}

const auto& linear_op() {
  static const auto op = find<Linear>("gotorch_blocks::linear");
  return op;
}

// The gradient passes through the matrix to x and bias; the blocks have none.
struct LinearFunction : torch::autograd::Function<LinearFunction> {
  static at::Tensor forward(torch::autograd::AutogradContext* ctx, const at::Tensor& x, const at::Tensor& blocks,
                            const OptionalTensor& bias, int64_t format) {
    ctx->save_for_backward({blocks});
    ctx->saved_data["format"] = format;
    ctx->saved_data["bias"] = bias.has_value() && bias->defined();  // otherwise it has no place among the inputs
    at::AutoDispatchBelowADInplaceOrView below;
    return linear_op().call(x, blocks, bias, format);
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* ctx,
                                                 const torch::autograd::variable_list& grads) {
    static const auto dequantized = find<Dequantize>("gotorch_blocks::dequantize");
    const auto& grad = grads[0];
    at::Tensor dx, dbias;
    if (ctx->needs_input_grad(0)) {
      const auto weight = dequantized.call(ctx->get_saved_variables()[0], ctx->saved_data["format"].toInt());
      dx = at::matmul(grad, weight.to(grad.scalar_type()));
    }
    if (ctx->saved_data["bias"].toBool() && ctx->needs_input_grad(2)) dbias = grad.reshape({-1, grad.size(-1)}).sum(0);
    return {dx, at::Tensor(), dbias, at::Tensor()};
  }
};

at::Tensor linear_autograd(const at::Tensor& x, const at::Tensor& blocks, const OptionalTensor& bias, int64_t format) {
  return LinearFunction::apply(x, blocks, bias, format);
}

[[gnu::used]] const bool registered = [] {
  // Never freed.
  auto* schemas = new torch::Library(torch::Library::DEF, "gotorch_blocks", std::nullopt, __FILE__, __LINE__);
  schemas->def("linear(Tensor x, Tensor blocks, Tensor? bias, int format) -> Tensor");
  schemas->def("rows(Tensor blocks, Tensor indices, int format) -> Tensor");
  schemas->def("dequantize(Tensor blocks, int format) -> Tensor");
  schemas->def(
      "attend(Tensor query, Tensor keys, Tensor values, Tensor tables, Tensor lengths, int page, float scale, int "
      "window) -> Tensor");
  schemas->def("linear_float(Tensor x, Tensor weight, Tensor? bias) -> Tensor");
  auto* cpu = new torch::Library(torch::Library::IMPL, "gotorch_blocks", c10::DispatchKey::CPU, __FILE__, __LINE__);
  cpu->impl("linear", linear_kernel);
  cpu->impl("rows", rows_kernel);
  cpu->impl("dequantize", dequantize_kernel);
  cpu->impl("attend", attend);
  cpu->impl("linear_float", linear_float_kernel);
  auto* grad =
      new torch::Library(torch::Library::IMPL, "gotorch_blocks", c10::DispatchKey::Autograd, __FILE__, __LINE__);
  grad->impl("linear", linear_autograd);
  grad->impl("attend", torch::autograd::autogradNotImplementedFallback());
  grad->impl("linear_float", torch::autograd::autogradNotImplementedFallback());
  return true;
}();

OptionalTensor optional(gt_tensor t) { return t ? OptionalTensor(gt::as(t)) : std::nullopt; }

template <class Fn>
gt_ret call(gt_ctx cx, Fn&& fn) {
  try {
    gt::enter(cx);
    BelowAutograd below(cx);
    return {gt::release(fn()), 0};
  } catch (...) {
    return {0, gt::caught()};
  }
}

}  // namespace
}  // namespace gt::blocks

extern "C" {

gt_blocks_format gt_blocks_size(int64_t format) {
  gt_blocks_format size{0, 0};
  gt::blocks::with_format(format, [&](auto f) { size = {decltype(f)::kBytes, decltype(f)::kWeights}; });
  return size;
}

gt_ret gt_blocks_linear(gt_ctx cx, gt_tensor x, gt_tensor blocks, gt_tensor bias, int64_t format) {
  return gt::blocks::call(
      cx, [&] { return gt::blocks::linear_op().call(gt::as(x), gt::as(blocks), gt::blocks::optional(bias), format); });
}

gt_ret gt_blocks_rows(gt_ctx cx, gt_tensor blocks, gt_tensor indices, int64_t format) {
  static const auto op = gt::blocks::find<gt::blocks::Rows>("gotorch_blocks::rows");
  return gt::blocks::call(cx, [&] { return op.call(gt::as(blocks), gt::as(indices), format); });
}

gt_ret gt_blocks_dequantize(gt_ctx cx, gt_tensor blocks, int64_t format) {
  static const auto op = gt::blocks::find<gt::blocks::Dequantize>("gotorch_blocks::dequantize");
  return gt::blocks::call(cx, [&] { return op.call(gt::as(blocks), format); });
}

gt_ret gt_blocks_attend(gt_ctx cx, gt_tensor query, gt_tensor keys, gt_tensor values, gt_tensor tables,
                        gt_tensor lengths, int64_t page, double scale, int64_t window) {
  static const auto op = gt::blocks::find<gt::blocks::Attend>("gotorch_blocks::attend");
  return gt::blocks::call(cx, [&] {
    return op.call(gt::as(query), gt::as(keys), gt::as(values), gt::as(tables), gt::as(lengths), page, scale, window);
  });
}

gt_ret gt_blocks_linear_float(gt_ctx cx, gt_tensor x, gt_tensor weight, gt_tensor bias) {
  static const auto op = gt::blocks::find<gt::blocks::LinearFloat>("gotorch_blocks::linear_float");
  return gt::blocks::call(cx, [&] { return op.call(gt::as(x), gt::as(weight), gt::blocks::optional(bias)); });
}

}  // extern "C"

#endif
