// Switches of the libraries that libtorch uses: cuBLAS, cuDNN, oneDNN, attention. All are
// process-wide and can be set even if the library is not installed.
#ifndef GOTORCH_SWITCHES_H
#define GOTORCH_SWITCHES_H

#include "abi.h"

#ifdef __cplusplus
extern "C" {
#endif

// The switches. Values are 0 and 1 unless noted. The switches below the line --- are read-only.
enum {
  GT_SWITCH_CUBLAS_TF32,
  GT_SWITCH_CUBLAS_FP16_REDUCTION,  // 0: reduced precision and split-K allowed; 1: only split-K; 2: neither
  GT_SWITCH_CUBLAS_BF16_REDUCTION,  // like the switch for FP16
  GT_SWITCH_CUBLAS_FP16_ACCUMULATION,
  GT_SWITCH_CUDNN_ENABLED,
  GT_SWITCH_CUDNN_BENCHMARK,
  GT_SWITCH_CUDNN_BENCHMARK_LIMIT,  // a number
  GT_SWITCH_CUDNN_DETERMINISTIC,
  GT_SWITCH_CUDNN_TF32,
  GT_SWITCH_MKLDNN_ENABLED,
  GT_SWITCH_MKLDNN_DETERMINISTIC,
  GT_SWITCH_SDP_FLASH,
  GT_SWITCH_SDP_MEM_EFFICIENT,
  GT_SWITCH_SDP_MATH,
  GT_SWITCH_SDP_CUDNN,
  GT_SWITCH_SDP_MATH_REDUCTION,
  // The order in which attention kernels are tried: numbers of at::SDPBackend, 4 bits each, the
  // first in the lowest bits.
  GT_SWITCH_SDP_PRIORITY,
  GT_SWITCH_LINALG,        // 0 the default, 1 cuSOLVER, 2 MAGMA
  GT_SWITCH_BLAS,          // 0 the default, 1 cuBLAS, 2 cuBLASLt
  // ---
  GT_SWITCH_HAS_MKLDNN,
  GT_SWITCH_HAS_MKL,
  GT_SWITCH_HAS_OPENMP,
  GT_SWITCH_HAS_CUDNN,
  GT_SWITCH_CUDNN_VERSION,  // version as a number; reading it is an error without cuDNN
};

uintptr_t gt_switch_get(int which, int64_t* out);
uintptr_t gt_switch_set(int which, int64_t value);

// Writes the float32 precision of a library for an operator family. The numbers are the
// values of at::Float32Backend (0 all, 1 CUDA, 2 oneDNN), at::Float32Op (0 all, 1
// convolutions, 2 recurrent layers, 3 matrix products) and at::Float32Precision (0 none,
// 1 IEEE, 2 TF32, 3 BF16).
uintptr_t gt_fp32_precision_get(int backend, int op, int* out);
uintptr_t gt_fp32_precision_set(int backend, int op, int precision);

#ifdef __cplusplus
}
#endif
#endif
