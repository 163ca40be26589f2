package constraints_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributions/constraints"
	"github.com/gotorch/gotorch/torchtest"
)

// made returns the constraints of the golden file, keyed by the Go expression that makes them.
func made() map[string]constraints.Constraint {
	low, high, count := torch.FromSlice([]float32{0, 0.3, -1}), torch.ScalarTensor(1, torch.Float32),
		torch.ScalarTensor(1, torch.Int64)
	list := map[string]constraints.Constraint{
		"Real": constraints.Real, "RealVector": constraints.RealVector, "Positive": constraints.Positive,
		"NonNegative": constraints.NonNegative, "UnitInterval": constraints.UnitInterval,
		"Boolean": constraints.Boolean,
		"OneHot":  constraints.OneHot, "NonNegativeInteger": constraints.NonNegativeInteger,
		"PositiveInteger": constraints.PositiveInteger,
		"Simplex":         constraints.Simplex, "LowerTriangular": constraints.LowerTriangular,
		"LowerCholesky": constraints.LowerCholesky,
		"CorrCholesky":  constraints.CorrCholesky, "Square": constraints.Square, "Symmetric": constraints.Symmetric,
		"PositiveSemidefinite": constraints.PositiveSemidefinite, "PositiveDefinite": constraints.PositiveDefinite,
		"Interval(-0.5, 2)":                   constraints.Interval(-0.5, 2),
		"Interval(low, high)":                 constraints.Interval(low, high),
		"HalfOpenInterval(0.0, 2.0)":          constraints.HalfOpenInterval(0.0, 2.0),
		"IntegerInterval(0, 2)":               constraints.IntegerInterval(0, 2),
		"IntegerInterval(0, count)":           constraints.IntegerInterval(0, count),
		"GreaterThan(1.5)":                    constraints.GreaterThan(1.5),
		"GreaterThan(low)":                    constraints.GreaterThan(low),
		"GreaterThanEq(1)":                    constraints.GreaterThanEq(1),
		"LessThan(1e-5)":                      constraints.LessThan(1e-5),
		"Multinomial(2)":                      constraints.Multinomial(2),
		"Independent(Positive, 1)":            constraints.Independent(constraints.Positive, 1),
		"Independent(Simplex, 0)":             constraints.Independent(constraints.Simplex, 0),
		"Independent(OneHot, 1)":              constraints.Independent(constraints.OneHot, 1),
		"MixtureSameFamily(UnitInterval)":     constraints.MixtureSameFamily(constraints.UnitInterval),
		"MixtureSameFamily(GreaterThan(low))": constraints.MixtureSameFamily(constraints.GreaterThan(low)),
		"MixtureSameFamily(Simplex)":          constraints.MixtureSameFamily(constraints.Simplex),
		"Cat(Positive, Boolean; -1; 1, 2)": constraints.Cat([]constraints.Constraint{
			constraints.Positive,
			constraints.Boolean,
		}, -1, 1, 2),
		"Cat(Real, Positive, Real; 0)": constraints.Cat([]constraints.Constraint{
			constraints.Real,
			constraints.Positive, constraints.Real,
		}, 0),
		"Stack(Positive, Boolean, Real; 1)": constraints.Stack([]constraints.Constraint{
			constraints.Positive,
			constraints.Boolean, constraints.Real,
		}, 1),
		"Stack(Simplex, RealVector; -2)": constraints.Stack([]constraints.Constraint{
			constraints.Simplex,
			constraints.RealVector,
		}, -2),
	}
	return list
}

func TestConstraints(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	var cases []struct {
		Go, Repr   string
		IsDiscrete bool  `json:"is_discrete"`
		EventDim   int64 `json:"event_dim"`
		Values     []struct{ Value, Check torchtest.Value }
	}
	torchtest.LoadGoldens(t, "testdata/constraints.json").Decode("cases", &cases)
	torch.Scope(func() {
		list := made()
		assert.Len(t, cases, len(list))
		for _, c := range cases {
			con := list[c.Go]
			require.NotNil(t, con, c.Go)
			assert.Equal(t, c.Repr, con.String(), c.Go)
			assert.Equal(t, c.IsDiscrete, con.IsDiscrete(), c.Go)
			assert.Equal(t, c.EventDim, con.EventDim(), c.Go)
			for _, v := range c.Values {
				value, err := v.Value.Tensor()
				require.NoError(t, err)
				want, err := v.Check.Tensor()
				require.NoError(t, err)
				live := torch.NumLiveTensors()
				got := con.Check(value)
				assert.Equal(t, live+1, torch.NumLiveTensors(), "%s leaves its result alone", c.Go)
				assert.True(t, want.Equal(got), "%s of\n%v\nis %v, expected %v", c.Go, value, got, want)
				assert.Equal(t, torch.Bool, got.DType(), c.Go)
			}
		}
	})
}

// The arguments of a constraint's constructor can be read.
func TestParts(t *testing.T) {
	assert.Equal(t, 3, constraints.GreaterThan(3).LowerBound())
	assert.Nil(t, constraints.GreaterThan(1.5).UpperBound())
	assert.Equal(t, 2, constraints.Interval(0, 2).UpperBound())
	assert.Equal(t, constraints.Positive, constraints.Independent(constraints.Positive, 2).Base())
	assert.Equal(t, int64(2), constraints.Independent(constraints.Positive, 2).Ndims())
	parts := []constraints.Constraint{constraints.Real, constraints.Boolean}
	cat := constraints.Cat(parts, -1, 3, 4)
	parts[0] = constraints.Simplex // the slice belongs to the caller
	assert.Equal(t, []constraints.Constraint{constraints.Real, constraints.Boolean}, cat.Parts())
	assert.Equal(t, []int64{3, 4}, cat.Lengths())
	assert.Equal(t, int64(-1), cat.Dim())
	assert.Nil(t, constraints.Stack(parts, 0).Lengths())
}

func TestErrors(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	number, row, closed := torch.Zeros(torch.Shape{}), torch.Zeros(torch.Shape{3}), torch.Zeros(torch.Shape{3})
	bounds := torch.Zeros(torch.Shape{2})
	require.NoError(t, closed.Close())
	defer func() {
		for _, x := range []*torch.Tensor{number, row, bounds} {
			require.NoError(t, x.Close())
		}
	}()
	two := []constraints.Constraint{constraints.Real, constraints.Positive}
	for _, c := range []struct {
		op   string
		kind error
		says string
		call func()
	}{
		{"Region.Check", torch.ErrNil, "argument value", func() { constraints.Real.Check(nil) }},
		{"", torch.ErrClosed, "", func() { constraints.Real.Check(closed) }},
		{"Region.Check", torch.ErrShape, "at least 1 dimensions, got ()", func() { constraints.Simplex.Check(number) }},
		{"Region.Check", torch.ErrShape, "at least 2 dimensions", func() { constraints.PositiveDefinite.Check(row) }},
		{"Region.Check", torch.ErrValue, "not one of the constants", func() { constraints.Region(0).Check(row) }},
		{"Region.String", torch.ErrValue, "not one of the constants", func() { _ = constraints.Region(99).String() }},
		{"Region.IsDiscrete", torch.ErrValue, "", func() { constraints.Region(-1).IsDiscrete() }},
		{"Region.EventDim", torch.ErrValue, "", func() { constraints.Region(-1).EventDim() }},
		{"Interval", torch.ErrNil, "argument lower", func() { constraints.Interval(nil, 1) }},
		{"Interval", torch.ErrNil, "argument upper", func() { constraints.Interval(0, (*torch.Tensor)(nil)) }},
		{"HalfOpenInterval", torch.ErrType, "argument upper", func() { constraints.HalfOpenInterval(0, "1") }},
		{"IntegerInterval", torch.ErrType, "argument lower", func() { constraints.IntegerInterval([]int{0}, 1) }},
		{"GreaterThan", torch.ErrNil, "argument lower", func() { constraints.GreaterThan(nil) }},
		{"GreaterThanEq", torch.ErrNil, "argument lower", func() { constraints.GreaterThanEq(nil) }},
		{"LessThan", torch.ErrNil, "argument upper", func() { constraints.LessThan(nil) }},
		{"Multinomial", torch.ErrNil, "argument upper", func() { constraints.Multinomial(nil) }},
		{"Bounded.Check", torch.ErrNil, "argument value", func() { constraints.Interval(0, 1).Check(nil) }},
		{"Bounded.Check", torch.ErrShape, "at least 1", func() { constraints.Multinomial(1).Check(number) }},
		{"Bounded.Check", torch.ErrNil, "function of the package", func() { new(constraints.Bounded).Check(row) }},
		{"Bounded.String", torch.ErrNil, "", func() { _ = (*constraints.Bounded)(nil).String() }},
		{"", torch.ErrShape, "", func() { constraints.Interval(bounds, 1).Check(row) }},
		{"Independent", torch.ErrNil, "argument base", func() { constraints.Independent(nil, 1) }},
		{"Independent", torch.ErrValue, "argument ndims: expected 0 or more, got -1", func() {
			constraints.Independent(constraints.Real, -1)
		}},
		{"IndependentConstraint.Check", torch.ErrShape, "at least 2", func() {
			constraints.Independent(constraints.Real, 2).Check(row)
		}},
		{"IndependentConstraint.Base", torch.ErrNil, "", func() { new(constraints.IndependentConstraint).Base() }},
		{"MixtureSameFamily", torch.ErrNil, "argument base", func() { constraints.MixtureSameFamily(nil) }},
		{"MixtureConstraint.Check", torch.ErrShape, "at least 1", func() {
			constraints.MixtureSameFamily(constraints.Simplex).Check(number)
		}},
		{"MixtureConstraint.EventDim", torch.ErrNil, "", func() { new(constraints.MixtureConstraint).EventDim() }},
		{"Cat", torch.ErrValue, "at least one", func() { constraints.Cat(nil, 0) }},
		{"Cat", torch.ErrNil, "argument parts[0]", func() { constraints.Cat([]constraints.Constraint{nil}, 0) }},
		{"Cat", torch.ErrValue, "expected a length for each of the 2 parts, got 1", func() {
			constraints.Cat(two, 0,
				1)
		}},
		{"Stack", torch.ErrNil, "argument parts[1]", func() {
			constraints.Stack([]constraints.Constraint{constraints.Real, nil}, 0)
		}},
		{"Joined.Check", torch.ErrIndex, "expected a tensor with dimension 1, got shape (3,)", func() {
			constraints.Stack(two, 1).Check(row)
		}},
		{"Joined.Check", torch.ErrNil, "argument value", func() { constraints.Stack(two, 0).Check(nil) }},
		{"Joined.Parts", torch.ErrNil, "", func() { new(constraints.Joined).Parts() }},
	} {
		live := torch.NumLiveTensors()
		err := torch.Try(c.call)
		assert.ErrorIs(t, err, c.kind, c.op)
		var e *torch.Error
		if assert.ErrorAs(t, err, &e) {
			assert.Contains(t, e.Message, c.says)
			if c.op != "" {
				assert.Equal(t, "constraints."+c.op, e.Op)
			}
		}
		assert.Equal(t, live, torch.NumLiveTensors(), c.op)
	}
}
