package amp_test

import (
	"io"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/internal/failing"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/amp"
)

// A call that runs out of memory can be repeated. Gradients are divided only once, and only
// one step is taken.
func TestScalerOutOfMemory(t *testing.T) {
	unscale := func(s *amp.GradScaler, o optim.Optimizer) { s.Unscale_(o) }
	for name, test := range map[string]struct {
		before []func(s *amp.GradScaler, o optim.Optimizer)
		call   func(s *amp.GradScaler, o optim.Optimizer)
		fused  bool
	}{
		"Unscale_": {nil, unscale, false},
		"Step":     {nil, func(s *amp.GradScaler, o optim.Optimizer) { s.Step(o) }, true},
		"Step unscaled": {
			[]func(s *amp.GradScaler, o optim.Optimizer){unscale},
			func(s *amp.GradScaler, o optim.Optimizer) {
				s.Step(o)
			}, true,
		},
		"Update": {[]func(s *amp.GradScaler, o optim.Optimizer){unscale}, func(s *amp.GradScaler, _ optim.Optimizer) {
			s.Update()
		}, false},
		"Update to": {nil, func(s *amp.GradScaler, _ optim.Optimizer) { s.Update(amp.NewScale(7)) }, false},
	} {
		faults := failing.Sweep(func() failing.Case {
			torch.ManualSeed(4)
			var ps, grads []*torch.Tensor
			dtypes := []torch.DType{torch.Float32, torch.Float64, torch.Float32}
			if test.fused { // a fused step is all or nothing only for a single dtype; see package optim
				dtypes[1] = torch.Float32
			}
			for _, d := range dtypes {
				ps = append(ps, torch.Rand(torch.Shape{3}, d, torch.RequiresGrad(true)))
			}
			s := amp.NewGradScaler(amp.Device(torch.CPU), amp.GrowthInterval(1))
			o := optim.NewAdam(ps, optim.Fused(test.fused))
			for _, p := range ps {
				s.Scale(p.Square().Sum()).Backward()
				grads = append(grads, p.Grad())
			}
			for _, do := range test.before {
				do(s, o)
			}
			return failing.Case{
				Close: []io.Closer{s, o},
				Call:  failing.Do(func() { test.call(s, o) }),
				State: func() []*torch.Tensor {
					all := append(append([]*torch.Tensor{torch.Full(nil, s.GetScale())}, ps...), grads...)
					for _, p := range ps {
						state := o.State(p)
						all = append(all, state["step"], state["exp_avg"], state["exp_avg_sq"])
					}
					return all
				},
			}
		})
		assert.Equal(t, failing.Faults{Failed: faults.Failed}, faults, name)
	}
}
