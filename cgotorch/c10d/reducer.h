// The engine of DistributedDataParallel: gradient buckets that are averaged over a group
// during the backward pass. Part of c10d.h.
//
// A gt_relay is a process group as libtorch's reducer sees it. Go runs its collectives,
// so that they wait without a slot at the gate and fail with Go's errors. A gt_reducer
// keeps its relay and its parameters.
#ifndef GOTORCH_C10D_REDUCER_H
#define GOTORCH_C10D_REDUCER_H

#include "c10d.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef uintptr_t gt_relay;
typedef uintptr_t gt_reducer;

// id is a number that Go chooses. It is released with the last reference to the relay.
gt_dist_status gt_relay_new(int64_t id, int rank, int size, const char* name, gt_relay* out);
void gt_relay_free(gt_relay r);

// These functions wait. The caller may hold a slot at the gate; Go releases it during the
// wait.
gt_dist_status gt_relay_verify(gt_ctx cx, gt_relay r, const gt_tensor* params, int64_t n);
gt_dist_status gt_relay_broadcast(gt_ctx cx, gt_relay r, const gt_tensor* ts, int64_t n, int64_t bytes, int src);

typedef struct {
  const gt_tensor* params;
  const uint8_t* sparse;  // for each parameter: whether its gradient is sparse
  int64_t n_params;
  const int64_t* caps;  // sizes of the first buckets in bytes, for the first assignment
  int64_t n_caps;
  const int64_t* rebuild_caps;  // for the second assignment; null: first_cap, then cap
  int64_t n_rebuild_caps;
  int64_t cap, first_cap;  // bytes
  const char* names;       // names of the parameters, each followed by a zero byte
  int32_t find_unused, bucket_view, static_graph, skip_unused;
} gt_reducer_options;

gt_dist_status gt_reducer_new(gt_ctx cx, gt_relay r, const gt_reducer_options* o, gt_reducer* out);
// Frees the reducer. A graph whose backward pass may still run keeps the parts that it
// needs.
void gt_reducer_free(gt_reducer r);

gt_dist_status gt_reducer_prepare_forward(gt_ctx cx, gt_reducer r);
// Fails if the last backward pass did not reach all parameters. Never fails inside a pass.
gt_dist_status gt_reducer_finished(gt_reducer r);
// Assigns the parameters to buckets in the order of their gradients. Does so, and waits, only once.
gt_dist_status gt_reducer_rebuild(gt_ctx cx, gt_reducer r, int* rebuilt);
// outs are the outputs of the forward pass. From now on, their graph keeps the reducer
// alive. If search is not 0, finds the parameters that the graph does not use.
gt_dist_status gt_reducer_prepare_backward(gt_ctx cx, gt_reducer r, const gt_tensor* outs, int64_t n, int search);
// Called inside a backward pass: all gradients are then reduced at the end of that pass.
gt_dist_status gt_reducer_delay(gt_ctx cx, gt_reducer r);
// Sets the divisor of summed gradients; 0 means the group's size.
gt_dist_status gt_reducer_divide(gt_ctx cx, gt_reducer r, int64_t by);

// Makes Go's hook number id average the buckets. The id is released with the reducer.
gt_dist_status gt_reducer_hook(gt_ctx cx, gt_reducer r, int64_t id);
// When ranks tell each other which parameters they used: never, after the gradients, or
// before the gradients.
enum { GT_USED_NEVER, GT_USED_AFTER, GT_USED_BEFORE };
// Contributes zeros to the reduction of each bucket, for a rank that has no more inputs.
// Waits.
gt_dist_status gt_reducer_shadow(gt_ctx cx, gt_reducer r, int used);
// Writes new references to the buffers of at most n buckets. Returns the number of buckets.
gt_dist_status gt_reducer_buckets(gt_ctx cx, gt_reducer r, gt_tensor* buffers, int64_t n, int64_t* have);
// Writes the addresses and sizes in bytes of at most n dense buckets. Returns how many there are.
gt_dist_status gt_reducer_places(gt_reducer r, uintptr_t* at, int64_t* bytes, int64_t n, int64_t* have);

#ifdef __cplusplus
}
#endif
#endif
