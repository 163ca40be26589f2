// The buffers of a recording. Each thread writes only to its own buffer.
#pragma once

#include <time.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "profiler.h"

namespace gt::prof {

inline int64_t now() noexcept {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

// A list whose elements never move, so that it grows without copying.
template <typename T>
class Chunks {
 public:
  T& push() {
    if (n_ == chunks_.size() * kSize) chunks_.push_back(std::make_unique<T[]>(kSize));
    T& e = (*this)[n_];
    n_++;
    return e;
  }
  T& operator[](size_t i) { return chunks_[i / kSize][i % kSize]; }
  size_t size() const { return n_; }
  // Returns the number of bytes that the next push allocates.
  size_t growth() const { return n_ == chunks_.size() * kSize ? kSize * sizeof(T) : 0; }
  void copy(T* to) const {
    for (size_t i = 0; i * kSize < n_; i++) {
      std::memcpy(static_cast<void*>(to + i * kSize), chunks_[i].get(), std::min(kSize, n_ - i * kSize) * sizeof(T));
    }
  }
  void clear() {
    chunks_.clear();
    n_ = 0;
  }

 private:
  static constexpr size_t kSize = 512;
  std::vector<std::unique_ptr<T[]>> chunks_;
  size_t n_ = 0;
};

// Gives each operator name a number. Most names are always at the same address, in the
// operator's schema. Names of backward functions are in memory that is reused, so the
// text at a known address is compared.
class Names {
 public:
  uint32_t number(const char* name) {
    Slot& s = slots_[(reinterpret_cast<uintptr_t>(name) >> 4) % kSlots];
    if (s.from == name && !std::strcmp(s.text, name)) return s.number;
    const auto [it, fresh] = numbers_.try_emplace(name, uint32_t(numbers_.size()));
    s = {name, it->first.c_str(), it->second};
    return it->second;
  }
  const std::unordered_map<std::string, uint32_t>& all() const { return numbers_; }
  void clear() {
    numbers_.clear();
    std::memset(slots_, 0, sizeof slots_);
  }

 private:
  static constexpr size_t kSlots = 512;
  struct Slot {
    const char* from;
    const char* text;
    uint32_t number;
  };
  Slot slots_[kSlots] = {};
  std::unordered_map<std::string, uint32_t> numbers_;
};

// One thread's recording. Threads compete for the lock only at the start and at the end
// of a recording.
struct Thread {
  std::atomic_flag busy = ATOMIC_FLAG_INIT;
  uint64_t session = 0;  // number of the recording that the data belongs to
  gt_prof_thread who{};
  bool dead = false;
  Names names;
  Chunks<gt_prof_event> events;
  Chunks<gt_prof_memory> memory;
  std::vector<int64_t> inputs;
  // Bytes allocated minus bytes freed on this thread, by the CPU allocator and on CUDA
  // devices.
  int64_t bytes = 0, device_bytes = 0;

  // The operators that the thread is running. An operator that ends on another thread is not removed.
  struct Open {
    const void* fn;
    size_t event;
  };
  std::vector<Open> open;

  void lock() noexcept {
    while (busy.test_and_set(std::memory_order_acquire)) {
    }
  }
  void unlock() noexcept { busy.clear(std::memory_order_release); }

  void clear() {
    names.clear();
    events.clear();
    memory.clear();
    std::vector<int64_t>().swap(inputs);
    open.clear();
    bytes = device_bytes = 0;
  }
};

}  // namespace gt::prof
