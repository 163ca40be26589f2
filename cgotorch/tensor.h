// Tensor handles, their metadata, and copies of elements in and out. See abi.h for the rules.
#ifndef GOTORCH_TENSOR_H
#define GOTORCH_TENSOR_H

#include "abi.h"

#ifdef __cplusplus
extern "C" {
#endif

// Drops one reference to t, which may be zero. Never fails and never calls Go.
void gt_free(gt_tensor t);
// Drops one reference to each of n tensors.
void gt_free_n(const gt_tensor* ts, int64_t n);
// Returns a new reference to t.
gt_tensor gt_ref(gt_tensor t);

void gt_error_free(uintptr_t err);
// Returns the C++ trace of an error, to be freed by the caller, or null if there is none.
char* gt_error_trace(uintptr_t err);

typedef struct {
  int64_t dim;
  int64_t numel;
  int64_t storage_offset;
  int32_t device;  // type << 8 | index + 1
  int8_t dtype;    // at::ScalarType
  int8_t layout;   // at::Layout
  uint8_t requires_grad;
  uint8_t is_leaf;
  uint8_t has_grad_fn;
  uint8_t is_contiguous;
  uint8_t is_inference;
  uint8_t is_nested;  // a nested tensor has no single shape: dim and numel are 0
} gt_info;

// Writes the metadata of t. Reads no elements and cannot fail.
void gt_tensor_info(gt_tensor t, gt_info* out);
// Writes at most cap sizes and returns the number of dimensions.
int64_t gt_tensor_sizes(gt_tensor t, int64_t* out, int64_t cap);
int64_t gt_tensor_strides(gt_tensor t, int64_t* out, int64_t cap, uintptr_t* err);
int64_t gt_tensor_numel(gt_tensor t);
int64_t gt_tensor_dim(gt_tensor t);
int gt_tensor_dtype(gt_tensor t);

typedef struct {
  uintptr_t data;     // address of the first element; 0 if there is none
  uintptr_t storage;  // address that identifies the storage; 0 if there is none
  int64_t storage_bytes;
  int64_t uses;  // number of references to the tensor: handles, saved tensors, views
  uintptr_t err;
} gt_storage_info;
gt_storage_info gt_tensor_storage(gt_tensor t);

// Returns a strided CPU tensor with a copy of the contiguous data. Here and below, the
// caller's data is a uint8_t*, not a void*: cgo searches the object behind a void* for
// Go pointers, and panics if the data is an array in a struct with pointers.
gt_ret gt_from_data(gt_ctx ctx, const uint8_t* data, int64_t nbytes, const int64_t* sizes, int64_t n,
                    int8_t dtype, int32_t device);
// Returns a tensor that uses the caller's memory. The memory must stay valid until
// gt_take_released returns release_id, which happens after the last reference to the
// storage is gone.
gt_ret gt_from_shared(gt_ctx ctx, uintptr_t data, const int64_t* sizes, int64_t n, int8_t dtype,
                      int64_t release_id);
// Writes at most cap ids of Go objects that C++ no longer refers to. Returns how many it
// wrote. The ids are from gt_from_shared, hooks and custom functions.
int64_t gt_take_released(int64_t* ids, int64_t cap);
// Returns the address of a count of the ids that gt_take_released would return, for Go to read.
const int64_t* gt_released_count(void);

// Copies the elements in logical order to dst without conversion. nbytes must be numel times the
// element size.
uintptr_t gt_tensor_copy_out(gt_ctx ctx, gt_tensor t, uint8_t* dst, int64_t nbytes);
// Copies nbytes bytes at src to the elements of t, in logical order.
uintptr_t gt_tensor_copy_in(gt_ctx ctx, gt_tensor t, const uint8_t* src, int64_t nbytes);
// Returns the value of t, which must have one element.
gt_scalar_ret gt_tensor_item(gt_ctx ctx, gt_tensor t);

enum { GT_INDEX_INT, GT_INDEX_SLICE, GT_INDEX_ELLIPSIS, GT_INDEX_NONE, GT_INDEX_BOOL, GT_INDEX_TENSOR };
typedef struct {
  int64_t kind;
  int64_t start, stop, step;  // an integer or a bool (GT_INDEX_INT, GT_INDEX_BOOL) is in start
  gt_tensor tensor;
} gt_index_item;
gt_ret gt_tensor_index(gt_ctx ctx, gt_tensor t, const gt_index_item* items, int64_t n);
uintptr_t gt_tensor_index_put(gt_ctx ctx, gt_tensor t, const gt_index_item* items, int64_t n,
                       gt_tensor value);
uintptr_t gt_tensor_index_put_scalar(gt_ctx ctx, gt_tensor t, const gt_index_item* items, int64_t n,
                              gt_scalar value);

#ifdef __cplusplus
}
#endif
#endif
