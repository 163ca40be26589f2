package quant_test

import (
	"fmt"
	"log"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/transformers/gguf"
	"github.com/gotorch/gotorch/transformers/quant"
)

// Example replaces the linear layers of a model. They then need 34 bytes for 32 weights.
func Example() {
	model := nn.NewSequential(nn.NewLinear(64, 128), nn.NewReLU(), nn.NewLinear(128, 32, nn.Bias(false)))
	defer func() { _ = model.Close() }()
	n, err := quant.Quantize(model, gguf.TypeQ8_0)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(n, "layers")
	fmt.Println(model)
	torch.Scope(func() { fmt.Println(model.Forward(torch.Ones(torch.Shape{2, 64})).Shape()) })
	// Output:
	// 2 layers
	// Sequential(
	//   (0): Linear(in_features=64, out_features=128, bias=true, type=Q8_0)
	//   (1): ReLU()
	//   (2): Linear(in_features=128, out_features=32, bias=false, type=Q8_0)
	// )
	// (2, 32)
}
