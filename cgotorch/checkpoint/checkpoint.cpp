#include "checkpoint.h"

#include "abi.hpp"
#include "callback.hpp"
#include "checkpoints.hpp"
#include "released.hpp"

#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/autograd/graph_task.h>
#include <torch/csrc/autograd/saved_variable.h>
#include <torch/csrc/autograd/saved_variable_hooks.h>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <sstream>

// Runs the Go function with this id again. Sets *stopped to 1 once the run has saved all
// tensors that are needed. If the function ends with an error after that, the error is
// ignored.
extern "C" int64_t gotorchRecompute(int64_t id, gt_tensor* inputs, int64_t n, const uint8_t* stopped);

using gt::as;
namespace ag = torch::autograd;

namespace {

// The properties of a saved tensor that must be the same in the second run as in the
// first.
struct Meta {
  at::ScalarType dtype;
  at::Device device;
  std::vector<int64_t> sizes;

  explicit Meta(const at::Tensor& t) : dtype(t.scalar_type()), device(t.device()), sizes(t.sizes().vec()) {}
  bool operator==(const Meta&) const = default;
  std::string text() const {
    std::ostringstream s;
    s << dtype << ' ' << at::IntArrayRef(sizes) << " on " << device;
    return s.str();
  }
};

// Takes the place of a tensor that the first run saved. recomputed contains the same
// tensor from later runs, keyed by the number of the backward pass that needed it.
struct Holder {
  std::mutex mutex;
  std::map<int64_t, at::Tensor> recomputed;
};

// One call of a checkpointed function. The Holders of its saved tensors keep it alive.
struct Frame {
  explicit Frame(int64_t i) : id(i) {}
  ~Frame() { gt::push_released(id); }

  const int64_t id;
  std::vector<ag::SavedVariable> inputs;
  // Only the first run writes this. A backward pass reads it either after that run has
  // ended, or inside the run on the same thread.
  std::vector<std::weak_ptr<Holder>> holders;
  std::vector<Meta> metas;
  bool completed = false;
  std::mutex mutex;
  std::set<int64_t> passes;  // the backward passes that have run the function again
};

// A repeated run of the function, for one backward pass.
struct Run {
  Frame& frame;
  const int64_t pass;
  size_t saved = 0;
  bool open = false;  // true: the first run has not ended, so the number of saved tensors may differ
  uint8_t stopped = 0;
  std::string differs;
};

// The checkpointed functions that the thread is running, the innermost last. In a first
// run, run is null.
struct Running {
  std::shared_ptr<Frame> frame;
  Run* run;
};
thread_local std::vector<Running> tl_running;

class Pushed {
 public:
  Pushed(std::shared_ptr<Frame> frame, Run* run) {
    tl_running.push_back({std::move(frame), run});
    gt::tl_checkpoints++;
  }
  ~Pushed() { pop(); }
  Pushed(const Pushed&) = delete;
  Pushed& operator=(const Pushed&) = delete;

  static void pop() noexcept {
    gt::tl_checkpoints--;
    tl_running.pop_back();
  }
};

// Thrown to end a repeated run as soon as it has saved all tensors that are needed.
struct Stop : std::runtime_error {
  Stop() : std::runtime_error("the checkpoint has all that it needs") {}
};

void run_again(const std::shared_ptr<Frame>& frame, int64_t pass) {
  std::vector<at::Tensor> inputs;
  std::vector<gt_tensor> borrowed;
  for (const auto& v : frame->inputs) {
    inputs.push_back(v.unpack());
    borrowed.push_back(reinterpret_cast<gt_tensor>(inputs.back().unsafeGetTensorImpl()));
  }
  Run run{*frame, pass};
  int64_t tag;
  {
    const c10::AutoGradMode records(true);
    const Pushed pushed(frame, &run);
    gt::CallbackScope scope;
    tag = gotorchRecompute(frame->id, borrowed.data(), static_cast<int64_t>(borrowed.size()), &run.stopped);
  }
  if (tag) throw gt::GoPanic(tag);
  if (run.open) return;
  TORCH_CHECK(run.saved == frame->holders.size(), "the function of a checkpoint saved ", frame->holders.size(),
              " tensors for the backward pass at first and ", run.saved,
              " when it ran again: it has to do the same each time");
  TORCH_CHECK(run.differs.empty(), "the function of a checkpoint did not do the same when it ran again: ", run.differs);
}

at::Tensor ask(const std::shared_ptr<Frame>& frame, Holder& holder) {
  static std::atomic<int64_t> outside{-1};
  int64_t pass = ag::get_current_graph_task_id();
  if (pass == -1) pass = --outside;
  const auto ran = [&] {
    std::lock_guard<std::mutex> lock(frame->mutex);
    return frame->passes.count(pass) > 0;
  };
  // No lock is held while Go runs. So in one pass, the threads of two devices may both
  // run the function.
  if (!ran()) {
    run_again(frame, pass);
    std::lock_guard<std::mutex> lock(frame->mutex);
    frame->passes.insert(pass);
  }
  std::lock_guard<std::mutex> lock(holder.mutex);
  const auto found = holder.recomputed.find(pass);
  TORCH_CHECK(found != holder.recomputed.end(),
              "a tensor that a checkpoint saved is asked for twice in one backward pass: call Context.Saved once");
  at::Tensor t = std::move(found->second);
  holder.recomputed.erase(found);
  return t;
}

// The hooks for a tensor that a first run saves.
class First : public ag::SavedVariableHooks {
 public:
  explicit First(std::shared_ptr<Frame> frame) : frame_(std::move(frame)) {}
  void call_pack_hook(const at::Tensor& t) override {
    holder_ = std::make_shared<Holder>();
    frame_->metas.emplace_back(t);
    frame_->holders.push_back(holder_);
  }
  at::Tensor call_unpack_hook() override { return ask(frame_, *holder_); }

 private:
  std::shared_ptr<Frame> frame_;
  std::shared_ptr<Holder> holder_;
};

// The hooks for a tensor that a repeated run saves. A backward pass inside the function
// may need it too.
class Further : public ag::SavedVariableHooks {
 public:
  explicit Further(Run& run) : run_(&run) {}
  void call_pack_hook(const at::Tensor& t) override {
    // Check only once: the repeated run ends before its graph is used.
    Run& run = *std::exchange(run_, nullptr);
    Frame& frame = run.frame;
    if (run.stopped) throw Stop();
    tensor_ = t.requires_grad() ? t.detach() : t;
    const size_t i = run.saved++;
    if (i >= frame.holders.size()) {
      run.open = run.open || !frame.completed;
      return;
    }
    if (const Meta now(t); run.differs.empty() && now != frame.metas[i])
      run.differs = c10::str("tensor ", i, " that it saves was ", frame.metas[i].text(), " and is ", now.text());
    if (const auto holder = frame.holders[i].lock()) {
      std::lock_guard<std::mutex> lock(holder->mutex);
      holder->recomputed.insert_or_assign(run.pass, tensor_);
    }
    if (frame.completed && run.saved == frame.holders.size()) {
      run.stopped = 1;
      throw Stop();
    }
  }
  at::Tensor call_unpack_hook() override { return tensor_; }

 private:
  Run* run_;
  at::Tensor tensor_;
};

// Replaces libtorch's autograd engine, in order to provide the hooks on saved tensors.
// Python does the same, and libtorch supports this through set_default_engine_stub.
class Engine : public ag::Engine {
 public:
  std::unique_ptr<ag::SavedVariableHooks> get_default_saved_variable_hooks() override {
    if (tl_running.empty()) return nullptr;
    const Running& top = tl_running.back();
    if (top.run) return std::make_unique<Further>(*top.run);
    return std::make_unique<First>(top.frame);
  }
};

ag::Engine& engine() {
  static auto* e = new Engine;  // never destroyed: its threads may outlive static objects
  return *e;
}

const bool installed = [] {
  ag::set_default_engine_stub(engine);
  return true;
}();

}  // namespace

extern "C" {

uintptr_t gt_checkpoint_begin(gt_ctx ctx, int64_t id, const gt_tensor* inputs, int64_t n, uintptr_t* out_frame) {
  std::shared_ptr<Frame> frame;
  try {
    frame = std::make_shared<Frame>(id);
  } catch (...) {
    gt::push_released(id);
    return gt::caught();
  }
  try {
    gt::enter(ctx);
    TORCH_CHECK_NOT_IMPLEMENTED(!gt::in_transform(), "a checkpoint cannot run within a functional transform");
    for (int64_t i = 0; i < n; i++) frame->inputs.emplace_back(as(inputs[i]), false);
    auto* raw = frame.get();
    tl_running.push_back({std::move(frame), nullptr});
    gt::tl_checkpoints++;
    *out_frame = reinterpret_cast<uintptr_t>(raw);
    return 0;
  } catch (...) {
    return gt::caught();
  }
}

void gt_checkpoint_end(uintptr_t frame, int completed) {
  // frame is the thread's innermost frame, because one Go function calls both begin and
  // end.
  reinterpret_cast<Frame*>(frame)->completed = completed;
  Pushed::pop();
}

}  // extern "C"
