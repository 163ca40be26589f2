package trace

// Walk returns the addresses that callers finds, nil where it finds none.
func Walk() []uintptr {
	var at [far]uintptr
	n := callers(at[:])
	if n < 0 {
		return nil
	}
	return at[:n]
}
