// Package rss finds out what the resident pages of this process are used for. It reads
// /proc/self/smaps, so it needs Linux. The caller passes the addresses of the CPU
// allocator's segments.
//
// Usually a mapping has one owner. If the system has merged neighboring mappings of
// different owners, /proc/self/pagemap shows which pages are resident.
package rss

import (
	"io"
	"os"
	"unsafe"
)

// Owner is what resident pages are used for.
type Owner int

// The owners.
const (
	Rest        Owner = iota // unknown
	Allocator                // segments of the CPU allocator
	GoHeap                   // spans of objects and stacks of goroutines
	GoRuntime                // other memory of Go's runtime
	CHeap                    // malloc's heap, arenas and large blocks
	Files                    // mapped files that are not code
	Shared                   // memory shared with other processes
	Code                     // pages of libraries that equal their files
	Data                     // variables of libraries, and other pages that the loader changed
	Compiled                 // code generated at run time
	Stacks                   // of threads
	ProgramCode              // pages of the program that equal its file
	ProgramData              // its variables
	owners
)

// Range is the addresses from Start up to, but not including, End.
type Range struct{ Start, End uintptr }

// Usage contains the resident bytes of each owner.
type Usage struct {
	Total   int64 // their sum
	bytesBy [owners]int64
	files   map[string]int64
}

// Of returns the resident bytes of an owner.
func (u *Usage) Of(o Owner) int64 { return u.bytesBy[o] }

// Move moves up to the given number of bytes from one owner to another, and returns how
// many it moved.
func (u *Usage) Move(from, to Owner, bytes int64) int64 {
	bytes = max(0, min(bytes, u.bytesBy[from]))
	u.bytesBy[from] -= bytes
	u.bytesBy[to] += bytes
	return bytes
}

// LargestFile returns the mapped file with the most resident bytes, and how many files
// have resident bytes.
func (u *Usage) LargestFile() (path string, count int) {
	for name, bytes := range u.files {
		if most := u.files[path]; bytes > most || bytes == most && name < path {
			path = name
		}
	}
	return path, len(u.files)
}

// Read returns the resident bytes of each owner. It reports false if the system does not
// provide them. After reading the mappings it calls segments, which returns the segments
// of the CPU allocator.
func Read(segments func() []Range) (*Usage, bool) {
	smaps := open("smaps")
	if smaps == nil {
		return nil, false
	}
	defer func() { _ = smaps.Close() }() // only read
	text, err := io.ReadAll(smaps)
	if err != nil {
		return nil, false
	}
	ms := parse(text)
	if len(ms) == 0 {
		return nil, false
	}
	exe, _ := os.Readlink("/proc/self/exe")
	image := openImage()
	defer image.close()
	pages := OpenPages()
	defer pages.Close()
	object := new([64]*byte) // any object on Go's heap
	p := process{
		mappings: ms, exe: exe, segments: segments(), image: image.read, residentIn: pages.Count,
		object: uintptr(unsafe.Pointer(object)), stack: defaultStack(),
	}
	return p.usage(), true
}

// open opens the file with this name in /proc/self. It returns nil if that fails.
func open(name string) *os.File {
	f, err := os.Open("/proc/self/" + name)
	if err != nil {
		return nil
	}
	return f
}
