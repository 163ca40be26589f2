// Custom autograd functions whose forward and backward are written in Go.
#ifdef GOTORCH_TOGETHER  // together_autograd.cpp includes this file

#include "autograd.h"

#include "abi.hpp"
#include "callback.hpp"
#include "released.hpp"

#include <torch/csrc/autograd/custom_function.h>
#include <torch/csrc/autograd/saved_variable.h>

extern "C" int64_t gotorchBackward(int64_t id, gt_ctx ctx, uintptr_t node, gt_tensor* grads,
                                   int64_t n, gt_tensor* outs, uint8_t* needs, int64_t m);

using gt::as;
namespace ag = torch::autograd;

namespace {

at::Tensor take(gt_tensor h) {
  if (!h) return {};
  return at::Tensor(c10::intrusive_ptr<c10::TensorImpl, c10::UndefinedTensorImpl>::reclaim(
      reinterpret_cast<c10::TensorImpl*>(h)));
}

// libtorch 2.11 holds a node in a std::shared_ptr, and newer versions in a
// c10::intrusive_ptr. The code tests the type, so it does not depend on versions.
using NodePtr = decltype(ag::Edge::function);
constexpr bool kSharedNodes = std::is_same_v<NodePtr, std::shared_ptr<ag::Node>>;

template <class T, class Ptr = NodePtr>
auto make_node() {
  if constexpr (kSharedNodes)
    return std::shared_ptr<T>(new T, [](auto* n) { deleteNode(n); });  // without recursion, as libtorch does
  else
    return c10::make_intrusive<T>();
}

template <class T, class Ptr = NodePtr>
Ptr self_of(T* node) {
  if constexpr (kSharedNodes)
    return node->shared_from_this();
  else
    return c10::intrusive_ptr<ag::Node>::unsafe_reclaim_from_nonowning(node);
}

template <class Ptr, class... Args>
auto wrap_outputs(Args&&... args) {
  Ptr attached;
  if constexpr (requires { ag::_wrap_outputs(args..., attached); })
    return ag::_wrap_outputs(args..., attached);
  else
    return ag::_wrap_outputs(args...);
}

struct GoNode : ag::Node {
  int64_t id = 0;
  std::string label;
  bool materialize = true;
  std::vector<ag::SavedVariable> saved;
  std::vector<ag::VariableInfo> output_info;
  std::mutex saved_mutex;
  bool released = false;

  ~GoNode() override { gt::push_released(id); }
  std::string name() const override { return label; }

  void release_variables() override {
    std::lock_guard<std::mutex> lock(saved_mutex);
    saved.clear();
    released = true;
  }

  ag::variable_list apply(ag::variable_list&& grads) override {
    at::OptionalDeviceGuard device;
    std::vector<gt_tensor> in(grads.size());
    for (size_t i = 0; i < grads.size(); i++) {
      if (!grads[i].defined() && materialize && i < output_info.size())
        grads[i] = output_info[i].zeros(device);
      in[i] = grads[i].defined() ? reinterpret_cast<gt_tensor>(grads[i].unsafeGetTensorImpl()) : 0;
    }
    const auto m = num_outputs();
    std::vector<gt_tensor> outs(m, 0);
    std::vector<uint8_t> needs(m);
    for (size_t i = 0; i < m; i++) needs[i] = task_should_compute_output(i);
    int64_t tag;
    {
      gt::CallbackScope scope;
      tag = gotorchBackward(id, scope.ctx(), reinterpret_cast<uintptr_t>(this), in.data(), in.size(),
                            outs.data(), needs.data(), m);
    }
    ag::variable_list result;
    result.reserve(m);
    for (gt_tensor h : outs) result.push_back(take(h));
    if (tag) throw gt::GoPanic(tag);
    return result;
  }
};

std::unordered_set<at::TensorImpl*> identities(const gt_tensor* ts, int64_t n) {
  std::unordered_set<at::TensorImpl*> r;
  for (int64_t i = 0; i < n; i++) r.insert(as(ts[i]).unsafeGetTensorImpl());
  return r;
}

}  // namespace

extern "C" {

uintptr_t gt_function_apply(gt_ctx ctx, int64_t id, const char* name, const gt_tensor* inputs,
                            int64_t n_in, const gt_tensor* outputs, int64_t n_out,
                            const gt_tensor* saved, int64_t n_saved, const gt_tensor* nondiff,
                            int64_t n_nondiff, const gt_tensor* dirty, int64_t n_dirty,
                            int materialize, gt_tensor* out) {
  // From here on the node owns the id and releases it, even if something fails.
  decltype(make_node<GoNode>()) node;
  try {
    node = make_node<GoNode>();
  } catch (...) {
    gt::push_released(id);
    return gt::caught();
  }
  node->id = id;
  try {
    gt::enter(ctx);
    // Only the innermost transform would record the node. Enclosing transforms would
    // differentiate the operators in forward instead of calling backward.
    TORCH_CHECK_NOT_IMPLEMENTED(!gt::in_transform(),
                                "a Function written in Go cannot run within a functional transform");
    node->label = name;
    node->materialize = materialize;
    ag::variable_list in;
    for (int64_t i = 0; i < n_in; i++) in.push_back(as(inputs[i]));
    const bool records = c10::GradMode::is_enabled() && ag::any_variable_requires_grad(in);
    node->set_next_edges(records ? ag::collect_next_edges(in) : ag::edge_list());
    node->clear_input_metadata();

    std::vector<std::optional<at::Tensor>> raw;
    for (int64_t i = 0; i < n_out; i++) raw.emplace_back(as(outputs[i]));
    auto no_jvp = [](ag::variable_list, ag::variable_list) -> ag::variable_list {
      TORCH_CHECK_NOT_IMPLEMENTED(false, "a Function written in Go has no forward-mode derivative");
    };
    auto view_as_self = [](at::Tensor t) { return t.view_as(t); };
    NodePtr recorder;
    if (records) recorder = node;
    auto wrapped = wrap_outputs<NodePtr>(
        in, identities(nondiff, n_nondiff), identities(dirty, n_dirty),
        at::ArrayRef<std::optional<at::Tensor>>(raw), recorder, ag::_jvp_fn_t(no_jvp),
        std::unordered_set<at::TensorImpl*>{}, ag::_view_as_self_fn_t(view_as_self), false);
    if (records) {
      for (auto& w : wrapped) node->output_info.emplace_back(*w);
      for (int64_t i = 0; i < n_saved; i++) {
        // A saved output is already the graph's tensor here, because wrapping does not
        // change the identity of the tensor that forward returned.
        const at::Tensor& t = as(saved[i]);
        node->saved.emplace_back(t, t.grad_fn().get() == node.get());
      }
    }
    for (int64_t i = 0; i < n_out; i++) out[i] = gt::release(std::move(*wrapped[i]));
    return 0;
  } catch (...) {
    return gt::caught();
  }
}

gt_ret gt_function_saved(gt_ctx ctx, uintptr_t n, int64_t i) {
  try {
    gt::enter(ctx);
    auto* node = reinterpret_cast<GoNode*>(n);
    std::lock_guard<std::mutex> lock(node->saved_mutex);
    TORCH_CHECK(!node->released, ag::ERR_BACKWARD_TWICE);
    return {gt::release(node->saved.at(i).unpack(self_of(node))), 0};
  } catch (...) {
    return {0, gt::caught()};
  }
}

}  // extern "C"

#endif
