package optim_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/optim/schedule"
	"github.com/gotorch/gotorch/torch"
)

// Lion gives the same results as an implementation in Python.
func TestLionAgainstPython(t *testing.T) {
	var golden struct {
		Rows [][]float64
		Text string
	}
	load(t, "lion.json", &golden)
	scoped(t, func() {
		a := torch.FromSliceWith([]float64{1, -2, 3}, torch.Shape{3}, torch.RequiresGrad(true))
		b := torch.FromSliceWith([]float64{0.5, 0.25}, torch.Shape{2}, torch.RequiresGrad(true))
		opt := NewLion([]*torch.Tensor{a}, optim.LR(0.01), optim.WeightDecay(0.1))
		defer opt.Close()
		opt.AddParamGroup([]*torch.Tensor{b}, optim.LR(0.05))
		sched := schedule.NewStepLR(opt, 8, schedule.Gamma(0.5))
		for i, want := range golden.Rows {
			torch.Scope(func() {
				opt.ZeroGrad()
				loss := a.Mul(a).Sum().Add(b.Mul(b).Mul(b).Sum())
				loss.Backward()
				got := append([]float64{loss.Item()}, a.Float64s()...)
				got = append(append(got, b.Float64s()...), sched.LastLR()...)
				assert.InDeltaSlice(t, want, got, 1e-13, "step %d", i)
				opt.Step()
				sched.Step()
			})
		}
		assert.Equal(t, golden.Text, opt.String())
	})
}
