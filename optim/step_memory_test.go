package optim_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/again"
	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// A step needs no more memory than Python's, except for a few numbers. This holds for the first
// step, which creates the state, and for later steps. testdata/make_peaks.py writes Python's peaks
// to peaks.json. Both run with AVX2 only, because with newer instructions bfloat16 products take
// memory that depends on the processor.
func TestStepPeaks(t *testing.T) {
	// libtorch reads this variable at its first multiplication, so a new process is needed.
	if !again.With(t, "ONEDNN_MAX_CPU_ISA=AVX2") {
		return
	}
	data, err := os.ReadFile("testdata/peaks.json")
	require.NoError(t, err)
	var peaks map[string][2]int64
	require.NoError(t, json.Unmarshal(data, &peaks))
	for name, want := range peaks {
		kind, how, _ := strings.Cut(name, "/")
		scoped(t, func() {
			var ps []*torch.Tensor
			for range 4 {
				p := torch.Ones(torch.Shape{300, 100}, torch.RequiresGrad(true))
				p.SetGrad(torch.Full(p.Shape(), 0.5))
				ps = append(ps, p)
			}
			o := members["New"+kind].fresh(ps, implementation(how)...)
			defer o.Close()
			step := o.Step
			if l, ok := o.(*optim.LBFGS); ok {
				step = func() {
					_ = l.StepClosure(func() *torch.Tensor {
						if how == "history" {
							quadratic(ps)
						}
						sum := ps[0].Detach().Sum()
						for _, p := range ps[1:] {
							sum = sum.Add(p.Detach().Sum())
						}
						return sum
					}).Close()
				}
			}
			for i, when := range []string{"the first step", "a later step"} {
				got := memory.Track("step", func() { torch.Scope(step) }, memory.Device(torch.CPU)).PeakGrowth()
				assert.LessOrEqual(t, float64(got), 1.01*float64(want[i])+64, "%s, %s: Python has %d", name, when,
					want[i])
				t.Logf("%-14s %-14s %8d, Python %8d", name, when, got, want[i])
			}
		})
	}
}

// quadratic sets the gradients of a quadratic loss with a different curvature for each parameter.
func quadratic(ps []*torch.Tensor) {
	torch.NoGrad(func() {
		for i, p := range ps {
			p.Grad().Copy_(p).MulScalar_(i + 1)
		}
	})
}
