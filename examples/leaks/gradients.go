package main

import "github.com/gotorch/gotorch/torch"

// Gradients that are never zeroed add up. Where they have graphs of their own, each pass hangs
// its graph on the last one's.
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
