package weights_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/safetensors"
	"github.com/gotorch/gotorch/transformers/weights"
)

// Example loads the weights of a folder into a layer, as bfloat16.
func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	torch.Scope(func() {
		err = safetensors.SaveFile(map[string]*torch.Tensor{
			"weight": torch.Ones(torch.Shape{2, 3}), "bias": torch.Zeros(torch.Shape{2}),
		}, filepath.Join(dir, "model.safetensors"))
	})
	if err != nil {
		log.Fatal(err)
	}

	w, err := weights.Open(dir, weights.DType(torch.BFloat16))
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = w.Close() }()
	layer := nn.NewLinear(3, 2, nn.DType(torch.BFloat16))
	defer func() { _ = layer.Close() }()
	if err := layer.LoadStateDict(w); err != nil {
		log.Fatal(err)
	}
	fmt.Println(w.Format(), w.Names(), layer.Weight.DType())
	// Output: safetensors [bias weight] bfloat16
}
