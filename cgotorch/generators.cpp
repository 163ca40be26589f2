// Provides a default generator for each goroutine that asks for one.
//
// Most of libtorch's random operators take a generator. Dropout, random pooling and
// others do not, and use the default generator of the device. If all workers of a data
// loader shared that generator, their numbers would depend on timing. So each worker
// needs its own generator, as in Python.
//
// getDefaultCPUGenerator below replaces libtorch's function, like the functions in
// sequence.cpp. If the gt_ctx of a call contains a slot, the call gets the slot's
// generator. Otherwise it gets libtorch's own.
#ifdef GOTORCH_TOGETHER  // together.cpp includes this file

#include "runtime.h"

#include "abi.hpp"

#include <ATen/CPUGeneratorImpl.h>

#include <dlfcn.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace {

// Slot 0 is unused. Package torch changes a slot only while no call uses it.
at::Generator generator_slots[1 << GT_CTX_GENERATOR_BITS];

// A bit for each slot. It is set when an operator asks for the slot's generator.
std::atomic<uint32_t> generators_drawn{0};
static_assert(sizeof(generators_drawn) == sizeof(uint32_t) && GT_CTX_GENERATOR_BITS == 5);

}  // namespace

namespace gt {

struct Draws {
  struct Before {
    at::Generator of;
    at::mt19937 engine;
    std::optional<float> next_float;
    std::optional<double> next_double;
  };
  std::vector<Before> before;
  bool unknown = false;  // whether the earlier state of a generator is unknown
};

namespace {

thread_local std::unique_ptr<Draws> draws;

at::CPUGeneratorImpl* of_cpu(const at::Generator& g) {
  return g.device().is_cpu() ? at::check_generator<at::CPUGeneratorImpl>(g) : nullptr;
}

void note(const at::Generator& g) {
  auto* impl = of_cpu(g);
  if (!impl) return;
  if (!draws) draws = std::make_unique<Draws>();
  if (!std::exchange(tl_drawn, true)) {
    draws->before.clear();
    draws->unknown = false;
  }
  for (const auto& b : draws->before) {
    if (b.of == g) return;
  }
  // try_to_lock, because this thread may already hold the mutex
  std::unique_lock<std::mutex> lock(impl->mutex_, std::try_to_lock);
  if (!lock) {
    draws->unknown = true;
    return;
  }
  draws->before.push_back({g, impl->engine(), impl->next_float_normal_sample(), impl->next_double_normal_sample()});
}

[[maybe_unused]] const bool noting = [] {
  note_draws.store(note);
  take_draws.store([] { return draws.release(); });
  return true;
}();

}  // namespace

}  // namespace gt

namespace at::detail {

const Generator& getDefaultCPUGenerator() {
  using Theirs = const Generator& (*)();
  static const auto theirs =
      reinterpret_cast<Theirs>(dlsym(RTLD_NEXT, "_ZN2at6detail22getDefaultCPUGeneratorEv"));
  const auto slot = GT_CTX_GENERATOR(gt::tl_ctx);
  if (__builtin_expect(slot != 0, 0) && generator_slots[slot].defined()) {
    generators_drawn.fetch_or(1u << slot, std::memory_order_relaxed);
    gt::note(generator_slots[slot]);
    return generator_slots[slot];
  }
  const Generator& g = theirs();
  gt::note(g);
  return g;
}

}  // namespace at::detail

extern "C" uint32_t* gt_generators_drawn(void) { return reinterpret_cast<uint32_t*>(&generators_drawn); }

extern "C" int gt_error_undo_draws(uintptr_t err) {
  const auto* draws = reinterpret_cast<const gt::Draws*>(reinterpret_cast<const gt_error*>(err)->tag);
  if (!draws) return 1;
  if (draws->unknown) return 0;
  for (const auto& b : draws->before) {
    auto* impl = gt::of_cpu(b.of);
    std::lock_guard<std::mutex> lock(impl->mutex_);
    impl->set_engine(b.engine);
    impl->set_next_float_normal_sample(b.next_float);
    impl->set_next_double_normal_sample(b.next_double);
  }
  return 1;
}

extern "C" void gt_error_free_draws(uintptr_t err) {
  delete reinterpret_cast<gt::Draws*>(reinterpret_cast<gt_error*>(err)->tag);
}

extern "C" void gt_generator_slot(int slot, gt_generator g) {
  generator_slots[slot] = g ? generator(g) : at::Generator();
}

#endif
