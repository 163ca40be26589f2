package distributions_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/compilefail"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributions"
	"github.com/gotorch/gotorch/torch/distributions/constraints"
	"github.com/gotorch/gotorch/torchtest"
)

// The three forms of a covariance represent the same matrix, no matter which was passed, and
// gradients reach the form that was passed.
func TestFormsOfACovariance(t *testing.T) {
	type forms interface {
		CovarianceMatrix() *torch.Tensor
		PrecisionMatrix() *torch.Tensor
		ScaleTril() *torch.Tensor
	}
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		cov := torch.FromSlice([]float64{2, 0.5, 0.5, 1}, 2, 2)
		loc, factor, diag := torch.Zeros(torch.Shape{3, 2}, torch.Float64), torch.FromSlice([]float64{0.5, 1}, 2, 1),
			torch.FromSlice([]float64{1.75, 0.25}, 2)
		low := factor.MatMul(factor.T()).Add(diag.DiagEmbed())
		for name, c := range map[string]struct {
			given, cov *torch.Tensor
			fresh      func(m *torch.Tensor) forms
		}{
			"normal, covariance": {cov, cov, func(m *torch.Tensor) forms {
				return distributions.NewMultivariateNormal(loc, distributions.CovarianceMatrix(m))
			}},
			"normal, precision": {cov.Inverse(), cov, func(m *torch.Tensor) forms {
				return distributions.NewMultivariateNormal(loc, distributions.PrecisionMatrix(m))
			}},
			"normal, factor": {cov.Cholesky(), cov, func(m *torch.Tensor) forms {
				return distributions.NewMultivariateNormal(loc, distributions.ScaleTril(m))
			}},
			"Wishart, covariance": {cov, cov, func(m *torch.Tensor) forms {
				return distributions.NewWishart(loc.Select(1, 0).AddScalar(3), distributions.CovarianceMatrix(m))
			}},
			"Wishart, precision": {cov.Inverse(), cov, func(m *torch.Tensor) forms {
				return distributions.NewWishart(loc.Select(1, 0).AddScalar(3), distributions.PrecisionMatrix(m))
			}},
			"Wishart, factor": {cov.Cholesky(), cov, func(m *torch.Tensor) forms {
				return distributions.NewWishart(loc.Select(1, 0).AddScalar(3), distributions.ScaleTril(m))
			}},
			"low rank": {factor, low, func(m *torch.Tensor) forms {
				return distributions.NewLowRankMultivariateNormal(loc, m, diag)
			}},
		} {
			t.Run(name, func(t *testing.T) {
				torch.Scope(func() {
					given := c.given.Detach().Clone().RequiresGrad_()
					d := c.fresh(given)
					want := c.cov.Expand(3, 2, 2)
					l := d.ScaleTril()
					torchtest.AllClose(t, want, d.CovarianceMatrix(), torchtest.Rounding(20, torch.Float64))
					torchtest.AllClose(t, want.Inverse(), d.PrecisionMatrix(), torchtest.Rounding(50, torch.Float64))
					torchtest.AllClose(t, want, l.MatMul(l.MT()), torchtest.Rounding(20, torch.Float64))
					torchtest.AllClose(t, l, l.Tril())
					for _, m := range []*torch.Tensor{d.CovarianceMatrix(), d.PrecisionMatrix(), d.ScaleTril()} {
						g := torch.Grad([]*torch.Tensor{m.Sum()}, []*torch.Tensor{given}, torch.RetainGraph(true))[0]
						assert.Positive(t, g.Abs().Sum().Item())
					}
				})
			})
		}
	})
}

// The arguments of a distribution's constructor can be read.
func TestPartsOfDistributions(t *testing.T) {
	torch.Scope(func() {
		a, b := torch.FromSlice([]float32{0.5, 1.5}), torch.FromSlice([]float32{2, 3})
		for name, d := range map[string]distribution{
			"LogNormal": distributions.NewLogNormal(a, b), "LogisticNormal": distributions.NewLogisticNormal(a, b),
			"Gumbel": distributions.NewGumbel(a, b),
		} {
			of := d.(interface{ Loc() *torch.Tensor })
			assert.Same(t, a, of.Loc(), name)
			assert.Same(t, b, d.(interface{ Scale() *torch.Tensor }).Scale(), name)
		}
		assert.Same(t, b, distributions.NewHalfNormal(b).Scale())
		assert.Same(t, b, distributions.NewHalfCauchy(b).Scale())
		assert.Same(t, a, distributions.NewWeibull(a, b).Scale())
		assert.Same(t, b, distributions.NewWeibull(a, b).Concentration())
		assert.Same(t, a, distributions.NewPareto(a, b).Scale())
		assert.Same(t, b, distributions.NewPareto(a, b).Alpha())
		assert.Same(t, a, distributions.NewKumaraswamy(a, b).Concentration1())
		assert.Same(t, b, distributions.NewKumaraswamy(a, b).Concentration0())
		assert.Same(t, a, distributions.NewInverseGamma(a, b).Concentration())
		assert.Same(t, b, distributions.NewInverseGamma(a, b).Rate())
		assert.Same(t, a, distributions.NewVonMises(a, b).Loc())
		assert.Same(t, b, distributions.NewVonMises(a, b).Concentration())
		general := distributions.NewGeneralizedPareto(a, b, a)
		assert.Same(t, a, general.Loc())
		assert.Same(t, b, general.Scale())
		assert.Same(t, a, general.Concentration())
		lkj := distributions.NewLKJCholesky(3, a)
		assert.Same(t, a, lkj.Concentration())
		assert.Equal(t, int64(3), lkj.Dim())

		heat, p := torch.ScalarTensor(0.5), torch.FromSlice([]float32{0.25, 0.75})
		for _, d := range []interface {
			Temperature() *torch.Tensor
			Probs() *torch.Tensor
			Logits() *torch.Tensor
		}{
			distributions.NewRelaxedBernoulli(heat, distributions.Probs(p)),
			distributions.NewLogitRelaxedBernoulli(heat, distributions.Probs(p)),
			distributions.NewRelaxedOneHotCategorical(heat, distributions.Probs(p)),
			distributions.NewExpRelaxedCategorical(heat, distributions.Probs(p)),
		} {
			assert.Same(t, heat, d.Temperature())
			torchtest.AllClose(t, p, d.Probs())
			assert.Equal(t, torch.Shape{2}, d.Logits().Shape())
		}
		assert.Equal(t, torch.Shape{2},
			distributions.NewLogitRelaxedBernoulli(heat, distributions.Logits(p)).ParamShape())
		assert.Equal(t, torch.Shape{2},
			distributions.NewExpRelaxedCategorical(heat, distributions.Logits(p)).ParamShape())

		normal := distributions.NewNormal(a, b)
		whole := distributions.NewIndependent(normal, 1)
		assert.Same(t, normal, whole.BaseDist())
		assert.Equal(t, int64(1), whole.ReinterpretedBatchNdims())
		mix := distributions.NewCategorical(distributions.Probs(p))
		mixture := distributions.NewMixtureSameFamily(mix, normal)
		assert.Same(t, mix, mixture.MixtureDistribution())
		assert.Same(t, normal, mixture.ComponentDistribution())
		list := []distributions.Transform{distributions.ExpTransform, distributions.StickBreakingTransform}
		moved := distributions.NewTransformedDistribution(normal, list)
		list[0] = distributions.TanhTransform // the slice belongs to the caller
		assert.Equal(t, []distributions.Transform{distributions.ExpTransform, distributions.StickBreakingTransform},
			moved.Transforms())
		assert.Equal(t, whole.String(), moved.BaseDist().String(), "the batch became part of the event")
		assert.Equal(t, torch.Shape{2},
			distributions.NewMultivariateNormal(a, distributions.ScaleTril(torch.Eye(2))).Loc().Shape())
		low := distributions.NewLowRankMultivariateNormal(a, torch.Ones(torch.Shape{4, 2, 1}), b)
		assert.Equal(t, torch.Shape{4, 2}, low.Loc().Shape())
		assert.Equal(t, torch.Shape{4, 2, 1}, low.CovFactor().Shape())
		assert.Equal(t, torch.Shape{4, 2}, low.CovDiag().Shape())
		assert.Equal(t, torch.Shape{2},
			distributions.NewWishart(3.0, distributions.ScaleTril(torch.Eye(2).Expand(2, 2, 2))).DF().Shape())
		assert.Equal(t, distributions.ExpTransform,
			distributions.NewIndependentTransform(distributions.ExpTransform, 1).BaseTransform())
		assert.Len(t, distributions.NewComposeTransform(list...).Parts(), 2)
		assert.Len(t, distributions.NewCatTransform(list, 0).Transforms(), 2)
		assert.Len(t, distributions.NewStackTransform(list, 0).Transforms(), 2)
		assert.Equal(t, distributions.IdentityTransform, distributions.BijectTo(constraints.Real).Inv())
	})
}

// LogCDF and LogSurvivalFunction agree with CDF.
func TestLogTails(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		d := distributions.NewGeneralizedPareto(0.0, 1.0, torch.FromSlice([]float64{0.3, 0, -0.5}))
		x := torch.FromSlice([]float64{0.5, 1, 1.5})
		cdf := d.CDF(x)
		torchtest.AllClose(t, cdf, d.LogCDF(x).Exp())
		torchtest.AllClose(t, cdf.RSubScalar(1), d.LogSurvivalFunction(x).Exp())
		torchtest.AllClose(t, x, d.ICDF(cdf))
		assert.ErrorIs(t, torch.Try(func() { d.LogCDF(nil) }), torch.ErrNil)
	})
}

// The divergences of a batch equal the divergences of its elements.
func TestKLOfWishartsInBatches(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		wishart := func(df, m *torch.Tensor) *distributions.Wishart {
			return distributions.NewWishart(df, distributions.CovarianceMatrix(m))
		}
		df, m := torch.FromSlice([]float64{2.5, 4}), torch.FromSlice([]float64{2, 0.5, 0.5, 1, 1, 0, 0, 3}, 2, 2, 2)
		q := wishart(torch.ScalarTensor(3.0, torch.Float64), torch.Eye(2, torch.Float64))
		both := distributions.KLDivergence(wishart(df, m), q)
		require.Equal(t, torch.Shape{2}, both.Shape())
		for i := range int64(2) {
			one := distributions.KLDivergence(wishart(df.Select(0, i), m.Select(0, i)), q)
			torchtest.AllClose(t, one, both.Select(0, i), torchtest.Rounding(100, torch.Float64))
			assert.Greater(t, one.Item(), 0.0)
		}
	})
}

// The inverse of a composition applies the inverses in reverse order.
func TestCompositionsOfTransforms(t *testing.T) {
	torch.Scope(func() {
		x := torch.FromSlice([]float32{0.5, 1})
		chain := distributions.NewComposeTransform(distributions.ExpTransform, distributions.NewPowerTransform(2))
		back := chain.Inv()
		torchtest.AllClose(t, x, back.Forward(chain.Forward(x)), torchtest.Rounding(10, torch.Float32))
		torchtest.AllClose(t, back.LogAbsDetJacobian(chain.Forward(x), x).Neg(),
			chain.LogAbsDetJacobian(x, chain.Forward(x)), torchtest.Rounding(20, torch.Float32))
		inverse := distributions.NewInverseTransform(distributions.ExpTransform)
		assert.Equal(t, distributions.ExpTransform, inverse.Inv())
		assert.Equal(t, constraints.Positive, inverse.Domain())
	})
}

// An option of a different family does not compile.
func TestForeignMatrixOptions(t *testing.T) {
	scope := compilefail.Scope{Imports: []string{"github.com/gotorch/gotorch/torch/distributions"}}
	assert.NoError(t, scope.Compile("distributions.NewMultivariateNormal(nil, distributions.ScaleTril(nil), "+
		"distributions.ValidateArgs(true))"))
	for _, code := range []string{
		"distributions.NewMultivariateNormal(nil, distributions.Probs(1))",
		"distributions.NewLowRankMultivariateNormal(nil, nil, nil, distributions.ScaleTril(nil))",
		"distributions.NewAffineTransform(0, 1, distributions.ValidateArgs(true))",
		"distributions.NewRelaxedBernoulli(1, distributions.ScaleTril(nil))",
	} {
		assert.Error(t, scope.Compile(code), code)
	}
}
