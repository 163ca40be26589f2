package memory

import (
	"fmt"
	"runtime/metrics"

	"github.com/gotorch/gotorch/cgotorch/mem"
	"github.com/gotorch/gotorch/internal/sysmem"
	"github.com/gotorch/gotorch/torch"
)

// ProcessStats is where the memory of the whole process is, in bytes.
//
// Resident memory is about Reserved, CHeap and GoHeap, as far as their pages have
// been written to, with what each keeps free for reuse, thread stacks, and the
// pages of libtorch's own files, some 100 MB. Memory of CUDA devices is not in it.
type ProcessStats struct {
	Resident     int64 // in memory now
	PeakResident int64 // at its highest
	Reserved     int64 // of the CPU allocator: tensors and its cache
	CHeap        int64 // handed out by the C library's malloc: nodes of graphs, shapes, caches of kernels, scratch space
	CHeapFree    int64 // kept by malloc for reuse, pages that it gave back included
	Scratch      int64 // of CHeap, the buffers that MKL keeps for its next calls, as many as were in use at one time
	GoHeap       int64 // Go objects, dead ones that are not collected yet included
}

// Process returns where the memory of the process is. What the system or the C
// library does not tell is 0: resident memory where there is no /proc, malloc's
// numbers other than with glibc. It takes tenths of a millisecond, and 0.2 us
// more for each free block of malloc's, which may be 100,000 in a process that
// freed many small ones between others.
func Process() ProcessStats {
	h := mem.ReadCHeap()
	s := ProcessStats{
		Reserved: Reserved(torch.CPU),
		CHeap:    h.InUse, CHeapFree: h.Free, Scratch: h.Scratch,
		GoHeap: goHeap(),
	}
	s.Resident, s.PeakResident = resident()
	return s
}

// resident returns the process's resident bytes now and at their highest; zero
// where the system does not tell.
func resident() (now, peak int64) { return sysmem.Resident() }

func goHeap() int64 {
	s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(s)
	if s[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return int64(s[0].Value.Uint64())
}

// String is one line for a log.
func (s ProcessStats) String() string {
	return fmt.Sprintf("resident %s (peak %s), reserved %s, C heap %s (free %s, scratch %s), Go heap %s",
		size(s.Resident), size(s.PeakResident), size(s.Reserved), size(s.CHeap), size(s.CHeapFree), size(s.Scratch), size(s.GoHeap))
}
