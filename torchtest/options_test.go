package torchtest_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/internal/compilefail"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
)

func TestOptions(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		want, got := torch.FromSlice([]float32{100}), torch.FromSlice([]float32{100.5})
		assert.True(t, torchtest.AllClose(t, want, got, torchtest.RTol(0.01)))
		assert.True(t, torchtest.AllClose(t, want, got, torchtest.ATol(0), torchtest.ATol(1)), "the last one counts")
		fails(t, func(tb testing.TB) bool {
			return torchtest.AllClose(tb, want, got, torchtest.ATol(1), torchtest.ATol(0))
		})
		near := torch.FromSlice([]float32{100.00002})
		assert.True(t, torchtest.AllClose(t, want, near))
		assert.True(t, torchtest.AllClose(t, want, near, torchtest.ATol(0)), "the other one stays by the dtype")
		fails(t, func(tb testing.TB) bool {
			return torchtest.AllClose(tb, want, near, torchtest.ATol(0), torchtest.RTol(0))
		})

		cube := func(in ...*torch.Tensor) *torch.Tensor { return in[0].PowScalar(3) }
		x := []*torch.Tensor{leaf([]float64{1, 2})}
		assert.True(t, torchtest.GradCheck(t, cube, x))
		fails(t, func(tb testing.TB) bool {
			return torchtest.GradCheck(tb, cube, x, torchtest.Eps(0.1), torchtest.RTol(0), torchtest.ATol(1e-9))
		})
		assert.True(t, torchtest.GradCheck(t, cube, x, torchtest.Eps(0.1), torchtest.ATol(0.02)))
		fails(t, func(tb testing.TB) bool {
			return torchtest.GradGradCheck(tb, cube, x, torchtest.RTol(0), torchtest.ATol(0))
		})

		for name, c := range map[string]struct {
			kind error
			fn   func()
		}{
			"a negative rtol": {torch.ErrValue, func() { torchtest.AllClose(t, want, want, torchtest.RTol(-1)) }},
			"a negative atol": {torch.ErrValue, func() { torchtest.GradCheck(t, cube, x, torchtest.ATol(-1)) }},
			"no step":         {torch.ErrValue, func() { torchtest.GradCheck(t, cube, x, torchtest.Eps(0)) }},
			"nil":             {torch.ErrNil, func() { torchtest.AllClose(t, want, want, nil) }},
			"lookalike": {torch.ErrValue, func() {
				torchtest.AllClose(t, want, want, struct{ torchtest.RTol }{1})
			}},
			"wrong first": {torch.ErrValue, func() {
				torchtest.AllClose(t, want, want, torchtest.RTol(-1), torchtest.RTol(1))
			}},
			"nil gradcheck": {torch.ErrNil, func() { torchtest.GradGradCheck(t, cube, x, nil) }},
		} {
			assert.ErrorIs(t, torch.Try(c.fn), c.kind, name)
		}
	})
}

func TestOptionsThatDoNotApply(t *testing.T) {
	s := compilefail.Scope{
		Imports: []string{"testing", "github.com/gotorch/gotorch/torch", "github.com/gotorch/gotorch/torchtest"},
		Decls: "var t testing.TB; var a *torch.Tensor; var in []*torch.Tensor; func fn(...*torch.Tensor) " +
			"*torch.Tensor { return a }; func all([]*torch.Tensor) []*torch.Tensor { return in }",
	}
	s.Accepts(t,
		"torchtest.AllClose(t, a, a, torchtest.RTol(1), torchtest.ATol(1), torchtest.OfLargest(true), "+
			"torchtest.EqualNaN(true), torchtest.CheckDType(false))",
		"torchtest.GradCheck(t, fn, in, torchtest.Eps(1), torchtest.RTol(1), torchtest.ATol(1))",
	)
	s.Rejects(t,
		"torchtest.AllClose(t, a, a, 0.1)",
		"torchtest.AllClose(t, a, a, torchtest.Eps(1))",
		"torchtest.Difference(a, a, torchtest.Eps(1))",
		"torchtest.AllClose(t, a, a, torch.RTol(1))",
		"torchtest.GradCheck(t, fn, in, torchtest.EqualNaN(true))",
		"torchtest.GradCheckAll(t, all, in, torchtest.CheckDType(true))",
		"torchtest.GradGradCheck(t, fn, in, torchtest.OfLargest(true))",
	)
}
