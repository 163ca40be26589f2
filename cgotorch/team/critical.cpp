//go:build linux

// Runs critical sections, and atomic updates for which the processor has no instruction.
// Both lock process-wide mutexes, even in regions that libgomp runs.
#include "openmp.h"

#include <atomic>
#include <mutex>

namespace {

std::mutex critical, atomic;

// Returns the mutex of a named critical section. Creates it on first use. name is the
// compiler's variable for that name.
std::mutex* named(void** name) {
  auto& place = *reinterpret_cast<std::atomic<std::mutex*>*>(name);
  if (std::mutex* m = place.load(std::memory_order_acquire)) return m;
  auto* made = new std::mutex;
  std::mutex* first = nullptr;
  if (place.compare_exchange_strong(first, made)) return made;
  delete made;
  return first;
}

}  // namespace

extern "C" {

void GOMP_critical_start(void) { critical.lock(); }
void GOMP_critical_end(void) { critical.unlock(); }
void GOMP_critical_name_start(void** name) { named(name)->lock(); }
void GOMP_critical_name_end(void** name) { named(name)->unlock(); }
void GOMP_atomic_start(void) { atomic.lock(); }
void GOMP_atomic_end(void) { atomic.unlock(); }

}  // extern "C"
