// Steps that are recorded once and replayed in one call. See abi.h for the rules.
//
// A recording runs the step twice: the first pass notes the arguments of each operator,
// and the second records the calls. The passes must be equal, because each replay repeats
// the second pass. Between gt_capture_pass and gt_capture_end the goroutine is in the
// mode with the number from gt_capture_new (gt_modes.capture).
#ifndef GOTORCH_CAPTURE_H
#define GOTORCH_CAPTURE_H

#include "../abi.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef uintptr_t gt_capture;  // a recording, and later its graph

typedef struct {
  int64_t calls;           // recorded operators
  int64_t replayed;        // number of operators that a replay calls
  const void* arena[2];    // memory of results; those that live at different times overlap
  int64_t arena_bytes[2];  // sizes of arena, 0 for a missing block
  int64_t own_bytes;       // bytes of results that something outside of the step holds
  int64_t eager_bytes;     // bytes of all results, if each had its own memory
} gt_capture_stats;

// Creates a recording, which the caller owns and frees with gt_capture_free, and writes
// the number of its mode. An operator that a replay cannot repeat returns an error. If
// lenient is set, the operator runs as if there were no recording, and gt_capture_end
// returns the error.
uintptr_t gt_capture_new(int32_t lenient, gt_capture* out, uint32_t* out_number);
// Begins one of the two passes. The step gets copies instead of the n sources.
uintptr_t gt_capture_pass(gt_ctx ctx, gt_capture g, const gt_tensor* copies, const gt_tensor* sources, int64_t n);
// Ends a pass. results are the step's results.
uintptr_t gt_capture_returned(gt_ctx ctx, gt_capture g, const gt_tensor* results, int64_t n);
// Makes gt_capture_end optimize the graph for inference. inputs are the tensors whose values change from replay to
// replay; others may be computed with in advance, and replays fail if they have changed. bfloat16 says that layers
// compute in bfloat16 if the processor can.
void gt_capture_optimize(gt_capture g, const gt_tensor* inputs, int64_t n, int32_t bfloat16);
// Describes the graph: *out, which the caller frees with free, has a line with the reason why the graph was not
// optimized as asked (empty if it was), a tab, and 1 if it was optimized, else 0. Then it has a line for each call of
// a replay: its kernel, a tab and the nanoseconds that it took. If the graph was optimized, the function replays it
// several times.
uintptr_t gt_capture_report(gt_ctx ctx, gt_capture g, char** out);
// Writes the address and size of the i-th block of memory that the graph computed in advance. False if there is none.
int32_t gt_capture_packed(gt_capture g, int64_t i, const void** at, int64_t* bytes);
// Ends the recording: compares the passes and lays out the memory. inputs are tensors
// that the step must read. Replays of a lenient graph put gradients in new memory if the
// program still holds the gradients of the last replay. On an error *out_stack is the
// stack of the failing call, or 0.
uintptr_t gt_capture_end(gt_ctx ctx, gt_capture g, const gt_tensor* inputs, int64_t n, const gt_tensor* results,
                         int64_t n_results, uint32_t* out_stack);
// Creates an audit of a graph: a recording of one pass, begun by gt_capture_pass, to
// compare with the graph's recording. The caller owns the audit. For out_number see
// gt_capture_new.
uintptr_t gt_capture_audit(gt_capture g, gt_capture* out, uint32_t* out_number);
// Ends an audit. The error describes how the step differs from the recording, and
// *out_stack is the stack of the differing call, or 0.
uintptr_t gt_capture_compare(gt_ctx ctx, gt_capture audit, uint32_t* out_stack);
// Prepares the graph after a step that ran without it: gives leaves the gradient tensors that a replay uses,
// with the values of their current gradients, and gives the graph's results the values of results.
uintptr_t gt_capture_adopt(gt_ctx ctx, gt_capture g, const gt_tensor* results, int64_t n);
// Fails if the program has changed what the graph depends on.
uintptr_t gt_capture_check(gt_ctx ctx, gt_capture g);
// Compares the gradients that a step adds to or reads with the gradients in the
// recording: 0 if they are the same, 1 if they differ, 2 if they can never be the same
// again. May also be called after the first of two passes.
int32_t gt_capture_match_gradients(gt_ctx ctx, gt_capture g);
// Copies n sources to inputs as if all at once: it first reads the sources that a copy
// would overwrite and the sources in the memory of results. If the step writes to a
// source's memory through another tensor, a lenient graph copies nothing and sets
// *out_written to 1.
uintptr_t gt_capture_feed(gt_ctx ctx, gt_capture g, const gt_tensor* inputs, const gt_tensor* sources, int64_t n,
                          int32_t* out_written);
// Runs the graph. The caller must ensure that no other thread runs it. On an error
// *out_stack is the stack of the failing call, or 0. *out_stale is 1 if nothing was run
// because the program has changed what the graph depends on.
uintptr_t gt_capture_replay(gt_ctx ctx, gt_capture g, uint32_t* out_stack, int32_t* out_stale);
// Fails with a message of n bytes, of kind ErrValue, if an element of ok, a bool tensor
// on the CPU, is false. A recording contains this check as an operator, so each replay
// repeats it.
uintptr_t gt_require(gt_ctx ctx, gt_tensor ok, const char* message, int64_t n);
void gt_capture_info(gt_capture g, gt_capture_stats* out);
void gt_capture_free(gt_capture g);

#ifdef __cplusplus
}
#endif
#endif
