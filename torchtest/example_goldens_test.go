package torchtest_test

import (
	"fmt"
	"testing"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
)

// Compare a result with values computed by PyTorch, within rounding errors. The example
// has no output, because it needs a *testing.T.
func ExampleLoadGoldens() {
	_ = func(t *testing.T) {
		want := torchtest.LoadGoldens(t, "testdata/gelu.json")
		torch.Scope(func() {
			got := want.Tensor("x").GELU()
			torchtest.AllClose(t, want.Tensor("y"), got, torchtest.Rounding(2, torch.Float32))
		})
	}
}

// The relative difference that two roundings in float32 may cause.
func ExampleRounding() {
	fmt.Printf("%.1e\n", torchtest.Rounding(2, torch.Float32).RTol)
	// Output:
	// 2.4e-07
}
