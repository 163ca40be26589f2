package memory

import (
	"fmt"
	"time"

	"github.com/gotorch/gotorch/cgotorch/mem"
	"github.com/gotorch/gotorch/internal/pacer"
)

// GCStats says what native memory had Go's collector do.
type GCStats struct {
	Collections int64         // started because native memory had grown past the threshold
	Time        time.Duration // spent in all collections started here, waiting for frees included
	Live        int64         // native bytes alive after the last of them
	Threshold   int64         // native bytes at which the next one starts
	Retries     int64         // operators that ran out of memory and were called again, after what Clear does
	Recovered   int64         // retries that succeeded
	Failed      int64         // operators that ended in torch.ErrOutOfMemory
	Timeouts    int64         // times that waiting for frees was given up
}

// String is one line for a log.
func (s GCStats) String() string {
	return fmt.Sprintf("%d collections in %v, %s alive after the last, next at %s, %d retries (%d recovered, %d failed), %d timeouts",
		s.Collections, s.Time.Round(time.Microsecond), size(s.Live), size(s.Threshold), s.Retries, s.Recovered, s.Failed, s.Timeouts)
}

// GC returns what native memory had the collector do so far.
func GC() GCStats {
	s := pacer.ReadStats()
	return GCStats{
		Collections: s.Collections,
		Time:        s.Time,
		Live:        s.LastLiveBytes,
		Threshold:   s.Threshold,
		Retries:     s.Retries,
		Recovered:   s.Recovered,
		Failed:      s.Failed,
		Timeouts:    s.CleanupTimeout,
	}
}

// SetGCPercent sets by how many percent native memory may grow over what was
// alive after the last collection before the next one starts, and returns the
// previous setting: debug.SetGCPercent for native bytes. The default is 100. A
// negative value leaves tensors to Close, scopes and Go's own collections.
func SetGCPercent(percent int) int { return pacer.SetPercent(percent) }

// SetMinHeap sets the least growth of native memory that starts a collection,
// and returns the previous setting. The default is 64 MiB: a collection has a
// fixed cost, and one for every few tensors would spend the program's time. A
// negative number counts as 0.
func SetMinHeap(bytes int64) int64 { return pacer.SetMinHeap(bytes) }

// Collect runs the garbage collector and returns when all native memory that
// only unreachable tensors held has been freed. Inside the cache it stays; see
// Clear. It gives up the wait, and counts that in GCStats.Timeouts, when for a
// fifth of a second nothing was freed: a cleanup of the program's own may block.
func Collect() { pacer.Collect() }

// Clear gives back all the memory that can be given back: it collects garbage,
// frees what unreachable tensors held, empties the cache, frees the buffers that
// MKL keeps for each thread, and has the C library give back what its malloc has
// free, where libtorch keeps graphs and scratch space; see ProcessStats. In
// Python: gc.collect() and torch.cuda.empty_cache(), which leave the last two
// alone.
//
// It takes milliseconds, and what comes next fetches memory anew. A program that
// calls it at every step is slower and, as the collector minds native memory
// anyway, hardly smaller.
func Clear() {
	Collect()
	EmptyCache()
	mem.TrimCHeap()
}
