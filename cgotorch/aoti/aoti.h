// Models that Python compiled to shared libraries. See ../abi.h for the rules.
//
// The caller owns a gt_aoti until gt_aoti_free, which may run on any thread when no other
// function uses it. No more threads than there are runners may call gt_aoti_run at the
// same time. During gt_aoti_update, no other function may use the same model.
#ifndef GOTORCH_AOTI_H
#define GOTORCH_AOTI_H

#include "abi.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef uintptr_t gt_aoti;

// A constant of a model: a parameter, a buffer, or a tensor created by tracing.
typedef struct {
  char* name;        // the module's name
  char* code_name;   // the library's name
  int64_t bytes;     // size of the constant in the library, in bytes
  int64_t n_sizes;   // number of sizes; -1 if the constant has no value yet
  int64_t* sizes;
  int64_t* strides;
  int8_t dtype;
  int8_t folded;     // 1 if the first run computes it from other constants; it cannot be set
  int8_t parameter;  // 1 for a parameter of the module
} gt_aoti_constant;

// The description that a library gives of itself. gt_aoti_info_free frees all of it.
typedef struct {
  char* in_spec;  // the arguments and results, as written by Python's pytree
  char* out_spec;
  int64_t inputs, outputs;
  gt_aoti_constant* constants;
  int64_t n_constants;
} gt_aoti_info;

// Loads a library and runs its initializers. device is for example "cpu" or "cuda:1". dir
// is the directory that contains the device's kernels, and blob is the file of constants
// or null. The files of a CPU model are not needed afterwards.
uintptr_t gt_aoti_load(const char* library, const char* device, const char* dir, const char* blob, int64_t runners,
                       int single_threaded, gt_aoti* out);
void gt_aoti_free(gt_aoti m);

uintptr_t gt_aoti_describe(gt_aoti m, gt_aoti_info* out);
void gt_aoti_info_free(gt_aoti_info* info);

// Runs the model. It checks only the number of inputs, and that they are dense. The
// results are new references, and none of them uses the model's own memory.
gt_list_ret gt_aoti_run(gt_ctx cx, gt_aoti m, const gt_tensor* inputs, int64_t n);

// Copies the constant called name in the Python module. Returns zero if the model does
// not have it.
gt_ret gt_aoti_constant_copy(gt_ctx cx, gt_aoti m, const char* name);

// Replaces constants; names are the library's names. The tensors must be dense, on the
// model's device, and have the constants' dtypes, sizes and strides. If shared is set,
// the model keeps the tensors; otherwise it copies their bytes.
uintptr_t gt_aoti_update(gt_ctx cx, gt_aoti m, const char* const* names, const gt_tensor* tensors, int64_t n,
                         int shared);

#ifdef __cplusplus
}
#endif
#endif
