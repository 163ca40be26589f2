package cgotorch

// #include "warnings.h"
import "C"

import "unsafe"

// These set how often a libtorch warning is printed.
const (
	WarningsOnce   = C.GT_WARNINGS_ONCE
	WarningsAlways = C.GT_WARNINGS_ALWAYS
	WarningsNever  = C.GT_WARNINGS_NEVER
)

// SetWarnings sets which warnings are printed to standard error, and returns the previous
// setting.
func SetWarnings(mode int) int { return int(C.gt_set_warnings(C.int(mode))) }

// Warn prints a Go package's warning to standard error, in the same way and as often as
// libtorch's warnings.
func Warn(text string) {
	C.gt_warn((*C.char)(unsafe.Pointer(unsafe.StringData(text))), C.size_t(len(text)))
}
