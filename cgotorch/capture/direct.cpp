#ifdef GOTORCH_TOGETHER  // together.cpp includes this file

#include "direct.hpp"

#include <ATen/ops/_log_softmax_backward_data_ops.h>
#include <ATen/ops/_log_softmax_ops.h>
#include <ATen/ops/_softmax_backward_data_ops.h>
#include <ATen/ops/_softmax_ops.h>
#include <ATen/ops/add_ops.h>
#include <ATen/ops/addmm_ops.h>
#include <ATen/ops/baddbmm_ops.h>
#include <ATen/ops/bmm_ops.h>
#include <ATen/ops/clamp_min_ops.h>
#include <ATen/ops/copy_ops.h>
#include <ATen/ops/div_ops.h>
#include <ATen/ops/exp_ops.h>
#include <ATen/ops/fill_ops.h>
#include <ATen/ops/gelu_backward_ops.h>
#include <ATen/ops/gelu_ops.h>
#include <ATen/ops/mean_ops.h>
#include <ATen/ops/mm_ops.h>
#include <ATen/ops/mul_ops.h>
#include <ATen/ops/neg_ops.h>
#include <ATen/ops/nll_loss_backward_ops.h>
#include <ATen/ops/nll_loss_forward_ops.h>
#include <ATen/ops/sigmoid_backward_ops.h>
#include <ATen/ops/sigmoid_ops.h>
#include <ATen/ops/silu_backward_ops.h>
#include <ATen/ops/silu_ops.h>
#include <ATen/ops/sub_ops.h>
#include <ATen/ops/sum_ops.h>
#include <ATen/ops/tanh_backward_ops.h>
#include <ATen/ops/tanh_ops.h>
#include <ATen/ops/threshold_backward_ops.h>
#include <ATen/ops/zero_ops.h>

#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>

namespace gt::capture {

namespace {

using c10::IValue;

// An argument of type A. The calls of all replays share it.
template <class A>
struct Kept {
  std::decay_t<A> v;
  explicit Kept(const IValue& i) : v(i.to<std::decay_t<A>>()) {}
  std::decay_t<A>& get() { return v; }
};

template <>
struct Kept<c10::SymInt> {
  c10::SymInt v;
  explicit Kept(const IValue& i) : v(i.toSymInt()) {}
  const c10::SymInt& get() { return v; }
};

template <>
struct Kept<at::OptionalIntArrayRef> {
  bool some;
  std::vector<int64_t> v;
  explicit Kept(const IValue& i) : some(!i.isNone()), v(some ? i.toIntVector() : std::vector<int64_t>()) {}
  at::OptionalIntArrayRef get() { return some ? at::OptionalIntArrayRef(v) : at::OptionalIntArrayRef(); }
};

template <>
struct Kept<std::string_view> {
  std::string v;
  explicit Kept(const IValue& i) : v(i.toStringRef()) {}
  std::string_view get() { return v; }
};

template <class R, class... A>
class Typed final : public Direct {
 public:
  using Call = R (*)(c10::DispatchKeySet, A...);

  Typed(Call call, const std::vector<IValue>& args) : Typed(call, args, std::index_sequence_for<A...>()) {}
  void run(c10::DispatchKeySet keys) override {
    std::apply([&](auto&... kept) { call_(keys, kept.get()...); }, kept_);
  }

 private:
  template <size_t... I>
  Typed(Call call, const std::vector<IValue>& args, std::index_sequence<I...>)
      : call_(call), kept_(Kept<A>(args[I])...) {}

  Call call_;
  std::tuple<Kept<A>...> kept_;
};

template <class R, class... A>
std::unique_ptr<Direct> typed(R (*call)(c10::DispatchKeySet, A...), const std::vector<IValue>& args) {
  if (args.size() != sizeof...(A)) return nullptr;
  return std::make_unique<Typed<R, A...>>(call, args);
}

using Make = std::unique_ptr<Direct> (*)(const std::vector<IValue>&);

template <class Op>
std::pair<std::string, Make> entry() {
  return {std::string(Op::name) + "." + Op::overload_name,
          [](const std::vector<IValue>& args) { return typed(&Op::redispatch, args); }};
}

template <class... Ops>
std::unordered_map<std::string, Make> table() {
  return {entry<Ops>()...};
}

const std::unordered_map<std::string, Make>& makers() {
  using namespace at::_ops;
  static const auto* all = new auto(
      table<mm_out, addmm_out, bmm_out, baddbmm_out, add_out, sub_out, mul_out, div_out, neg_out, exp_out,
            sum_IntList_out, mean_out, tanh_out, tanh_backward_grad_input, sigmoid_out, sigmoid_backward_grad_input,
            gelu_out, gelu_backward_grad_input, silu_out, silu_backward_grad_input, clamp_min_out,
            threshold_backward_grad_input, _softmax_out, _softmax_backward_data_out, _log_softmax_out,
            _log_softmax_backward_data_out, nll_loss_forward_output, nll_loss_backward_grad_input, add__Tensor,
            sub__Tensor, mul__Tensor, div__Tensor, copy_, fill__Scalar, zero_>());
  return *all;
}

}  // namespace

std::unique_ptr<Direct> direct(const std::string& name, const std::string& overload,
                               const std::vector<c10::IValue>& args) {
  const auto it = makers().find(name + "." + overload);
  return it == makers().end() ? nullptr : it->second(args);
}

bool known(const std::string& name, const std::string& overload) { return makers().count(name + "." + overload); }

}  // namespace gt::capture

#endif
