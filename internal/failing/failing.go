// Package failing has allocations fail in tests.
package failing

import "github.com/gotorch/gotorch/cgotorch/mem"

// At calls fn, in which the allocation of CPU memory after n others fails, and reports whether there were as many.
// Nothing else may allocate meanwhile.
func At(n int64, fn func()) (failed bool) { return within(n, false, fn) }

// From is [At] where all later allocations fail too, so that an operator that the library calls again fails as well.
func From(n int64, fn func()) (failed bool) { return within(n, true, fn) }

// Count returns how many allocations fn makes.
func Count(fn func()) int64 {
	const most = 1 << 40
	mem.CPUFail(most, false)
	left := int64(0)
	func() {
		defer func() { left = mem.CPUFail(-1, false) }()
		fn()
	}()
	return most - left
}

func within(n int64, lasting bool, fn func()) (failed bool) {
	mem.CPUFail(n, lasting)
	defer func() { failed = mem.CPUFail(-1, false) < 0 }()
	fn()
	return
}
