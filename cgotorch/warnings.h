// Prints libtorch's warnings. See abi.h for the rules.
#ifndef GOTORCH_WARNINGS_H
#define GOTORCH_WARNINGS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { GT_WARNINGS_ONCE = 0, GT_WARNINGS_ALWAYS = 1, GT_WARNINGS_NEVER = 2 };

// Sets which warnings are printed to standard error, and returns the previous setting.
int gt_set_warnings(int mode);

// Prints a warning from the caller in the same way as libtorch's. text has n bytes and is
// borrowed.
void gt_warn(const char* text, size_t n);

#ifdef __cplusplus
}
#endif
#endif
