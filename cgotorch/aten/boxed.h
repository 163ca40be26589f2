// Calls operators by their number. Arguments and results are 64-bit words.
#pragma once

#include "../abi.h"

#ifdef __cplusplus
extern "C" {
#endif

// Calls operator number op of the table. words contains n words: the arguments, in order.
// A number, a handle or a double takes one word (for a double, its bits). A gt_scalar
// takes four. An optional number takes two: whether it is given, and its value. A list is
// its length, -1 for None, and its elements. A string is a list with eight bytes per
// word.
//
// The results are written to out, except arguments that the operator returns. A result
// takes one word, and a gt_scalar takes four. A list of tensors takes two: its address
// (malloc'd, owned by the caller) and its length.
uintptr_t gt_boxed(gt_ctx cx, int32_t op, const uint64_t* words, int64_t n, uint64_t* out);

// A row of the table. The strings are never freed.
typedef struct {
  const char* name;      // with "aten::"
  const char* overload;
  const char* args;      // a letter for the kind of each argument; see boxed.cpp
  const char* results;
  int32_t typed;         // not 0 if the operator also has its own C++ function
} gt_boxed_row;

// The number of operators in the table.
int32_t gt_boxed_count(void);
gt_boxed_row gt_boxed_get(int32_t op);
// Returns 0 if the installed libtorch has the operator, or else the error that a call would return.
uintptr_t gt_boxed_look(int32_t op);

#ifdef __cplusplus
}
#endif
