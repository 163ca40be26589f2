package distributions_test

import (
	"testing"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributions"
)

func TestTransformed(t *testing.T) { checkGoldens(t, "testdata/transformed.json") }

// distribution returns an argument that is a distribution.
func (a *arguments) distribution(name string) distributions.Distribution {
	return a.any(name).(distributions.Distribution)
}

// covariance returns the options for a matrix.
func (a *arguments) covariance() []distributions.CovarianceOption {
	switch {
	case a.has("covariance_matrix"):
		return []distributions.CovarianceOption{distributions.CovarianceMatrix(a.tensor("covariance_matrix"))}
	case a.has("precision_matrix"):
		return []distributions.CovarianceOption{distributions.PrecisionMatrix(a.tensor("precision_matrix"))}
	}
	return []distributions.CovarianceOption{distributions.ScaleTril(a.tensor("scale_tril"))}
}

var _ = register(map[string]maker{
	"Independent": func(a *arguments) any {
		return distributions.NewIndependent(a.distribution("base_distribution"), a.int("reinterpreted_batch_ndims"))
	},
	"TransformedDistribution": func(a *arguments) any {
		return distributions.NewTransformedDistribution(a.distribution("base_distribution"), a.transforms("transforms"))
	},
	"MixtureSameFamily": func(a *arguments) any {
		return distributions.NewMixtureSameFamily(a.any("mixture_distribution").(*distributions.Categorical),
			a.distribution("component_distribution"))
	},
	"LogNormal":      func(a *arguments) any { return distributions.NewLogNormal(a.any("loc"), a.any("scale")) },
	"LogisticNormal": func(a *arguments) any { return distributions.NewLogisticNormal(a.any("loc"), a.any("scale")) },
	"HalfNormal":     func(a *arguments) any { return distributions.NewHalfNormal(a.any("scale")) },
	"HalfCauchy":     func(a *arguments) any { return distributions.NewHalfCauchy(a.any("scale")) },
	"Gumbel":         func(a *arguments) any { return distributions.NewGumbel(a.any("loc"), a.any("scale")) },
	"Weibull": func(a *arguments) any {
		return distributions.NewWeibull(a.any("scale"), a.any("concentration"))
	},
	"Pareto": func(a *arguments) any { return distributions.NewPareto(a.any("scale"), a.any("alpha")) },
	"InverseGamma": func(a *arguments) any {
		return distributions.NewInverseGamma(a.any("concentration"), a.any("rate"))
	},
	"VonMises": func(a *arguments) any { return distributions.NewVonMises(a.any("loc"), a.any("concentration")) },
	"Kumaraswamy": func(a *arguments) any {
		return distributions.NewKumaraswamy(a.any("concentration1"), a.any("concentration0"))
	},
	"RelaxedBernoulli": func(a *arguments) any {
		return distributions.NewRelaxedBernoulli(a.any("temperature"), a.probs()...)
	},
	"LogitRelaxedBernoulli": func(a *arguments) any {
		return distributions.NewLogitRelaxedBernoulli(a.any("temperature"), a.probs()...)
	},
	"RelaxedOneHotCategorical": func(a *arguments) any {
		return distributions.NewRelaxedOneHotCategorical(a.any("temperature"), a.probs()...)
	},
	"ExpRelaxedCategorical": func(a *arguments) any {
		return distributions.NewExpRelaxedCategorical(a.any("temperature"), a.probs()...)
	},
	"MultivariateNormal": func(a *arguments) any {
		return distributions.NewMultivariateNormal(a.tensor("loc"), a.covariance()...)
	},
	"LowRankMultivariateNormal": func(a *arguments) any {
		return distributions.NewLowRankMultivariateNormal(a.tensor("loc"), a.tensor("cov_factor"), a.tensor("cov_diag"))
	},
	"LKJCholesky": func(a *arguments) any { return distributions.NewLKJCholesky(a.int("dim"), a.any("concentration")) },
	"Wishart":     func(a *arguments) any { return distributions.NewWishart(a.any("df"), a.covariance()...) },
	"GeneralizedPareto": func(a *arguments) any {
		return distributions.NewGeneralizedPareto(a.any("loc"), a.any("scale"), a.any("concentration"))
	},
})

// transforms returns an argument that is a list of transforms.
func (a *arguments) transforms(name string) []distributions.Transform {
	var list []distributions.Transform
	for _, t := range a.any(name).([]any) {
		list = append(list, t.(distributions.Transform))
	}
	return list
}

// ints returns an argument that is a list of numbers, or nil if it is missing.
func (a *arguments) ints(name string) []int64 {
	if !a.has(name) {
		return nil
	}
	list := []int64{}
	for _, n := range a.any(name).([]any) {
		list = append(list, n.(int64))
	}
	return list
}

// transform returns an argument that is a transform.
func (a *arguments) transform(name string) distributions.Transform {
	return a.any(name).(distributions.Transform)
}

// constant returns a maker of a value without arguments.
func constant(v any) maker { return func(*arguments) any { return v } }

var _ = register(map[string]maker{
	"ExpTransform":              constant(distributions.ExpTransform),
	"SigmoidTransform":          constant(distributions.SigmoidTransform),
	"SoftplusTransform":         constant(distributions.SoftplusTransform),
	"TanhTransform":             constant(distributions.TanhTransform),
	"AbsTransform":              constant(distributions.AbsTransform),
	"SoftmaxTransform":          constant(distributions.SoftmaxTransform),
	"StickBreakingTransform":    constant(distributions.StickBreakingTransform),
	"LowerCholeskyTransform":    constant(distributions.LowerCholeskyTransform),
	"CorrCholeskyTransform":     constant(distributions.CorrCholeskyTransform),
	"PositiveDefiniteTransform": constant(distributions.PositiveDefiniteTransform),
	"InverseTransform": func(a *arguments) any {
		return distributions.NewInverseTransform(a.transform("transform"))
	},
	"AffineTransform": func(a *arguments) any {
		return distributions.NewAffineTransform(a.any("loc"), a.any("scale"),
			distributions.EventDim(a.or("event_dim", int64(0)).(int64)))
	},
	"PowerTransform":   func(a *arguments) any { return distributions.NewPowerTransform(a.any("exponent")) },
	"ComposeTransform": func(a *arguments) any { return distributions.NewComposeTransform(a.transforms("parts")...) },
	"IndependentTransform": func(a *arguments) any {
		return distributions.NewIndependentTransform(a.transform("base_transform"), a.int("reinterpreted_batch_ndims"))
	},
	"ReshapeTransform": func(a *arguments) any {
		return distributions.NewReshapeTransform(torch.Shape(a.ints("in_shape")), torch.Shape(a.ints("out_shape")))
	},
	"CatTransform": func(a *arguments) any {
		return distributions.NewCatTransform(a.transforms("tseq"), a.int("dim"), a.ints("lengths")...)
	},
	"StackTransform": func(a *arguments) any {
		return distributions.NewStackTransform(a.transforms("tseq"), a.int("dim"))
	},
	"CumulativeDistributionTransform": func(a *arguments) any {
		return distributions.NewCumulativeDistributionTransform(a.distribution("distribution"))
	},
})
