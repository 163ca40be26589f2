package nn_test

import (
	"fmt"
	"log"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// A state dict has the module's own tensors, which change with training. Clone returns
// copies, which do not.
func ExampleStateDict() {
	model := nn.NewLinear(2, 1)
	defer model.Close()
	before := model.StateDict().Clone()
	defer func() {
		for _, t := range before {
			t.Tensor.Close()
		}
	}()
	fmt.Println(before.Names())
	torch.NoGrad(func() { model.Weight.Zero_() })
	fmt.Println(model.LoadStateDict(before), model.Weight.Equal(before.Get("weight")))
	// Output:
	// [weight bias]
	// <nil> true
}

// LoadStateDict returns the names that only the model or only the state dict has. With
// nn.Strict(false) they are not an error.
func ExampleLoadStateDict() {
	from := nn.NewSequential(nn.NewLinear(4, 8), nn.NewReLU(), nn.NewLinear(8, 10))
	defer from.Close()
	to := nn.NewSequential(nn.NewLinear(4, 8), nn.NewReLU()).Add("head", nn.NewLinear(8, 2))
	defer to.Close()
	keys, err := nn.LoadStateDict(to, from.StateDict(), nn.Strict(false))
	fmt.Println(keys.MissingKeys, err)
	fmt.Println(keys.UnexpectedKeys)
	// Output:
	// [head.weight head.bias] <nil>
	// [2.weight 2.bias]
}

// LoadFrom loads weights that were saved under other names, and returns a report of the
// renamed tensors.
func ExampleLoadFrom() {
	saved := nn.NewStateDict(map[string]*torch.Tensor{
		"backbone.fc.weight": torch.Ones(torch.Shape{2, 3}),
		"backbone.fc.bias":   torch.Zeros(torch.Shape{2}),
	})
	defer func() {
		for _, t := range saved {
			t.Tensor.Close()
		}
	}()
	model := nn.NewLinear(3, 2)
	defer model.Close()
	report, err := nn.LoadFrom(model, saved, nn.Rename{{"backbone.fc.**", "**"}})
	if err != nil {
		log.Fatal(err)
	}
	for _, l := range report.Renamed() {
		fmt.Println(l.From, "->", l.Name)
	}
	// Output:
	// [backbone.fc.weight] -> weight
	// [backbone.fc.bias] -> bias
}
