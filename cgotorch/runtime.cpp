#ifdef GOTORCH_TOGETHER  // together.cpp includes this file

#include "runtime.h"

#include "abi.hpp"

#include <ATen/Context.h>
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <c10/core/DefaultDtype.h>

namespace {

c10::Device device_of(int32_t code) {
  return c10::Device(static_cast<c10::DeviceType>(code >> 8), static_cast<int8_t>((code & 255) - 1));
}

at::Generator generator(gt_generator g) {
  return at::Generator(c10::intrusive_ptr<c10::GeneratorImpl>::unsafe_reclaim_from_nonowning(
      reinterpret_cast<c10::GeneratorImpl*>(g)));
}

gt_ret owned(const at::Generator& g) {
  auto ptr = c10::intrusive_ptr<c10::GeneratorImpl>::unsafe_reclaim_from_nonowning(g.unsafeGetGeneratorImpl());
  return {reinterpret_cast<uintptr_t>(ptr.release()), 0};
}

}  // namespace

extern "C" {

const char* gt_version_string(void) { return TORCH_VERSION; }
int gt_num_threads(void) { return at::get_num_threads(); }
int gt_num_interop_threads(void) { return at::get_num_interop_threads(); }

uintptr_t gt_set_num_interop_threads(int n) {
  try {
    at::set_num_interop_threads(n);
    return 0;
  } catch (...) {
    return gt::caught();
  }
}

char* gt_build_info(void) {
  try {
    return strdup((at::show_config() + "\n" + at::get_parallel_info()).c_str());
  } catch (const std::exception& e) {
    return strdup(e.what());
  }
}

uintptr_t gt_set_default_dtype(int8_t dtype) {
  try {
    c10::set_default_dtype(caffe2::TypeMeta::fromScalarType(static_cast<c10::ScalarType>(dtype)));
    return 0;
  } catch (...) {
    return gt::caught();
  }
}

uintptr_t gt_manual_seed(uint64_t seed) {
  try {
    gt::enter(0);  // row 0, so that no goroutine's own generator is seeded
    at::manual_seed(seed);
    return 0;
  } catch (...) {
    return gt::caught();
  }
}

gt_ret gt_generator_new(int32_t device) {
  try {
    const c10::Device d = device_of(device);
    if (d.is_cpu()) return owned(at::detail::createCPUGenerator());
    at::globalContext().lazyInitDevice(d.type());
    return owned(at::globalContext().getAcceleratorHooksInterface(d.type()).getNewGenerator(d.index()));
  } catch (...) {
    return {0, gt::caught()};
  }
}

gt_ret gt_generator_default(int32_t device) {
  try {
    gt::enter(0);  // row 0, so that this is not a goroutine's own generator
    return owned(at::globalContext().defaultGenerator(device_of(device)));
  } catch (...) {
    return {0, gt::caught()};
  }
}

void gt_generator_free(gt_generator g) {
  if (g) c10::intrusive_ptr<c10::GeneratorImpl>::reclaim(reinterpret_cast<c10::GeneratorImpl*>(g));
}

uintptr_t gt_generator_seed(gt_generator g, uint64_t seed) {
  try {
    auto gen = generator(g);
    std::lock_guard<std::mutex> lock(gen.mutex());
    gen.set_current_seed(seed);
    return 0;
  } catch (...) {
    return gt::caught();
  }
}

uint64_t gt_generator_initial_seed(gt_generator g) {
  auto gen = generator(g);
  std::lock_guard<std::mutex> lock(gen.mutex());
  return gen.current_seed();
}

int32_t gt_generator_device(gt_generator g) {
  const auto d = generator(g).device();
  return static_cast<int32_t>(d.type()) << 8 | (d.index() + 1);
}

gt_ret gt_generator_state(gt_ctx ctx, gt_generator g) {
  try {
    gt::enter(ctx);
    auto gen = generator(g);
    std::lock_guard<std::mutex> lock(gen.mutex());
    return {gt::release(gen.get_state()), 0};
  } catch (...) {
    return {0, gt::caught()};
  }
}

uintptr_t gt_generator_set_state(gt_ctx ctx, gt_generator g, gt_tensor state) {
  try {
    gt::enter(ctx);
    auto gen = generator(g);
    std::lock_guard<std::mutex> lock(gen.mutex());
    gen.set_state(gt::as(state));
    return 0;
  } catch (...) {
    return gt::caught();
  }
}

// --- determinism ------------------------------------------------------------

uintptr_t gt_use_deterministic(bool on, bool warn_only) {
  try {
    at::globalContext().setDeterministicAlgorithms(on, warn_only);
    return 0;
  } catch (...) {
    return gt::caught();
  }
}

bool gt_deterministic(void) { return at::globalContext().deterministicAlgorithms(); }

bool gt_deterministic_warn_only(void) { return at::globalContext().deterministicAlgorithmsWarnOnly(); }

uintptr_t gt_set_float32_matmul_precision(int level) {
  try {
    static const char* const words[] = {"highest", "high", "medium"};
    at::globalContext().setFloat32MatmulPrecision(words[level]);
    return 0;
  } catch (...) {
    return gt::caught();
  }
}

int gt_float32_matmul_precision(void) {
  try {
    return static_cast<int>(at::globalContext().float32MatmulPrecision());
  } catch (...) {
    return 0;
  }
}

}  // extern "C"

#endif
