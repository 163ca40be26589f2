// Registers operators whose kernels are written in Go.
#ifdef GOTORCH_TOGETHER

#include "callback.hpp"
#include "tensor.h"

#include <ATen/functorch/BatchedTensorImpl.h>
#include <ATen/functorch/DynamicLayer.h>
#include <ATen/functorch/PlumbingHelper.h>
#include <torch/csrc/autograd/autograd_not_implemented_fallback.h>
#include <torch/csrc/jit/frontend/function_schema_parser.h>
#include <torch/library.h>

// Calls a kernel of an operator. in has its arguments, which the callee frees. The callee writes
// the results to out, which the caller frees. Returns the tag of a panic, or 0.
extern "C" int64_t gotorchOperator(int64_t id, int32_t kernel, gt_ctx ctx, gt_export_out* in, gt_export_out* out);

namespace gt::exported {
namespace {

// Calls a kernel with the words and tensors in args, and reads its results.
std::vector<IValue> call_go(int64_t id, int kernel, Writer args, c10::ArrayRef<c10::Argument> returns, bool dims) {
  gt_export_out in{}, out{};
  args.give(&in);
  int64_t tag = 0;
  {
    CallbackScope scope;
    tag = gotorchOperator(id, kernel, scope.ctx(), &in, &out);
  }
  if (tag) throw GoPanic(tag);
  struct Free {
    gt_export_out& o;
    ~Free() {
      for (int64_t i = 0; i < o.n_tensors; i++) gt_free(o.tensors[i]);
      gt_export_out_free(&o);
    }
  } free{out};
  return Builder(out.words, out.n_words, {out.tensors, static_cast<size_t>(out.n_tensors)}).results(returns, dims);
}

// A kernel that is written in Go.
class GoKernel final : public c10::OperatorKernel {
 public:
  GoKernel(int64_t id, int kernel) : id_(id), kernel_(kernel) {}

  void operator()(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack) {
    const auto& schema = op.schema();
    const auto n = schema.arguments().size();
    if (kernel_ == GT_KERNEL_AUTOGRAD) {
      TORCH_CHECK_NOT_IMPLEMENTED(!any_tensor(torch::jit::last(*stack, n), has_tangent), schema.name(),
                                  " is an operator in Go, which has no forward-mode derivative");
    }
    if (kernel_ == GT_KERNEL_AUTOGRAD && !needs_gradients(torch::jit::last(*stack, n))) {
      const at::AutoDispatchBelowADInplaceOrView below;
      op.redispatchBoxed(keys & c10::after_autograd_keyset, stack);
      return;
    }
    Writer args;
    std::vector<IValue> out;
    if (kernel_ == GT_KERNEL_VMAP) {
      out = batched(op, *stack, args);
    } else {
      for (const auto& v : torch::jit::last(*stack, n)) args.value(v);
      out = call_go(id_, kernel_, std::move(args), schema.returns(), false);
    }
    torch::jit::drop(*stack, n);
    for (auto& v : out) stack->push_back(std::move(v));
  }

 private:
  static bool has_tangent(const at::Tensor& t) { return t._fw_grad(/*level=*/0).defined(); }

  static bool needs_gradients(c10::ArrayRef<IValue> args) {
    return at::GradMode::is_enabled() && any_tensor(args, [](const at::Tensor& t) { return t.requires_grad(); });
  }

  // Whether a condition is true for a tensor among the arguments.
  template <typename Condition>
  static bool any_tensor(c10::ArrayRef<IValue> args, Condition condition) {
    const auto holds = [&](const IValue& v) {
      return v.isTensor() && v.toTensor().defined() && condition(v.toTensor());
    };
    for (const auto& v : args) {
      if (holds(v)) return true;
      if (!v.isList()) continue;
      for (const IValue& item : v.toListRef()) {
        if (holds(item)) return true;
      }
    }
    return false;
  }

  // Calls the rule for a batch. Its arguments are the size of the batch, the batch dimension of
  // each argument or none, and the arguments.
  std::vector<IValue> batched(const c10::OperatorHandle& op, const torch::jit::Stack& stack, Writer& args) {
    const auto layer = at::functorch::maybeCurrentDynamicLayer();
    TORCH_INTERNAL_ASSERT(layer.has_value());
    const auto level = layer->layerId();
    const c10::impl::ExcludeDispatchKeyGuard inner(c10::DispatchKey::FuncTorchBatched);
    const auto n = op.schema().arguments().size();
    std::vector<IValue> values, dims;
    int64_t size = -1;
    const auto unwrap = [&](const IValue& v, IValue& dim) -> IValue {
      if (!v.isTensor() || !v.toTensor().defined()) return v;
      const auto [t, at] = at::functorch::unwrapTensorAtLevel(v.toTensor(), level);
      if (at) {
        size = t.size(*at);
        dim = *at;
      }
      return t;
    };
    for (const auto& v : torch::jit::last(stack, n)) {
      IValue dim;
      if (!v.isList()) {
        values.push_back(unwrap(v, dim));
        dims.push_back(dim);
        continue;
      }
      c10::impl::GenericList items(c10::AnyType::get()), at(c10::AnyType::get());
      for (const IValue& item : v.toListRef()) {
        IValue of_item;
        items.push_back(unwrap(item, of_item));
        at.push_back(of_item);
      }
      values.emplace_back(std::move(items));
      dims.emplace_back(std::move(at));
    }
    args.value(size);
    args.list(n);
    for (const auto& d : dims) args.value(d);
    for (const auto& v : values) args.value(v);
    const auto& returns = op.schema().returns();
    auto out = call_go(id_, kernel_, std::move(args), returns, true);
    for (size_t i = 0; i < returns.size(); i++) {
      const auto& dim = out[returns.size() + i];
      if (out[i].isTensor() && dim.isInt()) out[i] = at::functorch::makeBatched(out[i].toTensor(), dim.toInt(), level);
    }
    out.resize(returns.size());
    return out;
  }

  int64_t id_;
  int kernel_;
};

}  // namespace
}  // namespace gt::exported

extern "C" {

uintptr_t gt_export_register(const char* text, int64_t id, uint32_t kernels) {
  using namespace gt::exported;
  try {
    auto schema = torch::jit::parseSchema(text);
    const auto ns = schema.getNamespace();
    TORCH_CHECK_VALUE(ns, "expected a name with a namespace, such as mine::scale, got ", schema.name());
    for (const char* taken : {"aten", "prim", "prims", "gotorch", "torchvision", "quantized"}) {
      TORCH_CHECK_VALUE(*ns != taken, "the namespace ", taken, " is taken");
    }
    TORCH_CHECK_VALUE(!c10::Dispatcher::singleton().findSchema(schema.operator_name()), "there is an operator ",
                      schema.name(), " already");
    for (const auto& a : schema.arguments()) {
      TORCH_CHECK_NOT_IMPLEMENTED(!a.alias_info(), "an operator in Go that changes or returns its argument ", a.name());
    }
    for (const auto& r : schema.returns()) {
      TORCH_CHECK_NOT_IMPLEMENTED(!r.alias_info(), "an operator in Go that returns an argument");
    }
    TORCH_CHECK_NOT_IMPLEMENTED(!schema.is_vararg() && !schema.is_varret(),
                                "an operator in Go with any number of arguments or results");
    const std::string name = schema.name() + (schema.overload_name().empty() ? "" : ".") + schema.overload_name();
    auto library = std::make_unique<torch::Library>(torch::Library::FRAGMENT, std::string(*ns), std::nullopt, __FILE__,
                                                    __LINE__);
    library->def(std::move(schema), {at::Tag::pt2_compliant_tag});
    const auto add = [&](int kernel, c10::DispatchKey key) {
      if (!(kernels >> kernel & 1)) return;
      library->impl(name.c_str(), torch::dispatch(key, torch::CppFunction::makeFromBoxedFunctor(
                                                           std::make_unique<GoKernel>(id, kernel))));
    };
    add(GT_KERNEL_FORWARD, c10::DispatchKey::CompositeExplicitAutograd);
    add(GT_KERNEL_META, c10::DispatchKey::Meta);
    add(GT_KERNEL_AUTOGRAD, c10::DispatchKey::Autograd);
    if (!(kernels >> GT_KERNEL_AUTOGRAD & 1)) {
      library->impl(name.c_str(), torch::dispatch(c10::DispatchKey::Autograd,
                                                  torch::autograd::autogradNotImplementedFallback()));
    }
    add(GT_KERNEL_VMAP, c10::DispatchKey::FuncTorchBatched);
    library.release();  // operators stay registered
    return 0;
  } catch (...) {
    return gt::caught();
  }
}

}  // extern "C"

#endif
