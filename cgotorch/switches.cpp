#ifdef GOTORCH_TOGETHER  // together.cpp includes this file

#include "switches.h"

#include "abi.hpp"

#include <ATen/Context.h>

#include <vector>

namespace {

at::CuBLASReductionOption reduction(int64_t v) { return static_cast<at::CuBLASReductionOption>(v); }
bool reduced(int64_t v) { return reduction(v) == at::CuBLASReductionOption::AllowReducedPrecisionWithSplitK; }
bool splits(int64_t v) { return reduction(v) != at::CuBLASReductionOption::DisallowReducedPrecisionDisallowSplitK; }

int64_t priority(at::Context& c) {
  const auto order = c.sDPPriorityOrder();
  int64_t v = 0;
  for (size_t i = order.size(); i-- > 0;) v = v << 4 | static_cast<int64_t>(order[i]);
  return v;
}

void set_priority(at::Context& c, int64_t v) {
  std::vector<int64_t> order;
  for (int i = 0; i < at::num_sdp_backends; i++) order.push_back(v >> 4 * i & 15);
  c.setSDPPriorityOrder(order);
}

int64_t get_switch(at::Context& c, int which) {
  switch (which) {
    case GT_SWITCH_CUBLAS_TF32: return c.allowTF32CuBLAS();
    case GT_SWITCH_CUBLAS_FP16_REDUCTION: return static_cast<int64_t>(c.allowFP16ReductionCuBLAS());
    case GT_SWITCH_CUBLAS_BF16_REDUCTION: return static_cast<int64_t>(c.allowBF16ReductionCuBLAS());
    case GT_SWITCH_CUBLAS_FP16_ACCUMULATION: return c.allowFP16AccumulationCuBLAS();
    case GT_SWITCH_CUDNN_ENABLED: return c.userEnabledCuDNN();
    case GT_SWITCH_CUDNN_BENCHMARK: return c.benchmarkCuDNN();
    case GT_SWITCH_CUDNN_BENCHMARK_LIMIT: return c.benchmarkLimitCuDNN();
    case GT_SWITCH_CUDNN_DETERMINISTIC: return c.deterministicCuDNN();
    case GT_SWITCH_CUDNN_TF32: return c.allowTF32CuDNN();
    case GT_SWITCH_MKLDNN_ENABLED: return c.userEnabledMkldnn();
    case GT_SWITCH_MKLDNN_DETERMINISTIC: return c.deterministicMkldnn();
    case GT_SWITCH_SDP_FLASH: return c.userEnabledFlashSDP();
    case GT_SWITCH_SDP_MEM_EFFICIENT: return c.userEnabledMemEfficientSDP();
    case GT_SWITCH_SDP_MATH: return c.userEnabledMathSDP();
    case GT_SWITCH_SDP_CUDNN: return c.userEnabledCuDNNSDP();
    case GT_SWITCH_SDP_MATH_REDUCTION: return c.allowFP16BF16ReductionMathSDP();
    case GT_SWITCH_SDP_PRIORITY: return priority(c);
    case GT_SWITCH_LINALG: return static_cast<int64_t>(c.linalgPreferredBackend());
    case GT_SWITCH_BLAS: return static_cast<int64_t>(c.blasPreferredBackend());
    case GT_SWITCH_HAS_MKLDNN: return at::Context::hasMKLDNN();
    case GT_SWITCH_HAS_MKL: return at::Context::hasMKL();
    case GT_SWITCH_HAS_OPENMP: return at::Context::hasOpenMP();
    case GT_SWITCH_HAS_CUDNN: return at::detail::getCUDAHooks().compiledWithCuDNN();
    case GT_SWITCH_CUDNN_VERSION: return at::detail::getCUDAHooks().versionCuDNN();
  }
  TORCH_CHECK(false, "there is no switch ", which);
}

void set_switch(at::Context& c, int which, int64_t v) {
  const bool on = v != 0;
  switch (which) {
    case GT_SWITCH_CUBLAS_TF32: return c.setAllowTF32CuBLAS(on);
    case GT_SWITCH_CUBLAS_FP16_REDUCTION: return c.setAllowFP16ReductionCuBLAS(reduced(v), splits(v));
    case GT_SWITCH_CUBLAS_BF16_REDUCTION: return c.setAllowBF16ReductionCuBLAS(reduced(v), splits(v));
    case GT_SWITCH_CUBLAS_FP16_ACCUMULATION: return c.setAllowFP16AccumulationCuBLAS(on);
    case GT_SWITCH_CUDNN_ENABLED: return c.setUserEnabledCuDNN(on);
    case GT_SWITCH_CUDNN_BENCHMARK: return c.setBenchmarkCuDNN(on);
    case GT_SWITCH_CUDNN_BENCHMARK_LIMIT: return c.setBenchmarkLimitCuDNN(static_cast<int>(v));
    case GT_SWITCH_CUDNN_DETERMINISTIC: return c.setDeterministicCuDNN(on);
    case GT_SWITCH_CUDNN_TF32: return c.setAllowTF32CuDNN(on);
    case GT_SWITCH_MKLDNN_ENABLED: return c.setUserEnabledMkldnn(on);
    case GT_SWITCH_MKLDNN_DETERMINISTIC: return c.setDeterministicMkldnn(on);
    case GT_SWITCH_SDP_FLASH: return c.setSDPUseFlash(on);
    case GT_SWITCH_SDP_MEM_EFFICIENT: return c.setSDPUseMemEfficient(on);
    case GT_SWITCH_SDP_MATH: return c.setSDPUseMath(on);
    case GT_SWITCH_SDP_CUDNN: return c.setSDPUseCuDNN(on);
    case GT_SWITCH_SDP_MATH_REDUCTION: return c.setAllowFP16BF16ReductionMathSDP(on);
    case GT_SWITCH_SDP_PRIORITY: return set_priority(c, v);
    case GT_SWITCH_LINALG: return c.setLinalgPreferredBackend(static_cast<at::LinalgBackend>(v));
    case GT_SWITCH_BLAS: return c.setBlasPreferredBackend(static_cast<at::BlasBackend>(v));
  }
  TORCH_CHECK(false, "there is no switch ", which, " to set");
}

template <typename F>
uintptr_t attempt(F&& f) {
  try {
    f();
    return 0;
  } catch (...) {
    return gt::caught();
  }
}

}  // namespace

extern "C" {

uintptr_t gt_switch_get(int which, int64_t* out) {
  return attempt([&] { *out = get_switch(at::globalContext(), which); });
}

uintptr_t gt_switch_set(int which, int64_t value) {
  return attempt([&] { set_switch(at::globalContext(), which, value); });
}

uintptr_t gt_fp32_precision_get(int backend, int op, int* out) {
  return attempt([&] {
    *out = static_cast<int>(at::globalContext().float32Precision(static_cast<at::Float32Backend>(backend),
                                                                 static_cast<at::Float32Op>(op)));
  });
}

uintptr_t gt_fp32_precision_set(int backend, int op, int precision) {
  return attempt([&] {
    at::globalContext().setFloat32Precision(static_cast<at::Float32Backend>(backend), static_cast<at::Float32Op>(op),
                                            static_cast<at::Float32Precision>(precision));
  });
}

}  // extern "C"

#endif
