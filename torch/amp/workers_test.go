package amp_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/amp"
	"github.com/gotorch/gotorch/torch/data"
	"github.com/gotorch/gotorch/torchtest"
)

// multiplied is a dataset whose examples are products with a weight.
type multiplied struct{ x, w *torch.Tensor }

func (multiplied) Len() int { return 2 }

func (d multiplied) Get(int) data.Example { return data.Example{Input: d.x.MatMul(d.w)} }

// The workers of a loader run in the autocast state of the loop, but on their own
// goroutines. The workers and the loop do not use each other's cached casts.
func TestWorkersShareNoCasts(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		w, x := weight(), torch.Ones(torch.Shape{1, 2})
		products := func() (all []float64) {
			for b := range data.NewLoader(multiplied{x, w}, data.NumWorkers(1)).All() {
				require.Equal(t, torch.BFloat16, b.Input.DType())
				all = append(all, b.Input.Select(2, 0).Item())
			}
			return all
		}
		double := func() { torch.NoGrad(func() { w.MulScalar_(2) }) }
		amp.Autocast(torch.CPU, torch.BFloat16, func() {
			assert.Equal(t, []float64{2, 2}, products())
			double()
			assert.Equal(t, 4.0, x.MatMul(w).Select(1, 0).Item(), "the loop casts it anew")
			double()
			assert.Equal(t, 4.0, x.MatMul(w).Select(1, 0).Item(), "and has kept that")
			assert.Equal(t, []float64{8, 8}, products(), "which workers do not get")
		})
	})
}
