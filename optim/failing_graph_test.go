package optim_test

import (
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/internal/failing"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// A step that runs out of memory can be repeated, with one exception: if only the memory for the
// returned loss is missing, the optimizer has already stepped, because the loss is copied
// afterwards.
func TestGraphedStepOutOfMemory(t *testing.T) {
	for name, before := range map[string]int{"capture": 0, "second": 1, "replay": 3} {
		faults := failing.Sweep(func() failing.Case {
			torch.ManualSeed(1)
			model := nn.NewSequential(nn.NewLinear(2, 3), nn.NewReLU(), nn.NewLinear(3, 1))
			o := optim.NewAdam(model.Parameters(), optim.Fused(true))
			step := optim.GraphedStep(func(batch []*torch.Tensor) *torch.Tensor {
				return model.Forward(batch[0]).Square().Sum()
			}, o)
			x := torch.Rand(torch.Shape{4, 2})
			for range before {
				step.Call(x)
			}
			return failing.Case{
				Close: []io.Closer{step, o, model},
				Call:  failing.Do(func() { step.Call(x) }),
				State: func() (all []*torch.Tensor) {
					for _, p := range model.Parameters() {
						state := o.State(p)
						all = append(all, p, state["step"], state["exp_avg"], state["exp_avg_sq"])
					}
					return all
				},
			}
		})
		assert.Positive(t, faults.Failed, name)
		assert.Empty(t, faults.Other, name)
		for _, fault := range []string{faults.Changed, faults.Retried} {
			if fault != "" {
				var n, total int
				_, err := fmt.Sscanf(fault, "allocation %d of %d", &n, &total)
				assert.NoError(t, err)
				assert.Equal(t, total-1, n, fault)
			}
		}
	}
}
