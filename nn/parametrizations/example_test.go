package parametrizations_test

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/nn/parametrizations"
	"github.com/gotorch/gotorch/nn/parametrize"
	"github.com/gotorch/gotorch/torch"
)

// Keeps a weight orthogonal during training.
func Example() {
	layer := nn.NewLinear(3, 3, nn.Bias(false))
	defer layer.Close()
	parametrizations.Orthogonal(layer)
	torch.Scope(func() {
		w := parametrize.Value(layer, "weight")
		fmt.Println(w.MatMul(w.T()).AllClose(torch.Eye(3), torch.ATol(1e-5)))
	})
	fmt.Println(layer)
	// Output:
	// true
	// ParametrizedLinear(
	//   in_features=3, out_features=3, bias=False
	//   (parametrizations): ModuleDict(
	//     (weight): ParametrizationList(
	//       (0): _Orthogonal()
	//     )
	//   )
	// )
}

// Trains the length and the direction of the weight separately.
func ExampleWeightNorm() {
	layer := nn.NewLinear(3, 2, nn.Bias(false))
	defer layer.Close()
	parametrizations.WeightNorm(layer)
	for _, p := range layer.NamedParameters() {
		fmt.Println(p.Name, p.Tensor.Shape())
	}
	// Output:
	// parametrizations.weight.original0 (2, 1)
	// parametrizations.weight.original1 (2, 3)
}
