package cuda

// #include "cuda.h"
import "C"

import (
	"sync"
	"unsafe"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/mem"
)

// forgiven maps each device to its out-of-memory failures, some of which are forgiven.
var forgiven sync.Map // int -> *failures

// failures are the out-of-memory failures of one device. libtorch counts and records all
// of them. A failure is forgiven if its operator is called again: then it does not appear
// in the program's statistics and events. Failures are identified by number.
type failures struct {
	mu       sync.Mutex
	count    int64              // number of forgiven failures since the last reset
	resets   int64              // number of failures before the last reset
	forgiven map[int64]struct{} // numbers of the forgiven failures, since the start of the process
}

func failuresOf(device int) *failures {
	f, _ := forgiven.LoadOrStore(device, &failures{forgiven: map[int64]struct{}{}})
	return f.(*failures)
}

// readStats reads libtorch's statistics, which include forgiven failures.
func readStats(device int, out *mem.Stats) *cgotorch.Error {
	return take(C.gt_cuda_stats(C.int(device), (*C.gt_mem_stats)(unsafe.Pointer(out))))
}

// counted returns how many failures libtorch has counted, or 0 if libtorch does not
// report the number. The result is also the number of the newest failure.
func (f *failures) counted(device int) int64 {
	var s mem.Stats
	if readStats(device, &s) != nil {
		return 0
	}
	return f.resets + s.NumOOMs
}

// ForgiveOOM removes the newest failure of a device from NumOOMs and the history, because
// the operator that failed is called again.
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

// ResetAccumulated sets a device's accumulated statistics and event counts to zero.
func ResetAccumulated(device int) *cgotorch.Error {
	f := failuresOf(device)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.count, f.resets = 0, f.counted(device)
	return take(C.gt_cuda_reset_accumulated(C.int(device)))
}

// unforgiven removes the forgiven failures from events. A device's last failure in events
// is the last failure that libtorch has counted, so its number is known.
func unforgiven(events []HistoryEvent) []HistoryEvent {
	numbers := map[int32]int64{} // for each device: number of the newest failure not handled yet
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
