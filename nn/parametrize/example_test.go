package parametrize_test

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/nn/parametrize"
	"github.com/gotorch/gotorch/torch"
)

// Symmetric computes a symmetric matrix from the upper triangle.
type Symmetric struct{ nn.Base }

func (s *Symmetric) Forward(x *torch.Tensor) *torch.Tensor {
	return s.Call(x, func(x *torch.Tensor) *torch.Tensor { return x.Triu().Add(x.Triu(1).T()) })
}

// Computes a symmetric weight from a parameter with a module.
func Example() {
	layer := nn.NewLinear(2, 2, nn.Bias(false))
	defer layer.Close()
	torch.NoGrad(func() { torch.Scope(func() { layer.Weight.Copy_(torch.NewTensor([][]float32{{1, 2}, {3, 4}})) }) })
	s := new(Symmetric)
	s.Init(s)
	parametrize.Register(layer, "weight", s)
	torch.Scope(func() {
		fmt.Println(parametrize.Value(layer, "weight").Float32s())
		fmt.Println(layer.Forward(torch.Ones(torch.Shape{1, 2})).Float32s())
	})
	// Output:
	// [1 2 2 4]
	// [3 6]
}
