package goroutine

import "unsafe"

// Label returns the address of the current goroutine's profiler labels, or nil if it has
// none. A goroutine inherits the labels of the goroutine that started it. So if two
// goroutines have the same address, a common ancestor set these labels. As long as a
// pointer to the labels exists, the address is not reused.
func Label() unsafe.Pointer { return getLabel() }

// SetLabel sets the current goroutine's labels to a result of Label.
func SetLabel(l unsafe.Pointer) { setLabel(l) }

//go:linkname getLabel runtime/pprof.runtime_getProfLabel
func getLabel() unsafe.Pointer

//go:linkname setLabel runtime/pprof.runtime_setProfLabel
func setLabel(unsafe.Pointer)
