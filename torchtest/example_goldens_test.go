package torchtest_test

import (
	"fmt"
	"testing"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
)

// Values that PyTorch worked out are compared as far as rounding allows. It has no output,
// as a test runs it.
func ExampleLoadGoldens() {
	_ = func(t *testing.T) {
		want := torchtest.LoadGoldens(t, "testdata/gelu.json")
		torch.Scope(func() {
			got := want.Tensor("x").GELU()
			torchtest.AllClose(t, want.Tensor("y"), got, torchtest.Rounding(2, torch.Float32))
		})
	}
}

// How far apart two right answers in float32 may be, after two roundings.
func ExampleRounding() {
	fmt.Printf("%.1e\n", torchtest.Rounding(2, torch.Float32).RTol)
	// Output:
	// 2.4e-07
}
