package main

import "github.com/gotorch/gotorch/torch"

// Gradients that are never zeroed add up. If they have graphs themselves, each backward
// pass adds its graph to the graph of the last one.
func leakyGradients() (step func(int), end func()) {
	w := weights()
	return scoped(func(int) {
		loss := w.Mul(w).Mul(w).Sum() // leaks
		loss.Backward(torch.CreateGraph(true))
	}), func() { torch.ZeroGrad(w); _ = w.Close() }
}

func fixedGradients() (step func(int), end func()) {
	w := weights()
	return scoped(func(int) {
		torch.ZeroGrad(w)
		loss := w.Mul(w).Mul(w).Sum()
		loss.Backward(torch.CreateGraph(true))
	}), func() { torch.ZeroGrad(w); _ = w.Close() }
}
