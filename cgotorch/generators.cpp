// A default generator for each goroutine that asks for one.
//
// Most of libtorch's operators that draw numbers take a generator, but not all:
// dropout, a random pooling and others draw from the device's default one. Workers
// of a data loader have to draw from their own all the same, as Python's worker
// processes do, or their numbers would depend on who is quicker.
//
// This function takes the place of libtorch's, as those of sequence.cpp do. A
// crossing whose gt_ctx names a slot gets the generator in it; all others get
// libtorch's own.
#ifdef GOTORCH_TOGETHER  // compiled by together.cpp

#include "runtime.h"

#include "abi.hpp"

#include <ATen/CPUGeneratorImpl.h>

#include <dlfcn.h>

#include <atomic>

namespace {

// Slot 0 is none. Package torch changes a slot only while no crossing names it.
at::Generator generator_slots[1 << GT_CTX_GENERATOR_BITS];

// A bit for each slot whose generator an operator has asked for.
std::atomic<uint32_t> generators_drawn{0};
static_assert(sizeof(generators_drawn) == sizeof(uint32_t) && GT_CTX_GENERATOR_BITS == 5);

}  // namespace

namespace at::detail {

const Generator& getDefaultCPUGenerator() {
  using Theirs = const Generator& (*)();
  static const auto theirs =
      reinterpret_cast<Theirs>(dlsym(RTLD_NEXT, "_ZN2at6detail22getDefaultCPUGeneratorEv"));
  const auto slot = GT_CTX_GENERATOR(gt::tl_ctx);
  if (__builtin_expect(slot != 0, 0) && generator_slots[slot].defined()) {
    generators_drawn.fetch_or(1u << slot, std::memory_order_relaxed);
    return generator_slots[slot];
  }
  return theirs();
}

}  // namespace at::detail

extern "C" uint32_t* gt_generators_drawn(void) { return reinterpret_cast<uint32_t*>(&generators_drawn); }

extern "C" void gt_generator_slot(int slot, gt_generator g) {
  generator_slots[slot] = g ? generator(g) : at::Generator();
}

#endif
