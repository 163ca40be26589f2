// Package failing has allocations fail in tests.
package failing

import "github.com/gotorch/gotorch/cgotorch/mem"

// At calls fn, in which the allocation of CPU memory after n others fails, and reports whether there were as many.
// Nothing else may allocate meanwhile.
func At(n int64, fn func()) (failed bool) {
	mem.CPUFail(n)
	defer func() { failed = mem.CPUFail(-1) < 0 }()
	fn()
	return
}
