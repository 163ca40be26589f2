// Command regression fits a polynomial: it trains a linear layer on the powers of x, with
// its own gradient descent. reference.py is the same program in Python. With the same
// seed both print the same losses.
//
//	go run ./pytorch/regression
package main

import (
	"fmt"

	"github.com/gotorch/gotorch/examples/pytorch/internal/frame"
	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

const degree, batch, rate, enough = 4, 32, 0.1, 1e-3

func main() {
	f := frame.Defaults()
	f.Register()
	f.Main("regression", train)
}

// features returns a matrix with the columns x, x^2, x^3 and x^4.
func features(x *torch.Tensor) *torch.Tensor {
	columns := make([]*torch.Tensor, degree)
	for i := range columns {
		columns[i] = x.PowScalar(i + 1)
	}
	return torch.Stack(columns, 1)
}

func describe(f *nn.Linear) (polynomial string) {
	for i, w := range f.Weight.Float32s() {
		polynomial += fmt.Sprintf("%+.2f x^%d ", w, i+1)
	}
	return polynomial + fmt.Sprintf("%+.2f", f.Bias.Item())
}

func train(t *frame.Training) error {
	actual, learned := nn.NewLinear(degree, 1), nn.NewLinear(degree, 1)
	defer actual.Close()
	defer learned.Close()
	actual.Weight.Data().Normal_(0, 5)
	actual.Bias.Data().Normal_(0, 5)
	loss, n := 1.0, 0
	for ; loss >= enough && !t.Ended(); n++ {
		torch.Scope(func() {
			x := features(torch.Randn(torch.Shape{batch}))
			l := F.SmoothL1Loss(learned.Forward(x), actual.Forward(x).Detach())
			learned.ZeroGrad()
			l.Backward()
			for _, p := range learned.Parameters() {
				p.Data().Sub_(p.Grad().MulScalar(rate))
			}
			loss = l.Item()
		})
		t.Add(loss)
	}
	fmt.Fprintf(t.Out, "loss %.6f after %d batches\nlearned: y = %s\nactual:  y = %s\n", loss, n, describe(learned),
		describe(actual))
	return nil
}
