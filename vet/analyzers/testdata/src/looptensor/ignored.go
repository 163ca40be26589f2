package looptensor

import "github.com/gotorch/gotorch/torch"

func intended(n int) (sum float64) {
	for range n {
		x := torch.Rand(2) //torchvet:ignore looptensor the collector is put to the test
		sum += x.Item()
		y := torch.Rand(2) // want `y is made in every iteration`
		sum += y.Item()
	}
	return sum
}
