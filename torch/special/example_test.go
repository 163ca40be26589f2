package special_test

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/special"
)

// The example applies functions of statistics and physics to each element.
func Example() {
	torch.Scope(func() {
		x := torch.FromSlice([]float64{0.5, 1, 2})
		fmt.Printf("%.4f\n", special.Erf(x).Float64s())
		fmt.Printf("%.4f\n", special.Gammaln(x).Float64s())
		fmt.Printf("%.4f\n", special.BesselJ0(x).Float64s())
		fmt.Printf("%.4f\n", special.Ndtr(x).Float64s()) // the normal distribution function
	})
	// Output:
	// [0.5205 0.8427 0.9953]
	// [0.5724 0.0000 0.0000]
	// [0.9385 0.7652 0.2239]
	// [0.6915 0.8413 0.9772]
}
