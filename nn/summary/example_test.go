package summary_test

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/nn/summary"
	"github.com/gotorch/gotorch/torch"
)

// Prints the layers of a model with their output shapes.
func Example() {
	model := nn.NewSequential(nn.NewLinear(3, 4), nn.NewReLU(), nn.NewLinear(4, 2))
	defer model.Close()
	s := summary.Of(model, func() {
		torch.NoGrad(func() { model.Forward(torch.Ones(torch.Shape{1, 3})) })
	})
	for _, row := range s.Rows {
		fmt.Println(row.Type, row.Output, row.Total, row.MultAdds)
	}
	fmt.Println(s.Params, "parameters,", s.MultAdds, "multiplications")
	// Output:
	// Sequential [(1, 2)] 26 0
	// Linear [(1, 4)] 16 16
	// ReLU [(1, 4)] 0 0
	// Linear [(1, 2)] 10 10
	// 26 parameters, 26 multiplications
}
