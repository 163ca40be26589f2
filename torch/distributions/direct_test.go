package distributions_test

import (
	"testing"

	"github.com/gotorch/gotorch/torch/distributions"
)

func TestDistributions(t *testing.T) { checkGoldens(t, "testdata/distributions.json") }

var _ = register(map[string]maker{
	"Normal":         func(a *arguments) any { return distributions.NewNormal(a.any("loc"), a.any("scale")) },
	"Laplace":        func(a *arguments) any { return distributions.NewLaplace(a.any("loc"), a.any("scale")) },
	"Cauchy":         func(a *arguments) any { return distributions.NewCauchy(a.any("loc"), a.any("scale")) },
	"Uniform":        func(a *arguments) any { return distributions.NewUniform(a.any("low"), a.any("high")) },
	"Gamma":          func(a *arguments) any { return distributions.NewGamma(a.any("concentration"), a.any("rate")) },
	"Chi2":           func(a *arguments) any { return distributions.NewChi2(a.any("df")) },
	"Exponential":    func(a *arguments) any { return distributions.NewExponential(a.any("rate")) },
	"Poisson":        func(a *arguments) any { return distributions.NewPoisson(a.any("rate")) },
	"Dirichlet":      func(a *arguments) any { return distributions.NewDirichlet(a.tensor("concentration")) },
	"FisherSnedecor": func(a *arguments) any { return distributions.NewFisherSnedecor(a.any("df1"), a.any("df2")) },
	"Beta": func(a *arguments) any {
		return distributions.NewBeta(a.any("concentration1"), a.any("concentration0"))
	},
	"StudentT": func(a *arguments) any {
		return distributions.NewStudentT(a.any("df"), a.any("loc"), a.any("scale"))
	},
	"Bernoulli": func(a *arguments) any { return distributions.NewBernoulli(a.probs()...) },
	"Geometric": func(a *arguments) any { return distributions.NewGeometric(a.probs()...) },
	"Binomial": func(a *arguments) any {
		return distributions.NewBinomial(a.any("total_count"), a.probs()...)
	},
	"NegativeBinomial": func(a *arguments) any {
		return distributions.NewNegativeBinomial(a.any("total_count"), a.probs()...)
	},
	"Categorical":       func(a *arguments) any { return distributions.NewCategorical(a.probs()...) },
	"OneHotCategorical": func(a *arguments) any { return distributions.NewOneHotCategorical(a.probs()...) },
	"OneHotCategoricalStraightThrough": func(a *arguments) any {
		return distributions.NewOneHotCategoricalStraightThrough(a.probs()...)
	},
	"Multinomial": func(a *arguments) any { return distributions.NewMultinomial(a.int("total_count"), a.probs()...) },
	"ContinuousBernoulli": func(a *arguments) any {
		var opts []distributions.ContinuousBernoulliOption
		for _, o := range a.probs() {
			opts = append(opts, o.(distributions.ParamOption))
		}
		if a.has("lims") {
			lims := a.any("lims").([]any)
			opts = append(opts, distributions.Lims(lims[0].(float64), lims[1].(float64)))
		}
		return distributions.NewContinuousBernoulli(opts...)
	},
})
