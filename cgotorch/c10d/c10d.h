// c10d, PyTorch's library for multi-process training: stores, process groups,
// collectives. See ../abi.h for the rules.
//
// A gt_store, gt_group or gt_work is one reference, owned by the caller until its _free
// function, which may run on any thread when no other function uses it. A group keeps its
// store, and a work keeps its group and its tensors. The comments of functions that wait
// say so. While they wait, they hold no lock that other threads need, and the caller must
// not hold a slot at the gate.
#ifndef GOTORCH_C10D_H
#define GOTORCH_C10D_H

#include "abi.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef uintptr_t gt_store;
typedef uintptr_t gt_group;
typedef uintptr_t gt_work;

// The kind of an error.
enum {
  GT_DIST_OTHER = 0,
  GT_DIST_TIMEOUT = 1,  // the exception has libtorch's type for timeouts
  GT_DIST_NETWORK = 2,
  GT_DIST_STORE = 3,
};

typedef struct {
  uintptr_t err;  // 0 on success
  int32_t kind;   // one of the kinds above, if err is not 0
} gt_dist_status;

// Allocated bytes. Release them with free.
typedef struct {
  char* data;
  int64_t n;
} gt_bytes;

// --- stores -------------------------------------------------------------------

// Times are in milliseconds. fd is -1 or a listening socket, which the server takes
// ownership of. workers is the number of processes, or -1 if unknown. A client waits for
// the server and, with wait_workers, a server waits for its clients.
gt_dist_status gt_store_tcp(const char* host, int port, int server, int64_t workers, int wait_workers,
                            int64_t timeout, int fd, gt_store* out, int* bound);
gt_dist_status gt_store_file(const char* path, int64_t workers, gt_store* out);
gt_dist_status gt_store_hash(gt_store* out);
gt_dist_status gt_store_prefix(const char* prefix, gt_store of, gt_store* out);
// Opens another connection to the same store, for use on another thread.
gt_dist_status gt_store_clone(gt_store s, gt_store* out);
void gt_store_free(gt_store s);

gt_dist_status gt_store_set(gt_store s, const char* key, const char* value, int64_t n);
// Waits for the key until the timeout, like gt_store_wait.
gt_dist_status gt_store_get(gt_store s, const char* key, int64_t timeout, gt_bytes* out);
gt_dist_status gt_store_add(gt_store s, const char* key, int64_t n, int64_t* out);
gt_dist_status gt_store_append(gt_store s, const char* key, const char* value, int64_t n);
gt_dist_status gt_store_compare_set(gt_store s, const char* key, const char* want, int64_t n_want, const char* value,
                                    int64_t n, gt_bytes* out);
gt_dist_status gt_store_delete(gt_store s, const char* key, int* out);
gt_dist_status gt_store_check(gt_store s, const char* const* keys, int64_t n, int* out);
gt_dist_status gt_store_num_keys(gt_store s, int64_t* out);
gt_dist_status gt_store_wait(gt_store s, const char* const* keys, int64_t n, int64_t timeout);
// Writes each key, followed by a zero byte. For a prefix store, these are all keys of the
// underlying store, with their prefixes.
gt_dist_status gt_store_list(gt_store s, gt_bytes* out);
gt_dist_status gt_store_push(gt_store s, const char* queue, const char* value, int64_t n);
// Does not wait. Sets found to 1 if the queue had an element, and to 0 otherwise.
gt_dist_status gt_store_pop(gt_store s, const char* queue, gt_bytes* out, int* found);
gt_dist_status gt_store_queue_len(gt_store s, const char* queue, int64_t* out);

// --- groups -------------------------------------------------------------------

// Connects to all other ranks over Gloo, and waits for them. interfaces is a comma-separated list,
// or null for the address of the machine's host name. The group's keys begin with its name and two
// slashes, as in Python.
gt_dist_status gt_group_gloo(gt_store s, int rank, int size, int64_t timeout, const char* interfaces,
                             const char* name, gt_group* out);
// Makes a Gloo group use NCCL for tensors on CUDA. libtorch_cuda must be open. NCCL connects
// at the first transfer, or earlier in gt_group_connect_nccl, which waits for the other ranks.
gt_dist_status gt_group_add_nccl(gt_group g, gt_store s, int64_t timeout, const char* name);
gt_dist_status gt_group_connect_nccl(gt_group g, int device);
// Whether TORCH_DISTRIBUTED_DEBUG is DETAIL. If so, groups compare the calls of their
// ranks.
int gt_dist_detail(void);
// Whether TORCH_GLOO_LAZY_INIT is set. If so, ranks connect when they first communicate.
int gt_dist_lazy(void);
// Waits for running collectives, but no longer than their timeout.
void gt_group_free(gt_group g);
// Closes the connections to the other ranks. Running collectives fail on all ranks.
void gt_group_abort(gt_group g);
// Sets gone[rank] for each rank whose connection has ended. The array has one element per rank.
void gt_group_gone(gt_group g, unsigned char* gone);
gt_dist_status gt_group_set_timeout(gt_group g, int64_t timeout);

// Waits for all ranks. The error of rank 0 names the ranks that are missing.
gt_dist_status gt_group_monitored_barrier(gt_ctx cx, gt_group g, int64_t timeout, int all);

enum {
  GT_OP_BROADCAST,
  GT_OP_ALL_REDUCE,
  GT_OP_ALL_REDUCE_COALESCED,
  GT_OP_REDUCE,
  GT_OP_ALL_GATHER,        // outs: one tensor for each rank
  GT_OP_ALL_GATHER_INTO,   // outs: one
  GT_OP_GATHER,            // outs: one tensor for each rank, only at the root
  GT_OP_SCATTER,           // ins: one tensor for each rank, only at the root
  GT_OP_REDUCE_SCATTER,    // ins: one tensor for each rank
  GT_OP_REDUCE_SCATTER_TENSOR,
  GT_OP_ALL_TO_ALL_SINGLE,
  GT_OP_SEND,
  GT_OP_RECV,
  GT_OP_RECV_ANY,
  GT_OP_BARRIER,
};

// A collective. Ranks are relative to the group. In-place collectives have their tensors
// in outs. A timeout of -1 means the group's timeout. The timeout of a send or receive
// starts when gt_work_wait is called.
typedef struct {
  int32_t op, reduce, root, tag;
  int64_t timeout;
  const gt_tensor* outs;
  int64_t n_outs;
  const gt_tensor* ins;
  int64_t n_ins;
  const int64_t* out_counts;  // ALL_TO_ALL_SINGLE: number of rows for each rank; null: equal parts
  const int64_t* in_counts;
  int64_t n_counts;
} gt_dist_call;

// Begins a collective. The caller owns the work, which keeps the tensors.
gt_dist_status gt_group_begin(gt_ctx cx, gt_group g, const gt_dist_call* call, gt_work* out);

// Waits until the work has ended and sets ended to 1. If gt_work_interrupt is called, sets it to 0.
gt_dist_status gt_work_wait(gt_work w, int* ended);
// Makes the current stream wait for an NCCL work. Call gt_work_wait first; for NCCL it
// waits only until the work has begun.
gt_dist_status gt_work_follow(gt_ctx cx, gt_work w);
void gt_work_interrupt(gt_work w);
int gt_work_done(gt_work w);
// Returns the rank from which a work of RECV_ANY has received, or -1 if it has not received yet.
int gt_work_source(gt_work w);
// Does not wait: a work that has not ended continues running.
void gt_work_free(gt_work w);

#ifdef __cplusplus
}
#endif
#endif
