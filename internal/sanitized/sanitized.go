// Package sanitized says whether the race detector or AddressSanitizer is in the program. Both
// slow Go down many times and change what it allocates, and tests heed that.
package sanitized

// Or is n, or another number under a detector.
func Or(n, other int) int {
	if On {
		return other
	}
	return n
}
