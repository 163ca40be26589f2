// A CPU allocator that counts live and peak requested bytes, on top of libtorch's own
// allocator. bench/python/counted.py loads it into Python, so that Python's native memory
// is counted like gotorch's: requested bytes, without rounding.
#include <c10/core/CPUAllocator.h>
#include <c10/core/impl/alloc_cpu.h>

#include <atomic>
#include <cstring>

namespace {

std::atomic<int64_t> live_bytes{0};
std::atomic<int64_t> peak_bytes{0};

// Stored in front of each block. Its size is libtorch's alignment, so that the block after it is aligned.
struct alignas(64) Header {
  int64_t size;
};

void release(void* data) {
  if (!data) return;
  Header* header = static_cast<Header*>(data) - 1;
  live_bytes.fetch_sub(header->size, std::memory_order_relaxed);
  c10::free_cpu(header);
}

struct Counting final : c10::Allocator {
  c10::DataPtr allocate(size_t n) override {
    if (n == 0) return {nullptr, nullptr, &release, c10::Device(c10::kCPU)};
    Header* header = static_cast<Header*>(c10::alloc_cpu(n + sizeof(Header)));
    header->size = static_cast<int64_t>(n);
    const int64_t now = live_bytes.fetch_add(header->size, std::memory_order_relaxed) + header->size;
    int64_t peak = peak_bytes.load(std::memory_order_relaxed);
    while (now > peak && !peak_bytes.compare_exchange_weak(peak, now)) {
    }
    void* data = header + 1;
    return {data, data, &release, c10::Device(c10::kCPU)};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &release; }
  void copy_data(void* to, const void* from, std::size_t n) const override { default_copy_data(to, from, n); }
};

}  // namespace

extern "C" {

void gotorch_counter_install() {
  // Never destroyed, because blocks may be freed after static destructors have run.
  static Counting* counting = new Counting;
  c10::SetCPUAllocator(counting, 1);
}
int64_t gotorch_counter_live() { return live_bytes; }
int64_t gotorch_counter_peak() { return peak_bytes; }
void gotorch_counter_reset() { peak_bytes = live_bytes.load(); }

}  // extern "C"
