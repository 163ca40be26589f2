// Steps that are recorded once and replayed in one crossing. See abi.h for the rules.
//
// A recording has two passes over the same program: the first notes what each operator is
// called with, the second keeps it. They have to be alike: what differs would be frozen in
// the graph. Between gt_capture_pass and gt_capture_end a goroutine is in the mode whose
// number gt_capture_new gave (gt_modes.capture).
#ifndef GOTORCH_CAPTURE_H
#define GOTORCH_CAPTURE_H

#include "../abi.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef uintptr_t gt_capture;  // a recording, and the graph that it becomes

typedef struct {
  int64_t calls;           // operators that were recorded
  int64_t replayed;        // and that a replay calls
  const void* arena[2];    // blocks for results, which lie over each other where their lifetimes allow
  int64_t arena_bytes[2];  // 0 for one that is not there
  int64_t own_bytes;       // of results that something outside of the step holds
  int64_t eager_bytes;     // of all results within, each in memory of its own
} gt_capture_stats;

// Makes a recording, which the caller owns and gives back with gt_capture_free, and writes
// the number of its mode. What a replay could not repeat is an error of the operator that does
// it, or, where lenient is not 0, of gt_capture_end: the step goes on as without a recording.
uintptr_t gt_capture_new(int32_t lenient, gt_capture* out, uint32_t* out_number);
// Begins a pass, of those two. The step is given copies, of which there are n, of sources.
uintptr_t gt_capture_pass(gt_ctx ctx, gt_capture g, const gt_tensor* copies, const gt_tensor* sources, int64_t n);
// Ends a pass: the step has returned results.
uintptr_t gt_capture_returned(gt_ctx ctx, gt_capture g, const gt_tensor* results, int64_t n);
// Ends the recording: compares the passes and lays out the memory. inputs are tensors that
// the step has to read. A lenient graph has results in the memory that gradients get, where somebody holds
// those of the last replay. On an error *out_stack is the stack of the call at fault, 0 for none.
uintptr_t gt_capture_end(gt_ctx ctx, gt_capture g, const gt_tensor* inputs, int64_t n, const gt_tensor* results, int64_t n_results,
                         uint32_t* out_stack);
// Makes an audit of a graph: a recording of one pass, begun by gt_capture_pass, that is compared with what the graph
// was made of. Owner and out_number are as for gt_capture_new.
uintptr_t gt_capture_audit(gt_capture g, gt_capture* out, uint32_t* out_number);
// Ends an audit. An error says how the step differs from what the graph was made of, and *out_stack is the stack
// of the call at fault, 0 for none.
uintptr_t gt_capture_compare(gt_ctx ctx, gt_capture audit, uint32_t* out_stack);
// Has leaves have the gradients that a replay gives them, and the graph's results be what a replay would, with the
// values of the gradients that they have and of results, which a step without the graph has made.
uintptr_t gt_capture_adopt(gt_ctx ctx, gt_capture g, const gt_tensor* results, int64_t n);
// Fails if the program has changed what the graph stands on.
uintptr_t gt_capture_check(gt_ctx ctx, gt_capture g);
// Copies sources into inputs, of which there are n each, as one: what a copy would write to before it is read, or
// a result that it lies in, is read first. A lenient graph copies nothing and sets *out_written to 1 where a source lies in
// memory that the step writes to by another name.
// Whether the gradients that a step adds to or reads are there as when it was recorded: 0 if they are, 1 if not, -1 if
// they cannot be again. After the first of two passes g may be asked too.
int32_t gt_capture_fits(gt_ctx ctx, gt_capture g);
uintptr_t gt_capture_feed(gt_ctx ctx, gt_capture g, const gt_tensor* inputs, const gt_tensor* sources, int64_t n,
                          int32_t* out_written);
// Runs the graph. The caller sees to it that nobody else does. On an error *out_stack is the
// stack of the call at fault, 0 for none, and *out_stale is 1 if the program has changed what
// the graph stands on and nothing was done.
uintptr_t gt_capture_replay(gt_ctx ctx, gt_capture g, uint32_t* out_stack, int32_t* out_stale);
// Fails with a message of n bytes, of kind ErrValue, where an element of ok, a tensor of bools of the CPU, is false. A
// recording has it as an operator: each replay asks again.
uintptr_t gt_require(gt_ctx ctx, gt_tensor ok, const char* message, int64_t n);
void gt_capture_info(gt_capture g, gt_capture_stats* out);
void gt_capture_free(gt_capture g);

#ifdef __cplusplus
}
#endif
#endif
