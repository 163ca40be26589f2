package main

import (
	"runtime"

	"github.com/gotorch/gotorch/internal/native/gate"
	"github.com/gotorch/gotorch/internal/native/pacer"
	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
)

func init() {
	cases["add.scope"] = addScope
	cases["add.close"] = addClose
	cases["add.gc"] = addGC
	cases["gate"] = gateAlone
}

func operands(a args) (x, y *torch.Tensor) {
	n := a.get("n", 1)
	return torch.Ones(torch.Shape{n}), torch.Ones(torch.Shape{n})
}

// addScope times additions of two tensors, with one scope for every 100 sums.
func addScope(a args) result {
	const perScope = 100
	x, y := operands(a)
	defer x.Close()
	defer y.Close()
	return result{nanos: timed(a.iterations/perScope, func() {
		torch.Scope(func() {
			for range perScope {
				x.Add(y)
			}
		})
	})}
}

// addClose closes every sum immediately. It also returns the bound for a run in which the
// collector frees the sums of several goroutines: 1.25 times the sum of the peak memory
// and the collection threshold.
func addClose(a args) result {
	x, y := operands(a)
	defer x.Close()
	defer y.Close()
	memory.ResetPeak(torch.CPU)
	nanos := spread(a, func() { _ = x.Add(y).Close() })
	return result{nanos, map[string]int64{"bound": (memory.MaxRequested(torch.CPU) + pacer.DefaultMinHeap) * 5 / 4}}
}

// spread is like timed, but divides the calls of fn among goroutines. Their number is the
// "goroutines" argument, 1 by default.
func spread(a args, fn func()) int64 {
	goroutines := int(a.get("goroutines", 1))
	if goroutines == 1 {
		return timed(a.iterations, fn)
	}
	share(goroutines, max(a.iterations/10, goroutines), fn)
	return share(goroutines, a.iterations, fn)
}

// addGC leaves every sum to Go's collector. It returns the peak memory, and the bound
// for it: 1.25 times the sum of the live bytes and the collection threshold.
func addGC(a args) result {
	x, y := operands(a)
	defer x.Close()
	defer y.Close()
	pacer.Collect()
	live := memory.Requested(torch.CPU)
	memory.ResetPeak(torch.CPU)
	nanos := spread(a, func() { x.Add(y) }) //torchvet:ignore looptensor the collector is measured here
	peak := memory.MaxRequested(torch.CPU)
	pacer.Collect()
	return result{nanos, map[string]int64{
		"peak":  peak,
		"bound": (live + pacer.DefaultMinHeap) * 5 / 4,
	}}
}

// gateAlone times entering and leaving native code while no other goroutine does so.
func gateAlone(a args) result {
	g := gate.New(runtime.GOMAXPROCS(0))
	return result{nanos: timed(a.iterations, func() {
		g.Enter()
		g.Leave()
	})}
}
