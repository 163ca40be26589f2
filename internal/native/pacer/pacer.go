// Package pacer makes Go's collector see native memory.
//
// To the collector a Tensor is fifty bytes, whatever it holds: a program that
// closes nothing would fill the machine before the collector had a reason to
// run. The allocator therefore raises a flag when the native bytes alive, with
// what libtorch has beside each tensor's elements, pass a threshold. Whoever is
// about to make the next tensor sees the flag (one atomic load, no crossing),
// collects, waits until what died has been freed, and sets the next threshold as
// GOGC would: so much above what is alive. A limit of the process's memory lowers it; since
// a program may set one at any time, the flag also goes up when so much was allocated.
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
	LastLiveBytes  int64         // alive after the last collection, overhead included
	Threshold      int64         // native bytes that cause the next one, overhead included
	CleanupTimeout int64         // times that the wait for frees was given up
}

var pacer struct {
	mu         sync.Mutex // held while collecting
	collecting atomic.Bool
	percent    atomic.Int64
	minHeap    atomic.Int64

	collections, nanos, retries, timeouts atomic.Int64
	recovered, failed                     atomic.Int64
	live                                  atomic.Int64 // after the last collection
	budget                                atomic.Int64 // the sum of allocations at which others wait for the running one

	freeing atomic.Int64 // cleanups that are freeing a tensor in native code now

	sweep func() int64
}

func init() {
	pacer.percent.Store(DefaultPercent)
	pacer.minHeap.Store(DefaultMinHeap)
	setThreshold()
}

// OnCollect sets what runs before and after each collection: package torch drops
// the callbacks that libtorch has let go of. fn returns how many it has dropped so
// far that may have referred to tensors.
func OnCollect(fn func() (dropped int64)) { pacer.sweep = fn }

// SetPercent sets how much native memory may grow over what was alive after
// the last collection, in percent, and returns the previous setting. Negative
// switches the pacer off.
func SetPercent(p int) int {
	old := pacer.percent.Swap(int64(p))
	setThreshold()
	return int(old)
}

// SetMinHeap sets the least growth of native memory that starts a collection,
// zero for a negative number, and returns the previous setting.
func SetMinHeap(bytes int64) int64 {
	old := pacer.minHeap.Swap(max(bytes, 0))
	setThreshold()
	return old
}

// setThreshold arms the flag for so much above what is alive.
func setThreshold() {
	arm()
	armDevices()
	Recount() // what others told the allocator may be long past
}

// next is the threshold that follows from what is alive.
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

// Pressed reports whether the next operator has to wait for a Relieve: native
// memory has passed the threshold, or the limit has not been read for a while, and
// nobody collects yet or others have made enough during the collection.
func Pressed() bool { return mem.CPU.Pressure.Load() != 0 && pressed() }

// far is how much others may make during a collection, as a part of the
// threshold. What they make is not known to be dead in the end, so it raises the
// next threshold.
const far = 0.05

//go:noinline
func pressed() bool {
	return raised() && (!pacer.collecting.Load() || allocated() > pacer.budget.Load() || devicesAbove(1+far))
}

// allocated is the sum of all bytes that were ever asked for, each block with
// what it and a handle cost.
func allocated() int64 {
	var s mem.Stats
	mem.CPUStats(&s)
	return s.RequestedBytes[0].Allocated + s.Allocation[0].Allocated*(BlockBytes+HandleBytes)
}

// Succeed is called when an operator has succeeded, for the count of retries.
func Succeed() {
	if retrying.count.Load() != 0 && endRetry() {
		pacer.recovered.Add(1)
	}
}

// Relieve reads the limit, and collects if native memory is above the threshold, or waits
// for another goroutine's collection. It is called
// before an operator, by goroutines without a place in native code, so that those
// who wait hold neither that nor a result.
func Relieve() {
	pacer.mu.Lock()
	defer pacer.mu.Unlock()
	if mem.CPU.Pressure.Load() == 0 {
		return // somebody was faster
	}
	arm() // by the limit of now
	if above() {
		container.say()
		start := time.Now()
		collect()
		pacer.collections.Add(1)
		pacer.nanos.Add(int64(time.Since(start)))
	}
	// A peak that has passed by itself is no reason to collect.
	lower()
	setThreshold()
}

// Collect runs a full collection and returns when every native byte that only
// unreachable tensors held has been freed.
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

// mostRounds bounds how often a collection is repeated for what only callbacks of
// tensors referred to that died in it. A hook may refer to a tensor whose hook
// refers to a third one, but seldom does.
const mostRounds = 3

func sweep() int64 {
	if pacer.sweep == nil {
		return 0
	}
	return pacer.sweep()
}

// cleanupPatience is how long the wait for frees goes on while no cleanup ends: a
// program may have some of its own that block.
const cleanupPatience = 200 * time.Millisecond

var samples = sync.Pool{New: func() any {
	return &[]metrics.Sample{
		{Name: "/gc/cleanups/executed:cleanups"},
		{Name: "/gc/cleanups/queued:cleanups"},
	}
}}

// yielding is how long the wait only yields. After that it sleeps between two looks, and
// leaves the processor to the frees that it waits for.
const yielding = 5 * time.Millisecond

// Freeing runs the free of a collected tensor, which calls nothing that waits for another
// cleanup. It can take seconds: that of the last tensor over a graph of a million nodes.
func Freeing(free func(abi.Tensor), h abi.Tensor) {
	pacer.freeing.Add(1)
	free(h)
	pacer.freeing.Add(-1)
}

// AwaitCleanups waits until the runtime has run the cleanups that the last
// collection queued. They run on goroutines of the runtime's, so yielding is
// what lets them. It gives up where none ends any more and none frees a tensor, as
// when one of them is the caller.
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
