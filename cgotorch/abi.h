// The C side of the boundary between Go and libtorch.
//
// Rules for every function behind this header:
//
//   Ownership  A gt_tensor or gt_generator parameter is borrowed for the call. A
//              gt_tensor that is returned, or written through a parameter named
//              out*, is a new reference that the caller owns and frees with
//              gt_free. Zero is the undefined tensor. Memory behind other pointers
//              still belongs to the caller; no pointer is kept after the return.
//   Errors     No C++ exception leaves a function. A non-zero uintptr_t means
//              failure: it is a gt_error that the caller owns and frees with
//              gt_error_free. On failure, out* parameters are left untouched.
//   Threads    Every function may be called from any thread. The first parameter,
//              gt_ctx, is the state that the caller wants: grad mode, inference
//              mode, intra-op threads, and a row number in the table of less
//              common modes. The function puts the calling thread into that state
//              if the thread is in a different state. It must not rely on the
//              state that an earlier call left.
//   Callbacks  Only functions whose comments say so call back into Go.
#ifndef GOTORCH_ABI_H
#define GOTORCH_ABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef uintptr_t gt_tensor;
typedef uintptr_t gt_generator;
typedef uint64_t gt_ctx;

// The fields of a gt_ctx, as in cgotorch/abi. layout.go checks that C and Go agree on these and on
// all other shared layouts and numbers.
enum {
  GT_CTX_NO_GRAD = 1 << 0,
  GT_CTX_INFERENCE = 1 << 1,
  GT_CTX_GENERATOR_SHIFT = 2,
  GT_CTX_GENERATOR_BITS = 5,
  GT_CTX_STALE = 1 << 7,  // only in tl_ctx: the thread's last change of modes failed halfway
  GT_CTX_THREADS_SHIFT = 8,
  GT_CTX_THREADS_BITS = 16,
  GT_CTX_STACK_SHIFT = 24,
  GT_CTX_STACK_BITS = 24,
  GT_CTX_MODES_SHIFT = 48,
  GT_CTX_MODES_BITS = 16,
};
#define GT_CTX_GENERATOR(ctx) ((uint32_t)((ctx) >> GT_CTX_GENERATOR_SHIFT & ((1u << GT_CTX_GENERATOR_BITS) - 1)))
#define GT_CTX_THREADS(ctx) ((uint32_t)((ctx) >> GT_CTX_THREADS_SHIFT & ((1u << GT_CTX_THREADS_BITS) - 1)))
#define GT_CTX_MODES(ctx) ((uint32_t)((ctx) >> GT_CTX_MODES_SHIFT & ((1u << GT_CTX_MODES_BITS) - 1)))
#define GT_CTX_STACK(ctx) ((uint32_t)((ctx) >> GT_CTX_STACK_SHIFT & ((1u << GT_CTX_STACK_BITS) - 1)))

enum { GT_SCALAR_NONE, GT_SCALAR_INT, GT_SCALAR_FLOAT, GT_SCALAR_BOOL, GT_SCALAR_COMPLEX };

// A device is type << 8 | index + 1, where index -1 means the current device. The number
// -1 means "not given". layout.cpp checks that these constants and the dtypes equal
// libtorch's numbers.
enum { GT_DEVICE_CPU = 0, GT_DEVICE_CUDA = 1, GT_DEVICE_META = 14 };

// at::ScalarType; -1 is "not given".
enum {
  GT_DTYPE_UINT8,
  GT_DTYPE_INT8,
  GT_DTYPE_INT16,
  GT_DTYPE_INT32,
  GT_DTYPE_INT64,
  GT_DTYPE_FLOAT16,
  GT_DTYPE_FLOAT32,
  GT_DTYPE_FLOAT64,
  GT_DTYPE_COMPLEX32,
  GT_DTYPE_COMPLEX64,
  GT_DTYPE_COMPLEX128,
  GT_DTYPE_BOOL,
  GT_DTYPE_QINT8,
  GT_DTYPE_QUINT8,
  GT_DTYPE_QINT32,
  GT_DTYPE_BFLOAT16,
  GT_DTYPE_QUINT4X2,
  GT_DTYPE_QUINT2X4,
  GT_DTYPE_BITS1X8,
  GT_DTYPE_BITS2X4,
  GT_DTYPE_BITS4X2,
  GT_DTYPE_BITS8,
  GT_DTYPE_BITS16,
  GT_DTYPE_FLOAT8_E5M2,
  GT_DTYPE_FLOAT8_E4M3FN,
  GT_DTYPE_FLOAT8_E5M2FNUZ,
  GT_DTYPE_FLOAT8_E4M3FNUZ,
  GT_DTYPE_UINT16,
  GT_DTYPE_UINT32,
  GT_DTYPE_UINT64,
};

typedef struct {
  int64_t kind;
  int64_t i;
  double d;
  double im;
} gt_scalar;

// One tensor or one error.
typedef struct {
  gt_tensor t;
  uintptr_t err;
} gt_ret;

// A list of tensors or one error. The caller owns items, which is malloc'd, and a reference to each
// tensor in it.
typedef struct {
  gt_tensor* items;
  int64_t n;
  uintptr_t err;
} gt_list_ret;

// A number or one error.
typedef struct {
  int64_t v;
  uintptr_t err;
} gt_int_ret;
typedef struct {
  double v;
  uintptr_t err;
} gt_float_ret;
typedef struct {
  gt_scalar v;
  uintptr_t err;
} gt_scalar_ret;

enum {
  GT_ERR_RUNTIME,      // c10::Error or another std::exception
  GT_ERR_INDEX,        // c10::IndexError
  GT_ERR_VALUE,        // c10::ValueError
  GT_ERR_TYPE,         // c10::TypeError
  GT_ERR_NOT_IMPL,     // c10::NotImplementedError
  GT_ERR_LINALG,       // c10::LinAlgError
  GT_ERR_OOM,          // c10::OutOfMemoryError, std::bad_alloc
  GT_ERR_GO_PANIC,     // a Go callback panicked; tag names the panic value
  GT_ERR_MISSING,      // the installed libtorch lacks the operator
  GT_ERR_UNKNOWN,      // something was thrown that is not a std::exception
};

typedef struct {
  int32_t kind;
  int64_t tag;         // GT_ERR_GO_PANIC: number of the panic; GT_ERR_OOM: for the shim itself
  char* message;       // malloc'd, never null
  void* held;          // copy of the c10::Error, from which the trace is read, or null
} gt_error;

#ifdef __cplusplus
}
#endif
#endif
