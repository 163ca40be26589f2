package trace

// Walk returns the addresses that callers finds, or nil.
func Walk() []uintptr {
	var at [far]uintptr
	n := callers(at[:])
	if n < 0 {
		return nil
	}
	return at[:n]
}
