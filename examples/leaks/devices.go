package main

import "github.com/gotorch/gotorch/torch"

// Results that stay on the device fill it. Copy the numbers; the scope frees the rest.
func leakyDevices() (step func(int), end func()) {
	x := torch.Ones(torch.Shape{256})
	var answers bag
	return scoped(func(int) {
		answers.put(x.MulScalar(2)) // leaks
	}), func() { answers.empty(); _ = x.Close() }
}

func fixedDevices() (step func(int), end func()) {
	x, answer := torch.Ones(torch.Shape{256}), make([]float32, 256)
	return scoped(func(int) { copy(answer, x.MulScalar(2).Float32s()) }), closing(x)
}
