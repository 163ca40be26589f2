// Package rss tells what the resident pages of this process belong to. It reads
// /proc/self/smaps, so it works on Linux, and is told by address what the CPU allocator has.
//
// A mapping of the system belongs to one owner as a rule. Where the system has merged
// neighbours, /proc/self/pagemap says which pages are resident.
package rss

import (
	"io"
	"os"
	"unsafe"
)

// Owner is what pages belong to.
type Owner int

// The owners.
const (
	Rest        Owner = iota // nobody known
	Allocator                // segments of the CPU allocator
	GoHeap                   // spans of objects and stacks of goroutines
	GoRuntime                // what Go's runtime keeps beside them
	CHeap                    // malloc's heap, arenas and large blocks
	Files                    // mapped files that are no code
	Shared                   // memory shared with other processes
	Code                     // libraries, as they lie in their files
	Data                     // libraries' variables, and what the loader changed in them
	Compiled                 // code that was made at run time
	Stacks                   // of threads
	ProgramCode              // the program, as it lies in its file
	ProgramData              // its variables
	owners
)

// Range is addresses from Start to before End.
type Range struct{ Start, End uintptr }

// Usage is how many resident bytes each owner has.
type Usage struct {
	Total int64 // their sum
	by    [owners]int64
	files map[string]int64
}

// Of returns the resident bytes of an owner.
func (u *Usage) Of(o Owner) int64 { return u.by[o] }

// Move says that up to so many bytes of one owner are another's, and returns how many.
func (u *Usage) Move(from, to Owner, bytes int64) int64 {
	bytes = max(0, min(bytes, u.by[from]))
	u.by[from] -= bytes
	u.by[to] += bytes
	return bytes
}

// LargestFile returns the mapped file with the most resident bytes, and how many files
// have any.
func (u *Usage) LargestFile() (path string, count int) {
	for name, bytes := range u.files {
		if most := u.files[path]; bytes > most || bytes == most && name < path {
			path = name
		}
	}
	return path, len(u.files)
}

// Read returns who has what. It reports false where the system does not tell. It calls
// segments, which returns what the CPU allocator has, once the mappings have been read.
func Read(segments func() []Range) (*Usage, bool) {
	smaps := open("smaps")
	if smaps == nil {
		return nil, false
	}
	defer func() { _ = smaps.Close() }() // of a file that was read
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
	object := new([64]*byte) // some object of Go's
	p := process{
		mappings: ms, exe: exe, segments: segments(), image: image.read, present: pages.Count,
		object: uintptr(unsafe.Pointer(object)), stack: defaultStack(),
	}
	return p.usage(), true
}

// open opens a file in which the system tells about this process, nil where there is none.
func open(name string) *os.File {
	f, err := os.Open("/proc/self/" + name)
	if err != nil {
		return nil
	}
	return f
}
