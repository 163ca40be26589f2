// Records operators with a RecordFunction callback for all threads, because goroutines and the
// nodes of a backward pass run on any thread.
//
// libtorch's own recorder, Kineto, records only one thread by default,
// does not know Go's stacks, and takes several times as long per operator.
#include <ATen/core/TensorBody.h>
#include <ATen/record_function.h>
#include <pthread.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/syscall.h>
#endif

#include <algorithm>

#include "abi.hpp"
#include "call_site.hpp"
#include "flops.hpp"
#include "history.h"
#include "kineto.hpp"
#include "record.hpp"

namespace gt::prof {

namespace {

std::mutex starts;                         // guards starts and stops
std::mutex mu;                             // guards the following variables
std::vector<std::unique_ptr<Thread>>& threads() {
  static auto* all = new std::vector<std::unique_ptr<Thread>>;
  return *all;
}
at::CallbackHandle callback = 0;
std::atomic<uint64_t> session{0};  // number of the recording that is running or ran last
std::atomic<int> what{0};
std::atomic<bool> on{false};
std::atomic<int64_t> left{0};  // bytes that the recording may still take
std::atomic<int64_t> granted{0};  // the limit when the recording started
std::atomic<int64_t> cut{0};   // time at which the limit was reached, or 0

// Subtracts bytes from left. If not enough is left, take returns false and later calls
// are not recorded.
bool take(size_t bytes) noexcept {
  if (bytes == 0 || left.fetch_sub(int64_t(bytes), std::memory_order_relaxed) >= int64_t(bytes)) return true;
  int64_t none = 0;
  cut.compare_exchange_strong(none, now());
  on = false;
  return false;
}

// A thread's pointer to its buffer. If the thread ends, the buffer stays until it is read.
struct Mine {
  Thread* t = nullptr;
  ~Mine() {
    if (!t) return;
    t->lock();
    t->dead = true;
    t->unlock();
    t = nullptr;
    gone = true;
  }
  static inline thread_local bool gone = false;
};
thread_local Mine mine;

int64_t tid() noexcept {
#if defined(__linux__)
  return int64_t(syscall(SYS_gettid));
#elif defined(__APPLE__)
  uint64_t id = 0;
  pthread_threadid_np(nullptr, &id);
  return int64_t(id);
#else
  return int64_t(getpid());
#endif
}

// Returns CUPTI's identifier of the calling thread.
int64_t handle() noexcept {
  const pthread_t self = pthread_self();
  int32_t low;
  std::memcpy(&low, &self, sizeof low);
  return low;
}

Thread* thread() {
  if (mine.t || Mine::gone) return mine.t;
  auto t = std::make_unique<Thread>();
  t->who = {at::RecordFunction::currentThreadId(), tid(), handle()};
  std::lock_guard g(mu);
  threads().push_back(std::move(t));
  return mine.t = threads().back().get();
}

// Locks a thread's buffer. If the buffer is from an earlier recording, clears it.
class Hold {
 public:
  explicit Hold(Thread* t) : t_(t) {
    t->lock();
    const uint64_t s = session.load(std::memory_order_relaxed);
    if (__builtin_expect(t->session != s, 0)) {
      t->clear();
      t->session = s;
    }
  }
  ~Hold() { t_->unlock(); }

 private:
  Thread* t_;
};

int64_t word(int kind, int64_t dtype, size_t n) { return kind | dtype << 8 | int64_t(n) << 16; }

void put(std::vector<int64_t>& to, const at::Tensor& t) {
  if (!t.defined()) {
    to.push_back(GT_PROF_ARG_OTHER);
    return;
  }
  // A sparse tensor has no strides, and a nested tensor has neither strides nor sizes.
  const bool nested = t.unsafeGetTensorImpl()->is_nested();
  const bool strided = !nested && t.layout() == at::kStrided;
  const auto sizes = nested ? at::IntArrayRef() : t.sizes();
  to.push_back(word(GT_PROF_ARG_TENSOR, int64_t(t.scalar_type()), sizes.size()));
  to.insert(to.end(), sizes.begin(), sizes.end());
  if (strided) {
    to.insert(to.end(), t.strides().begin(), t.strides().end());
  } else {
    to.insert(to.end(), sizes.size(), 0);
  }
}

void put(std::vector<int64_t>& to, const c10::IValue& v) {
  if (v.isTensor()) {
    put(to, v.toTensor());
  } else if (v.isTensorList()) {
    const auto list = v.toTensorVector();
    to.push_back(word(GT_PROF_ARG_TENSORS, 0, list.size()));
    for (const auto& t : list) put(to, t);
  } else if (v.isInt()) {
    to.insert(to.end(), {GT_PROF_ARG_INT, v.toInt()});
  } else if (v.isDouble()) {
    const double d = v.toDouble();
    int64_t bits;
    std::memcpy(&bits, &d, sizeof bits);
    to.insert(to.end(), {GT_PROF_ARG_FLOAT, bits});
  } else if (v.isBool()) {
    to.insert(to.end(), {GT_PROF_ARG_BOOL, int64_t{v.toBool()}});
  } else if (v.isIntList()) {
    const auto list = v.toIntVector();
    to.push_back(word(GT_PROF_ARG_INTS, 0, list.size()));
    to.insert(to.end(), list.begin(), list.end());
  } else if (v.isScalar()) {
    to.push_back(GT_PROF_ARG_SCALAR);
  } else if (v.isDoubleList() || v.isBoolList()) {
    to.push_back(GT_PROF_ARG_SCALARS);
  } else {
    to.push_back(GT_PROF_ARG_OTHER);
  }
}

int64_t put_all(std::vector<int64_t>& to, at::ArrayRef<const c10::IValue> args) {
  const auto at = int64_t(to.size());
  to.push_back(int64_t(args.size()));
  for (const auto& v : args) put(to, v);
  return at;
}

std::unique_ptr<at::ObserverContext> enter(const at::RecordFunction& fn) {
  if (!on.load(std::memory_order_relaxed)) return nullptr;
  Thread* t = thread();
  if (!t) return nullptr;
  const int w = what.load(std::memory_order_relaxed);
  const int64_t flops = w & GT_PROF_FLOPS ? estimate(fn) : 0;
  Hold h(t);
  if (!take(t->events.growth())) return nullptr;
  gt_prof_event& e = t->events.push();
  t->open.push_back({&fn, t->events.size() - 1});
  e.seq = fn.seqNr();
  e.flops = flops;
  e.fwd_thread = fn.forwardThreadId();
  e.name = t->names.number(fn.name());
  e.stack = GT_CTX_STACK(gt::tl_ctx);
  e.scope = uint16_t(fn.scope());
  e.flags = GT_PROF_OPEN;
  if (!e.stack) {
    e.stack = gt::history::call_site();
    e.flags |= GT_PROF_FOREIGN;
  }
  e.inputs = -1;
  if (w & GT_PROF_INPUTS) {
    const size_t was = t->inputs.capacity();
    try {
      e.inputs = put_all(t->inputs, fn.inputs());
    } catch (...) {  // This tensor has no shape to record.
    }
    take((t->inputs.capacity() - was) * sizeof(int64_t));
  }
  e.bytes = -t->bytes;
  e.device_bytes = -t->device_bytes;
  e.start = now();
  return nullptr;
}

void leave(const at::RecordFunction& fn, at::ObserverContext*) {
  const int64_t at = now();
  Thread* t = mine.t;
  if (!t) return;
  Hold h(t);
  for (size_t i = t->open.size(); i-- > 0;) {
    if (t->open[i].fn != &fn) continue;
    gt_prof_event& e = t->events[t->open[i].event];
    e.end = at;
    e.bytes += t->bytes;
    e.device_bytes += t->device_bytes;
    e.flags &= ~GT_PROF_OPEN;
    t->open.erase(t->open.begin() + int64_t(i));
    return;
  }
}

void watch(uintptr_t addr, int64_t change, int device) {
  if (!on.load(std::memory_order_relaxed)) return;
  try {
    Thread* t = thread();
    if (!t) return;
    Hold h(t);
    (device < 0 ? t->bytes : t->device_bytes) += change;
    if (!take(t->memory.growth())) return;
    gt_prof_memory& m = t->memory.push();
    m = {now(), change, addr, 0, !t->open.empty(), int16_t(device)};
  } catch (...) {  // Without memory, leave the block out.
  }
}

template <typename T>
T* array(size_t n) {
  auto* p = static_cast<T*>(std::malloc((n ? n : 1) * sizeof(T)));
  if (!p) throw std::bad_alloc();
  return p;
}

void collect(gt_prof_result* out, uint64_t s, int64_t end) {
  auto& all = threads();
  size_t events = 0, memory = 0, inputs = 0, n = 0;
  std::vector<Thread*> held;
  struct Release {
    std::vector<Thread*>& held;
    ~Release() {
      for (Thread* t : held) {
        t->clear();
        t->session = 0;
        t->unlock();
      }
    }
  } release{held};
  held.reserve(all.size());
  for (auto& t : all) {
    t->lock();
    held.push_back(t.get());
    if (t->session != s) continue;
    events += t->events.size();
    memory += t->memory.size();
    inputs += t->inputs.size();
    n++;
  }
  out->events = array<gt_prof_event>(events);
  out->memory = array<gt_prof_memory>(memory);
  out->inputs = array<int64_t>(inputs);
  out->threads = array<gt_prof_thread>(n);
  std::unordered_map<std::string_view, uint32_t> numbers;
  std::string names;
  for (Thread* t : held) {
    if (t->session != s) continue;
    std::vector<uint32_t> renamed(t->names.all().size());
    for (const auto& [name, number] : t->names.all()) {
      const auto [it, fresh] = numbers.try_emplace(name, uint32_t(numbers.size()));
      if (fresh) names.append(name.c_str(), name.size() + 1);
      renamed[number] = it->second;
    }
    gt_prof_event* es = out->events + out->n_events;
    t->events.copy(es);
    for (size_t i = 0; i < t->events.size(); i++) {
      es[i].name = renamed[es[i].name];
      es[i].thread = uint32_t(out->n_threads);
      if (es[i].inputs >= 0) es[i].inputs += out->n_inputs;
      if (es[i].flags & GT_PROF_OPEN) {
        es[i].end = std::max(end, es[i].start);
        es[i].bytes += t->bytes;
        es[i].device_bytes += t->device_bytes;
      }
    }
    t->memory.copy(out->memory + out->n_memory);
    for (size_t i = 0; i < t->memory.size(); i++)
      out->memory[out->n_memory + int64_t(i)].thread = uint32_t(out->n_threads);
    std::memcpy(out->inputs + out->n_inputs, t->inputs.data(), t->inputs.size() * sizeof(int64_t));
    out->threads[out->n_threads++] = t->who;
    out->n_events += int64_t(t->events.size());
    out->n_memory += int64_t(t->memory.size());
    out->n_inputs += int64_t(t->inputs.size());
  }
  out->names = array<char>(names.size());
  std::memcpy(out->names, names.data(), names.size());
  out->n_names = int64_t(numbers.size());
  out->names_bytes = int64_t(names.size());
}

// Copies Kineto's recording to the result.
void collect(gt_prof_result* out, const DeviceEvents& d) {
  out->device_events = array<gt_prof_device_event>(d.events.size());
  std::memcpy(out->device_events, d.events.data(), d.events.size() * sizeof(gt_prof_device_event));
  out->n_device_events = int64_t(d.events.size());
  out->device_texts = array<char>(d.texts.size());
  std::memcpy(out->device_texts, d.texts.data(), d.texts.size());
  out->device_texts_bytes = int64_t(d.texts.size());
  out->devices_silent = d.silent;
}

void forget_dead() {
  std::erase_if(threads(), [](const std::unique_ptr<Thread>& t) {
    t->lock();
    const bool dead = t->dead;
    t->unlock();
    return dead;
  });
}

}  // namespace

}  // namespace gt::prof

using namespace gt::prof;

extern "C" {

uintptr_t gt_prof_start(int w, int64_t limit) try {
  std::lock_guard s(starts);
  std::lock_guard g(mu);
  session++;
  what = w;
  granted = limit > 0 ? limit : INT64_MAX;
  left = granted.load();
  cut = 0;
  if (!callback) {
    callback = at::addGlobalCallback(
        at::RecordFunctionCallback(&enter, &leave).needsInputs(w & (GT_PROF_INPUTS | GT_PROF_FLOPS)));
  }
  on = true;
  if (w & GT_PROF_MEMORY) gt_mem_watch(&watch);
  return 0;
} catch (...) {
  return gt::caught();
}

void gt_prof_toggle(int o) { on = o != 0 && !cut; }

int64_t gt_prof_cut(void) { return cut; }
int64_t gt_prof_bytes(void) { return granted - left; }

uintptr_t gt_prof_start_devices(void) try {
  std::lock_guard g(starts);
  kineto_start();
  return 0;
} catch (...) {
  return gt::caught();
}

uintptr_t gt_prof_stop(gt_prof_result* out) {
  *out = {};
  try {
    std::lock_guard s(starts);
    // Stop recording devices before operators, because the recording includes the wait
    // for the devices.
    std::exception_ptr failed;
    DeviceEvents devices;
    try {
      devices = kineto_stop();
    } catch (...) {
      failed = std::current_exception();
    }
    std::lock_guard g(mu);
    const int64_t end = now();
    on = false;
    gt_mem_watch(nullptr);
    if (callback) at::removeCallback(callback);
    callback = 0;
    collect(out, session, end);
    out->cut = cut;
    collect(out, devices);
    forget_dead();
    if (failed) std::rethrow_exception(failed);
    return 0;
  } catch (...) {
    const auto e = gt::caught();
    gt_prof_free(out);
    return e;
  }
}

void gt_prof_free(gt_prof_result* r) {
  for (void* p : {static_cast<void*>(r->events), static_cast<void*>(r->memory), static_cast<void*>(r->inputs),
                  static_cast<void*>(r->threads), static_cast<void*>(r->names), static_cast<void*>(r->device_events),
                  static_cast<void*>(r->device_texts)}) {
    std::free(p);
  }
  *r = {};
}

int64_t gt_prof_clock(void) { return now(); }
}
