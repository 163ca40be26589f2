package optim

import (
	"fmt"

	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// GraphedStep returns a training step that is run by graphs: it drops the gradients, computes
// the loss of a batch, runs the backward pass and steps the optimizer.
//
//	step := optim.GraphedStep(model.Forward, criterion.Forward, opt)
//	defer step.Close()
//	for batch := range batches {
//		loss := step.Call(batch.X, batch.Y)[0]
//	}
//
// The first three calls of each kind of batch run the step as it is, those after that replay a
// graph of it; the numbers are the same. Learning rates are those of the time, so schedulers
// step after a call. [torch.CaptureByShape] has what happens where a step cannot be captured.
// It panics with ErrNil for a nil function, optimizer or option, and as CaptureByShape does.
func GraphedStep(forward func(input *torch.Tensor) *torch.Tensor, loss func(input, target *torch.Tensor) *torch.Tensor, o Optimizer, opts ...torch.GraphsOption) *torch.Graphs {
	const op = "GraphedStep"
	if forward == nil {
		panic(torch.NilFunc("optim."+op, "forward"))
	}
	if loss == nil {
		panic(torch.NilFunc("optim."+op, "loss"))
	}
	if opt.IsNil(o) {
		panic(torch.NewError("optim."+op, torch.ErrNil, "o", "a nil optimizer"))
	}
	return torch.CaptureByShape(func(batch []*torch.Tensor) []*torch.Tensor {
		if len(batch) != 2 {
			panic(torch.NewError("optim."+op, torch.ErrValue, "inputs", fmt.Sprintf("expected an input and a target, got %d tensors", len(batch))))
		}
		o.ZeroGrad()
		l := loss(forward(batch[0]), batch[1])
		l.Backward()
		o.Step()
		return []*torch.Tensor{l}
	}, opts...)
}
