package memory

import (
	"fmt"
	"runtime/metrics"

	"github.com/gotorch/gotorch/cgotorch/mem"
	"github.com/gotorch/gotorch/internal/sysmem"
	"github.com/gotorch/gotorch/memory/internal/units"
	"github.com/gotorch/gotorch/torch"
)

// ProcessStats contains statistics of the memory of the whole process, in bytes.
//
// Resident memory is roughly the sum of Reserved, CHeap and GoHeap, the free memory that
// they keep, thread stacks, and about 100 MB for the pages of libtorch's files. Memory
// counts as resident only after it has been used. [Explain] divides resident memory
// exactly. Memory of CUDA devices is not included.
type ProcessStats struct {
	Resident     int64 // resident memory
	PeakResident int64 // peak of the resident memory
	Reserved     int64 // memory of the CPU allocator: tensors and its cache
	// CHeap is the part of malloc's heap in use: graph nodes, shapes, compiled kernels of
	// oneDNN, scratch space.
	CHeap int64
	// Freed memory that malloc keeps for reuse, including pages that it has returned to the
	// system.
	CHeapFree int64
	Scratch   int64 // the part of CHeap that MKL keeps as buffers for later calls
	GoHeap    int64 // Go objects, including garbage that is not collected yet
}

// Process returns the memory statistics of the process. A statistic that the system or
// the C library does not provide is 0: resident memory on systems other than Linux, and
// malloc's statistics with a C library other than glibc. Process takes less than a
// millisecond, plus 0.2 µs for each free block of malloc. A fragmented heap may have
// 100,000 free blocks.
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

// resident returns the process's resident bytes and their peak, or zeros if the
// system does not provide them.
func resident() (now, peak int64) { return sysmem.Resident() }

func goHeap() int64 {
	s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(s)
	if s[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return int64(s[0].Value.Uint64())
}

// String returns the statistics as one line for a log.
func (s ProcessStats) String() string {
	return fmt.Sprintf("resident %s (peak %s), reserved %s, C heap %s (free %s, scratch %s), Go heap %s",
		units.Size(s.Resident), units.Size(s.PeakResident), units.Size(s.Reserved), units.Size(s.CHeap),
		units.Size(s.CHeapFree), units.Size(s.Scratch), units.Size(s.GoHeap))
}
