// A Work is a running collective that can be waited for.
#pragma once

#include "handles.hpp"

#include <ATen/core/ivalue.h>
#include <torch/csrc/distributed/c10d/Work.hpp>

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace gt::dist {

inline std::vector<at::Tensor> tensors(const gt_tensor* ts, int64_t n) {
  std::vector<at::Tensor> all;
  all.reserve(n);
  for (int64_t i = 0; i < n; i++) all.push_back(gt::as(ts[i]));
  return all;
}

// The state of a wait for a collective. c10d's own wait cannot be interrupted, so Work
// waits on the future.
struct Waiting {
  std::mutex mutex;
  std::condition_variable changed;
  bool ended = false, interrupted = false;
  std::function<void()> on_interrupt;

  void end() {
    const std::lock_guard<std::mutex> lock(mutex);
    ended = true;
    on_interrupt = nullptr;
    changed.notify_all();
  }
  void interrupt() {
    std::function<void()> also;
    {
      const std::lock_guard<std::mutex> lock(mutex);
      interrupted = true;
      also = std::exchange(on_interrupt, nullptr);
      changed.notify_all();
    }
    if (also) also();
  }
};

struct Work {
  c10::intrusive_ptr<c10d::Work> work;
  std::shared_ptr<Waiting> waiting = std::make_shared<Waiting>();  // shared with the callback
  const bool to_one;                                               // a send or a receive, which can be aborted
  const bool on_streams;                                           // NCCL's work, complete once it has begun
  const int64_t timeout;                                           // for sends and receives; -1 means Gloo's timeout

  Work(c10::intrusive_ptr<c10d::Work> w, int32_t op, bool nccl, int64_t ms)
      : work(std::move(w)),
        to_one(op == GT_OP_SEND || op == GT_OP_RECV || op == GT_OP_RECV_ANY),
        on_streams(nccl),
        timeout(ms) {
    if (to_one || on_streams) return;
    if (op == GT_OP_REDUCE_SCATTER || op == GT_OP_REDUCE_SCATTER_TENSOR) {
      // Sends and receives have no future in libtorch 2.11, so a thread waits for them.
      std::thread([work = work, to = waiting] {
        try {
          work->wait();
        } catch (...) {  // The error is reported by wait.
        }
        to->end();
      }).detach();
      return;
    }
    work->getFuture()->addCallback([to = waiting](c10::ivalue::Future&) { to->end(); });
  }

  // Waits. Returns false if the wait was interrupted. Throws the work's exception.
  bool wait() {
    // Waiting for NCCL would make this thread's current stream wait. gt_work_follow makes
    // the right stream wait.
    if (on_streams) return true;
    // libtorch returns false for an aborted work. A timeout of -1 must be replaced,
    // because Gloo would use the timeout that the group had for joining.
    if (to_one) return work->wait(timeout < 0 ? kNoTimeout : ms(timeout));
    std::unique_lock<std::mutex> lock(waiting->mutex);
    waiting->changed.wait(lock, [&] { return waiting->ended || waiting->interrupted; });
    if (!waiting->ended) return false;
    lock.unlock();
    work->wait();  // The work has ended, so this does not wait. It throws the work's exception.
    return true;
  }
  void interrupt() {
    waiting->interrupt();
    if (to_one) work->abort();
  }

  // A future that completes when the work ends or is interrupted.
  c10::intrusive_ptr<c10::ivalue::Future> future() const {
    auto real = work->getFuture();
    // This is NCCL's future, which is complete once the work has begun.
    if (!real->devices().empty()) return real;
    auto also = c10::make_intrusive<c10::ivalue::Future>(real->elementType());
    struct Once {
      std::mutex mutex;
      bool done = false;
      bool first() {
        const std::lock_guard<std::mutex> lock(mutex);
        return !std::exchange(done, true);
      }
    };
    auto once = std::make_shared<Once>();
    {
      const std::lock_guard<std::mutex> lock(waiting->mutex);
      waiting->on_interrupt = [also, once] {
        if (once->first()) also->setError(std::make_exception_ptr(std::runtime_error("the collective was given up")));
      };
    }
    real->addCallback([also, once](c10::ivalue::Future& f) {
      if (!once->first()) return;
      if (f.hasError())
        also->setError(f.exception_ptr());
      else
        also->markCompleted(f.constValue());
    });
    return also;
  }
};

inline Work& work_of(gt_work w) { return *reinterpret_cast<Work*>(w); }

}  // namespace gt::dist
