// Process-wide settings and random generators. See abi.h for the rules.
#ifndef GOTORCH_RUNTIME_H
#define GOTORCH_RUNTIME_H

#include <stdbool.h>

#include "abi.h"

#ifdef __cplusplus
extern "C" {
#endif

const char* gt_version_string(void);  // static
int gt_num_threads(void);
int gt_num_interop_threads(void);
uintptr_t gt_set_num_interop_threads(int n);
char* gt_build_info(void);  // malloc'd

// Sets the process's default floating-point dtype, an at::ScalarType.
uintptr_t gt_set_default_dtype(int8_t dtype);

// Sets whether operators use deterministic algorithms, for the whole process.
uintptr_t gt_use_deterministic(bool on, bool warn_only);
bool gt_deterministic(void);
bool gt_deterministic_warn_only(void);

// Sets the precision of float32 matrix products for the whole process: 0 is highest, 1 is
// high, 2 is medium.
uintptr_t gt_set_float32_matmul_precision(int level);
int gt_float32_matmul_precision(void);

uintptr_t gt_manual_seed(uint64_t seed);
// Returns a new generator for the device, with PyTorch's default seed.
gt_ret gt_generator_new(int32_t device);
// Returns a new reference to the device's default generator.
gt_ret gt_generator_default(int32_t device);
void gt_generator_free(gt_generator g);
// Makes calls whose gt_ctx contains the slot, from 1 on, use g instead of the CPU's
// default generator. If g is 0, the slot becomes empty. The slot holds its own reference.
void gt_generator_slot(int slot, gt_generator g);
// Returns the address of a word with a bit for each slot whose generator an operator has
// used. Go reads and clears the bits without a call. The memory belongs to the shim.
uint32_t* gt_generators_drawn(void);
// Restores the CPU's generators to their states before an operator that ran out of
// memory, so that the operator can be called again. err is the operator's GT_ERR_OOM.
// Returns 0 and does nothing if the earlier state of a generator is unknown.
int gt_error_undo_draws(uintptr_t err);
// Frees the generator states that an error holds. gt_error_free calls it.
void gt_error_free_draws(uintptr_t err);
uintptr_t gt_generator_seed(gt_generator g, uint64_t seed);
uint64_t gt_generator_initial_seed(gt_generator g);
// Returns the number of the generator's device; see abi.h.
int32_t gt_generator_device(gt_generator g);
// These read and set the generator's state, a byte tensor.
gt_ret gt_generator_state(gt_ctx ctx, gt_generator g);
uintptr_t gt_generator_set_state(gt_ctx ctx, gt_generator g, gt_tensor state);

// Returns the address of a counter of the node numbers reserved by threads, which Go
// reads without a call. The counter is at least the number of nodes; see sequence.cpp.
const uint64_t* gt_node_numbers(void);
// Returns the number of live autograd nodes, not counting the nodes of leaves, or -1 if
// unknown.
int64_t gt_live_nodes(void);
// Subtracts n nodes from the count, because deleteNode will not free them.
void gt_discount_nodes(int64_t n);

#ifdef __cplusplus
}
#endif
#endif
