package main

import "github.com/gotorch/gotorch/torch"

// A package variable lives as long as the program, and so does what is put into it. Give it a
// size, and close what no longer fits.
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

// seen is for what programs collect in package variables.
var seen bag
