package swa_test

import (
	"io"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/internal/failing"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/optim/swa"
	"github.com/gotorch/gotorch/torch"
)

// If an update runs out of memory and is repeated, each parameter is averaged once.
func TestUpdateParametersOutOfMemory(t *testing.T) {
	for name, opts := range map[string][]swa.AveragedOption{
		"mean":         nil,
		"a function":   {swa.EMAAvgFn(0.9)},
		"all at once":  {swa.EMAMultiAvgFn(0.9)},
		"with buffers": {swa.EMAAvgFn(0.9), swa.UseBuffers(true)},
	} {
		for _, before := range []int{0, 2} {
			faults := failing.Sweep(func() failing.Case {
				torch.ManualSeed(2)
				model := nn.NewSequential(nn.NewLinear(3, 4), nn.NewBatchNorm1d(4), nn.NewLinear(4, 2))
				a := swa.NewAveragedModel(model, opts...)
				next := func() {
					torch.NoGrad(func() {
						for _, p := range model.Parameters() {
							p.Add_(torch.Rand(p.Shape()))
						}
					})
				}
				for range before {
					a.UpdateParameters(model)
					next()
				}
				return failing.Case{
					Close: []io.Closer{model, a},
					Call:  failing.Do(func() { a.UpdateParameters(model) }),
					State: func() (all []*torch.Tensor) {
						for _, n := range a.StateDict() {
							all = append(all, n.Tensor)
						}
						return all
					},
				}
			})
			assert.Positive(t, faults.Failed, name)
			assert.Empty(t, faults.Retried, "%s after %d updates", name, before)
			assert.Empty(t, faults.Other, name)
		}
	}
}
