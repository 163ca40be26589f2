// Calls of operators by number, with their arguments as words.
#pragma once

#include "../abi.h"

#ifdef __cplusplus
extern "C" {
#endif

// Calls operator number op of the table with what is in words: its arguments one
// after the other, in n words. Numbers and handles are a word each, a double its
// bits, a gt_scalar four. An optional number is two: whether it is there, and its
// value. A list is its length, -1 for None, and its elements; a string the same, eight
// bytes to a word. Results that are not arguments handed back go to out: a word
// each, a list of tensors two, its address (malloc'd, the caller's) and length, a
// gt_scalar four.
uintptr_t gt_boxed(gt_ctx cx, int32_t op, const uint64_t* words, int64_t n, uint64_t* out);

// A row of the table. The strings live for ever.
typedef struct {
  const char* name;      // with "aten::"
  const char* overload;
  const char* args;      // a letter for the kind of each
  const char* results;
  int32_t typed;         // it has a C++ function of its own as well
} gt_boxed_row;

// How many operators there are.
int32_t gt_boxed_count(void);
gt_boxed_row gt_boxed_get(int32_t op);
// Fails as a call does where the installed libtorch lacks the operator.
uintptr_t gt_boxed_look(int32_t op);

#ifdef __cplusplus
}
#endif
