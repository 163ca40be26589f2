// A logger behind an interface extracts the number from each tensor.
package main

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

type logger interface {
	Scalar(name string, step int, v *torch.Tensor)
}

type point struct {
	name  string
	step  int
	value float64
}

type memoryLogger struct{ points []point }

func (l *memoryLogger) Scalar(name string, step int, v *torch.Tensor) {
	l.points = append(l.points, point{name, step, v.Item()})
}

func fit(model *nn.Linear, to logger) {
	opt := optim.NewAdam(model.Parameters())
	defer opt.Close()
	for step := 0; step < 300000; step++ {
		x := torch.Randn(torch.Shape{8, 4})
		loss := F.MSELoss(model.Forward(x), x)
		opt.ZeroGrad()
		loss.Backward()
		opt.Step()
		to.Scalar("train/loss", step, loss)
	}
}

func main() {
	model := nn.NewLinear(4, 4)
	defer model.Close()
	l := &memoryLogger{}
	fit(model, l)
	fmt.Println(len(l.points))
}
