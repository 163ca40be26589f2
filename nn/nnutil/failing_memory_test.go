package nnutil_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/internal/failing"
	"github.com/gotorch/gotorch/nn/nnutil"
	"github.com/gotorch/gotorch/torch"
)

// If clipping runs out of memory, no gradient has changed.
func TestClippingOutOfMemory(t *testing.T) {
	for name, clip := range map[string]func(ps []*torch.Tensor){
		"norm":             func(ps []*torch.Tensor) { nnutil.ClipGradNorm_(ps, 0.1) },
		"norm, one by one": func(ps []*torch.Tensor) { nnutil.ClipGradNorm_(ps, 0.1, nnutil.Foreach(false)) },
		"value":            func(ps []*torch.Tensor) { nnutil.ClipGradValue_(ps, 0.1) },
		"value, each":      func(ps []*torch.Tensor) { nnutil.ClipGradValue_(ps, 0.1, nnutil.Foreach(false)) },
	} {
		for _, dtypes := range [][]torch.DType{
			{torch.Float32},
			{torch.Float32, torch.Float64},
			{torch.Float64, torch.Float32},
			{torch.BFloat16},
		} {
			faults := failing.Sweep(func() failing.Case {
				torch.ManualSeed(5)
				var ps, grads []*torch.Tensor
				for _, d := range dtypes {
					for range 3 {
						p := torch.Zeros(torch.Shape{4}, d, torch.RequiresGrad(true))
						grads = append(grads, torch.Rand(p.Shape(), d))
						p.SetGrad(grads[len(grads)-1])
						ps = append(ps, p)
					}
				}
				return failing.Case{
					Call:  failing.Do(func() { clip(ps) }),
					State: func() []*torch.Tensor { return grads },
				}
			})
			assert.Equal(t, failing.Faults{Failed: faults.Failed}, faults, "%s of %v", name, dtypes)
		}
	}
}
