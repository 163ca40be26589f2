package torchtest_test

import (
	"testing"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
)

// A test of a custom layer checks its values and its first and second derivatives. It
// also checks that no native memory leaks.
func Example() {
	_ = func(t *testing.T) {
		defer torchtest.CheckLeaks(t)()
		swish := func(in ...*torch.Tensor) *torch.Tensor { return in[0].Mul(in[0].Sigmoid()) }
		torch.Scope(func() {
			x := torch.Linspace(-2, 2, 5, torch.Float64, torch.RequiresGrad(true))
			torchtest.AllClose(t, x.SiLU(), swish(x))
			torchtest.GradCheck(t, swish, []*torch.Tensor{x})
			torchtest.GradGradCheck(t, swish, []*torch.Tensor{x})
		})
	}
	// Output:
}
