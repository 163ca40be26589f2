// Command prompt_groups tunes soft prompts for a frozen encoder: one prompt for each
// customer's task, one task at a time.
//
// Leaky: every task adds its prompt to the same optimizer with AddParamGroup. The
// optimizer cannot remove a group. So each task's prompt, its gradient and two moments
// stay until the program ends, although only the score is used afterwards.
package main

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

const (
	width  = 32
	length = 8
	tasks  = 60
)

type encoder struct {
	nn.Base
	mix, out *nn.Linear
}

func newEncoder() *encoder {
	e := &encoder{mix: nn.NewLinear(width, width), out: nn.NewLinear(width, 2)}
	e.Init(e)
	e.SetRequiresGrad(false)
	return e
}

// Forward prepends the prompt, of shape (length, width), to each text in x, of shape (N,
// T, width).
func (e *encoder) Forward(prompt, x *torch.Tensor) *torch.Tensor {
	return e.Call2(prompt, x, func(prompt, x *torch.Tensor) *torch.Tensor {
		all := torch.Cat([]*torch.Tensor{prompt.Unsqueeze(0).Expand(x.Size(0), -1, -1), x}, 1)
		return e.out.Forward(F.GELU(e.mix.Forward(all)).Mean(torch.Dim(1)))
	})
}

func main() {
	torch.ManualSeed(11)
	enc := newEncoder()
	defer enc.Close()
	first := nn.NewParameter(torch.Randn(torch.Shape{length, width}))
	opt := optim.NewAdam([]*torch.Tensor{first}, optim.LR(0.05))
	defer opt.Close()

	scores := make([]float64, 0, tasks)
	for task := range tasks {
		prompt := first
		if task > 0 {
			prompt = nn.NewParameter(torch.Randn(torch.Shape{length, width}))
			opt.AddParamGroup([]*torch.Tensor{prompt}, optim.LR(0.02)) // want leak
		}
		last := 0.0
		for range torch.ScopedRange(5) {
			x, y := torch.Randn(torch.Shape{16, 4, width}), torch.RandInt(0, 2, torch.Shape{16})
			opt.ZeroGrad()
			loss := F.CrossEntropy(enc.Forward(prompt, x), y)
			loss.Backward()
			opt.Step()
			last = loss.Item()
		}
		scores = append(scores, last)
	}
	fmt.Printf("%d tasks, the last loss is %.4f\n", len(scores), scores[len(scores)-1])
}
