#ifdef GOTORCH_TOGETHER  // together.cpp includes this file

#include "graph.hpp"
#include "own.hpp"

#include <ATen/Context.h>
#include <ATen/autocast_mode.h>
#include <ATen/ops/copy_ops.h>
#include <ATen/record_function.h>
#include <c10/core/AutogradState.h>
#include <c10/core/CPUAllocator.h>
#include <c10/core/InferenceMode.h>
#include <torch/csrc/autograd/anomaly_mode.h>

#include <chrono>

namespace gt::capture {

Settings settings_now() {
  const auto& context = at::globalContext();
  return {c10::GradMode::is_enabled(),
          c10::InferenceMode::is_enabled(),
          context.deterministicAlgorithms(),
          context.userEnabledMkldnn(),
          at::autocast::is_autocast_enabled(at::kCPU),
          torch::autograd::AnomalyMode::is_enabled(),
          at::autocast::get_autocast_dtype(at::kCPU),
          {context.userEnabledFlashSDP(), context.userEnabledMathSDP(), context.userEnabledMemEfficientSDP()},
          context.float32MatmulPrecision()};
}

External::External(const at::Tensor& t)
    : tensor(t), memory(storage(t)), bytes(memory->nbytes()), offset(t.storage_offset()),
      sizes(t.sizes().vec()), strides(t.strides().vec()), requires_grad(t.requires_grad()) {}

bool External::same_memory() const {
  const auto* s = tensor.has_storage() ? storage(tensor) : nullptr;
  return s == memory && s->nbytes() == bytes && tensor.storage_offset() == offset;
}

bool External::same_layout() const { return tensor.sizes() == sizes && tensor.strides() == strides; }

void Leaf::begin() {
  needs_before = touched = done = false;
  before.reset();
  if (const at::Tensor& grad = tensor.grad(); grad.defined()) before.emplace(grad.getIntrusivePtr());
}

void Leaf::does(Gradient what) {
  if (!std::exchange(done, true)) needs_before = what != Gradient::set;
  touched = touched || what != Gradient::read;
}

namespace {

bool same_tensor(const at::Tensor& a, const at::Tensor& b) {
  return a.unsafeGetTensorImpl() == b.unsafeGetTensorImpl();
}

// Fails if a kernel has changed a result's shape or memory, because then it did not write
// to the planned memory.
void stayed(const Call& c) {
  for (size_t k = 0; k < c.made.size(); k++) {
    TORCH_CHECK(c.made[k].numel() == c.places[k].numel && storage(c.made[k])->data() == c.places[k].data,
                "the layout of its result ", k, " has changed since the step was captured");
  }
}

}  // namespace

void Graph::check() const {
  const Settings now = settings_now();
  TORCH_CHECK_VALUE(now.grad == settings.grad && now.inference == settings.inference,
                    "the gradient mode has changed since the step was captured");
  TORCH_CHECK_VALUE(now.autocast == settings.autocast,
                    "autocast has been turned on or off since the step was captured");
  TORCH_CHECK_VALUE(!now.autocast || now.autocast_dtype == settings.autocast_dtype,
                    "the dtype of autocast has changed since the step was captured");
  TORCH_CHECK_VALUE(now.deterministic == settings.deterministic && now.mkldnn == settings.mkldnn,
                    "the setting of deterministic algorithms or of oneDNN has changed since the step was captured");
  TORCH_CHECK_VALUE(now.attention == settings.attention,
                    "the choice of attention kernels has changed since the step was captured");
  TORCH_CHECK_VALUE(
      now.anomaly == settings.anomaly,
      "anomaly detection has been turned on or off since the step was captured; a replay does not detect anomalies");
  for (const External& e : externals) {
    TORCH_CHECK_VALUE(e.same_layout(), "a tensor that the step uses had the shape ", e.sizes, " and the strides ",
                      e.strides, " when the step was captured; now it has ", e.tensor.sizes(), " and ",
                      e.tensor.strides());
    TORCH_CHECK_VALUE(e.same_memory(), "a tensor of shape ", e.tensor.sizes(),
                      " that the step uses has been given other memory since the step was captured");
    TORCH_CHECK_VALUE(
        e.tensor.requires_grad() == e.requires_grad, "a tensor of shape ", e.tensor.sizes(),
        e.requires_grad ? " no longer requires a gradient, as it did" : " requires a gradient, which it did not",
        " when the step was captured");
  }
  for (const auto& [t, version] : folded) {
    TORCH_CHECK_VALUE(t._version() == version, "the values of a tensor of shape ", t.sizes(),
                      " have changed, and the graph was optimized for the old ones; "
                      "tensors that change must be inputs");
  }
  for (const auto& [t, version] : looked) {
    TORCH_CHECK_VALUE(t._version() == version, "the values of a tensor of shape ", t.sizes(),
                      " were checked when the step was captured, and have changed since");
  }
  for (const Leaf& l : leaves) {
    if (l.memory) {
      TORCH_CHECK_VALUE(l.tensor.has_storage() && storage(l.tensor) == l.memory, "a parameter of shape ",
                        l.tensor.sizes(), " has been given other data since the step was captured");
    }
    TORCH_CHECK_VALUE(l.tensor.requires_grad() || !l.requires_grad, "a parameter of shape ", l.tensor.sizes(),
                      " no longer requires a gradient, as it did when the step was captured");
    TORCH_CHECK_VALUE(hooks_of(l.tensor) == l.hooks, "a parameter of shape ", l.tensor.sizes(),
                      " has different hooks than when the step was captured");
    if (!l.needs_before) continue;
    if (l.before) {
      TORCH_CHECK_VALUE(l.tensor.grad().unsafeGetTensorImpl() == l.before->_unsafe_get_target(),
                        "the gradient of a parameter of shape ", l.tensor.sizes(),
                        " is not the tensor that it was when the step was captured; the step adds to it or reads it, "
                        "so zero it instead of dropping it, or drop it within the step");
    } else {
      TORCH_CHECK_VALUE(!l.tensor.grad().defined(), "a parameter of shape ", l.tensor.sizes(),
                        " has a gradient, and had none when the step was captured");
    }
  }
}

// Moves the results of a call from the stack to the recorded tensors.
void Graph::keep(Call& c) {
  size_t k = 0;
  for (const IValue& v : stack) {
    tensors(v, [&](const at::Tensor& now) {
      TORCH_CHECK(k < c.made.size(), "it returns more results than when the step was captured");
      const at::Tensor& was = c.made[k++];
      TORCH_CHECK(now.sizes() == was.sizes() && now.strides() == was.strides() &&
                      now.scalar_type() == was.scalar_type() && now.storage_offset() == was.storage_offset(),
                  "the layout of its result ", k - 1, " has changed since the step was captured");
      auto *from = storage(now), *to = storage(was);
      if (from == to) return;  // the result is in memory of an argument
      if (c.how == How::swap && !copied_in_place_.count(to) && to->resizable() && from->nbytes() == to->nbytes() &&
          now.storage().use_count() == 1) {
        to->set_data_ptr_noswap(from->set_data_ptr(c10::DataPtr(nullptr, c10::Device(c10::kCPU))));
        return;
      }
      if (to->nbytes() && !to->data()) to->set_data_ptr_noswap(c10::GetCPUAllocator()->allocate(to->nbytes()));
      at::Tensor target = was;
      at::_ops::copy_::call(target, now, false);
    });
  }
  TORCH_CHECK(k == c.made.size(), "it returns fewer results than when the step was captured");
}

void Graph::run(Call& c) {
  for (auto* s : c.allocate_before) {
    if (!s->data()) s->set_data_ptr_noswap(c10::GetCPUAllocator()->allocate(s->nbytes()));
  }
  if (!c.allocate_before.empty() && c.how == How::out) {
    for (size_t k = 0; k < c.made.size(); k++) c.places[k].data = storage(c.made[k])->mutable_data();
  }
  switch (c.how) {
    case How::skip:
      break;
    case How::host:
      for (size_t i = 0; i < c.host->params.size(); i++) c.host->params[i].mutable_grad() = c.host->grads[i];
      c.host->run();
      break;
    default:
      if (c.fused) {
        c.fused->run(stack);
        if (c.how == How::swap) keep(c);
        else stayed(c);
        stack.clear();
        break;
      }
      if (c.direct || c.product) {
        (c.product && exact_ ? c.product : c.direct)->run(c.keys);
        if (c.how == How::out) stayed(c);
        break;
      }
      stack = c.args;
      c.op->redispatchBoxed(c.keys, &stack);
      if (c.how == How::swap || c.how == How::copy) keep(c);
      if (c.how == How::out) stayed(c);
      stack.clear();
  }
  for (auto* s : c.free_after) drop_data(s);
}

// Runs a call and reports it to profiles. The dispatcher, which reports other calls, is
// bypassed in replays.
void Graph::profiled(Call& c) {
  at::RecordFunction guard(at::RecordScope::FUNCTION);
  if (guard.isActive()) {
    if (c.how == How::host) guard.before(c.host->name());
    else guard.before(c.op->schema(), c10::ArrayRef<const IValue>(c.args.data(), c.args.size()), -1);
  }
  run(c);
}

// Restores the state after a failed replay. Tensors that something else holds get memory. Leaves get
// the gradients that they had before the step, or none if the step drops them or there were none.
void Graph::failed() noexcept {
  stack.clear();
  for (auto* s : anew_) {
    try {
      if (s->nbytes() && !s->data()) s->set_data_ptr_noswap(c10::GetCPUAllocator()->allocate(s->nbytes()));
    } catch (...) {  // The first error is reported. libtorch rejects tensors without memory, so they are safe.
    }
  }
  for (Leaf& l : leaves) {
    if (!l.touched) continue;
    auto before = l.needs_before && l.before ? l.before->lock() : c10::intrusive_ptr<c10::TensorImpl>();
    l.tensor.mutable_grad() = before ? at::Tensor(std::move(before)) : at::Tensor();
  }
}

// Sets the thread's grad and inference modes, which kernels read, to the modes of the
// calls. Restores the thread's modes at the end.
struct Modes {
  const c10::AutogradState was = c10::AutogradState::get_tls_state();
  void set(bool grad, bool inference) {
    auto& now = c10::AutogradState::get_tls_state();
    now.set_grad_mode(grad);
    now.set_inference_mode(inference);
  }
  ~Modes() { c10::AutogradState::set_tls_state(was); }
};

std::vector<int64_t> Graph::time() {
  constexpr int kTimes = 5;
  std::vector<int64_t> best(calls.size(), INT64_MAX), times;
  for (int i = 0; i < kTimes; i++) {
    times.clear();
    times_ = &times;
    uint32_t at;
    int32_t stale;
    try {
      replay(&at, &stale);
    } catch (...) {
      times_ = nullptr;
      throw;
    }
    times_ = nullptr;
    for (size_t k = 0; k < best.size(); k++) best[k] = std::min(best[k], times[k]);
  }
  return best;
}

void Graph::replay(uint32_t* at, int32_t* stale) {
  *stale = 1;
  check();
  *stale = 0;
  exact_ = exact_products();
  for (Fresh& f : fresh_) {
    if (held(f)) renew(f);
  }
  for (auto& [v, _] : versions) v.bump();  // first, because a replay that fails may already have written
  const bool profiling = at::getStepCallbacksUnlessEmpty(at::RecordScope::FUNCTION).has_value();
  // In memory histories and profiles, an operator is reported at the line that called it
  // in the capture.
  struct Lines {
    gt_ctx was = tl_ctx;
    void set(uint32_t stack) {
      constexpr gt_ctx mask = ((gt_ctx{1} << GT_CTX_STACK_BITS) - 1) << GT_CTX_STACK_SHIFT;
      tl_ctx = (was & ~mask) | gt_ctx{stack} << GT_CTX_STACK_SHIFT;
    }
    ~Lines() { tl_ctx = was; }
  } lines;
  {
    at::AutoDispatchBelowADInplaceOrView below;
    Modes modes;
    // Free the results that this replay computes again; otherwise its peak would be
    // higher than the peak of a step without a graph. Memory that another library uses
    // (see exported in dlpack.cpp) is not freed.
    for (auto* s : anew_) {
      if (s->resizable()) drop_data(s);
    }
    for (Call& c : calls) {
      try {
        lines.set(c.stack);
        if (c.how == How::host) modes.set(settings.grad, settings.inference);
        else modes.set(c.grad, c.inference);
        const auto start = times_ ? std::chrono::steady_clock::now() : std::chrono::steady_clock::time_point();
        if (profiling && c.how != How::skip) profiled(c);
        else run(c);
        if (times_) times_->push_back((std::chrono::steady_clock::now() - start) / std::chrono::nanoseconds(1));
      } catch (c10::Error& e) {
        failed();
        *at = c.stack;
        e.add_context(c10::str("in the replay of ", c.op ? toString(c.op->operator_name()) : c.host->name()));
        throw;
      } catch (...) {
        failed();
        *at = c.stack;
        throw;
      }
    }
  }
  for (Leaf& l : leaves) {
    if (!l.touched) continue;  // the gradient belongs to the program
    at::Tensor& grad = l.tensor.mutable_grad();
    if (!same_tensor(grad, l.after)) grad = l.after;
  }
}

}  // namespace gt::capture

#endif
