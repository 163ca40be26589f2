// Package sanitized reports whether the program runs under the race detector or
// AddressSanitizer. Both slow Go down and change its allocations, which tests must take
// into account.
package sanitized

// Or returns n, or other if On.
func Or(n, other int) int {
	if On {
		return other
	}
	return n
}
