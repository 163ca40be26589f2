package memory

import (
	"fmt"
	"runtime/debug"
	"time"

	"github.com/gotorch/gotorch/cgotorch/mem"
	"github.com/gotorch/gotorch/internal/native/pacer"
	"github.com/gotorch/gotorch/memory/internal/device"
	"github.com/gotorch/gotorch/memory/internal/units"
)

// GCStats counts the garbage collections that native memory caused.
type GCStats struct {
	Collections int64         // started because native memory had grown past the threshold
	Time        time.Duration // spent in all these collections, including the wait for frees
	Live        int64         // native bytes alive after the last of them, with the overhead of tensors (SetGCPercent)
	Threshold   int64         // native bytes at which the next one starts, counted likewise
	Retries     int64         // operators that ran out of memory and were called again after memory was given back
	Recovered   int64         // retries that succeeded
	Failed      int64         // operators that ended in torch.ErrOutOfMemory
	Timeouts    int64         // times that the wait for frees was given up
}

// String is one line for a log.
func (s GCStats) String() string {
	return fmt.Sprintf("%d collections in %v, %s alive after the last, next at %s, %d retries (%d recovered, %d failed), %d timeouts",
		s.Collections, s.Time.Round(time.Microsecond), units.Size(s.Live), units.Size(s.Threshold), s.Retries, s.Recovered, s.Failed, s.Timeouts)
}

// GC returns how often native memory made the collector run so far, and what
// came of it.
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

// SetGCPercent sets by how many percent native memory may grow, above what was
// alive after the last collection, before the next collection starts. It
// returns the previous setting. This is debug.SetGCPercent for native bytes.
// The default is 100. A negative value turns these collections off: tensors are
// then freed by Close, scopes and Go's own collections. Go's memory limit (GOMEMLIMIT,
// debug.SetMemoryLimit) counts native memory too, and holds in any case: the next
// collection starts no later than when both come to the limit, or when what was alive
// has grown by a sixteenth, at least 16 MiB, if it is above that. A limit that is set at
// run time holds from the next 16 MiB of allocations on. Without one, and without
// SetLimit, nine tenths of the limit of the process's control group take its place;
// the environment variable GOTORCH_CGROUP_LIMIT=off turns that off.
//
// Native memory is here what the CPU's tensors requested, and an estimate of what
// there is beside their elements: 820 bytes for a tensor, 500 for a view, 650 for a
// hook, and 1,290 for a node of the graph. So many small tensors are collected
// too. Only GCStats contains the estimate.
func SetGCPercent(percent int) int { return pacer.SetPercent(percent) }

// SetMinHeap sets the smallest growth of native memory that starts a
// collection, counted as [SetGCPercent] says, and returns the previous setting.
// The default is 64 MiB. A collection has a fixed cost, so with a small value the
// program could spend its time collecting. A negative number counts as 0.
func SetMinHeap(bytes int64) int64 { return pacer.SetMinHeap(bytes) }

// Collect runs the garbage collector and returns when all native memory that
// only unreachable tensors held has been freed. That memory stays in the cache;
// see Clear. If no cleanup ends for a fifth of a second and none of them is freeing a
// tensor, for example because one of the program's own cleanups blocks, it stops
// waiting and counts that in GCStats.Timeouts.
func Collect() { pacer.Collect() }

// Clear gives back all the memory that it can. It collects garbage, frees what
// unreachable tensors held, and empties the cache. It frees the buffers that
// MKL keeps for each thread. And it makes the C library and Go's runtime return
// their free memory: libtorch keeps graphs and scratch space in malloc's heap; see
// ProcessStats. In Python gc.collect() and torch.cuda.empty_cache() do the first
// part; nothing does the rest.
//
// Two things stay: what Go's runtime has for each tensor's cleanup, 80 bytes for each of
// the most tensors that were ever alive at once, and oneDNN's compiled kernels, which the
// environment variable ONEDNN_PRIMITIVE_CACHE_CAPACITY bounds. [Explain] shows both.
//
// A program that makes hardly any tensors for ten seconds gets most of this without
// Clear: at the collections that follow, which Go starts every two minutes at the latest,
// the cache, malloc and MKL return what they have free. Go's runtime returns
// its own free memory in the background.
//
// It takes milliseconds, and later allocations have to get their memory from
// the system again. Calling it in every step makes a program slower but hardly
// smaller, because the collector already takes native memory into account.
func Clear() {
	emptied.note("Clear")
	Collect()
	emptyCache(device.Used())
	mem.TrimCHeap()
	debug.FreeOSMemory()
}
