// Package pacer makes Go's garbage collector take native memory into account.
//
// To the garbage collector a Tensor is an object of fifty bytes, whatever its size. A
// program that closes no tensors would use all memory before the collector ran. So the
// allocator raises a flag when the live native bytes, including overhead, pass a
// threshold. The goroutine that creates the next tensor sees the flag, which takes one
// atomic load and no call. It collects, waits until the garbage has been freed, and sets
// the next threshold relative to the live bytes, as GOGC does. A memory limit of the
// process lowers the threshold. A program may set a limit at any time, so the flag is
// also raised after a certain number of allocated bytes.
package pacer

import (
	"math"
	"runtime"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/mem"
)

// The defaults. With a threshold below a few dozen megabytes, the fixed cost of
// collections would be too high.
const (
	DefaultPercent = 100
	DefaultMinHeap = 64 << 20
)

// Stats are the pacer's statistics.
type Stats struct {
	Collections    int64         // collections caused by native memory
	Time           time.Duration // time of these collections, including the wait for frees
	Retries        int64         // operators that ran out of memory and were called again after a collection
	Recovered      int64         // retries that succeeded
	Failed         int64         // operators that finally ran out of memory
	LastLiveBytes  int64         // live bytes after the last collection, including overhead
	Threshold      int64         // native bytes that start the next collection, including overhead
	CleanupTimeout int64         // number of times that the wait for frees was given up
}

var pacer struct {
	mu         sync.Mutex // held while collecting
	collecting atomic.Bool
	percent    atomic.Int64
	minHeap    atomic.Int64

	collections, nanos, retries, timeouts atomic.Int64
	recovered, failed                     atomic.Int64
	live                                  atomic.Int64 // live bytes after the last collection
	budget                                atomic.Int64 // allocated() above which other goroutines wait for a collection

	freeing atomic.Int64 // number of cleanups that are freeing a tensor in native code

	sweep func() int64
}

func init() {
	pacer.percent.Store(DefaultPercent)
	pacer.minHeap.Store(DefaultMinHeap)
	setThreshold()
}

// OnCollect sets a function that runs before and after each collection. Package torch
// uses it to drop the callbacks that libtorch has released. fn returns the total number
// of dropped callbacks that may have held references to tensors.
func OnCollect(fn func() (dropped int64)) { pacer.sweep = fn }

// SetPercent sets how much native memory may grow, in percent of the live bytes after the
// last collection. It returns the previous setting. A negative value turns the pacer off.
func SetPercent(p int) int {
	old := pacer.percent.Swap(int64(p))
	setThreshold()
	return int(old)
}

// SetMinHeap sets the smallest growth of native memory that starts a collection, and
// returns the previous setting. A negative number counts as zero.
func SetMinHeap(bytes int64) int64 {
	old := pacer.minHeap.Swap(max(bytes, 0))
	setThreshold()
	return old
}

// setThreshold sets the thresholds of the CPU and of the devices from their live bytes.
func setThreshold() {
	arm()
	armDevices()
	Recount() // the allocator's overhead may be out of date
}

// next returns the threshold for a given number of live bytes.
func next(alive int64) int64 {
	percent := pacer.percent.Load()
	if percent < 0 {
		return math.MaxInt64
	}
	growth := pacer.minHeap.Load()
	if hundredth := alive / 100; hundredth > 0 {
		if percent > math.MaxInt64/hundredth {
			return math.MaxInt64
		}
		growth = max(growth, hundredth*percent)
	}
	if growth > math.MaxInt64-alive {
		return math.MaxInt64
	}
	return alive + growth
}

// Pressed reports whether the next operator must call Relieve, because native memory has
// passed the threshold or because the limit has not been read for a while. During another
// goroutine's collection, Pressed reports true only if much memory was allocated since
// the collection began.
func Pressed() bool { return mem.CPU.Pressure.Load() != 0 && pressed() }

// far is the fraction of the threshold that other goroutines may allocate during a
// collection. These allocations count as live when the collection ends, so they raise the
// next threshold.
const far = 0.05

//go:noinline
func pressed() bool {
	return raised() && (!pacer.collecting.Load() || allocated() > pacer.budget.Load() || devicesAbove(1+far))
}

// allocated returns the bytes requested by all allocations so far, including the overhead
// of each block and handle.
func allocated() int64 {
	var s mem.Stats
	mem.CPUStats(&s)
	return s.RequestedBytes[0].Allocated + s.Allocation[0].Allocated*(BlockBytes+HandleBytes)
}

// Succeed is called after each operator that has succeeded. It counts the success of
// second calls.
func Succeed() {
	if retrying.count.Load() != 0 && endRetry() {
		pacer.recovered.Add(1)
	}
}

// Relieve reads the limit and, if native memory is above the threshold, collects or waits
// for another goroutine's collection. A goroutine calls it before an operator, without a
// slot in native code, so that waiting goroutines hold neither a slot nor a result.
func Relieve() {
	pacer.mu.Lock()
	defer pacer.mu.Unlock()
	if mem.CPU.Pressure.Load() == 0 {
		return // another goroutine has collected
	}
	arm() // with the current limit
	if above() {
		container.say()
		start := time.Now()
		collect()
		pacer.collections.Add(1)
		pacer.nanos.Add(int64(time.Since(start)))
	}
	// Lower the flag even without a collection: native memory is no longer above the
	// threshold.
	lower()
	setThreshold()
}

// Collect runs a full collection and returns when the native memory of all unreachable
// tensors has been freed.
func Collect() {
	pacer.mu.Lock()
	defer pacer.mu.Unlock()
	collect()
	lower()
	setThreshold()
}

func collect() {
	small := beside()
	pacer.budget.Store(allocated() + int64(far*float64(mem.CPU.Threshold.Load())))
	pacer.collecting.Store(true)
	defer pacer.collecting.Store(false)
	dropped := sweep()
	for range mostRounds {
		runtime.GC()
		AwaitCleanups()
		before := dropped
		if dropped = sweep(); dropped == before {
			break
		}
	}
	if small-beside() > trimAbove {
		mem.TrimMalloc()
	}
	container.changed()
	fitCache()
	noteCollection()
	pacer.live.Store(charged())
	countDevices()
}

// mostRounds is the largest number of collections in a row. A collection may free
// callbacks that held the last references to other tensors, which only another collection
// frees. Longer chains, in which a hook refers to a tensor whose own hook refers to
// another tensor, are rare.
const mostRounds = 3

func sweep() int64 {
	if pacer.sweep == nil {
		return 0
	}
	return pacer.sweep()
}

// cleanupPatience is how long AwaitCleanups waits while no cleanup ends. A program may
// have cleanups that block.
const cleanupPatience = 200 * time.Millisecond

var samples = sync.Pool{New: func() any {
	return &[]metrics.Sample{
		{Name: "/gc/cleanups/executed:cleanups"},
		{Name: "/gc/cleanups/queued:cleanups"},
	}
}}

// yielding is how long AwaitCleanups only yields the processor. After that it sleeps
// between two checks, so that the cleanups get the processors.
const yielding = 5 * time.Millisecond

// Freeing calls free for a collected tensor. free must not wait for another cleanup. The
// call can take seconds, for example if the tensor holds the last reference to a graph
// with a million nodes.
func Freeing(free func(abi.Tensor), h abi.Tensor) {
	pacer.freeing.Add(1)
	free(h)
	pacer.freeing.Add(-1)
}

// AwaitCleanups waits until the runtime has run the cleanups that the last collection
// queued. They run on the runtime's goroutines, so AwaitCleanups yields the processor
// while it waits. It gives up if no cleanup ends and no cleanup is freeing a tensor, for
// example because it was called from a cleanup.
func AwaitCleanups() {
	s := samples.Get().(*[]metrics.Sample)
	defer samples.Put(s)
	metrics.Read(*s)
	queued := (*s)[1].Value.Uint64()
	start := time.Now()
	last, since := (*s)[0].Value.Uint64(), start
	for ; (*s)[0].Value.Uint64() < queued; metrics.Read(*s) {
		now := time.Now()
		if done := (*s)[0].Value.Uint64(); done != last || pacer.freeing.Load() != 0 {
			last, since = done, now
		}
		switch {
		case now.Sub(since) > cleanupPatience:
			pacer.timeouts.Add(1)
			return
		case now.Sub(start) > yielding:
			time.Sleep(yielding / 50)
		default:
			runtime.Gosched()
		}
	}
}

// ReadStats returns the pacer's statistics.
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
