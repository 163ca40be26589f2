package distributions_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributions"
	"github.com/gotorch/gotorch/torch/distributions/constraints"
	"github.com/gotorch/gotorch/torchtest"
)

// A transformCase is written by testdata/make_transforms.py. Repr is empty for a region
// without a transform.
type transformCase struct {
	goldenCase
	Repr, Inv, Domain, Codomain string
	Bijective                   bool
	Sign                        *torchtest.Value
	X, Y                        torchtest.Value
	ForwardShape                torch.Shape `json:"forward_shape"`
	InverseShape                torch.Shape `json:"inverse_shape"`
}

func TestTransforms(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	var cases []transformCase
	torchtest.LoadGoldens(t, "testdata/transforms.json").Decode("cases", &cases)
	for i, c := range cases {
		t.Run(fmt.Sprintf("%s/%d", c.Said.Make, i), func(t *testing.T) {
			torch.Scope(func() { c.checkTransform(t) })
		})
	}
}

func (c *transformCase) checkTransform(t *testing.T) {
	leaves := map[string]*torch.Tensor{}
	if c.Repr == "" {
		assert.ErrorIs(t, torch.Try(func() { c.Said.build(t, leaves, "") }), torch.ErrNotImplemented)
		return
	}
	tr, ok := c.Said.build(t, leaves, "").(distributions.Transform)
	require.True(t, ok)
	assert.Equal(t, c.Repr, tr.String())
	assert.Equal(t, c.Inv, tr.Inv().String())
	assert.Equal(t, c.Domain, tr.Domain().String())
	assert.Equal(t, c.Codomain, tr.Codomain().String())
	assert.Equal(t, c.Bijective, tr.Bijective())
	c.checkSign(t, tr)
	x, y := tensor(t, c.X).RequiresGrad_(), tensor(t, c.Y).RequiresGrad_()
	assert.Equal(t, c.ForwardShape, tr.ForwardShape(x.Shape()))
	assert.Equal(t, c.InverseShape, tr.InverseShape(y.Shape()))
	leaves["x"], leaves["y"] = x, y
	c.compare(t, "forward", leaves, func() *torch.Tensor { return tr.Forward(x) })
	c.compare(t, "inverse", leaves, func() *torch.Tensor { return tr.Inverse(y) })
	c.compare(t, "log_abs_det_jacobian", leaves, func() *torch.Tensor { return tr.LogAbsDetJacobian(x, tr.Forward(x)) })
	back := tr.Inv()
	c.compare(t, "inverse", leaves, func() *torch.Tensor { return back.Forward(y) })
	c.checkLeavesOne(t, func() *torch.Tensor { return tr.Forward(x) })
	c.checkLeavesOne(t, func() *torch.Tensor { return tr.Inverse(y) })
	if c.Answers["log_abs_det_jacobian"] != nil {
		c.checkLeavesOne(t, func() *torch.Tensor { return tr.LogAbsDetJacobian(x, y) })
		c.checkLeavesOne(t, func() *torch.Tensor { return back.LogAbsDetJacobian(y, x) })
	}
	assert.False(t, x.IsClosed() || y.IsClosed())
}

// checkLeavesOne checks that fn leaves no tensor open except its result, which the caller
// may close.
func (c *transformCase) checkLeavesOne(t *testing.T, fn func() *torch.Tensor) {
	t.Helper()
	live := torch.NumLiveTensors()
	got := fn()
	assert.Equal(t, live+1, torch.NumLiveTensors())
	require.NoError(t, got.Close())
	assert.Equal(t, live, torch.NumLiveTensors())
}

func (c *transformCase) checkSign(t *testing.T, tr distributions.Transform) {
	if c.Sign == nil {
		assert.ErrorIs(t, torch.Try(func() { tr.Sign() }), torch.ErrNotImplemented)
		return
	}
	want := tensor(t, *c.Sign)
	switch s := tr.Sign().(type) {
	case int:
		assert.Equal(t, want.ItemInt(), int64(s))
		assert.Zero(t, want.Dim())
	case *torch.Tensor:
		assert.True(t, want.Equal(s), "expected %v, got %v", want, s)
	}
}

var _ = register(map[string]maker{
	"transform_to": func(a *arguments) any { return distributions.TransformTo(a.region("constraint")) },
	"biject_to":    func(a *arguments) any { return distributions.BijectTo(a.region("constraint")) },

	"real":                  constant(constraints.Real),
	"real_vector":           constant(constraints.RealVector),
	"positive":              constant(constraints.Positive),
	"nonnegative":           constant(constraints.NonNegative),
	"unit_interval":         constant(constraints.UnitInterval),
	"simplex":               constant(constraints.Simplex),
	"corr_cholesky":         constant(constraints.CorrCholesky),
	"lower_cholesky":        constant(constraints.LowerCholesky),
	"positive_definite":     constant(constraints.PositiveDefinite),
	"positive_semidefinite": constant(constraints.PositiveSemidefinite),
	"boolean":               constant(constraints.Boolean),
	"one_hot":               constant(constraints.OneHot),
	"nonnegative_integer":   constant(constraints.NonNegativeInteger),
	"lower_triangular":      constant(constraints.LowerTriangular),
	"square":                constant(constraints.Square),
	"symmetric":             constant(constraints.Symmetric),
	"greater_than":          func(a *arguments) any { return constraints.GreaterThan(a.any("lower_bound")) },
	"greater_than_eq":       func(a *arguments) any { return constraints.GreaterThanEq(a.any("lower_bound")) },
	"less_than":             func(a *arguments) any { return constraints.LessThan(a.any("upper_bound")) },
	"multinomial":           func(a *arguments) any { return constraints.Multinomial(a.any("upper_bound")) },
	"interval": func(a *arguments) any {
		return constraints.Interval(a.any("lower_bound"), a.any("upper_bound"))
	},
	"half_open_interval": func(a *arguments) any {
		return constraints.HalfOpenInterval(a.any("lower_bound"), a.any("upper_bound"))
	},
	"integer_interval": func(a *arguments) any {
		return constraints.IntegerInterval(a.any("lower_bound"), a.any("upper_bound"))
	},
	"independent": func(a *arguments) any {
		return constraints.Independent(a.region("base_constraint"), a.int("reinterpreted_batch_ndims"))
	},
	"cat":   func(a *arguments) any { return constraints.Cat(a.regions("cseq"), a.int("dim"), a.ints("lengths")...) },
	"stack": func(a *arguments) any { return constraints.Stack(a.regions("cseq"), a.int("dim")) },
})

// region returns an argument that is a constraint.
func (a *arguments) region(name string) constraints.Constraint {
	return a.any(name).(constraints.Constraint)
}

// regions returns an argument that is a list of constraints.
func (a *arguments) regions(name string) []constraints.Constraint {
	var list []constraints.Constraint
	for _, c := range a.any(name).([]any) {
		list = append(list, c.(constraints.Constraint))
	}
	return list
}
