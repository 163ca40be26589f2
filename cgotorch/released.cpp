#ifdef GOTORCH_TOGETHER  // together.cpp includes this file

#include "released.hpp"

#include "tensor.h"

#include <atomic>
#include <mutex>
#include <vector>

namespace {

struct Queue {
  std::mutex mu;
  std::vector<int64_t> ids;
  std::atomic<int64_t> count{0};
};

// Never destroyed, because tensors may outlive static objects.
Queue& queue() {
  static auto* q = new Queue;
  return *q;
}

}  // namespace

namespace gt {

void push_released(int64_t id) noexcept {
  if (!id) return;
  auto& q = queue();
  std::lock_guard<std::mutex> lock(q.mu);
  q.ids.push_back(id);
  q.count.store(q.ids.size(), std::memory_order_release);
}

}  // namespace gt

extern "C" {

int64_t gt_take_released(int64_t* out, int64_t cap) {
  auto& q = queue();
  std::lock_guard<std::mutex> lock(q.mu);
  int64_t n = 0;
  while (n < cap && !q.ids.empty()) {
    out[n++] = q.ids.back();
    q.ids.pop_back();
  }
  q.count.store(q.ids.size(), std::memory_order_release);
  return n;
}

const int64_t* gt_released_count(void) {
  static_assert(sizeof(std::atomic<int64_t>) == sizeof(int64_t));
  return reinterpret_cast<const int64_t*>(&queue().count);
}

}  // extern "C"

#endif
