package nn_test

import (
	"testing"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// BenchmarkForward measures the forward pass of a small network, where the overhead of calling
// layers is noticeable.
func BenchmarkForward(b *testing.B) {
	net := nn.NewSequential(nn.NewLinear(32, 64), nn.NewReLU(), nn.NewLinear(64, 64), nn.NewReLU(),
		nn.NewLinear(64, 10))
	defer net.Close()
	x := torch.Randn(torch.Shape{16, 32})
	defer x.Close()
	b.ReportAllocs()
	torch.NoGrad(func() {
		for b.Loop() {
			torch.Scope(func() { net.Forward(x) })
		}
	})
}
