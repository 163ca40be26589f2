// Package failing makes allocations fail in tests.
package failing

import "github.com/gotorch/gotorch/cgotorch/mem"

// At calls fn and makes one allocation of CPU memory fail: the first allocation after n
// others. It reports whether fn made that many allocations. No other goroutine may
// allocate while fn runs.
func At(n int64, fn func()) (failed bool) { return within(n, false, fn) }

// From is like [At], but all later allocations fail too. So an operator that is retried
// after an out-of-memory error fails again.
func From(n int64, fn func()) (failed bool) { return within(n, true, fn) }

// Count returns the number of allocations of CPU memory that fn makes.
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
