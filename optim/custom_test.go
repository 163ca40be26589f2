package optim_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/internal/optimtest"
	"github.com/gotorch/gotorch/internal/pythontest"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// compared is a test case for an optimizer that has its own test file. It holds the
// settings as options, and Python's constructor call for parameters ps.
// testdata/make_own.py takes the same steps.
type compared struct {
	member member
	python string
	opts   []optim.Option
}

var comparisons []compared

func TestOwnOptimizersAgainstPython(t *testing.T) {
	rows, cases := map[string]any{}, map[string]compared{}
	for _, c := range comparisons {
		o, _ := optimtest.Named(c.member.name)
		rows[c.python] = map[string]any{"python": c.python, "matrices": o.Matrices}
		cases[c.python] = c
	}
	type golden struct {
		Text  string
		End   [][]float64
		State []map[string][]float64
	}
	for name, g := range pythontest.Goldens[golden](t, "testdata/own.json", rows, "testdata/make_own.py") {
		t.Run(name, func(t *testing.T) {
			scoped(t, func() {
				var ps []*torch.Tensor
				for k := range g.End {
					p := torch.Arange(float64(k), float64(k+6), 1, torch.Float32).Sin()
					if o, _ := optimtest.Named(cases[name].member.name); o.Matrices {
						p = p.Reshape(3, 2)
					}
					ps = append(ps, p.RequiresGrad_())
				}
				o := cases[name].member.build(ps, cases[name].opts)
				defer o.Close()
				assert.Equal(t, g.Text, fmt.Sprint(o))
				for range 10 {
					o.ZeroGrad()
					for _, p := range ps {
						p.SubScalar(1).Square().Sum().Backward()
					}
					o.Step()
				}
				for k, p := range ps {
					// 10 steps of about 10 roundings each.
					assert.InDeltaSlice(t, g.End[k], p.Double().Reshape(-1).Float64s(), 1e-4, "parameter %d", k)
					state := map[string][]float64{}
					for name, s := range o.State(p) {
						state[name] = s.Double().Reshape(-1).Float64s()
					}
					assert.Len(t, state, len(g.State[k]))
					for name, want := range g.State[k] {
						assert.InDeltaSlice(t, want, state[name], 1e-3, "%s of parameter %d", name, k)
					}
				}
			})
		})
	}
}
