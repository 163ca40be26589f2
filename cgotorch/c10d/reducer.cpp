#ifdef GOTORCH_TOGETHER  // together.cpp includes this file
#include "reducer.h"

#include "callback.hpp"
#include "handles.hpp"
#include "released.hpp"
#include "works.hpp"

#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/graph_task.h>
#include <torch/csrc/distributed/c10d/comm.hpp>
#include <torch/csrc/distributed/c10d/logger.hpp>
#include <torch/csrc/distributed/c10d/reducer.hpp>

#include <ATen/ops/full.h>

#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

// Functions in Go. A nonzero result is the tag of a panic.
//
// Begins a collective of the relay with this id. pass is the number of the current
// backward pass, or -1 outside one. flight identifies the collective and is released when
// no call will wait for it. work is borrowed until then.
extern "C" int64_t gotorchDistBegin(int64_t id, int64_t pass, gt_dist_call* call, int64_t* flight, gt_work* work);
// Waits for the collective.
extern "C" int64_t gotorchDistWait(int64_t flight);
// Runs Go's hook number id on a bucket. Returns its result, a new reference.
extern "C" int64_t gotorchDistBucket(int64_t id, gt_tensor buffer, int64_t index, int last, gt_tensor* params,
                                     int64_t n);
extern "C" int64_t gotorchDistBucketEnd(int64_t id, int64_t index, gt_tensor* out);

namespace {

using c10::ivalue::Future;

bool in_backward() { return torch::autograd::get_current_graph_task_id() != -1; }

// Set while the reducer starts collectives and then waits for their futures. During that
// wait, the reducer would hold its slot at the gate, so Relay waits first.
thread_local bool at_once = false;

class AtOnce {
 public:
  AtOnce() { at_once = true; }
  ~AtOnce() { at_once = false; }
  AtOnce(const AtOnce&) = delete;
  AtOnce& operator=(const AtOnce&) = delete;
};

void at_end_of_pass(std::function<void()> fn) {
  torch::autograd::Engine::get_default_engine().queue_callback(std::move(fn));
}

// A collective that Go has started.
class RelayWork : public c10d::Work {
 public:
  RelayWork(int rank, c10d::OpType op, const gt::dist::Work& begun, int64_t flight)
      : c10d::Work(rank, op), work_(begun.work), flight_(flight), future_(begun.future()) {}
  ~RelayWork() override { gt::push_released(flight_); }

  bool isCompleted() override { return work_->isCompleted(); }
  bool isSuccess() const override { return work_->isSuccess(); }
  std::exception_ptr exception() const override { return work_->exception(); }
  std::vector<at::Tensor> result() override { return work_->result(); }
  c10::intrusive_ptr<Future> getFuture() override { return future_; }

  bool wait(std::chrono::milliseconds) override {
    if (!waited_.exchange(true)) {
      const gt::CallbackScope scope;
      if (const int64_t tag = gotorchDistWait(flight_)) throw gt::GoPanic(tag);
    }
    if (!future_->devices().empty()) work_->wait();  // for NCCL, this thread's stream waits
    return true;
  }

 private:
  c10::intrusive_ptr<c10d::Work> work_;
  const int64_t flight_;
  c10::intrusive_ptr<Future> future_;
  std::atomic<bool> waited_{false};
};

// The backend that libtorch's reducer calls. It forwards collectives to Go.
class Relay : public c10d::Backend {
 public:
  Relay(int rank, int size, int64_t id) : c10d::Backend(rank, size), id_(id) {}
  ~Relay() override { gt::push_released(id_); }

  const std::string getBackendName() const override { return "gloo"; }

  c10::intrusive_ptr<c10d::Work> broadcast(std::vector<at::Tensor>& ts, const c10d::BroadcastOptions& o) override {
    gt_dist_call c{.op = GT_OP_BROADCAST, .root = static_cast<int32_t>(o.rootRank)};
    return begin(c10d::OpType::BROADCAST, c, ts, {});
  }
  c10::intrusive_ptr<c10d::Work> allreduce(std::vector<at::Tensor>& ts, const c10d::AllreduceOptions& o) override {
    gt_dist_call c{.op = GT_OP_ALL_REDUCE, .reduce = static_cast<int32_t>(o.reduceOp.op_)};
    return begin(c10d::OpType::ALLREDUCE, c, ts, {});
  }
  c10::intrusive_ptr<c10d::Work> allgather(std::vector<std::vector<at::Tensor>>& outs, std::vector<at::Tensor>& ins,
                                           const c10d::AllgatherOptions&) override {
    gt_dist_call c{.op = GT_OP_ALL_GATHER};
    return begin(c10d::OpType::ALLGATHER, c, outs.at(0), ins);
  }

 private:
  c10::intrusive_ptr<c10d::Work> begin(c10d::OpType op, gt_dist_call& c, const std::vector<at::Tensor>& outs,
                                       const std::vector<at::Tensor>& ins) {
    const auto o = handles(outs), i = handles(ins);
    c.timeout = -1;
    c.outs = o.data(), c.n_outs = o.size();
    c.ins = i.data(), c.n_ins = i.size();
    int64_t flight = 0;
    gt_work work = 0;
    {
      const gt::CallbackScope scope;
      const int64_t pass = torch::autograd::get_current_graph_task_id();
      if (const int64_t tag = gotorchDistBegin(id_, pass, &c, &flight, &work)) throw gt::GoPanic(tag);
    }
    c10::intrusive_ptr<RelayWork> w;
    try {
      w = c10::make_intrusive<RelayWork>(getRank(), op, work_of(work), flight);
    } catch (...) {
      gt::push_released(flight);
      throw;
    }
    // Wait here, or at the end of the backward pass, because the reducer would hold its
    // slot at the gate during the wait. Its own callback runs after this one, when the
    // futures are already complete.
    if (at_once)
      w->wait(kNoTimeout);
    else if (in_backward())
      at_end_of_pass([w] { w->wait(kNoTimeout); });
    return w;
  }
  static std::vector<gt_tensor> handles(const std::vector<at::Tensor>& ts) {
    std::vector<gt_tensor> hs;
    hs.reserve(ts.size());
    for (const auto& t : ts) hs.push_back(reinterpret_cast<gt_tensor>(t.unsafeGetTensorImpl()));
    return hs;
  }

  const int64_t id_;
};

// A Go function that reduces a bucket, instead of summing it over the group.
class GoHook : public c10d::CommHookInterface {
 public:
  explicit GoHook(int64_t id) : id_(id) {}
  ~GoHook() override { gt::push_released(id_); }

  c10::intrusive_ptr<Future> runHook(c10d::GradBucket& bucket) override {
    auto future = c10::make_intrusive<Future>(c10::TensorType::get());
    const auto params = bucket.getParameters();
    std::vector<gt_tensor> hs;
    for (const auto& p : params) hs.push_back(reinterpret_cast<gt_tensor>(p.unsafeGetTensorImpl()));
    const int64_t index = bucket.getIndex();
    {
      const gt::CallbackScope scope;
      const auto buffer = reinterpret_cast<gt_tensor>(bucket.getBuffer().unsafeGetTensorImpl());
      if (const int64_t tag = gotorchDistBucket(id_, buffer, index, bucket.isLast(), hs.data(), hs.size()))
        throw gt::GoPanic(tag);
    }
    // Capturing this is safe, because the reducer owns this hook and outlives the pass.
    auto end = [this, index, future] {
      gt_tensor out = 0;
      {
        const gt::CallbackScope scope;
        if (const int64_t tag = gotorchDistBucketEnd(id_, index, &out)) throw gt::GoPanic(tag);
      }
      future->markCompleted(at::Tensor(c10::intrusive_ptr<c10::TensorImpl, c10::UndefinedTensorImpl>::reclaim(
          reinterpret_cast<c10::TensorImpl*>(out))));
    };
    if (at_once)
      end();
    else
      at_end_of_pass(end);
    return future;
  }
  at::Tensor parseHookResult(const c10::IValue& result) override { return result.toTensor(); }

 private:
  const int64_t id_;
};

// A reducer with its process group and logger.
struct Reducing {
  c10::intrusive_ptr<ProcessGroup> group;
  std::shared_ptr<c10d::Reducer> reducer;
  std::shared_ptr<c10d::Logger> logger;  // libtorch's reducer requires a logger
  bool filled = false;  // whether the reducer's record of used parameters was filled with zeros

  // Sums the reducer's record of used parameters over all ranks. Entries from earlier
  // passes are not reset, so a parameter that was used once counts as used from then on,
  // as in Python. Before the first sum, the record is filled with zeros.
  void share_used() {
    std::vector<at::Tensor> used{reducer->get_local_used_map_on_device()};
    if (!std::exchange(filled, true)) used[0].zero_();
    group->allreduce(used)->wait();
  }
};

// A hook in the graph that keeps the reducer alive, because the backward pass calls the
// reducer. The hooks on the parameters do not own the reducer, and Go's collector may
// drop the last other reference.
struct Keeps : torch::autograd::FunctionPostHook {
  const std::shared_ptr<c10d::Reducer> reducer;
  const std::shared_ptr<c10d::Logger> logger;

  explicit Keeps(const Reducing& r) : reducer(r.reducer), logger(r.logger) {}
  torch::autograd::variable_list operator()(const torch::autograd::variable_list& outputs,
                                            const torch::autograd::variable_list&) override {
    return outputs;
  }
};

Reducing& reducing(gt_reducer r) { return *reinterpret_cast<Reducing*>(r); }
c10d::Reducer& reducer_of(gt_reducer r) { return *reducing(r).reducer; }

std::vector<size_t> limits(const int64_t* caps, int64_t n) {
  std::vector<size_t> all;
  for (int64_t i = 0; i < n; i++)
    all.push_back(caps[i] < 0 ? std::numeric_limits<int64_t>::max() : static_cast<size_t>(caps[i]));
  return all;
}

}  // namespace

extern "C" {

gt_dist_status gt_relay_new(int64_t id, int rank, int size, const char* name, gt_relay* out) {
  c10::intrusive_ptr<c10d::Backend> relay;
  try {
    relay = c10::make_intrusive<Relay>(rank, size, id);
  } catch (...) {
    gt::push_released(id);
    return gt::dist::caught();
  }
  return run([&] {
    auto group = c10::make_intrusive<ProcessGroup>(rank, size);
    group->setBackend(c10::DeviceType::CPU, ProcessGroup::BackendType::CUSTOM, relay);
    group->setBackend(c10::DeviceType::CUDA, ProcessGroup::BackendType::CUSTOM, relay);
    group->setDefaultBackend(ProcessGroup::BackendType::CUSTOM);
    group->setGroupName(name);
    *out = gt::dist::handle(std::move(group));
  });
}

void gt_relay_free(gt_relay r) { gt::dist::drop<ProcessGroup>(r); }

gt_dist_status gt_relay_verify(gt_ctx cx, gt_relay r, const gt_tensor* params, int64_t n) {
  return run([&] {
    gt::enter(cx);
    c10d::verify_params_across_processes(gt::dist::shared<ProcessGroup>(r), tensors(params, n), {});
  });
}

gt_dist_status gt_relay_broadcast(gt_ctx cx, gt_relay r, const gt_tensor* ts, int64_t n, int64_t bytes, int src) {
  return run([&] {
    gt::enter(cx);
    const at::NoGradGuard none;
    c10d::broadcast_coalesced(gt::dist::shared<ProcessGroup>(r), tensors(ts, n), bytes, src);
  });
}

gt_dist_status gt_reducer_new(gt_ctx cx, gt_relay r, const gt_reducer_options* o, gt_reducer* out) {
  return run([&] {
    gt::enter(cx);
    auto params = tensors(o->params, o->n_params);
    const std::vector<bool> sparse(o->sparse, o->sparse + o->n_params);
    auto [buckets, _] = c10d::compute_bucket_assignment_by_size(params, limits(o->caps, o->n_caps), sparse);
    // The backward pass reaches the last parameters first, so their bucket comes first.
    std::reverse(buckets.begin(), buckets.end());
    std::unordered_map<size_t, std::string> names;
    const char* name = o->names;
    for (int64_t i = 0; i < o->n_params; i++, name += std::strlen(name) + 1) names[i] = name;
    in_detail();  // sets the debug level, which the reducer reads
    auto all = std::make_unique<Reducing>();
    all->group = gt::dist::shared<ProcessGroup>(r);
    all->reducer = std::make_shared<c10d::Reducer>(
        std::move(params), std::move(buckets), all->group, sparse, o->cap, o->find_unused, o->bucket_view,
        std::move(names), o->first_cap, o->skip_unused, /*use_python_reducer=*/false,
        std::vector<int64_t>(o->rebuild_caps, o->rebuild_caps + o->n_rebuild_caps));
    all->logger = std::make_shared<c10d::Logger>(all->reducer);
    all->reducer->set_logger(all->logger);
    if (o->static_graph) all->reducer->set_static_graph();
    *out = reinterpret_cast<gt_reducer>(all.release());
  });
}

void gt_reducer_free(gt_reducer r) {
  try {
    delete &reducing(r);
  } catch (...) {
  }
}

gt_dist_status gt_reducer_prepare_forward(gt_ctx cx, gt_reducer r) {
  return run([&] {
    gt::enter(cx);
    reducer_of(r).prepare_for_forward();
  });
}

gt_dist_status gt_reducer_finished(gt_reducer r) {
  return run([&] {
    if (!in_backward()) reducer_of(r).check_finalized();
  });
}

gt_dist_status gt_reducer_rebuild(gt_ctx cx, gt_reducer r, int* rebuilt) {
  return run([&] {
    gt::enter(cx);
    *rebuilt = reducer_of(r).rebuild_buckets();
  });
}

gt_dist_status gt_reducer_prepare_backward(gt_ctx cx, gt_reducer r, const gt_tensor* outs, int64_t n, int search) {
  return run([&] {
    gt::enter(cx);
    for (int64_t i = 0; i < n; i++)
      if (const auto& node = gt::as(outs[i]).grad_fn()) node->add_post_hook(std::make_unique<Keeps>(reducing(r)));
    reducing(r).filled = true;
    reducer_of(r).prepare_for_backward(search ? tensors(outs, n) : std::vector<at::Tensor>());
  });
}

gt_dist_status gt_reducer_delay(gt_ctx cx, gt_reducer r) {
  return run([&] {
    gt::enter(cx);
    at_end_of_pass([reducer = reducing(r).reducer] {
      const AtOnce now;
      reducer->delay_all_reduce();
    });
  });
}

gt_dist_status gt_reducer_divide(gt_ctx cx, gt_reducer r, int64_t by) {
  return run([&] {
    gt::enter(cx);
    c10::intrusive_ptr<c10d::Work> counted;
    if (by > 0) {
      auto future = c10::make_intrusive<Future>(c10::ListType::create(c10::TensorType::get()));
      future->markCompleted(c10::IValue(std::vector<at::Tensor>{at::full({1}, by, at::kLong)}));
      counted = c10d::Work::create_from_future(future);
    }
    reducer_of(r).set_forward_pass_work_handle(std::move(counted), /*useStaticWorldSize=*/by <= 0);
  });
}

gt_dist_status gt_reducer_hook(gt_ctx cx, gt_reducer r, int64_t id) {
  std::unique_ptr<c10d::CommHookInterface> hook;
  try {
    hook = std::make_unique<GoHook>(id);
  } catch (...) {
    gt::push_released(id);
    return gt::dist::caught();
  }
  return run([&] {
    gt::enter(cx);
    reducer_of(r).register_comm_hook(std::move(hook));
  });
}

gt_dist_status gt_reducer_shadow(gt_ctx cx, gt_reducer r, int used) {
  return run([&] {
    gt::enter(cx);
    Reducing& all = reducing(r);
    if (used == GT_USED_BEFORE) all.share_used();
    {
      const AtOnce now;
      for (auto& bucket : all.reducer->get_grad_buckets()) all.reducer->run_comm_hook(bucket)->waitAndThrow();
    }
    if (used == GT_USED_AFTER) all.share_used();
    // With a static graph, the first pass does not show in which order gradients arrive. Buckets
    // are rebuilt after the second pass.
    if (used != GT_USED_BEFORE) all.reducer->push_rebuilt_params_for_all_indices();
  });
}

gt_dist_status gt_reducer_buckets(gt_ctx cx, gt_reducer r, gt_tensor* buffers, int64_t n, int64_t* have) {
  return run([&] {
    gt::enter(cx);
    auto buckets = reducer_of(r).get_grad_buckets(/*return_zero_tensors=*/false);
    *have = buckets.size();
    for (int64_t i = 0; i < std::min<int64_t>(n, buckets.size()); i++)
      buffers[i] = gt::release(at::Tensor(buckets[i].getBuffer()));
  });
}

gt_dist_status gt_reducer_places(gt_reducer r, uintptr_t* at, int64_t* bytes, int64_t n, int64_t* have) {
  return run([&] {
    *have = 0;
    std::vector<c10d::GradBucket> buckets;
    try {
      buckets = reducer_of(r).get_grad_buckets(/*return_zero_tensors=*/false);
    // From libtorch 2.15 on, this fails if a bucket has no memory, such as a bucket of
    // sparse gradients.
    } catch (const c10::Error&) {
      return;
    }
    for (auto& bucket : buckets) {
      const at::Tensor& t = bucket.getBuffer();
      if (!t.defined() || t.layout() != at::kStrided || !t.has_storage())
        continue;  // sparse gradients have no memory in the bucket
      if (const int64_t i = (*have)++; i < n) {
        at[i] = reinterpret_cast<uintptr_t>(t.storage().data());
        bytes[i] = static_cast<int64_t>(t.storage().nbytes());
      }
    }
  });
}

}  // extern "C"

#endif
