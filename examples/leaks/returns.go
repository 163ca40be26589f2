package main

import "github.com/gotorch/gotorch/torch"

// If a function returns early, the collector frees its tensors, but only later. Memory
// grows until then. To find the leak, compare two lists without a collection in between.
func leakyReturns() (step func(int), end func()) {
	return func(i int) {
		x := torch.Ones(torch.Shape{64}) // leaks
		if i%2 == 0 {
			return //torchvet:ignore lostclose the leak that is looked for
		}
		_ = x.Close()
	}, func() {}
}

func fixedReturns() (step func(int), end func()) {
	return func(i int) {
		x := torch.Ones(torch.Shape{64})
		defer x.Close()
		if i%2 == 0 {
			return
		}
	}, func() {}
}
