package prune_test

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/nn/parametrize"
	"github.com/gotorch/gotorch/nn/prune"
	"github.com/gotorch/gotorch/torch"
)

// Sets the smaller half of the weights to 0, where they stay.
func Example() {
	layer := nn.NewLinear(4, 1, nn.Bias(false))
	defer layer.Close()
	torch.NoGrad(func() { torch.Scope(func() { layer.Weight.Copy_(torch.NewTensor([][]float32{{1, -4, 3, -2}})) }) })
	prune.L1Unstructured(layer, "weight", 0.5)
	torch.Scope(func() { fmt.Println(layer.Forward(torch.Eye(4)).Float32s()) })
	prune.Remove(layer, "weight") // makes the weight a plain parameter again
	fmt.Println(layer.Weight.Float32s())
	// Output:
	// [0 -4 3 0]
	// [0 -4 3 -0]
}

// Prunes the four smallest weights of two layers together.
func ExampleL1() {
	a, b := nn.NewLinear(2, 2, nn.Bias(false)), nn.NewLinear(2, 1, nn.Bias(false))
	defer a.Close()
	defer b.Close()
	torch.NoGrad(func() {
		a.Weight.Fill_(1)
		b.Weight.Fill_(2)
	})
	prune.GlobalUnstructured([]prune.Parameter{{Module: a, Name: "weight"}, {Module: b, Name: "weight"}}, prune.L1(4))
	torch.Scope(func() {
		fmt.Println(parametrize.Value(a, "weight").Float32s(), parametrize.Value(b, "weight").Float32s())
	})
	// Output: [0 0 0 0] [2 2]
}
