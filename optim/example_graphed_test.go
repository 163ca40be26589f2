package optim_test

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// Trains a small model with graphs, which make each step several times faster.
func ExampleGraphedStep() {
	torch.ManualSeed(0)
	model := nn.NewLinear(2, 1)
	defer model.Close()
	opt := optim.NewSGD(model.Parameters(), optim.LR(0.1))
	defer opt.Close()
	criterion := nn.NewMSELoss()
	step := optim.GraphedStep(func(batch []*torch.Tensor) *torch.Tensor {
		return criterion.Forward(model.Forward(batch[0]), batch[1])
	}, opt)
	defer step.Close()
	torch.Scope(func() {
		x := torch.FromSliceWith([]float32{0, 1, 1, 0, 1, 1, 0, 0}, torch.Shape{4, 2})
		// The target is 2 for the first element of x, plus 1 for the second.
		y := torch.FromSliceWith([]float32{2, 1, 3, 0}, torch.Shape{4, 1})
		for range 500 {
			torch.Scope(func() { step.Call(x, y) })
		}
		fmt.Printf("%.2f %.2f, %d graph\n", model.Weight.Index(0, 0).Item(), model.Weight.Index(0, 1).Item(),
			step.Len())
	})
	// Output: 1.00 2.00, 1 graph
}
