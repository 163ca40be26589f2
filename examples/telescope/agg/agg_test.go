package agg_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/examples/telescope/agg"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
)

func TestLossAgg(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	var a agg.LossAgg
	assert.Equal(t, "0 losses: mean 0, std NaN, from 0 to 0", a.String())
	losses := []float64{3, -1, 4, 1, -5, 9, 2, 6}
	for _, v := range losses {
		a.Add(v)
	}
	torch.Scope(func() {
		of := torch.FromSlice(losses, 8)
		assert.InDelta(t, of.Mean().Item(), a.Mean, 1e-12)
		assert.InDelta(t, of.Std().Item(), a.Std(), 1e-12)
	})
	assert.Equal(t, []float64{8, 6, -5, 9}, []float64{float64(a.N), a.Last, a.Min, a.Max})
}

// The newest measurements are kept in order, and every mask is counted. Older measurements
// are freed.
func TestMeasurementAgg(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for limit, kept := range map[int][]float32{3: {3, 4, 5}, 0: {1, 2, 3, 4, 5}} {
		a := agg.NewMeasurementAgg(1, limit)
		before := torch.NumLiveTensors()
		for v := range 5 {
			torch.Scope(func() {
				a.Add(torch.Ones(torch.Shape{1, 1}), torch.Full(torch.Shape{1, 1}, v+1, torch.Float32))
			})
		}
		assert.EqualValues(t, 2*len(kept), torch.NumLiveTensors()-before)
		torch.Scope(func() {
			masks, seen := a.Stacked()
			assert.Equal(t, torch.Shape{int64(len(kept)), 1, 1}, masks.Shape())
			assert.Equal(t, kept, seen.Float32s())
		})
		assert.Equal(t, []float32{5}, a.Coverage().Float32s())
		a.Close()
	}
}
