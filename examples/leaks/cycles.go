package main

import "github.com/gotorch/gotorch/torch"

// Values that refer to each other do not leak. Go's collector finds them and frees their
// tensors. In both programs memory stays flat.
func leakyCycles() (step func(int), end func()) {
	type node struct {
		data  *torch.Tensor
		other *node
	}
	return func(int) {
		a, b := &node{data: torch.Ones(torch.Shape{64})}, &node{data: torch.Ones(torch.Shape{64})}
		a.other, b.other = b, a
	}, func() {}
}

func fixedCycles() (step func(int), end func()) {
	return scoped(func(int) { torch.Ones(torch.Shape{64}); torch.Ones(torch.Shape{64}) }), func() {}
}
