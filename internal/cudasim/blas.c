// The functions of cuBLAS that matrix products call. Like kernels, they compute
// nothing. The real cuBLAS does not start on the simulated driver. These
// functions take precedence over the real ones, because they are loaded first.
#include "sim.h"

#define DOES_NOTHING(name) \
  int name() { return 0; }
#define FOUR(before, after)      \
  DOES_NOTHING(before##S##after) \
  DOES_NOTHING(before##D##after) DOES_NOTHING(before##C##after) DOES_NOTHING(before##Z##after)

FOUR(cublas, gemm_v2)
FOUR(cublas, gemmStridedBatched)
FOUR(cublas, gemv_v2)
FOUR(cublas, trsm_v2)
FOUR(cublas, trsmBatched)
FOUR(cublas, geqrfBatched)
FOUR(cublas, getrfBatched)
FOUR(cublas, getrsBatched)
FOUR(cublas, gelsBatched)
DOES_NOTHING(cublasSdot_v2)
DOES_NOTHING(cublasDdot_v2)
DOES_NOTHING(cublasCdotu_v2)
DOES_NOTHING(cublasCdotc_v2)
DOES_NOTHING(cublasZdotu_v2)
DOES_NOTHING(cublasZdotc_v2)
DOES_NOTHING(cublasDotEx)
DOES_NOTHING(cublasGemmEx)
DOES_NOTHING(cublasSgemmEx)
DOES_NOTHING(cublasGemmStridedBatchedEx)
DOES_NOTHING(cublasDestroy_v2)
DOES_NOTHING(cublasSetStream_v2)
DOES_NOTHING(cublasSetWorkspace_v2)
DOES_NOTHING(cublasSetMathMode)
DOES_NOTHING(cublasSetPointerMode_v2)
DOES_NOTHING(cublasLtMatmul)
DOES_NOTHING(cublasLtMatmulDescSetAttribute)
DOES_NOTHING(cublasLtMatmulDescDestroy)
DOES_NOTHING(cublasLtMatmulPreferenceSetAttribute)
DOES_NOTHING(cublasLtMatmulPreferenceDestroy)
DOES_NOTHING(cublasLtMatrixLayoutSetAttribute)
DOES_NOTHING(cublasLtMatrixLayoutDestroy)

// Nothing reads what a handle points to.
static int made(void** out) {
  static int one;
  *out = &one;
  return 0;
}
int cublasCreate_v2(void** out) { return made(out); }
int cublasLtMatmulDescCreate(void** out) { return made(out); }
int cublasLtMatmulPreferenceCreate(void** out) { return made(out); }
int cublasLtMatrixLayoutCreate(void** out) { return made(out); }

int cublasGetMathMode(void* h, int* mode) {
  (void)h;
  *mode = 0;
  return 0;
}
int cublasGetPointerMode_v2(void* h, int* mode) {
  (void)h;
  *mode = 0;
  return 0;
}
size_t cublasLtGetVersion(void) { return 130000; }
int cublasLtMatmulAlgoGetHeuristic(void* h, void* desc, void* a, void* b, void* c, void* d, void* preference, int most,
                                   void* results, int* found) {
  (void)h, (void)desc, (void)a, (void)b, (void)c, (void)d, (void)preference, (void)most, (void)results;
  *found = 1;
  return 0;
}
