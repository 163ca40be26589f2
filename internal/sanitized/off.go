//go:build !race && !asan

package sanitized

// On is whether the race detector or AddressSanitizer is in the program.
const On = false
