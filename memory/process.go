package memory

import (
	"fmt"
	"runtime/metrics"

	"github.com/gotorch/gotorch/cgotorch/mem"
	"github.com/gotorch/gotorch/internal/sysmem"
	"github.com/gotorch/gotorch/memory/internal/units"
	"github.com/gotorch/gotorch/torch"
)

// ProcessStats says where the memory of the whole process is, in bytes.
//
// Resident memory is roughly the sum of Reserved, CHeap and GoHeap, as far as
// their pages have been written to; of the free memory that each of them keeps
// for reuse; of thread stacks; and of the pages of libtorch's own files, about
// 100 MB. [Explain] divides it exactly. Memory of CUDA devices is not included.
type ProcessStats struct {
	Resident     int64 // in memory now
	PeakResident int64 // at its highest
	Reserved     int64 // by the CPU allocator: tensors and its cache
	CHeap        int64 // handed out by the C library's malloc: nodes of graphs, shapes, kernels that oneDNN has compiled, scratch space
	CHeapFree    int64 // kept by malloc for reuse, including pages that it gave back to the system
	Scratch      int64 // the part of CHeap that MKL keeps as buffers for later calls, as many as were in use at one time
	GoHeap       int64 // Go objects, including dead ones that are not collected yet
}

// Process returns where the memory of the process is. A number that the system
// or the C library does not provide is 0: resident memory on systems other than
// Linux, and malloc's numbers with a C library other than glibc. It takes tenths of a
// millisecond, plus 0.2 µs for each free block of malloc. A process that freed
// many small blocks between others can have 100,000 of those.
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
		units.Size(s.Resident), units.Size(s.PeakResident), units.Size(s.Reserved), units.Size(s.CHeap), units.Size(s.CHeapFree), units.Size(s.Scratch), units.Size(s.GoHeap))
}
