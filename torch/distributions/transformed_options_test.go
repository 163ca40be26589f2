package distributions_test

import (
	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributions"
)

type (
	option       = distributions.Option
	distribution = distributions.Distribution
)

// These are the constructors of transformed distributions, each with an invalid parameter.
var _ = registerOptions(map[string]optiontest.Row{
	"NewRelaxedBernoulli": relaxedRow(false, func(o ...distributions.ProbsOption) distribution {
		return distributions.NewRelaxedBernoulli(0.5, o...)
	}),
	"NewLogitRelaxedBernoulli": relaxedRow(false, func(o ...distributions.ProbsOption) distribution {
		return distributions.NewLogitRelaxedBernoulli(0.5, o...)
	}),
	"NewRelaxedOneHotCategorical": relaxedRow(true, func(o ...distributions.ProbsOption) distribution {
		return distributions.NewRelaxedOneHotCategorical(0.5, o...)
	}),
	"NewExpRelaxedCategorical": relaxedRow(true, func(o ...distributions.ProbsOption) distribution {
		return distributions.NewExpRelaxedCategorical(0.5, o...)
	}),
	"NewIndependent": optiontest.For(func(o ...option) optiontest.Outcome {
		made := ""
		torch.Scope(func() { made = distributions.NewIndependent(distributions.NewNormal(0, 1), 0, o...).String() })
		return optiontest.Outcome{"made": made}
	}, optiontest.Refused(distributions.ValidateArgs(false))), // its base checks
	"NewTransformedDistribution": valueRow(func(o ...option) distribution {
		base := distributions.NewNormal(0.0, 1.0, distributions.ValidateArgs(false))
		return distributions.NewTransformedDistribution(base, []distributions.Transform{distributions.ExpTransform},
			o...)
	}),
	"NewMixtureSameFamily": valueRow(func(o ...option) distribution {
		base := distributions.NewNormal(torch.Zeros(torch.Shape{2}), 1.0, distributions.ValidateArgs(false))
		return distributions.NewMixtureSameFamily(
			distributions.NewCategorical(distributions.Probs(torch.Ones(torch.Shape{2}))), base, o...)
	}),
	"NewMultivariateNormal": matrixRow(func(o ...distributions.CovarianceOption) distribution {
		return distributions.NewMultivariateNormal(torch.Zeros(torch.Shape{2}), o...)
	}),
	"NewWishart": matrixRow(func(o ...distributions.CovarianceOption) distribution {
		return distributions.NewWishart(3.0, o...)
	}),
	"NewAffineTransform": optiontest.For(func(opts ...distributions.AffineOption) optiontest.Outcome {
		return optiontest.Outcome{"domain": distributions.NewAffineTransform(0, 1, opts...).Domain().String()}
	}, optiontest.Values(distributions.EventDim(1), distributions.EventDim(0))),
}, map[string]func(opts ...option) distribution{
	"NewLogNormal":      func(o ...option) distribution { return distributions.NewLogNormal(0, -1, o...) },
	"NewLogisticNormal": func(o ...option) distribution { return distributions.NewLogisticNormal(0, -1, o...) },
	"NewHalfNormal":     func(o ...option) distribution { return distributions.NewHalfNormal(-1, o...) },
	"NewHalfCauchy":     func(o ...option) distribution { return distributions.NewHalfCauchy(-1, o...) },
	"NewGumbel":         func(o ...option) distribution { return distributions.NewGumbel(0, -1, o...) },
	"NewWeibull":        func(o ...option) distribution { return distributions.NewWeibull(1, -1, o...) },
	"NewPareto":         func(o ...option) distribution { return distributions.NewPareto(1, -1, o...) },
	"NewKumaraswamy":    func(o ...option) distribution { return distributions.NewKumaraswamy(1, -1, o...) },
	"NewInverseGamma":   func(o ...option) distribution { return distributions.NewInverseGamma(1, -1, o...) },
	"NewVonMises":       func(o ...option) distribution { return distributions.NewVonMises(0, -1, o...) },
	"NewLKJCholesky":    func(o ...option) distribution { return distributions.NewLKJCholesky(2, -1, o...) },
	"NewGeneralizedPareto": func(o ...option) distribution {
		return distributions.NewGeneralizedPareto(0, -1, 0, o...)
	},
	"NewLowRankMultivariateNormal": func(o ...option) distribution {
		// The capacitance is positive definite because the identity is added, although the
		// diagonal is not positive.
		factor, diag := torch.Zeros(torch.Shape{2, 1}), torch.Full(torch.Shape{2}, -1)
		return distributions.NewLowRankMultivariateNormal(torch.Zeros(torch.Shape{2}), factor, diag, o...)
	},
})

// relaxedRow returns the row of a constructor with probabilities and a temperature.
func relaxedRow(categories bool, fresh func(o ...distributions.ProbsOption) distribution) optiontest.Row {
	return optiontest.For(func(opts ...distributions.ProbsOption) optiontest.Outcome {
		return outcome(func() distribution {
			if !hasParam(opts) {
				opts = append(opts, distributions.Probs(torch.FromSlice([]float32{2, -1})))
			}
			return fresh(opts...)
		})
	}, paramPairs(categories)...)
}

// valueRow returns the row of a constructor that has no parameters to check, so that
// ValidateArgs affects only values.
func valueRow(fresh func(o ...option) distribution) optiontest.Row {
	return optiontest.For(func(opts ...option) optiontest.Outcome {
		said := "refused"
		torch.Scope(func() {
			d := fresh(opts...)
			nan := torch.FromSlice([]float32{-1}).Sqrt()
			if torch.Try(func() { d.LogProb(nan) }) == nil {
				said = "taken"
			}
		})
		return optiontest.Outcome{"negative": said}
	}, optiontest.Values(distributions.ValidateArgs(false), distributions.ValidateArgs(true)))
}

// matrixRow returns the row of a constructor that takes a matrix in one of three forms.
func matrixRow(fresh func(o ...distributions.CovarianceOption) distribution) optiontest.Row {
	of := func(form func(*torch.Tensor) distributions.MatrixOption, v float32) any {
		return func() any { return form(torch.FromSlice([]float32{v, 0, 0, v}, 2, 2)) }
	}
	pairs := []optiontest.Pair{optiontest.Values(distributions.ValidateArgs(false), distributions.ValidateArgs(true))}
	for _, form := range []func(*torch.Tensor) distributions.MatrixOption{
		distributions.CovarianceMatrix,
		distributions.PrecisionMatrix, distributions.ScaleTril,
	} {
		pairs = append(pairs, optiontest.Values(of(form, 1), of(form, 2)))
	}
	return optiontest.For(func(opts ...distributions.CovarianceOption) optiontest.Outcome {
		return outcome(func() distribution {
			given := false
			for _, o := range opts {
				_, ok := o.(distributions.MatrixOption)
				given = given || ok
			}
			if !given { // a factor that is not lower triangular
				opts = append(opts, distributions.ScaleTril(torch.Ones(torch.Shape{2, 2})))
			}
			return fresh(opts...)
		})
	}, pairs...)
}
