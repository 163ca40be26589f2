package main

import "github.com/gotorch/gotorch/torch"

// Tensors of individual measurements add up. Running sums of plain numbers are enough.
func leakyMetrics() (step func(int), end func()) {
	x := torch.Ones(torch.Shape{32})
	var latencies bag
	return scoped(func(int) {
		latencies.put(x.Sum()) // leaks
	}), func() { latencies.empty(); _ = x.Close() }
}

func fixedMetrics() (step func(int), end func()) {
	x := torch.Ones(torch.Shape{32})
	var n, mean float64
	return scoped(func(int) {
		n++
		mean += (x.Sum().Item() - mean) / n
	}), closing(x)
}
