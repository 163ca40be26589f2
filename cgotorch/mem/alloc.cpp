// Registers gotorch's allocator as libtorch's CPU allocator.
#include <sys/resource.h>

#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>
#include <c10/core/impl/alloc_cpu.h>
#include <c10/util/Backtrace.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <optional>
#include <string>

#include "abi.h"
#include "alloc_core.hpp"
#include "alloc_sync.hpp"
#include "history.hpp"

namespace gt::alloc {

namespace {

std::string human(int64_t n) {
  static const char* const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double v = double(n);
  int u = 0;
  while (v >= 1024 && u < 6) v /= 1024, u++;
  char s[48];
  std::snprintf(s, sizeof s, u ? "%.2f %s" : "%.0f %s", v, units[u]);
  return s;
}

void report(void* p, int64_t change) {
  const Figures f = figures();
  c10::reportMemoryUsageToProfiler(p, change, size_t(f.allocated), size_t(f.reserved), c10::Device(c10::kCPU));
}

// The details of the last failures are kept. libtorch's error has a pointer for use by
// the code that throws the error. Here the pointer holds the number of the failure.
constexpr uint64_t kFailures = 256;
constexpr uint64_t kMark = uint64_t{0x676f} << 48;  // marks such a number, because no address has these bits
struct Failed {
  gt_mem_oom figures;
  int64_t event;  // time of the failure's event in the history, or 0
};
SpinLock failures_lock;
Failed failures[kFailures];
uint64_t failed = 0;

const void* remember(const Failed& f) {
  std::lock_guard g(failures_lock);
  failures[failed % kFailures] = f;
  return reinterpret_cast<const void*>(kMark | failed++);
}


// Whether this allocator threw the error. Sets out to the failure's details, unless too
// many failures have followed.
bool failure_of(uintptr_t error, std::optional<Failed>* out) {
  const auto* e = reinterpret_cast<const gt_error*>(error);
  if (!e || e->kind != GT_ERR_OOM || !e->held) return false;
  const auto mark = reinterpret_cast<uint64_t>(static_cast<const c10::Error*>(e->held)->caller());
  if (mark >> 48 != kMark >> 48) return false;
  const uint64_t n = mark & ~(uint64_t{0xffff} << 48);
  std::lock_guard g(failures_lock);
  if (n < failed && failed - n <= kFailures) *out = failures[n % kFailures];
  return true;
}

// Describes, for an error message, how much memory the process may use: the allocator's
// limit or, if it has none, the system's.
std::string bounds(int64_t limit) {
  if (limit) return "the limit is " + std::to_string(limit) + " bytes (" + human(limit) + ")";
  std::string s;
  const auto add = [&s](int resource, const char* name) {
    rlimit r;
    if (getrlimit(resource, &r) || r.rlim_cur == RLIM_INFINITY) return;
    if (!s.empty()) s += " and ";
    s += std::string(name) + " allows the process " + std::to_string(r.rlim_cur) + " bytes (" +
         human(int64_t(r.rlim_cur)) + ")";
  };
  add(RLIMIT_AS, "ulimit -v (RLIMIT_AS)");
  add(RLIMIT_DATA, "ulimit -d (RLIMIT_DATA)");
  return s.empty() ? "no limit is set" : s;
}

[[noreturn]] __attribute__((noinline, cold)) void out_of_memory(size_t n) {
  const Figures f = figures();
  const int64_t event =
      history::on() ? history::out_of_memory(n, f.limit ? std::max<int64_t>(f.limit - f.reserved, 0) : 0) : 0;
  if (c10::memoryProfilingEnabled()) {
    c10::reportOutOfMemoryToProfiler(int64_t(n), size_t(f.allocated), size_t(f.reserved), c10::Device(c10::kCPU));
  }
  throw c10::OutOfMemoryError(
      c10::str("CPU out of memory: tried to allocate ", n, " bytes (", human(int64_t(n)), "); ", f.allocated,
               " bytes (", human(f.allocated), ") are allocated, ", f.reserved, " bytes (", human(f.reserved),
               ") are reserved, ", bounds(f.limit)),
      c10::get_lazy_backtrace(), remember({{int64_t(n), f.allocated, f.reserved, f.limit}, event}));
}

// The allocator that libtorch calls. Each DataPtr's context is its data, and all have the
// same deleter, because raw_allocate requires that.
class CachingAllocator final : public c10::Allocator {
 public:
  c10::DataPtr allocate(size_t n) override {
    if (GT_UNLIKELY(!n)) return {nullptr, nullptr, &del, c10::Device(c10::kCPU)};
    void* p = gt::alloc::allocate(n);
    if (GT_UNLIKELY(!p)) out_of_memory(n);
    if (GT_UNLIKELY(history::on())) history::allocated(p, n);
    if (GT_UNLIKELY(c10::memoryProfilingEnabled())) report(p, int64_t(n));
    return {p, p, &del, c10::Device(c10::kCPU)};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &del; }
  void copy_data(void* to, const void* from, size_t n) const override { default_copy_data(to, from, n); }

 private:
  static void del(void* p) {
    if (GT_UNLIKELY(!p)) return;
    if (GT_UNLIKELY(history::on())) history::freed(p, requested_size(p));
    const size_t n = deallocate(p);
    if (GT_UNLIKELY(c10::memoryProfilingEnabled())) report(p, -int64_t(n));
  }
};

// Calls libtorch's own allocator and counts the blocks. A header in front of each block
// contains the block's size. The header is as long as the alignment of blocks.
class SystemAllocator final : public c10::Allocator {
 public:
  c10::DataPtr allocate(size_t n) override {
    if (!n) return {nullptr, nullptr, &del, c10::Device(c10::kCPU)};
    char* p = nullptr;
    const bool admitted = n <= SIZE_MAX / 2 && system_admits(n + kHeader);
    if (admitted) {
      try {
        p = static_cast<char*>(c10::alloc_cpu(n + kHeader));
      } catch (const c10::Error&) {  // out of memory
      }
    }
    if (!p) {
      if (admitted) system_dismiss(n + kHeader);
      count_system_oom();
      out_of_memory(n);
    }
    std::memcpy(p, &n, sizeof n);
    p += kHeader;
    count_system_alloc(n, kHeader);
    if (GT_UNLIKELY(history::on())) history::allocated(p, n);
    if (GT_UNLIKELY(c10::memoryProfilingEnabled())) report(p, int64_t(n));
    return {p, p, &del, c10::Device(c10::kCPU)};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &del; }
  void copy_data(void* to, const void* from, size_t n) const override { default_copy_data(to, from, n); }

 private:
  static constexpr size_t kHeader = 64;
  static void del(void* p) {
    if (!p) return;
    size_t n;
    char* block = static_cast<char*>(p) - kHeader;
    std::memcpy(&n, block, sizeof n);
    if (GT_UNLIKELY(history::on())) history::freed(p, n);
    count_system_free(n, kHeader);
    if (GT_UNLIKELY(c10::memoryProfilingEnabled())) report(p, -int64_t(n));
    c10::free_cpu(block);
  }
};

c10::Allocator* inner;  // the normal allocator, which succeeds or fails as usual

// Makes one allocation fail, or all allocations after a given number. Tests install it
// instead of the normal allocator, so it costs other programs nothing.
class FailingAllocator final : public c10::Allocator {
 public:
  std::atomic<int64_t> before{-1};  // allocations to let succeed before the first failure; negative: never fail
  std::atomic<bool> lasting{false};  // whether all allocations after the first failure also fail

  c10::DataPtr allocate(size_t n) override {
    if (n && (lasting.load(std::memory_order_relaxed) || before.load(std::memory_order_relaxed) >= 0) &&
        before.fetch_sub(1) <= 0) {
      count_system_oom();
      out_of_memory(n);
    }
    return inner->allocate(n);
  }
  c10::DeleterFnPtr raw_deleter() const override { return inner->raw_deleter(); }
  void copy_data(void* to, const void* from, size_t n) const override { default_copy_data(to, from, n); }
};
FailingAllocator failing;

// Runs when the program is loaded: after libtorch's library has registered its own allocator, and
// before Go code can create a tensor.
const bool installed = [] {
  const char* e = std::getenv("GOTORCH_CPU_ALLOCATOR");
  c10::Allocator* a;
  if (e && !std::strcmp(e, "system")) {
    use_system();
    a = new SystemAllocator;
  } else {
    a = new CachingAllocator;
  }
  inner = a;
  c10::SetCPUAllocator(a, 1);
  return true;
}();

}  // namespace

}  // namespace gt::alloc

using namespace gt::alloc;

int64_t gt_mem_fail(int64_t after, int lasting) {
  failing.lasting = lasting != 0;
  c10::SetCPUAllocator(after < 0 ? inner : &failing, 1);
  return failing.before.exchange(after);
}

int gt_mem_oom_read(uintptr_t error, gt_mem_oom* out) {
  std::optional<Failed> f;
  if (!failure_of(error, &f) || !f) return 0;
  *out = f->figures;
  return 1;
}

int gt_mem_oom_forgive(uintptr_t error) {
  std::optional<Failed> f;
  if (!failure_of(error, &f)) return 0;
  forgive_oom();
  if (f) gt::history::retract(size_t(f->figures.requested), f->event);
  return 1;
}
