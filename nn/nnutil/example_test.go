package nnutil_test

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/nn/nnutil"
	"github.com/gotorch/gotorch/torch"
)

// Between Backward and Step, scales the gradients down if their norm is more than 1.
func Example() {
	layer := nn.NewLinear(2, 1, nn.Bias(false))
	defer layer.Close()
	torch.Scope(func() {
		x := torch.NewTensor([][]float32{{3, 4}})
		layer.Forward(x).Sum().Backward()
		fmt.Println(nnutil.ClipGradNorm_(layer.Parameters(), 1).Item())
		fmt.Printf("%.2f\n", layer.Weight.Grad().Float32s())
	})
	// Output:
	// 5
	// [0.60 0.80]
}

// Copies all parameters to one vector, and back.
func ExampleParametersToVector() {
	layer := nn.NewLinear(2, 1)
	defer layer.Close()
	torch.NoGrad(func() {
		torch.Scope(func() {
			v := nnutil.ParametersToVector(layer.Parameters())
			fmt.Println(v.Shape())
			nnutil.VectorToParameters(torch.FromSlice([]float32{1, 2, 3}), layer.Parameters())
			fmt.Println(layer.Weight.Float32s(), layer.Bias.Float32s())
		})
	})
	// Output:
	// (3,)
	// [1 2] [3]
}
