package cuda

// #include "cuda.h"
import "C"

import (
	"sync"
	"unsafe"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/mem"
)

// forgiven has, for each device, the out-of-memory failures whose operators were called again.
var forgiven sync.Map // int -> *failures

// failures are the out-of-memory failures of one device. libtorch counts and records all of them.
// The forgiven ones are removed, by number, from the statistics and events that the program gets.
type failures struct {
	mu       sync.Mutex
	count    int64              // since the last reset
	resets   int64              // number of failures counted before that reset
	forgiven map[int64]struct{} // numbers of the forgiven failures, since the start of the process
}

func failuresOf(device int) *failures {
	f, _ := forgiven.LoadOrStore(device, &failures{forgiven: map[int64]struct{}{}})
	return f.(*failures)
}

// readStats reads libtorch's counts.
func readStats(device int, out *mem.Stats) *cgotorch.Error {
	return take(C.gt_cuda_stats(C.int(device), (*C.gt_mem_stats)(unsafe.Pointer(out))))
}

// counted returns the number of the last failure, or 0 if libtorch does not provide it.
func (f *failures) counted(device int) int64 {
	var s mem.Stats
	if readStats(device, &s) != nil {
		return 0
	}
	return f.resets + s.NumOOMs
}

// ForgiveOOM removes a failure from a device's NumOOMs and its history, because its
// operator is called again.
func ForgiveOOM(device int) {
	f := failuresOf(device)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.count++
	f.forgiven[f.counted(device)] = struct{}{}
}

// Stats reads the statistics of a device's caching allocator.
func Stats(device int, out *mem.Stats) *cgotorch.Error {
	f := failuresOf(device)
	f.mu.Lock()
	defer f.mu.Unlock()
	err := readStats(device, out)
	out.NumOOMs = max(out.NumOOMs-f.count, 0)
	return err
}

// ResetAccumulated sets sums and event counts of a device to zero.
func ResetAccumulated(device int) *cgotorch.Error {
	f := failuresOf(device)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.count, f.resets = 0, f.counted(device)
	return take(C.gt_cuda_reset_accumulated(C.int(device)))
}

// unforgiven returns the events without forgiven failures. The newest failure of a device
// is the last that libtorch has counted.
func unforgiven(events []HistoryEvent) []HistoryEvent {
	numbers := map[int32]int64{} // number of the newest failure not yet processed
	kept := make([]HistoryEvent, len(events))
	at := len(events)
	for i := len(events) - 1; i >= 0; i-- {
		e := events[i]
		if e.Action == ActionOOM {
			f := failuresOf(int(e.Device))
			f.mu.Lock()
			n, ok := numbers[e.Device]
			if !ok {
				n = f.counted(int(e.Device))
			}
			_, gone := f.forgiven[n]
			f.mu.Unlock()
			if numbers[e.Device] = n - 1; gone {
				continue
			}
		}
		at--
		kept[at] = e
	}
	return kept[at:]
}
