// Finds the Go stacks of an allocation.
//
// The current stack's number is in the gt_ctx of the current call. In a backward pass,
// this is the stack of the call to Backward. The operator whose gradient is being
// computed ran earlier, on some thread T, when T's counter of autograd nodes was N. So
// every operator adds (N, stack) to its thread's log, and a node looks up its own N in
// T's log. libtorch's profiler connects the two passes in the same way.
#include <ATen/SequenceNumber.h>
#include <ATen/record_function.h>
#include <c10/core/GradMode.h>

#include <cstdlib>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "abi.hpp"
#include "call_site.hpp"
#include "history.hpp"

namespace gt::history {

namespace {

// The stacks of a thread's operators. A stack is stored with the number of the first
// autograd node for which it was current. The log keeps the last 64 Ki entries, so nodes
// of older graphs get no stack.
class Log {
 public:
  void note(uint64_t seq, uint32_t stack) noexcept {
    std::lock_guard g(lock_);
    if (n_) {
      Note& last = notes_[(n_ - 1) % notes_.size()];
      if (last.stack == stack) return;
      if (last.seq == seq) {
        last.stack = stack;
        return;
      }
    }
    if (n_ == notes_.size() && n_ < kMost) {
      try {
        notes_.resize(n_ ? n_ * 2 : 256);
      } catch (...) {
        if (notes_.empty()) return;
      }
    }
    notes_[n_++ % notes_.size()] = {seq, stack};
  }

  uint32_t find(uint64_t seq) noexcept {
    std::lock_guard g(lock_);
    size_t lo = n_ > notes_.size() ? n_ - notes_.size() : 0, hi = n_;
    while (lo < hi) {  // find the first entry above seq
      const size_t mid = lo + (hi - lo) / 2;
      if (notes_[mid % notes_.size()].seq <= seq) {
        lo = mid + 1;
      } else {
        hi = mid;
      }
    }
    if (!lo || n_ - lo >= notes_.size()) return 0;
    return notes_[(lo - 1) % notes_.size()].stack;
  }

  void clear() noexcept {
    std::lock_guard g(lock_);
    std::vector<Note>().swap(notes_);
    n_ = 0;
  }

 private:
  static constexpr size_t kMost = 1 << 16;
  struct Note {
    uint64_t seq;
    uint32_t stack;
  };
  gt::alloc::SpinLock lock_;
  std::vector<Note> notes_;
  size_t n_ = 0;
};

// All logs, by libtorch's thread number, which is never reused. A graph may outlive the
// thread that created it, so logs are kept and emptied when the history ends.
struct Logs {
  std::mutex mu;
  std::unordered_map<uint64_t, std::unique_ptr<Log>> by_thread;
};
Logs& logs() {
  static auto* l = new Logs;
  return *l;
}

thread_local Log* tl_log = nullptr;
thread_local int tl_operators = 0;             // how many operators, one inside the other, the thread is running
// The stacks of the nested nodes that the thread is running. These are plain arrays,
// because tensors may be freed after the thread's objects are destroyed.
constexpr int kNodes = 16;
thread_local uint32_t tl_forward[kNodes];
thread_local int tl_nodes = 0;

// Returns the stack in the calling thread's gt_ctx. On the engine's own threads, returns
// the stack of the call to Backward.
uint32_t current_stack() noexcept {
  const auto stack = GT_CTX_STACK(gt::tl_ctx);
  return stack || !tl_nodes ? stack : call_site();
}

__attribute__((noinline)) Log* new_log(uint64_t thread) {
  Logs& l = logs();
  std::lock_guard g(l.mu);
  auto& p = l.by_thread[thread];
  if (!p) p = std::make_unique<Log>();
  return tl_log = p.get();
}

uint32_t forward_of(uint64_t thread, int64_t seq) {
  if (seq < 0) return 0;  // accumulating a gradient has no forward operator
  Logs& l = logs();
  std::lock_guard g(l.mu);
  const auto it = l.by_thread.find(thread);
  return it == l.by_thread.end() ? 0 : it->second->find(uint64_t(seq));
}

std::unique_ptr<at::ObserverContext> enter_operator(const at::RecordFunction& fn) {
  tl_operators++;
  if (fn.scope() == at::RecordScope::BACKWARD_FUNCTION) {
    const uint32_t stack = forward_of(fn.forwardThreadId(), fn.seqNr());
    if (tl_nodes < kNodes) tl_forward[tl_nodes] = stack;
    tl_nodes++;
  } else if (c10::GradMode::is_enabled()) {
    Log* log = tl_log ? tl_log : new_log(at::RecordFunction::currentThreadId());
    log->note(at::sequence_number::peek(), current_stack());
  }
  return nullptr;
}

void leave_operator(const at::RecordFunction& fn, at::ObserverContext*) {
  tl_operators--;
  if (fn.scope() == at::RecordScope::BACKWARD_FUNCTION) tl_nodes--;
}

std::mutex watch_mu;
at::CallbackHandle watching = 0;

}  // namespace

Place place() noexcept {
  const bool in_node = tl_nodes > 0 && tl_nodes <= kNodes;
  return {current_stack(), in_node ? tl_forward[tl_nodes - 1] : 0, tl_operators > 0};
}

// Starts or stops watching. If there is no memory for the callback, no forward stacks are
// recorded.
void watch_operators(bool on) noexcept try {
  std::lock_guard g(watch_mu);
  if (on && !watching) {
    watching = at::addGlobalCallback(at::RecordFunctionCallback(&enter_operator, &leave_operator)
                                         .scopes({at::RecordScope::FUNCTION, at::RecordScope::BACKWARD_FUNCTION}));
  } else if (!on && watching) {
    at::removeCallback(watching);
    watching = 0;
    Logs& l = logs();
    std::lock_guard all(l.mu);
    for (auto& [thread, log] : l.by_thread) log->clear();
  }
} catch (...) {
}

}  // namespace gt::history

void gt_history_place(uint32_t* stack, uint32_t* forward) {
  const auto p = gt::history::place();
  *stack = p.stack;
  *forward = p.forward;
}
