// Package pacer makes Go's collector see native memory.
//
// To the collector a Tensor is fifty bytes, whatever it holds: a program that
// closes nothing would fill the machine before the collector had a reason to
// run. The allocator therefore raises a flag when the native bytes alive pass a
// threshold. Whoever makes the next tensor sees the flag (one atomic load, no
// crossing), collects, waits until what died has been freed, and sets the next
// threshold as GOGC would: so much above what is alive.
package pacer

import (
	"runtime"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gotorch/gotorch/cgotorch/mem"
)

// Defaults. A threshold below some tens of megabytes would collect more often
// than the collection's fixed cost allows.
const (
	DefaultPercent = 100
	DefaultMinHeap = 64 << 20
)

// Stats counts what the pacer did.
type Stats struct {
	Collections    int64         // run because of native memory
	Time           time.Duration // spent in them, waiting for frees included
	Retries        int64         // operators called again after a collection, being out of memory
	Recovered      int64         // of those, the ones that then had enough
	Failed         int64         // operators out of memory in the end
	LastLiveBytes  int64         // alive after the last collection
	Threshold      int64         // native bytes that cause the next one
	CleanupTimeout int64         // times that the wait for frees was given up
}

var pacer struct {
	mu      sync.Mutex // held while collecting
	percent atomic.Int64
	minHeap atomic.Int64

	collections, nanos, retries, live, timeouts atomic.Int64
	recovered, failed                           atomic.Int64
	sweep                                       func()
}

func init() {
	pacer.percent.Store(DefaultPercent)
	pacer.minHeap.Store(DefaultMinHeap)
	setThreshold(0)
}

// OnCollect sets what runs after each collection, before memory is counted:
// package torch drops the callbacks that libtorch has let go of.
func OnCollect(fn func()) { pacer.sweep = fn }

// SetPercent sets how much native memory may grow over what was alive after
// the last collection, in percent, and returns the previous setting. Negative
// switches the pacer off.
func SetPercent(p int) int {
	old := pacer.percent.Swap(int64(p))
	setThreshold(pacer.live.Load())
	return int(old)
}

// SetMinHeap sets the native bytes below which no collection is started, and
// returns the previous setting.
func SetMinHeap(bytes int64) int64 {
	old := pacer.minHeap.Swap(bytes)
	setThreshold(pacer.live.Load())
	return old
}

// setThreshold arms the flag for so much above what is alive.
func setThreshold(alive int64) {
	mem.CPU.Threshold.Store(next(alive))
	armDevices()
}

// next is the threshold that follows from what is alive.
func next(alive int64) int64 {
	percent := pacer.percent.Load()
	if percent < 0 {
		return 1<<63 - 1
	}
	return max(alive+alive/100*percent, alive+pacer.minHeap.Load())
}

// Relieve collects if native memory has passed the threshold.
func Relieve() {
	if mem.CPU.Pressure.Load() != 0 || retrying.count.Load() != 0 {
		relieve()
	}
}

// far is how much above the threshold memory may grow while another goroutine
// collects; beyond it everyone waits for the collection to end.
const far = 1.1

//go:noinline
func relieve() {
	if endRetry() {
		pacer.recovered.Add(1)
	}
	if mem.CPU.Pressure.Load() == 0 {
		return
	}
	if pacer.percent.Load() < 0 {
		mem.CPU.Pressure.Store(0)
		return
	}
	if !pacer.mu.TryLock() {
		if above(far) {
			pacer.mu.Lock()
			pacer.mu.Unlock() //nolint:staticcheck // waiting is all there is to do
		}
		return
	}
	defer pacer.mu.Unlock()
	if mem.CPU.Pressure.Load() == 0 {
		return // somebody was faster
	}
	if above(1) {
		collect()
		pacer.collections.Add(1)
	}
	// A peak that has passed by itself is no reason to collect.
	mem.CPU.Pressure.Store(0)
	setThreshold(pacer.live.Load())
}

// Collect runs a full collection and returns when every native byte that only
// unreachable tensors held has been freed.
func Collect() {
	pacer.mu.Lock()
	defer pacer.mu.Unlock()
	collect()
	mem.CPU.Pressure.Store(0)
	setThreshold(pacer.live.Load())
}

func collect() {
	start := time.Now()
	runtime.GC()
	awaitCleanups()
	if pacer.sweep != nil {
		pacer.sweep()
	}
	pacer.live.Store(mem.CPU.LiveBytes.Load())
	countDevices()
	pacer.nanos.Add(int64(time.Since(start)))
}

// cleanupPatience bounds the wait for frees: a program may have cleanups of its
// own that block.
const cleanupPatience = 200 * time.Millisecond

var samples = sync.Pool{New: func() any {
	return &[]metrics.Sample{
		{Name: "/gc/cleanups/executed:cleanups"},
		{Name: "/gc/cleanups/queued:cleanups"},
	}
}}

// awaitCleanups waits until the runtime has run the cleanups that the last
// collection queued. They run on goroutines of the runtime's, so yielding is
// what lets them.
func awaitCleanups() {
	s := samples.Get().(*[]metrics.Sample)
	defer samples.Put(s)
	metrics.Read(*s)
	queued := (*s)[1].Value.Uint64()
	for start := time.Now(); (*s)[0].Value.Uint64() < queued; metrics.Read(*s) {
		if time.Since(start) > cleanupPatience {
			pacer.timeouts.Add(1)
			return
		}
		runtime.Gosched()
	}
}

// ReadStats returns what the pacer did so far.
func ReadStats() Stats {
	return Stats{
		Collections:    pacer.collections.Load(),
		Time:           time.Duration(pacer.nanos.Load()),
		Retries:        pacer.retries.Load(),
		Recovered:      pacer.recovered.Load(),
		Failed:         pacer.failed.Load(),
		LastLiveBytes:  pacer.live.Load(),
		Threshold:      mem.CPU.Threshold.Load(),
		CleanupTimeout: pacer.timeouts.Load(),
	}
}
