// Converts tensors to DLPack structs and back. See ../abi.h for the rules.
//
// A "managed" parameter is a pointer as a number: a DLManagedTensor* or, if versioned is
// not 0, a DLManagedTensorVersioned*. The struct never moves and is not Go memory.
#ifndef GOTORCH_DLPACK_H
#define GOTORCH_DLPACK_H

#include "abi.h"

#ifdef __cplusplus
extern "C" {
#endif

// The reasons why a tensor cannot be exported.
enum {
  GT_DLPACK_EXPORTED,
  GT_DLPACK_REQUIRES_GRAD,
  GT_DLPACK_CONJUGATE,
  GT_DLPACK_NEGATIVE,
  GT_DLPACK_LAYOUT,
  GT_DLPACK_DEVICE,
  GT_DLPACK_DTYPE,
  GT_DLPACK_NO_MEMORY,
};

typedef struct {
  uintptr_t managed;  // the caller owns it and calls its deleter once
  int32_t refused;    // if not 0, why the tensor cannot be exported; managed is then 0
  uintptr_t err;
} gt_dlpack_ret;

// Returns a struct that keeps the tensor's memory alive. The memory can no longer be resized. The
// deleter may be called on any thread, and may call Go.
gt_dlpack_ret gt_dlpack_export(gt_ctx ctx, gt_tensor t, int8_t versioned, uint64_t flags);

// Returns the reason why gt_dlpack_export would fail, or 0.
int32_t gt_dlpack_refusal(gt_tensor t);

typedef struct {
  uintptr_t data;
  uint64_t byte_offset;
  uint64_t flags;  // 0 in a struct without version
  const int64_t* shape;
  const int64_t* strides;
  uint32_t major, minor;  // 0 in a struct without version
  int32_t device_type, device_id;
  int32_t ndim;
  uint16_t lanes;
  uint8_t code, bits;
  int8_t dtype;  // at::ScalarType, -1 if there is none for code, bits and lanes
  int8_t own;    // whether gt_dlpack_export created it
} gt_dlpack_info;

// Copies the fields without checking them. shape and strides still point to the struct.
// If the major version is not 1, only the version is read, because other fields may be at
// different offsets.
void gt_dlpack_read(uintptr_t managed, int8_t versioned, gt_dlpack_info* out);

// Returns a tensor that uses the memory at data. The caller keeps the memory valid until
// release_id is released, which happens once, after the last tensor with that memory is
// freed. If this fails, release_id is never released. The caller checks sizes and
// strides: if their products overflow 64 bits, libtorch ends the process.
gt_ret gt_dlpack_import(gt_ctx ctx, uintptr_t data, const int64_t* sizes, const int64_t* strides, int64_t n,
                        int8_t dtype, int32_t device, int64_t release_id);

// Calls the deleter, if there is one. It may be foreign code that waits for a lock, and it may call Go.
void gt_dlpack_delete(uintptr_t managed, int8_t versioned);

#ifdef __cplusplus
}
#endif
#endif
