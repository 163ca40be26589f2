package main

import "github.com/gotorch/gotorch/torch"

// A package variable lives as long as the program, and keeps its tensors alive. Limit its
// size, and close the tensors that it drops.
func leakyGlobals() (step func(int), end func()) {
	return scoped(func(i int) {
		seen.put(torch.Full(torch.Shape{64}, float64(i), torch.Float32)) // leaks
	}), seen.empty
}

func fixedGlobals() (step func(int), end func()) {
	return scoped(func(i int) {
		seen.put(torch.Full(torch.Shape{64}, float64(i), torch.Float32))
		seen.limit(4)
	}), seen.empty
}

// seen stands for the package variables in which programs collect tensors.
var seen bag
