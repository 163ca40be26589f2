package aoti_test

import (
	"errors"
	"fmt"
	"log"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/aoti"
)

// Example runs a model that was compiled in Python. Many goroutines may use it.
func Example() {
	model, err := aoti.Load("model.pt2")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = model.Close() }()
	for _, in := range model.Inputs() {
		fmt.Println(in)
	}
	torch.Scope(func() {
		logits := model.Run(torch.Zeros(torch.Shape{8, 3, 224, 224}))[0]
		fmt.Println(logits.ArgMax(torch.Dim(1)))
	})
}

// Use errors.Is to find the kind of an error that Load returns.
func ExampleLoad() {
	_, err := aoti.Load("exported.pt2")
	switch {
	case errors.Is(err, torch.ErrUnsupported):
		fmt.Println("compile it on this machine:", err)
	case err != nil:
		fmt.Println("no package:", err)
	}
}

// If the package does not say that two dimensions must have the same size, give both the
// same symbol.
func ExampleInputs() {
	batch := aoti.Dim{Min: 1, Max: 64, Symbol: "batch"}
	_, err := aoti.Load("model.pt2", aoti.Inputs{
		{DType: torch.Float32, Shape: []aoti.Dim{batch, aoti.Size(4)}},
		{DType: torch.Int64, Shape: []aoti.Dim{batch}},
	})
	fmt.Println(err)
}

// Replace the weights of a model between two calls.
func ExampleModel_LoadConstants() {
	model, err := aoti.Load("model.pt2")
	if err != nil {
		log.Fatal(err)
	}
	weights := model.ExtractConstants()
	weights["fc.bias"] = torch.Zeros(torch.Shape{10})
	if err := model.LoadConstants(weights); err != nil {
		log.Fatal(err)
	}
}
