package main

import (
	"runtime"
	"time"

	"github.com/gotorch/gotorch/internal/native/pacer"
	"github.com/gotorch/gotorch/memory"
)

func init() { cases["tiny.gc"] = tinyGC }

// object is an element of a large Go heap. Because it has a pointer, Go's collector must
// scan every object.
type object struct {
	next *object
	_    [88]byte
}

// tinyGC leaves sums of one element to the collector, in a program with 458 MiB of Go
// objects. Go alone would collect only after millions of such sums. tinyGC returns the
// peak resident memory, and the bound for it: 1.25 times the sum of the live bytes and the
// collection threshold.
func tinyGC(a args) result {
	var heap *object
	for range 5_000_000 {
		heap = &object{next: heap}
	}
	x, y := operands(a)
	defer x.Close()
	defer y.Close()
	for range 1000 {
		_ = x.Add(y).Close()
	}
	memory.Collect()
	live := memory.GC().Live
	before := procStatus("VmRSS") << 10
	rss := watch(func() int64 { return procStatus("VmRSS") << 10 })
	start := time.Now()
	for range a.iterations {
		x.Add(y) //torchvet:ignore looptensor the collector is measured here
	}
	nanos := time.Since(start).Nanoseconds()
	peak := rss() - before
	runtime.KeepAlive(heap)
	return result{nanos, map[string]int64{"peak": peak, "bound": (live + pacer.DefaultMinHeap) * 5 / 4}}
}
