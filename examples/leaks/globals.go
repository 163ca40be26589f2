package main

import "github.com/gotorch/gotorch/torch"

// A package variable lives as long as the program, and keeps its tensors alive. Limit its
// size, and close the tensors that you remove from it.
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

// seen is an example of the package variables in which programs collect tensors.
var seen bag
