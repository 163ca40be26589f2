package memory

import (
	"fmt"
	"runtime/debug"
	"time"

	"github.com/gotorch/gotorch/cgotorch/mem"
	"github.com/gotorch/gotorch/internal/native/pacer"
	"github.com/gotorch/gotorch/memory/internal/device"
	"github.com/gotorch/gotorch/memory/internal/units"
	"github.com/gotorch/gotorch/torch"
)

// GCStats counts the garbage collections that gotorch started because of native memory.
type GCStats struct {
	Collections int64         // collections started because native memory had reached the threshold
	Time        time.Duration // total time of these collections, and of waiting until they have freed native memory
	// Live is the number of native bytes alive after the last collection; see SetGCPercent.
	Live int64
	// Threshold is the number of native bytes at which the next collection starts.
	Threshold int64
	// Retries is the number of operators that ran out of memory and were called again after
	// memory had been freed.
	Retries   int64
	Recovered int64 // retries that succeeded
	Failed    int64 // operators that failed with torch.ErrOutOfMemory
	// Timeouts is the number of times that gotorch stopped waiting for unreachable
	// tensors to be freed.
	Timeouts int64
}

// String returns the statistics as one line for a log.
func (s GCStats) String() string {
	return fmt.Sprintf("%d collections in %v, %s alive after the last, next at %s, "+
		"%d retries (%d recovered, %d failed), %d timeouts",
		s.Collections, s.Time.Round(time.Microsecond), units.Size(s.Live), units.Size(s.Threshold), s.Retries,
		s.Recovered, s.Failed, s.Timeouts)
}

// GC returns the statistics of the garbage collections started so far because of native
// memory.
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

// SetGCPercent sets by how many percent native memory may grow before the next collection
// starts, relative to the bytes alive after the last collection. It returns the previous
// setting. It does for native bytes what debug.SetGCPercent does for Go's heap. The default
// is 100. A negative value turns these collections off. Then only Close, scopes and Go's
// own collections free tensors.
//
// Go's memory limit (GOMEMLIMIT, debug.SetMemoryLimit) counts native memory too,
// even if percent is negative. The next collection starts no later than when Go's
// heap and native memory together reach the limit. Above the limit it starts when
// the live bytes have grown by a sixteenth, at least 16 MiB. A limit that is set
// at run time takes effect within the next 16 MiB of allocations. Without a memory
// limit and without [SetLimit], nine tenths of the limit of the process's control
// group are used instead. The environment variable GOTORCH_CGROUP_LIMIT=off turns
// that off.
//
// Native memory means the bytes requested by CPU tensors plus an estimate of their
// overhead: 820 bytes per tensor, 500 per view, 650 per hook and 1,290 per graph node. So a
// large number of small tensors starts a collection too. The other statistics of this
// package do not contain the estimate.
func SetGCPercent(percent int) int { return pacer.SetPercent(percent) }

// SetMinHeap sets the smallest growth of native memory, in bytes, that starts a collection,
// and returns the previous setting. [SetGCPercent] says what counts as native memory. The
// default is 64 MiB. A collection has a fixed cost, so with a small value the program may
// spend much of its time collecting. A negative number counts as 0.
func SetMinHeap(bytes int64) int64 { return pacer.SetMinHeap(bytes) }

// Collect runs the garbage collector and waits until the native memory of unreachable
// tensors has been freed. The freed memory stays in the allocator's cache; see [Clear].
// Collect stops waiting if no cleanup makes progress for a fifth of a second, for example
// because one of the program's own cleanups blocks. GCStats.Timeouts counts how often that
// happens.
func Collect() { pacer.Collect() }

// Clear returns as much memory as possible to the system. It collects garbage, frees the
// memory of unreachable tensors, and empties the cache. It frees the buffers that MKL
// keeps for each thread. It also returns the free memory of Go's runtime and of the C
// library, where libtorch keeps graphs and scratch space. In Python, gc.collect()
// collects garbage and torch.cuda.empty_cache() empties the cache; there is no function
// for the rest.
//
// Clear does not free two things. Go's runtime keeps 80 bytes of cleanup data per tensor,
// for the highest number of tensors that were alive at once. oneDNN keeps compiled
// kernels; the environment variable ONEDNN_PRIMITIVE_CACHE_CAPACITY bounds them.
// [Explain] shows both.
//
// An idle program returns most of this memory without Clear. If it has created few
// tensors for ten seconds, the next garbage collection returns the free memory of the
// cache, malloc and MKL. Go starts a collection at least every two minutes, and returns
// the free memory of its own heap in the background.
//
// Clear takes milliseconds, and later allocations have to get their memory from the
// system again. Calling it in every step makes a program slower but hardly smaller,
// because the collector already takes native memory into account.
func Clear() {
	emptyCalls.note("Clear")
	Collect()
	emptyCache(device.Used())
	mem.TrimCHeap()
	debug.FreeOSMemory()
}

// Managed runs fn in a scope and calls [Clear] when fn returns or panics. The
// scope closes the tensors that fn created and did not keep. Clear frees the rest
// and empties the caches. Use Managed for work after which the process should be
// small again, such as an evaluation between epochs, or one model after another.
// For the steps of a loop use torch.Scope: there Managed costs more than it saves.
// It panics with torch.ErrNil if fn is nil.
//
// In Python: a context manager with gc.collect() and torch.cuda.empty_cache()
// in its finally clause.
func Managed(fn func()) {
	if fn == nil {
		panic(torch.NilFunc("memory.Managed", "fn"))
	}
	defer Clear()
	torch.Scope(fn)
}
