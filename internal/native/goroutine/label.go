package goroutine

import "unsafe"

// Label returns the profiler labels of the running goroutine, as an identity:
// a goroutine inherits those of the one that started it, so two goroutines
// with the same value have a common ancestor that set them. Nil without any.
// Whoever holds the value keeps it from being used again.
func Label() unsafe.Pointer { return getLabel() }

// SetLabel gives the running goroutine labels that Label returned before.
func SetLabel(l unsafe.Pointer) { setLabel(l) }

//go:linkname getLabel runtime/pprof.runtime_getProfLabel
func getLabel() unsafe.Pointer

//go:linkname setLabel runtime/pprof.runtime_setProfLabel
func setLabel(unsafe.Pointer)
