package main

import (
	"time"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
)

func init() {
	cases["data.items"] = dataItems
	cases["data.items.get"] = dataItemsGet
	cases["data.overhead"] = dataOverhead
	cases["data.overlap"] = dataOverlap
}

// items are examples in memory: a vector of four numbers and a label.
type items []data.Example

func newItems(n int) items {
	list := make(items, n)
	for i := range list {
		list[i] = data.Example{Input: torch.Full(torch.Shape{4}, float32(i)), Target: torch.Full(torch.Shape{}, i%10)}
	}
	return list
}

func (l items) Len() int { return len(l) }

func (l items) Get(i int) data.Example { return l[i] }

func (l items) close() {
	for _, e := range l {
		_ = e.Input.Close()
		_ = e.Target.Close()
	}
}

// itemBatches is the number of batches, of 64 examples each, in an epoch of dataItems and
// dataItemsGet.
const itemBatches = 200

// dataItems runs epochs of a TensorDataset.
func dataItems(a args) result {
	const n = itemBatches * 64
	input := make([]float32, 0, 4*n)
	target := make([]int64, n)
	for i := range target {
		x := float32(i)
		input = append(input, x, x, x, x)
		target[i] = int64(i % 10)
	}
	set := data.NewTensorDataset(torch.FromSlice(input, n, 4), torch.FromSlice(target))
	defer set.Close()
	return epochs(a, set)
}

// dataItemsGet runs epochs of a dataset that has only Get.
func dataItemsGet(a args) result {
	list := newItems(itemBatches * 64)
	defer list.close()
	return epochs(a, list)
}

func epochs(a args, set data.Dataset) result {
	loader := data.NewLoader(set, data.BatchSize(64))
	n := max(1, a.iterations/itemBatches)
	epoch := func() { loader.Each(func(data.Batch) bool { return true }) }
	return result{nanos: timed(n, epoch) * int64(a.iterations) / int64(n*itemBatches)}
}

// dataOverhead loops over batches that are already prepared, so that only the transfer
// from the worker to the loop is timed.
func dataOverhead(a args) result {
	list := newItems(1000)
	defer list.close()
	loader := data.NewLoader(list, data.BatchSizeNone, data.NumWorkers(1), data.PrefetchFactor(8))
	n := max(1, a.iterations/len(list))
	epochs := func() { loader.Each(func(data.Batch) bool { return true }) }
	return result{nanos: timed(n, epochs) * int64(a.iterations) / int64(n*len(list))}
}

// busy is work for dataOverlap that takes about 2 ms on one thread.
type busy struct {
	a, b  *torch.Tensor
	times int
}

func newBusy() busy {
	w := busy{a: torch.Rand(torch.Shape{64, 64}), b: torch.Rand(torch.Shape{64, 64}), times: 1}
	for w.quickest() < 2*time.Millisecond {
		w.times += 1 + w.times/8
	}
	return w
}

func (w busy) work() {
	for range w.times {
		_ = w.a.MatMul(w.b).Close()
	}
}

func (w busy) quickest() time.Duration {
	best := time.Hour
	for range 5 {
		start := time.Now()
		w.work()
		best = min(best, time.Since(start))
	}
	return best
}

// dataOverlap times a loop whose step takes as long as its worker takes to make a batch.
// For comparison it also times the slower of the two alone, and both on two goroutines
// without a loader, which is the best that the machine can do. The three measurements
// alternate, because other programs may be using the machine.
func dataOverlap(a args) result {
	torch.SetNumThreads(1)
	load, step := newBusy(), newBusy()
	const turns = 3
	n := max(1, a.iterations/turns)
	set := data.NewFuncDataset(n, func(i int) (data.Example, error) {
		load.work()
		return data.Example{Input: torch.Full(torch.Shape{}, i)}, nil
	})
	loader := data.NewLoader(set, data.NumWorkers(1))
	times := func(w busy) {
		for range n {
			w.work()
		}
	}
	var loading, stepping, both, loop int64
	for range turns {
		loading += took(func() { times(load) })
		stepping += took(func() { times(step) })
		both += took(func() {
			done := make(chan struct{})
			go func() {
				times(load)
				close(done)
			}()
			times(step)
			<-done
		})
		loop += took(func() {
			loader.Each(func(data.Batch) bool {
				step.work()
				return true
			})
		})
	}
	each := int64(n * turns)
	return result{
		nanos: loop * int64(a.iterations) / each,
		named: map[string]int64{"longer": max(loading, stepping) / each, "both": both / each},
	}
}

func took(fn func()) int64 {
	start := time.Now()
	fn()
	return time.Since(start).Nanoseconds()
}
