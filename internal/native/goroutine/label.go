package goroutine

import "unsafe"

// Label returns the profiler labels of the running goroutine as an identity, or nil if it
// has none. A goroutine inherits the labels of the goroutine that started it, so two
// goroutines with the same value have a common ancestor that set it. Holding the value
// prevents its reuse.
func Label() unsafe.Pointer { return getLabel() }

// SetLabel sets the running goroutine's labels to a result of Label.
func SetLabel(l unsafe.Pointer) { setLabel(l) }

//go:linkname getLabel runtime/pprof.runtime_getProfLabel
func getLabel() unsafe.Pointer

//go:linkname setLabel runtime/pprof.runtime_setProfLabel
func setLabel(unsafe.Pointer)
