//go:build race || asan

package sanitized

// On reports whether the program runs under the race detector or AddressSanitizer.
const On = true
