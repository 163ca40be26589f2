// The hidden state is detached and taken out of the step's scope. The previous one is
// closed.
package main

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
)

func main() {
	frames := data.NewFuncDataset(640, func(i int) (data.Example, error) {
		return data.Example{Input: torch.Randn(torch.Shape{12, 4}), Target: torch.Randn(torch.Shape{2})}, nil
	})
	loader := data.NewLoader(frames, data.BatchSize(16), data.DropLast(true))
	rnn := nn.NewRNN(4, 20, nn.BatchFirst(true))
	out := nn.NewLinear(20, 2)
	opt := optim.NewRMSprop(append(rnn.Parameters(), out.Parameters()...), optim.LR(1e-3))
	defer opt.Close()
	h := torch.Zeros(torch.Shape{1, 16, 20})
	for batch := range loader.All() {
		ys, hn := rnn.Forward(batch.Input, h)
		loss := F.SmoothL1Loss(out.Forward(ys.Index(torch.All, -1)), batch.Target)
		opt.ZeroGrad()
		loss.Backward()
		opt.Step()
		old := h
		h = torch.Disown(hn.Detach())
		_ = old.Close()
	}
	fmt.Println(h.Norm().Item())
	_ = h.Close()
}
