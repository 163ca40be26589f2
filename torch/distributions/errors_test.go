package distributions_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributions"
)

// ofProbs are the constructors that take probabilities or log odds, with their other arguments set.
var ofProbs = map[string]func(opts ...distributions.ProbsOption) distributions.Distribution{
	"Bernoulli": func(o ...distributions.ProbsOption) distributions.Distribution {
		return distributions.NewBernoulli(o...)
	},
	"Geometric": func(o ...distributions.ProbsOption) distributions.Distribution {
		return distributions.NewGeometric(o...)
	},
	"Binomial": func(o ...distributions.ProbsOption) distributions.Distribution {
		return distributions.NewBinomial(3, o...)
	},
	"Categorical": func(o ...distributions.ProbsOption) distributions.Distribution {
		return distributions.NewCategorical(o...)
	},
	"NegativeBinomial": func(o ...distributions.ProbsOption) distributions.Distribution {
		return distributions.NewNegativeBinomial(3, o...)
	},
	"OneHotCategorical": func(o ...distributions.ProbsOption) distributions.Distribution {
		return distributions.NewOneHotCategorical(o...)
	},
	"OneHotCategoricalStraightThrough": func(o ...distributions.ProbsOption) distributions.Distribution {
		return distributions.NewOneHotCategoricalStraightThrough(o...)
	},
	"Multinomial": func(o ...distributions.ProbsOption) distributions.Distribution {
		return distributions.NewMultinomial(3, o...)
	},
	"ContinuousBernoulli": func(o ...distributions.ProbsOption) distributions.Distribution {
		return distributions.NewContinuousBernoulli(continuous(o)...)
	},
}

// continuous converts the options to options of NewContinuousBernoulli.
func continuous(opts []distributions.ProbsOption) (list []distributions.ContinuousBernoulliOption) {
	for _, o := range opts {
		if o == nil {
			list = append(list, nil)
			continue
		}
		list = append(list, o.(distributions.ContinuousBernoulliOption))
	}
	return list
}

// overCategories reports whether a constructor only takes tensors.
func overCategories(name string) bool {
	return name == "Categorical" || name == "OneHotCategorical" || name == "OneHotCategoricalStraightThrough" ||
		name == "Multinomial"
}

// A mistake is a call that must panic.
type mistake struct {
	kind error
	says string
	call func()
}

func (m mistake) check(t *testing.T, op string) {
	t.Helper()
	live := torch.NumLiveTensors()
	err := torch.Try(m.call)
	assert.ErrorIs(t, err, m.kind, m.says)
	var e *torch.Error
	if assert.ErrorAs(t, err, &e) {
		assert.Equal(t, op, e.Op)
		assert.Contains(t, e.Message, m.says)
	}
	assert.Equal(t, live, torch.NumLiveTensors(), "tensors left open by %s", m.says)
}

// Exactly one of Probs and Logits must be given: a tensor or a number in the right region.
func TestProbsAndLogits(t *testing.T) {
	type options = []distributions.ProbsOption
	closed := torch.Ones(torch.Shape{3})
	require.NoError(t, closed.Close())
	scalar, row, bad := torch.Ones(torch.Shape{}), torch.Ones(torch.Shape{3}), torch.FromSlice([]float32{-0.5, 0.5, 1})
	nan := torch.FromSlice([]float32{0, 1, float32(math.NaN())})
	defer closeTensors(t, scalar, row, bad, nan)
	for name, fresh := range ofProbs {
		op := "distributions.New" + name
		t.Run(name, func(t *testing.T) {
			list := []struct {
				kind error
				says string
				opts options
			}{
				{torch.ErrValue, "one of the options Probs and Logits, got neither", nil},
				{
					torch.ErrValue, "got neither",
					options{distributions.Probs(nil), distributions.Logits((*torch.Tensor)(nil))},
				},
				{torch.ErrValue, "got both", options{distributions.Logits(row), distributions.Probs(row)}},
				{torch.ErrClosed, "", options{distributions.Probs(closed)}},
				{torch.ErrClosed, "", options{distributions.Logits(closed)}},
				{torch.ErrType, "argument Probs", options{distributions.Probs("one")}},
				{torch.ErrType, "argument Logits", options{distributions.Logits([]float32{1})}},
				{
					torch.ErrValue, "argument Probs: expected the tensor of shape (3,), of distribution " + name,
					options{distributions.Probs(bad)},
				},
				{
					torch.ErrValue, "argument Logits: expected the tensor of shape (3,), of distribution " + name,
					options{distributions.Logits(nan)},
				},
			}
			for _, c := range list {
				mistake{c.kind, c.says, func() { fresh(c.opts...) }}.check(t, op)
			}
			if overCategories(name) {
				mistake{torch.ErrType, "expected a tensor, got a float64", func() {
					fresh(distributions.Probs(0.5))
				}}.check(t, op)
				mistake{torch.ErrShape, "at least one dimension, got shape ()", func() {
					fresh(distributions.Logits(scalar))
				}}.check(t, op)
			} else {
				mistake{torch.ErrValue, "argument Probs", func() { fresh(distributions.Probs(1.5)) }}.check(t, op)
			}
			d := fresh(distributions.Probs(bad), distributions.ValidateArgs(false))
			require.NoError(t, d.Close())
			d = fresh(distributions.Probs(nil), distributions.Logits(row))
			require.NoError(t, d.Close())
		})
	}
}

func closeTensors(t *testing.T, ts ...*torch.Tensor) {
	for _, x := range ts {
		require.NoError(t, x.Close())
	}
}

// Constructors reject invalid positional parameters.
func TestWrongParameters(t *testing.T) {
	type pair = func(a, b any, opts ...distributions.Option) distributions.Distribution
	pairs := map[string]pair{
		"Normal loc scale": func(a, b any, o ...distributions.Option) distributions.Distribution {
			return distributions.NewNormal(a, b, o...)
		},
		"Laplace loc scale": func(a, b any, o ...distributions.Option) distributions.Distribution {
			return distributions.NewLaplace(a, b, o...)
		},
		"Cauchy loc scale": func(a, b any, o ...distributions.Option) distributions.Distribution {
			return distributions.NewCauchy(a, b, o...)
		},
		"Uniform low high": func(a, b any, o ...distributions.Option) distributions.Distribution {
			return distributions.NewUniform(a, b, o...)
		},
		"Gamma concentration rate": func(a, b any, o ...distributions.Option) distributions.Distribution {
			return distributions.NewGamma(a, b, o...)
		},
		"Beta concentration1 concentration0": func(a, b any, o ...distributions.Option) distributions.Distribution {
			return distributions.NewBeta(a, b, o...)
		},
		"FisherSnedecor df1 df2": func(a, b any, o ...distributions.Option) distributions.Distribution {
			return distributions.NewFisherSnedecor(a, b, o...)
		},
		"StudentT df scale": func(a, b any, o ...distributions.Option) distributions.Distribution {
			return distributions.NewStudentT(a, 0, b, o...)
		},
	}
	closed := torch.Ones(torch.Shape{3})
	require.NoError(t, closed.Close())
	two, three := torch.Ones(torch.Shape{2}), torch.Ones(torch.Shape{3})
	defer closeTensors(t, two, three)
	for key, fresh := range pairs {
		t.Run(key, func(t *testing.T) {
			var name, first, second string
			_, err := fmt.Sscan(key, &name, &first, &second)
			require.NoError(t, err)
			op := "distributions.New" + name
			for _, m := range []mistake{
				{torch.ErrNil, "argument " + first + ": expected a tensor or a number, got nil", func() {
					fresh(nil, 1)
				}},
				{torch.ErrNil, "argument " + second, func() { fresh(1, nil) }},
				{torch.ErrNil, "argument " + second, func() { fresh(1, (*torch.Tensor)(nil)) }},
				{torch.ErrClosed, second, func() { fresh(three, closed) }},
				{torch.ErrType, "argument " + second, func() { fresh(three, "1") }},
				{torch.ErrShape, "argument " + second + ": shape (2,) does not broadcast with (3,)", func() {
					fresh(three, two)
				}},
				{torch.ErrValue, "expected the tensor of shape (2,), of distribution " + name, func() {
					fresh(two, -2.0)
				}},
			} {
				m.check(t, op)
			}
			d := fresh(two, -2, distributions.ValidateArgs(false))
			require.NoError(t, d.Close())
		})
	}
	for _, m := range []struct {
		op string
		mistake
	}{
		{"NewExponential", mistake{torch.ErrValue, "argument rate", func() { distributions.NewExponential(0) }}},
		{
			"NewChi2",
			mistake{torch.ErrValue, "argument df: expected the tensor of shape (), of distribution Chi2()", func() {
				distributions.NewChi2(-1)
			}},
		},
		{"NewPoisson", mistake{torch.ErrValue, "GreaterThanEq(lower_bound=0.0)", func() {
			distributions.NewPoisson(-1)
		}}},
		{"NewDirichlet", mistake{torch.ErrNil, "concentration", func() { distributions.NewDirichlet(nil) }}},
		{"NewDirichlet", mistake{torch.ErrClosed, "", func() { distributions.NewDirichlet(closed) }}},
		{"NewBinomial", mistake{torch.ErrValue, "argument totalCount", func() {
			distributions.NewBinomial(1.5, distributions.Probs(0.5))
		}}},
		{"NewNegativeBinomial", mistake{torch.ErrValue, "argument totalCount", func() {
			distributions.NewNegativeBinomial(-1, distributions.Probs(0.5))
		}}},
		{"NewNegativeBinomial", mistake{torch.ErrValue, "HalfOpenInterval(lower_bound=0.0, upper_bound=1.0)", func() {
			distributions.NewNegativeBinomial(1, distributions.Probs(1))
		}}},
		{"NewMultinomial", mistake{torch.ErrValue, "argument totalCount: expected at least 0, got -1", func() {
			distributions.NewMultinomial(-1, distributions.Probs(two))
		}}},
		{"NewGeometric", mistake{torch.ErrValue, "argument Probs", func() {
			distributions.NewGeometric(distributions.Probs(0))
		}}},
	} {
		m.check(t, "distributions."+m.op)
	}
}

// LogProb and other methods reject values with the wrong shape or outside of the support.
func TestValuesThatDoNotFit(t *testing.T) {
	torch.Scope(func() {
		four, coins, pair := torch.Zeros(torch.Shape{4}), torch.FromSlice([]float32{0, 0.5}), torch.Ones(torch.Shape{2})
		normal := distributions.NewNormal(torch.Zeros(torch.Shape{2, 3}), 1)
		mistake{torch.ErrShape, "shape (4,) does not broadcast with (2, 3), the batch and event shape", func() {
			normal.LogProb(four)
		}}.
			check(t, "distributions.Normal.LogProb")
		for _, batch := range []torch.Shape{{}, {3}, {3, 3}, {2, 1}, {5, 2, -3}} {
			says := fmt.Sprintf("argument batchShape: a batch of shape (2, 3) does not expand to %v", batch)
			mistake{torch.ErrShape, says, func() { normal.Expand(batch) }}.check(t, "distributions.Normal.Expand")
		}
		dirichlet := distributions.NewDirichlet(torch.Ones(torch.Shape{2, 3}))
		for _, shape := range []torch.Shape{{}, {2}, {3, 2}} {
			says := fmt.Sprintf("the last dimensions of shape %v must be the event shape (3,)", shape)
			value := torch.Ones(shape)
			mistake{torch.ErrShape, says, func() { dirichlet.LogProb(value) }}.check(t,
				"distributions.Dirichlet.LogProb")
		}
		coin := distributions.NewBernoulli(distributions.Probs(0.5))
		mistake{torch.ErrValue, "to be within the support (Boolean()) of the distribution Bernoulli(probs: 0.5), " +
			"but found invalid values:\ntensor([0.0000, 0.5000])", func() {
			coin.LogProb(coins)
		}}.check(t, "distributions.Bernoulli.LogProb")
		uneven := distributions.NewBinomial(torch.FromSlice([]float32{2, 3}), distributions.Probs(0.5))
		mistake{torch.ErrNotImplemented, "total counts of the batch must be equal", func() {
			uneven.Entropy()
		}}.check(t, "distributions.Binomial.Entropy")
		mistake{torch.ErrNotImplemented, "total counts of the batch must be equal", func() {
			uneven.EnumerateSupport()
		}}.check(t, "distributions.Binomial.EnumerateSupport")
		free := distributions.NewUniform(0, 1, distributions.ValidateArgs(false))
		assert.Equal(t, 1.0, free.CDF(torch.Full(torch.Shape{}, 7)).Item(), "nothing is checked")
		categorical := distributions.NewCategorical(distributions.Probs(pair))
		mistake{torch.ErrNotImplemented, "a Categorical does not support this method, as in PyTorch", func() {
			categorical.RSample()
		}}.check(t, "distributions.Categorical.RSample")
	})
}
