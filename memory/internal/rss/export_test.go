package rss

// Recorded returns the usage of a process from its smaps file, its program, the segments of
// the CPU allocator, the address of an object on Go's heap, and the size of stacks. image
// reads the process's memory, and present counts its resident bytes.
func Recorded(smaps []byte, exe string, segments []Range, object, stack uintptr, image func([]byte, uintptr) bool,
	present func(Range) (int64, bool),
) *Usage {
	p := process{parse(smaps), exe, segments, object, stack, image, present}
	return p.usage()
}
