// Models that Python compiled to shared libraries. See ../abi.h for the rules.
//
// A gt_aoti is the caller's until gt_aoti_free, which may run on any thread once no other
// function uses it. gt_aoti_run may be called from several threads at once, as many as
// there are runners; nothing else of the same model may run beside gt_aoti_update.
#ifndef GOTORCH_AOTI_H
#define GOTORCH_AOTI_H

#include "abi.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef uintptr_t gt_aoti;

// A constant of a model: a parameter, a buffer, or a tensor that tracing made.
typedef struct {
  char* name;        // as the module called it
  char* code_name;   // as the library calls it
  int64_t bytes;     // what there is room for
  int64_t n_sizes;   // -1 if the model does not have it yet
  int64_t* sizes;
  int64_t* strides;
  int8_t dtype;
  int8_t folded;     // made of others at the first run: it cannot be given
  int8_t parameter;  // of the module, not a buffer or a tensor that tracing made
} gt_aoti_constant;

// What a library says of itself. All is malloc'd, for gt_aoti_info_free.
typedef struct {
  char* in_spec;  // what Python's pytree wrote of arguments and results
  char* out_spec;
  int64_t inputs, outputs;
  gt_aoti_constant* constants;
  int64_t n_constants;
} gt_aoti_info;

// Loads a library and runs its initializers. device is "cpu" or "cuda:1", dir where the
// kernels of a device are, blob the file of its constants or null. The files of a model
// for the CPU are not needed any more afterwards.
uintptr_t gt_aoti_load(const char* library, const char* device, const char* dir, const char* blob, int64_t runners,
                       int single_threaded, gt_aoti* out);
void gt_aoti_free(gt_aoti m);

uintptr_t gt_aoti_describe(gt_aoti m, gt_aoti_info* out);
void gt_aoti_info_free(gt_aoti_info* info);

// Runs the model. Nothing is compared but that the inputs are dense and as many as there
// have to be. The results are new references, and none lies in the model's own memory.
gt_list_ret gt_aoti_run(gt_ctx cx, gt_aoti m, const gt_tensor* inputs, int64_t n);

// A copy of a constant, by the module's name; zero if the model does not have it.
gt_ret gt_aoti_constant_copy(gt_ctx cx, gt_aoti m, const char* name);

// Gives the model other constants, by the library's names. They have to be dense, on the
// model's device, of the constants' dtypes, sizes and strides. Their bytes are copied;
// with shared the model keeps the tensors themselves.
uintptr_t gt_aoti_update(gt_ctx cx, gt_aoti m, const char* const* names, const gt_tensor* tensors, int64_t n, int shared);

#ifdef __cplusplus
}
#endif
#endif
