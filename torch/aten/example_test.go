package aten_test

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/aten"
)

// The example calls an operator with several results, and one that writes to its
// argument.
func Example() {
	torch.Scope(func() {
		x := torch.FromSlice([]float32{1, 9, 4, 3}, 2, 2)
		values, indices := aten.MaxDim(x, 1, false)
		fmt.Println(values.Float32s(), indices.Int64s())

		aten.Clamp_(x, 2, 4)
		fmt.Println(x.Float32s())
	})
	// Output:
	// [9 4] [1 0]
	// [2 4 4 3]
}

// Scalars may have any Go number type, and nil means the schema's default. A nil list is None if
// the schema allows it.
func Example_arguments() {
	torch.Scope(func() {
		x := torch.FromSlice([]float32{1, 2, 3, 4}, 2, 2)
		fmt.Println(aten.AddScalar(x, 10, nil).Float32s())
		fmt.Println(aten.SumDimIntList(x, []int64{0}, false, 0).Float32s())
		fmt.Println(aten.SumDimIntList(x, nil, false, torch.Float64).DType())
		fmt.Println(aten.DivTensorMode(x, torch.FromSlice([]float32{2}), new("floor")).Float32s())
	})
	// Output:
	// [11 12 13 14]
	// [4 6]
	// float64
	// [0 1 1 2]
}
