#ifdef GOTORCH_TOGETHER  // together.cpp includes this file

#include "settings.hpp"

using gtcuda::guarded;

void gt_cuda_view_free(gt_cuda_view* v) {
  std::free(v->segments);
  std::free(v->blocks);
  std::free(v->events);
  std::free(v->settings.conf);
  *v = {};
}

#ifdef GOTORCH_HAS_CUDA_HEADERS

namespace {

// The Go stacks of an allocation. libtorch keeps this object with the event.
struct Site : c10::GatheredContext {
  uint32_t stack = 0, forward = 0;
};

std::atomic<gt_place_fn> place{nullptr};

// The allocator calls this on the allocating thread, outside its lock.
std::shared_ptr<c10::GatheredContext> gather() {
  auto s = std::make_shared<Site>();
  if (const auto f = place.load(std::memory_order_relaxed)) f(&s->stack, &s->forward);
  return s;
}

template <typename T>
void set_site(T& to, const std::shared_ptr<c10::GatheredContext>& from) {
  if (const auto* s = dynamic_cast<const Site*>(from.get())) {
    to.stack = s->stack;
    to.forward = s->forward;
  }
}

template <typename T>
T* array(size_t n) {
  auto* p = static_cast<T*>(std::calloc(n ? n : 1, sizeof(T)));
  if (!p) throw std::bad_alloc();
  return p;
}

uint64_t number(const void* p) { return reinterpret_cast<uint64_t>(p); }

void copy_segments(gt_cuda_view* out, const ca::SnapshotInfo& info) {
  size_t blocks = 0;
  for (const auto& s : info.segments) blocks += s.blocks.size();
  out->segments = array<gt_cuda_segment>(info.segments.size());
  out->blocks = array<gt_cuda_block>(blocks);
  for (const auto& s : info.segments) {
    auto& g = out->segments[out->n_segments++];
    g.addr = s.address;
    g.size = int64_t(s.total_size);
    g.allocated = int64_t(s.allocated_size);
    g.active = int64_t(s.active_size);
    g.requested = int64_t(s.requested_size);
    g.stream = number(s.stream);
    g.pool_a = s.owner_private_pool_id.first;
    g.pool_b = s.owner_private_pool_id.second;
    g.device = s.device;
    g.large = s.is_large;
    g.expandable = s.is_expandable;
    g.first_block = out->n_blocks;
    g.blocks = int64_t(s.blocks.size());
    set_site(g, s.context_when_allocated);
    uint64_t at = s.address;
    for (const auto& b : s.blocks) {
      auto& k = out->blocks[out->n_blocks++];
      k.addr = at;
      k.size = int64_t(b.size);
      k.requested = int64_t(b.requested_size);
      k.allocated = b.allocated;
      k.active = b.active;
      set_site(k, b.context_when_allocated);
      at += b.size;
    }
  }
}

void copy_events(gt_cuda_view* out, const ca::SnapshotInfo& info) {
  size_t events = 0;
  for (const auto& t : info.device_traces) events += t.size();
  // Skip snapshots of no_pool: only gotorch takes these, to read the settings.
  const auto settings = [](const ca::TraceEntry& e) {
    return e.action_ == ca::TraceEntry::SNAPSHOT && e.mempool_ == gtcuda::no_pool;
  };
  out->events = array<gt_cuda_event>(events);
  for (size_t device = 0; device < info.device_traces.size(); device++) {
    for (const auto& e : info.device_traces[device]) {
      if (settings(e)) continue;
      auto& k = out->events[out->n_events++];
      k.addr = e.addr_;
      k.size = int64_t(e.size_);
      k.time_us = int64_t(e.time_.t_);
      k.stream = number(e.stream_);
      k.device = int32_t(device);
      k.action = int32_t(e.action_);
      set_site(k, e.context_);
    }
  }
}

}  // namespace

static_assert(int(ca::TraceEntry::ALLOC) == GT_CUDA_ALLOC);
static_assert(int(ca::TraceEntry::SEGMENT_ALLOC) == GT_CUDA_SEGMENT_ALLOC);
static_assert(int(ca::TraceEntry::OOM) == GT_CUDA_OOM);

uintptr_t gt_cuda_view_take(gt_cuda_view* out, int with_events) {
  *out = {};
  const uintptr_t err = guarded([&] {
    const auto info = gtcuda::native("snapshot")->snapshot({0, 0}, with_events != 0);
    copy_segments(out, info);
    copy_events(out, info);
    gtcuda::copy_settings(&out->settings, info.config_metadata);
  });
  if (err) gt_cuda_view_free(out);
  return err;
}

uintptr_t gt_cuda_record(int on, int context, int64_t max_entries, int clear, gt_place_fn where) {
  return guarded([&] {
    place.store(where, std::memory_order_relaxed);
    auto* a = gtcuda::native("history");
    const size_t entries = max_entries > 0 ? size_t(max_entries) : SIZE_MAX;
    // While it allocates, a thread first reads whether to record and then calls the
    // function, without a lock. So recording is stopped in two steps: stop it, and then
    // remove the function. A thread calls a removed function only if both steps happen
    // between its reads.
    //
    // The values of GT_CONTEXT_* are libtorch's.
    a->recordHistory(true, &gather, entries, on ? static_cast<ca::RecordContext>(context) : ca::RecordContext::NEVER,
                     clear != 0, {});
    if (!on) a->recordHistory(false, nullptr, entries, ca::RecordContext::NEVER, clear != 0, {});
  });
}

#else  // without CUDA headers

uintptr_t gt_cuda_view_take(gt_cuda_view*, int) { return gtcuda::missing(); }
uintptr_t gt_cuda_record(int, int, int64_t, int, gt_place_fn) { return gtcuda::missing(); }

#endif

#endif
