// Command tbptt trains a recurrent network on one long series with truncated
// backpropagation through time.
//
// Clean: the state is passed from window to window as a detached tensor, so a graph
// covers one window of 16 steps. The old state is closed, and the outputs of a window
// belong to its scope.
package main

import (
	"fmt"
	"math"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/nn/nnutil"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

const window, hidden = 16, 20

type forecaster struct {
	cell *nn.LSTMCell
	head *nn.Linear
	h, c *torch.Tensor // the state before the next window
}

func newForecaster() *forecaster {
	f := &forecaster{cell: nn.NewLSTMCell(1, hidden), head: nn.NewLinear(hidden, 1)}
	f.h, f.c = torch.Zeros(torch.Shape{1, hidden}), torch.Zeros(torch.Shape{1, hidden})
	return f
}

func (f *forecaster) params() []*torch.Tensor {
	return append(f.cell.Parameters(), f.head.Parameters()...)
}

// run predicts each next value of a window and returns the loss.
func (f *forecaster) run(series []float32) *torch.Tensor {
	h, c := f.h, f.c
	var guesses []*torch.Tensor
	for _, v := range series[:window] {
		h, c = f.cell.Forward(torch.FromSlice([]float32{v}, 1, 1), h, c)
		guesses = append(guesses, f.head.Forward(h))
	}
	f.carry(h.Detach(), c.Detach())
	return F.MSELoss(torch.Cat(guesses), torch.FromSlice(series[1:window+1], window, 1))
}

func (f *forecaster) carry(h, c *torch.Tensor) {
	_ = f.h.Close()
	_ = f.c.Close()
	f.h, f.c = torch.Disown(h), torch.Disown(c)
}

func (f *forecaster) close() {
	_ = f.h.Close()
	_ = f.c.Close()
	_ = f.cell.Close()
	_ = f.head.Close()
}

func main() {
	torch.ManualSeed(45)
	series := make([]float32, 80*window+1)
	for i := range series {
		series[i] = float32(math.Sin(float64(i)/5) * math.Cos(float64(i)/17))
	}
	f := newForecaster()
	defer f.close()
	opt := optim.NewAdam(f.params(), optim.LR(5e-3))
	defer opt.Close()
	for n := range torch.ScopedRange(80) {
		loss := f.run(series[n*window:])
		opt.ZeroGrad()
		loss.Backward()
		nnutil.ClipGradNorm_(f.params(), 1)
		opt.Step()
		if n%20 == 19 {
			fmt.Printf("window %d: loss %.4f\n", n+1, loss.Item())
		}
	}
}
