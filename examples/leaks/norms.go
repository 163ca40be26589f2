package main

import (
	"github.com/gotorch/gotorch/nn/nnutil"
	"github.com/gotorch/gotorch/torch"
)

// ClipGradNorm_ returns a tensor. Keep only its number, from Item, and only the last few.
func leakyNorms() (step func(int), end func()) {
	w := weights()
	var norms bag
	return scoped(func(int) {
		torch.ZeroGrad(w)
		w.Mul(w).Sum().Backward()
		norms.put(nnutil.ClipGradNorm_([]*torch.Tensor{w}, 1)) // leaks
	}), func() { norms.empty(); torch.ZeroGrad(w); _ = w.Close() }
}

func fixedNorms() (step func(int), end func()) {
	w := weights()
	var last [64]float64
	return scoped(func(i int) {
		torch.ZeroGrad(w)
		w.Mul(w).Sum().Backward()
		last[i%len(last)] = nnutil.ClipGradNorm_([]*torch.Tensor{w}, 1).Item()
	}), func() { torch.ZeroGrad(w); _ = w.Close() }
}
