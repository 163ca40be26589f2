package distributions_test

import (
	"fmt"
	"math"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributions"
	"github.com/gotorch/gotorch/torch/distributions/constraints"
	"github.com/gotorch/gotorch/torchtest"
)

// Constructors with two positional parameters reject invalid ones.
func TestWrongPairs(t *testing.T) {
	type pair = func(a, b any, opts ...option) distribution
	pairs := map[string]struct {
		first, second string
		fresh         pair
	}{
		"LogNormal": {"loc", "scale", func(a, b any, o ...option) distribution {
			return distributions.NewLogNormal(a, b, o...)
		}},
		"LogisticNormal": {"loc", "scale", func(a, b any, o ...option) distribution {
			return distributions.NewLogisticNormal(a, b, o...)
		}},
		"Gumbel": {"loc", "scale", func(a, b any, o ...option) distribution {
			return distributions.NewGumbel(a, b, o...)
		}},
		"Weibull": {"scale", "concentration", func(a, b any, o ...option) distribution {
			return distributions.NewWeibull(a, b, o...)
		}},
		"Pareto": {"scale", "alpha", func(a, b any, o ...option) distribution {
			return distributions.NewPareto(a, b, o...)
		}},
		"Kumaraswamy": {"concentration1", "concentration0", func(a, b any, o ...option) distribution {
			return distributions.NewKumaraswamy(a, b, o...)
		}},
		"InverseGamma": {"concentration", "rate", func(a, b any, o ...option) distribution {
			return distributions.NewInverseGamma(a, b, o...)
		}},
		"VonMises": {"loc", "concentration", func(a, b any, o ...option) distribution {
			return distributions.NewVonMises(a, b, o...)
		}},
		"HalfNormal": {"", "scale", func(_, b any, o ...option) distribution {
			return distributions.NewHalfNormal(b, o...)
		}},
		"HalfCauchy": {"", "scale", func(_, b any, o ...option) distribution {
			return distributions.NewHalfCauchy(b, o...)
		}},
		"LKJCholesky": {"", "concentration", func(_, b any, o ...option) distribution {
			return distributions.NewLKJCholesky(3, b, o...)
		}},
		"GeneralizedPareto": {"loc", "scale", func(a, b any, o ...option) distribution {
			return distributions.NewGeneralizedPareto(a, b, 0.5, o...)
		}},
	}
	closed := torch.Ones(torch.Shape{3})
	require.NoError(t, closed.Close())
	two, three := torch.Ones(torch.Shape{2}), torch.Ones(torch.Shape{3})
	defer closeTensors(t, two, three)
	for name, p := range pairs {
		t.Run(name, func(t *testing.T) {
			op := "distributions.New" + name
			mistake{torch.ErrNil, "argument " + p.second, func() { p.fresh(1.0, nil) }}.check(t, op)
			mistake{torch.ErrClosed, "", func() { p.fresh(1.0, closed) }}.check(t, op)
			mistake{torch.ErrType, "argument " + p.second, func() { p.fresh(1.0, "1") }}.check(t, op)
			mistake{torch.ErrValue, ", of distribution " + name, func() { p.fresh(1.0, math.NaN()) }}.check(t, op)
			mistake{torch.ErrValue, "to satisfy the constraint GreaterThan(lower_bound=0.0)", func() {
				p.fresh(1.0, -1)
			}}.check(t, op)
			if p.first != "" {
				mistake{torch.ErrNil, "argument " + p.first, func() { p.fresh((*torch.Tensor)(nil), 1) }}.check(t, op)
				mistake{torch.ErrShape, "does not broadcast", func() { p.fresh(two, three) }}.check(t, op)
				mistake{torch.ErrValue, "argument " + p.first, func() { p.fresh(math.NaN(), 1) }}.check(t, op)
			}
			d := p.fresh(1.0, -1.0, distributions.ValidateArgs(false))
			require.NoError(t, d.Close())
		})
	}
}

// Constructors with a temperature and probabilities reject invalid arguments.
func TestWrongTemperatures(t *testing.T) {
	row, bad := torch.Ones(torch.Shape{3}), torch.FromSlice([]float32{-0.5, 0.5, 1})
	defer closeTensors(t, row, bad)
	for name, fresh := range map[string]func(temperature any, o ...distributions.ProbsOption) distribution{
		"RelaxedBernoulli": func(v any, o ...distributions.ProbsOption) distribution {
			return distributions.NewRelaxedBernoulli(v, o...)
		},
		"LogitRelaxedBernoulli": func(v any, o ...distributions.ProbsOption) distribution {
			return distributions.NewLogitRelaxedBernoulli(v, o...)
		},
		"RelaxedOneHotCategorical": func(v any, o ...distributions.ProbsOption) distribution {
			return distributions.NewRelaxedOneHotCategorical(v, o...)
		},
		"ExpRelaxedCategorical": func(v any, o ...distributions.ProbsOption) distribution {
			return distributions.NewExpRelaxedCategorical(v, o...)
		},
	} {
		op := "distributions.New" + name
		mistake{torch.ErrNil, "argument temperature", func() { fresh(nil, distributions.Probs(row)) }}.check(t, op)
		mistake{torch.ErrType, "argument temperature", func() { fresh("1", distributions.Probs(row)) }}.check(t, op)
		mistake{torch.ErrValue, "one of the options Probs and Logits, got neither", func() { fresh(1.0) }}.check(t, op)
		mistake{torch.ErrValue, "argument Probs: expected the tensor of shape (3,), of distribution " + name, func() {
			fresh(1.0, distributions.Probs(bad))
		}}.check(t, op)
		d := fresh(1.0, distributions.Probs(bad), distributions.ValidateArgs(false))
		require.NoError(t, d.Close())
	}
}

// Constructors of distributions of matrices reject invalid arguments.
func TestWrongMatrices(t *testing.T) {
	torch.Scope(func() {
		closed := torch.Eye(2)
		require.NoError(t, closed.Close())
		number, two, three, eye := torch.Ones(torch.Shape{}), torch.Zeros(torch.Shape{2}),
			torch.Zeros(torch.Shape{3, 2}), torch.Eye(2)
		flat, full, batch := torch.Ones(torch.Shape{2, 3}), torch.Full(torch.Shape{2, 2}, -1.0),
			torch.Eye(2).Expand(2, 2, 2)
		for name, fresh := range map[string]func(v any, o ...distributions.CovarianceOption) distribution{
			"MultivariateNormal": func(v any, o ...distributions.CovarianceOption) distribution {
				return distributions.NewMultivariateNormal(v.(*torch.Tensor), o...)
			},
			"Wishart": func(v any, o ...distributions.CovarianceOption) distribution {
				return distributions.NewWishart(v.(*torch.Tensor).AddScalar(3).Select(-1, 0), o...)
			},
		} {
			op := "distributions.New" + name
			refused := func(kind error, says string, v any, o ...distributions.CovarianceOption) {
				t.Helper()
				torch.Scope(func() {
					err := torch.Try(func() { fresh(v, o...) })
					assert.ErrorIs(t, err, kind, says)
					assert.ErrorContains(t, err, op+": ")
					assert.ErrorContains(t, err, says)
				})
			}
			refused(torch.ErrValue, "got 0", two)
			refused(torch.ErrValue, "got 0", two, distributions.ScaleTril(nil))
			refused(torch.ErrValue, "got 2", two, distributions.ScaleTril(eye), distributions.CovarianceMatrix(eye))
			refused(torch.ErrClosed, "", two, distributions.ScaleTril(closed))
			refused(torch.ErrShape, "argument CovarianceMatrix: expected square matrices", two,
				distributions.CovarianceMatrix(flat))
			refused(torch.ErrShape, "got shape (2,)", two, distributions.CovarianceMatrix(two))
			refused(torch.ErrShape, "does not broadcast", three, distributions.CovarianceMatrix(batch))
			refused(torch.ErrValue, "argument CovarianceMatrix", two, distributions.CovarianceMatrix(full))
			refused(torch.ErrValue, "argument PrecisionMatrix", two, distributions.PrecisionMatrix(full))
			refused(torch.ErrValue, "to satisfy the constraint LowerCholesky()", two, distributions.ScaleTril(full))
			err := torch.Try(func() {
				fresh(two, distributions.CovarianceMatrix(full), distributions.ValidateArgs(false))
			})
			assert.ErrorIs(t, err, torch.ErrLinAlg)
		}
		const normal, wishart = "distributions.NewMultivariateNormal", "distributions.NewWishart"
		const low = "distributions.NewLowRankMultivariateNormal"
		column, diag := torch.Ones(torch.Shape{2, 1}), torch.Ones(torch.Shape{2})
		for _, c := range []struct {
			op string
			mistake
		}{
			{normal, mistake{torch.ErrNil, "", func() {
				distributions.NewMultivariateNormal(nil, distributions.ScaleTril(eye))
			}}},
			{normal, mistake{torch.ErrShape, "at least one dimension", func() {
				distributions.NewMultivariateNormal(number, distributions.ScaleTril(eye))
			}}},
			{normal, mistake{torch.ErrShape, "expected 2 x 2 matrices", func() {
				distributions.NewMultivariateNormal(two, distributions.ScaleTril(torch.Eye(3)))
			}}},
			{wishart, mistake{torch.ErrNil, "argument df", func() {
				distributions.NewWishart(nil, distributions.ScaleTril(eye))
			}}},
			{wishart, mistake{torch.ErrType, "argument df", func() {
				distributions.NewWishart("3", distributions.ScaleTril(eye))
			}}},
			{wishart, mistake{torch.ErrValue, "expected more than 1", func() {
				distributions.NewWishart(1.0, distributions.ScaleTril(eye))
			}}},
			{low, mistake{torch.ErrNil, "", func() { distributions.NewLowRankMultivariateNormal(two, nil, diag) }}},
			{low, mistake{torch.ErrShape, "argument loc", func() {
				distributions.NewLowRankMultivariateNormal(number, column, diag)
			}}},
			{low, mistake{torch.ErrShape, "argument covFactor: expected a shape that ends in (2, m)", func() {
				distributions.NewLowRankMultivariateNormal(two, diag, diag)
			}}},
			{low, mistake{torch.ErrShape, "argument covDiag", func() {
				distributions.NewLowRankMultivariateNormal(two, column, number)
			}}},
			{low, mistake{torch.ErrShape, "do not broadcast", func() {
				distributions.NewLowRankMultivariateNormal(three, torch.Ones(torch.Shape{4, 2, 1}), diag)
			}}},
			{low, mistake{torch.ErrValue, "argument covDiag", func() {
				distributions.NewLowRankMultivariateNormal(two, column, two)
			}}},
			{
				"distributions.NewLKJCholesky",
				mistake{torch.ErrValue, "argument dim: expected at least 2, got 1", func() {
					distributions.NewLKJCholesky(1, 1.0)
				}},
			},
		} {
			torch.Scope(func() {
				err := torch.Try(c.call)
				assert.ErrorIs(t, err, c.kind)
				assert.ErrorContains(t, err, c.op+": ")
				assert.ErrorContains(t, err, c.says)
			})
		}
	})
}

// Constructors that take distributions or transforms reject invalid ones.
func TestWrongParts(t *testing.T) {
	torch.Scope(func() {
		d, wide := distributions.NewNormal(0.0, 1.0), distributions.NewNormal(torch.Zeros(torch.Shape{2, 3}), 1.0)
		mix := distributions.NewCategorical(distributions.Probs(torch.Ones(torch.Shape{3})))
		four := distributions.NewCategorical(distributions.Probs(torch.Ones(torch.Shape{4, 3})))
		closed := distributions.NewNormal(0.0, 1.0)
		require.NoError(t, closed.Close())
		exp := []distributions.Transform{distributions.ExpTransform}
		const of, tr = "distributions.NewIndependent", "distributions.NewTransformedDistribution"
		const ms = "distributions.NewMixtureSameFamily"
		mistake{torch.ErrNil, "argument baseDistribution", func() { distributions.NewIndependent(nil, 0) }}.check(t, of)
		mistake{torch.ErrClosed, "", func() { distributions.NewIndependent(closed, 0) }}.check(t,
			"distributions.Normal.BatchShape")
		mistake{torch.ErrValue, "expected 0 to 2, the number of batch dimensions, got 3", func() {
			distributions.NewIndependent(wide, 3)
		}}.check(t, of)
		mistake{torch.ErrValue, "got -1", func() { distributions.NewIndependent(wide, -1) }}.check(t, of)
		mistake{torch.ErrValue, "argument ValidateArgs", func() {
			distributions.NewIndependent(wide, 1, distributions.ValidateArgs(false))
		}}.check(t, of)
		distributions.NewIndependent(wide, 1, distributions.ValidateArgs(true))
		mistake{torch.ErrNil, "argument baseDistribution", func() {
			distributions.NewTransformedDistribution((*distributions.Gamma)(nil), exp)
		}}.check(t, tr)
		mistake{torch.ErrNil, "argument transforms[0]", func() {
			distributions.NewTransformedDistribution(d, []distributions.Transform{nil})
		}}.check(t, tr)
		mistake{torch.ErrShape, "expected at least 1 dimensions in batch and event, got shape ()", func() {
			distributions.NewTransformedDistribution(d, []distributions.Transform{distributions.SoftmaxTransform})
		}}.check(t, tr)
		mistake{torch.ErrNil, "argument mixture", func() { distributions.NewMixtureSameFamily(nil, wide) }}.check(t, ms)
		mistake{torch.ErrNil, "argument component", func() { distributions.NewMixtureSameFamily(mix, nil) }}.check(t,
			ms)
		mistake{torch.ErrShape, "argument component", func() { distributions.NewMixtureSameFamily(mix, d) }}.check(t,
			ms)
		mistake{
			torch.ErrShape, "the batch shape (4,) does not broadcast with the components' batch shape (2,)",
			func() {
				distributions.NewMixtureSameFamily(four, wide)
			},
		}.check(t, ms)
		pair := distributions.NewNormal(torch.Zeros(torch.Shape{2}), 1.0)
		mistake{torch.ErrShape, "3 categories for 2 components", func() {
			distributions.NewMixtureSameFamily(mix, pair)
		}}.check(t, ms)

		// If a part is closed, the error names the part.
		whole := distributions.NewIndependent(wide, 1)
		require.NoError(t, wide.Close())
		assert.ErrorIs(t, torch.Try(func() { whole.Sample() }), torch.ErrClosed)
		assert.NotEmpty(t, whole.String())
	})
}

// foreign is a distribution from another package.
type foreign struct{ distribution }

// A distribution from another package can be a base, unless it must be expanded.
func TestForeignDistribution(t *testing.T) {
	torch.Scope(func() {
		base := foreign{distributions.NewNormal(torch.Zeros(torch.Shape{2}), 1.0)}
		d := distributions.NewTransformedDistribution(base, []distributions.Transform{distributions.ExpTransform})
		assert.Equal(t, torch.Shape{2}, d.Sample().Shape())
		assert.Equal(t, torch.Shape{2}, d.CDF(torch.Ones(torch.Shape{2})).Shape())
		assert.ErrorIs(t, torch.Try(func() { d.Expand(torch.Shape{3, 2}) }), torch.ErrNotImplemented)
		assert.ErrorIs(t, torch.Try(func() { distributions.KLDivergence(base, base) }), torch.ErrNotImplemented)
	})
}

func TestWrongTransforms(t *testing.T) {
	torch.Scope(func() {
		number, two, three := torch.Ones(torch.Shape{}), torch.Ones(torch.Shape{2}), torch.Ones(torch.Shape{3})
		closed := torch.Ones(torch.Shape{})
		require.NoError(t, closed.Close())
		exp, none := distributions.ExpTransform, []distributions.Transform{nil}
		both := []distributions.Transform{exp, distributions.TanhTransform}
		for _, c := range []struct {
			op string
			mistake
		}{
			{"NewInverseTransform", mistake{torch.ErrNil, "argument t", func() {
				distributions.NewInverseTransform(nil)
			}}},
			{"NewAffineTransform", mistake{torch.ErrNil, "argument loc", func() {
				distributions.NewAffineTransform(nil, 1)
			}}},
			{"NewAffineTransform", mistake{torch.ErrClosed, "", func() {
				distributions.NewAffineTransform(0, closed)
			}}},
			{
				"NewAffineTransform",
				mistake{torch.ErrType, "argument scale: expected a tensor or a real number, got bool", func() {
					distributions.NewAffineTransform(0, true)
				}},
			},
			{"NewAffineTransform", mistake{torch.ErrValue, "argument EventDim", func() {
				distributions.NewAffineTransform(0, 1, distributions.EventDim(-1))
			}}},
			{"NewPowerTransform", mistake{torch.ErrType, "argument exponent", func() {
				distributions.NewPowerTransform(1i)
			}}},
			{"NewComposeTransform", mistake{torch.ErrNil, "argument parts[0]", func() {
				distributions.NewComposeTransform(nil)
			}}},
			{"NewIndependentTransform", mistake{torch.ErrNil, "argument base", func() {
				distributions.NewIndependentTransform(nil, 1)
			}}},
			{"NewIndependentTransform", mistake{torch.ErrValue, "got -1", func() {
				distributions.NewIndependentTransform(exp, -1)
			}}},
			{"NewReshapeTransform", mistake{torch.ErrShape, "argument outShape", func() {
				distributions.NewReshapeTransform(torch.Shape{2}, torch.Shape{3})
			}}},
			{"NewCatTransform", mistake{torch.ErrNil, "argument transforms[0]", func() {
				distributions.NewCatTransform(none, 0)
			}}},
			{"NewCatTransform", mistake{torch.ErrValue, "at least one", func() {
				distributions.NewCatTransform(nil, 0)
			}}},
			{"NewCatTransform", mistake{torch.ErrValue, "argument lengths", func() {
				distributions.NewCatTransform(both, 0, 1)
			}}},
			{"NewStackTransform", mistake{torch.ErrValue, "at least one", func() {
				distributions.NewStackTransform(nil, 0)
			}}},
			{"NewCumulativeDistributionTransform", mistake{torch.ErrNil, "argument distribution", func() {
				distributions.NewCumulativeDistributionTransform(nil)
			}}},
			{"SimpleTransform.Forward", mistake{torch.ErrNil, "", func() { exp.Forward(nil) }}},
			{"SimpleTransform.Inverse", mistake{torch.ErrClosed, "", func() { exp.Inverse(closed) }}},
			{"SimpleTransform.LogAbsDetJacobian", mistake{torch.ErrNil, "", func() {
				exp.LogAbsDetJacobian(two, nil)
			}}},
			{
				"SimpleTransform.LogAbsDetJacobian",
				mistake{torch.ErrNotImplemented, "AbsTransform() has no Jacobian", func() {
					distributions.AbsTransform.LogAbsDetJacobian(two, two)
				}},
			},
			{"SimpleTransform.Sign", mistake{torch.ErrNotImplemented, "", func() {
				distributions.SoftmaxTransform.Sign()
			}}},
			{"SimpleTransform.Sign", mistake{torch.ErrValue, "not one of the constants", func() {
				distributions.SimpleTransform(0).Sign()
			}}},
			{"SimpleTransform.Forward", mistake{torch.ErrShape, "at least 1 dimensions", func() {
				distributions.SoftmaxTransform.Forward(number)
			}}},
			{"SimpleTransform.Forward", mistake{torch.ErrShape, "as a square matrix has below its diagonal", func() {
				distributions.CorrCholeskyTransform.Forward(two)
			}}},
			{"SimpleTransform.Inverse", mistake{torch.ErrShape, "at least 2", func() {
				distributions.CorrCholeskyTransform.Inverse(two)
			}}},
			{"SimpleTransform.InverseShape", mistake{torch.ErrShape, "square", func() {
				distributions.CorrCholeskyTransform.InverseShape(torch.Shape{2, 3})
			}}},
			{"SimpleTransform.ForwardShape", mistake{torch.ErrShape, "", func() {
				distributions.StickBreakingTransform.ForwardShape(nil)
			}}},
			{"AffineTransform.Forward", mistake{torch.ErrNil, "", func() {
				distributions.NewAffineTransform(0, 1).Forward(nil)
			}}},
			{"IndependentTransform.Forward", mistake{torch.ErrShape, "at least 1", func() {
				distributions.NewIndependentTransform(exp, 1).Forward(number)
			}}},
			{"IndependentTransform.Inverse", mistake{torch.ErrShape, "at least 1", func() {
				distributions.NewIndependentTransform(exp, 1).Inverse(number)
			}}},
			{"ReshapeTransform.Forward", mistake{torch.ErrShape, "ends in (3,)", func() {
				distributions.NewReshapeTransform(torch.Shape{3}, torch.Shape{3, 1}).Forward(two)
			}}},
			{"ReshapeTransform.InverseShape", mistake{torch.ErrShape, "", func() {
				distributions.NewReshapeTransform(torch.Shape{3}, torch.Shape{3, 1}).InverseShape(torch.Shape{3})
			}}},
			{"CatTransform.Forward", mistake{torch.ErrShape, "expected size 2 along dimension 0", func() {
				distributions.NewCatTransform(both, 0).Forward(three)
			}}},
			{"StackTransform.Inverse", mistake{torch.ErrShape, "along dimension 1", func() {
				distributions.NewStackTransform(both, 1).Inverse(two)
			}}},
			{
				"CatTransform.LogAbsDetJacobian",
				mistake{torch.ErrValue, "events of 1 dimensions in its domain but 2", func() {
					c := distributions.NewCatTransform([]distributions.Transform{distributions.CorrCholeskyTransform},
						0, 3)
					c.LogAbsDetJacobian(three, three)
				}},
			},
			{"TransformTo", mistake{torch.ErrNil, "", func() { distributions.TransformTo(nil) }}},
			{"BijectTo", mistake{torch.ErrNotImplemented, "no transform to Boolean()", func() {
				distributions.BijectTo(constraints.Boolean)
			}}},
			{"BijectTo", mistake{torch.ErrNotImplemented, "", func() {
				distributions.BijectTo(constraints.MixtureSameFamily(constraints.Real))
			}}},
		} {
			c.check(t, "distributions."+c.op)
		}
	})
}

// Methods of nil transforms, and of transforms that no constructor made, panic with ErrNil.
func TestUnmadeTransforms(t *testing.T) {
	for _, tr := range []distributions.Transform{
		(*distributions.AffineTransform)(nil), &distributions.AffineTransform{}, (*distributions.PowerTransform)(nil),
		&distributions.PowerTransform{},
		(*distributions.ComposeTransform)(nil), (*distributions.IndependentTransform)(nil),
		&distributions.IndependentTransform{},
		(*distributions.ReshapeTransform)(nil), (*distributions.CatTransform)(nil), &distributions.CatTransform{},
		(*distributions.StackTransform)(nil),
		&distributions.StackTransform{}, (*distributions.CumulativeDistributionTransform)(nil),
		&distributions.CumulativeDistributionTransform{},
	} {
		v := reflect.ValueOf(tr)
		for i := range v.NumMethod() {
			m := v.Type().Method(i)
			args := make([]reflect.Value, m.Type.NumIn()-1)
			for k := range args {
				args[k] = reflect.Zero(m.Type.In(k + 1))
			}
			err := torch.Try(func() { v.Method(i).Call(args) })
			assert.ErrorIs(t, err, torch.ErrNil)
			assert.ErrorContains(t, err, fmt.Sprintf("distributions.%s.%s", v.Type().Elem().Name(), m.Name))
		}
	}
}

// shifted embeds a distribution and declares one of its methods again.
type shifted struct{ *distributions.Normal }

func (s shifted) LogProb(value *torch.Tensor) *torch.Tensor {
	return s.Normal.LogProb(value.SubScalar(1))
}

// expanding also declares Expand.
type expanding struct{ shifted }

func (e expanding) Expand(batchShape torch.Shape) distributions.Distribution {
	return expanding{shifted{e.Normal.Expand(batchShape).(*distributions.Normal)}}
}

// A distribution of a program that inherits Expand would become the distribution that it embeds, so
// it cannot be expanded as a part of another one. Python refuses that too, if the class has its own
// __init__. With its own Expand it keeps its methods.
func TestExpandOfEmbeddedDistributions(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		n := distributions.NewNormal(torch.Zeros(torch.Shape{2}), 1)
		defer n.Close()
		one := torch.Ones(torch.Shape{2})
		for _, d := range []distributions.Distribution{
			distributions.NewIndependent(shifted{n}, 1),
			distributions.NewTransformedDistribution(shifted{n}, nil),
		} {
			err := torch.Try(func() { d.Expand(append(torch.Shape{3}, d.BatchShape()...)) })
			require.ErrorIs(t, err, torch.ErrNotImplemented)
			assert.ErrorContains(t, err, "a distributions_test.shifted has no Expand of its own")
			_ = d.Close()
		}
		d := distributions.NewIndependent(expanding{shifted{n}}, 1)
		defer d.Close()
		e := d.Expand(torch.Shape{3})
		defer e.Close()
		want := d.LogProb(one).Item()
		assert.NotEqual(t, want, distributions.NewIndependent(n, 1).LogProb(one).Item())
		assert.InDelta(t, want, e.LogProb(one).Index(2).Item(), 0)
	})
}
