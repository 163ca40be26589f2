package rss

// Recorded is a process of a file of smaps: its program, the segments of the CPU allocator, an
// object of Go's and the size of stacks. image reads its memory, present counts its resident
// bytes.
func Recorded(smaps []byte, exe string, segments []Range, object, stack uintptr, image func([]byte, uintptr) bool, present func(Range) (int64, bool)) *Usage {
	p := process{parse(smaps), exe, segments, object, stack, image, present}
	return p.usage()
}
