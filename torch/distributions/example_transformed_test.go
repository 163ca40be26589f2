package distributions_test

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributions"
)

// The example makes a logistic distribution from a uniform distribution.
func ExampleTransformedDistribution() {
	base := distributions.NewUniform(0.0, 1.0)
	defer base.Close()
	logistic := distributions.NewTransformedDistribution(base, []distributions.Transform{
		distributions.SigmoidTransform.Inv(),
		distributions.NewAffineTransform(1, 2),
	})
	defer logistic.Close() // the base stays open
	torch.Scope(func() {
		torch.ManualSeed(0)
		fmt.Println(logistic.Sample(distributions.SampleShape{3}))
		fmt.Println(logistic.LogProb(torch.FromSlice([]float32{0, 1, 2})))
		fmt.Println(logistic.CDF(torch.FromSlice([]float32{0, 1, 2})))
	})
	// Output:
	// tensor([ 0.9701,  3.3966, -3.6647])
	// tensor([-2.1413, -2.0794, -2.1413])
	// tensor([0.3775, 0.5000, 0.6225])
}

// The example is a weighted mixture of three normal distributions.
func ExampleMixtureSameFamily() {
	torch.Scope(func() {
		torch.ManualSeed(0)
		mix := distributions.NewCategorical(distributions.Probs(torch.FromSlice([]float32{0.2, 0.3, 0.5})))
		parts := distributions.NewNormal(torch.FromSlice([]float32{-5, 0, 5}), 1.0)
		d := distributions.NewMixtureSameFamily(mix, parts)
		fmt.Println(d.Sample(distributions.SampleShape{4}))
		fmt.Println(d.Mean(), d.Variance())
		fmt.Println(d.LogProb(torch.FromSlice([]float32{-5, 5})))
	})
	// Output:
	// tensor([5.4033, 4.5967, 0.1820, 5.1227])
	// tensor(1.5000) tensor(16.2500)
	// tensor([-2.5284, -1.6121])
}

// The example describes two correlated normal variables.
func ExampleMultivariateNormal() {
	torch.Scope(func() {
		torch.ManualSeed(0)
		cov := torch.FromSlice([]float32{1, 0.9, 0.9, 1}, 2, 2)
		d := distributions.NewMultivariateNormal(torch.Zeros(torch.Shape{2}), distributions.CovarianceMatrix(cov))
		fmt.Println(d)
		fmt.Println(d.Sample(distributions.SampleShape{3}))
		fmt.Println(d.LogProb(torch.FromSlice([]float32{1, 1, 1, -1}, 2, 2)))
		fmt.Println(d.ScaleTril())
	})
	// Output:
	// MultivariateNormal(loc: torch.Size([2]), covariance_matrix: torch.Size([2, 2]))
	// tensor([[ 1.5410,  1.2590],
	//         [-2.1788, -1.7131],
	//         [-1.0845, -1.5857]])
	// tensor([ -1.5338, -11.0075])
	// tensor([[1.0000, 0.0000],
	//         [0.9000, 0.4359]])
}

// The divergence of a variational autoencoder's code from the prior is a term of its
// loss.
func ExampleKLDivergence() {
	torch.Scope(func() {
		mean := torch.FromSlice([]float32{0.5, -1}).RequiresGrad_()
		code := distributions.NewNormal(mean, torch.FromSlice([]float32{1, 0.5}))
		prior := distributions.NewNormal(0.0, 1.0)
		kl := distributions.KLDivergence(code, prior)
		fmt.Println(kl)
		kl.Sum().Backward()
		fmt.Println(mean.Grad())
		err := torch.Try(func() { distributions.KLDivergence(code, distributions.NewCauchy(0.0, 1.0)) })
		fmt.Println(err)
	})
	// Output:
	// tensor([0.1250, 0.8181], grad_fn=<MulBackward0>)
	// tensor([ 0.5000, -1.0000])
	// torch: distributions.KLDivergence: the divergence of a Cauchy from a Normal is not supported, as in PyTorch
}

// The example makes a normal distribution of vectors with a diagonal covariance.
func ExampleIndependent() {
	torch.Scope(func() {
		parts := distributions.NewNormal(torch.Zeros(torch.Shape{2, 3}), 1.0)
		d := distributions.NewIndependent(parts, 1)
		fmt.Println(d.BatchShape(), d.EventShape())
		fmt.Println(d.LogProb(torch.Zeros(torch.Shape{3})))
	})
	// Output:
	// (2,) (3,)
	// tensor([-2.7568, -2.7568])
}

func ExampleLogNormal() {
	torch.Scope(func() {
		torch.ManualSeed(0)
		d := distributions.NewLogNormal(0.0, 1.0)
		fmt.Println(d.Sample(distributions.SampleShape{3}))
		fmt.Println(d.Mean(), d.Mode())
	})
	// Output:
	// tensor([4.6692, 0.7457, 0.1132])
	// tensor(1.6487) tensor(0.3679)
}

func ExampleHalfNormal() {
	torch.Scope(func() {
		torch.ManualSeed(0)
		d := distributions.NewHalfNormal(1.0)
		fmt.Println(d.Sample(distributions.SampleShape{3}))
		fmt.Println(d.CDF(torch.FromSlice([]float32{0, 1, 2})))
	})
	// Output:
	// tensor([1.5410, 0.2934, 2.1788])
	// tensor([0.0000, 0.6827, 0.9545])
}

func ExampleHalfCauchy() {
	torch.Scope(func() {
		d := distributions.NewHalfCauchy(1.0)
		fmt.Println(d.CDF(torch.FromSlice([]float32{0, 1, 10})))
		fmt.Println(d.Mean())
	})
	// Output:
	// tensor([0.0000, 0.5000, 0.9365])
	// tensor(inf)
}

func ExampleGumbel() {
	torch.Scope(func() {
		torch.ManualSeed(0)
		d := distributions.NewGumbel(1.0, 2.0)
		fmt.Println(d, d.Sample(), d.Mean(), d.StdDev())
	})
	// Output:
	// Gumbel(loc: 1.0, scale: 2.0) tensor(1.7115) tensor(2.1544) tensor(2.5651)
}

func ExampleWeibull() {
	torch.Scope(func() {
		d := distributions.NewWeibull(1.0, 2.0)
		fmt.Println(d, d.Mean(), d.Mode())
	})
	// Output:
	// Weibull(scale: 1.0, concentration: 2.0) tensor(0.8862) tensor(0.7071)
}

func ExamplePareto() {
	torch.Scope(func() {
		d := distributions.NewPareto(1.0, 3.0)
		fmt.Println(d, d.Mean(), d.Variance())
	})
	// Output:
	// Pareto(alpha: 3.0, scale: 1.0) tensor(1.5000) tensor(0.7500)
}

func ExampleKumaraswamy() {
	torch.Scope(func() {
		d := distributions.NewKumaraswamy(2.0, 3.0)
		fmt.Println(d, d.Mean())
	})
	// Output:
	// Kumaraswamy(concentration1: 2.0, concentration0: 3.0) tensor(0.4571)
}

func ExampleInverseGamma() {
	torch.Scope(func() {
		d := distributions.NewInverseGamma(3.0, 1.0)
		fmt.Println(d.Mean(), d.Mode(), d.Variance())
	})
	// Output:
	// tensor(0.5000) tensor(0.2500) tensor(0.2500)
}

// A sample has one more element than the parameters.
func ExampleLogisticNormal() {
	torch.Scope(func() {
		torch.ManualSeed(0)
		d := distributions.NewLogisticNormal(torch.Zeros(torch.Shape{3}), 1.0)
		fmt.Println(d.EventShape(), d.Sample())
	})
	// Output:
	// (4,) tensor([0.6088, 0.1062, 0.0290, 0.2560])
}

// Samples are nearly 0 or 1, and have gradients.
func ExampleRelaxedBernoulli() {
	torch.Scope(func() {
		torch.ManualSeed(0)
		p := torch.FromSlice([]float32{0.1, 0.5, 0.9}).RequiresGrad_()
		d := distributions.NewRelaxedBernoulli(0.5, distributions.Probs(p))
		x := d.RSample()
		x.Sum().Backward()
		fmt.Println(x)
		fmt.Println(p.Grad())
	})
	// Output:
	// tensor([0.0118, 0.9166, 0.4328], grad_fn=<ClampBackward1>)
	// tensor([0.2600, 0.6118, 5.4553])
}

func ExampleLogitRelaxedBernoulli() {
	torch.Scope(func() {
		d := distributions.NewLogitRelaxedBernoulli(2.0, distributions.Probs(0.25))
		fmt.Println(d, d.LogProb(torch.FromSlice([]float32{-1, 0, 1})))
	})
	// Output:
	// LogitRelaxedBernoulli(probs: 0.25) tensor([-0.8897, -0.9808, -2.4937])
}

// Samples are nearly one-hot, and have gradients.
func ExampleRelaxedOneHotCategorical() {
	torch.Scope(func() {
		torch.ManualSeed(0)
		d := distributions.NewRelaxedOneHotCategorical(0.5,
			distributions.Probs(torch.FromSlice([]float32{0.2, 0.3, 0.5})))
		fmt.Println(d.RSample(distributions.SampleShape{2}))
	})
	// Output:
	// tensor([[0.0574, 0.9126, 0.0300],
	//         [0.0076, 0.0506, 0.9418]])
}

func ExampleExpRelaxedCategorical() {
	torch.Scope(func() {
		torch.ManualSeed(0)
		d := distributions.NewExpRelaxedCategorical(0.5, distributions.Probs(torch.FromSlice([]float32{0.2, 0.3, 0.5})))
		fmt.Println(d.RSample().Exp())
	})
	// Output:
	// tensor([0.0574, 0.9126, 0.0300])
}

// Angles around 0.
func ExampleVonMises() {
	torch.Scope(func() {
		torch.ManualSeed(0)
		d := distributions.NewVonMises(0.0, 4.0)
		fmt.Println(d, d.Sample(distributions.SampleShape{3}), d.Variance())
	})
	// Output:
	// VonMises(loc: 0.0, concentration: 4.0) tensor([-0.2416, -0.4237, -0.1420]) tensor(0.1365)
}

// The 3 x 3 covariance has 3 + 3 parameters instead of 9.
func ExampleLowRankMultivariateNormal() {
	torch.Scope(func() {
		factor, diag := torch.FromSlice([]float32{1, 0, 2}, 3, 1), torch.Ones(torch.Shape{3})
		d := distributions.NewLowRankMultivariateNormal(torch.Zeros(torch.Shape{3}), factor, diag)
		fmt.Println(d.CovarianceMatrix())
		fmt.Println(d.LogProb(torch.Zeros(torch.Shape{3})))
	})
	// Output:
	// tensor([[2., 0., 2.],
	//         [0., 1., 0.],
	//         [2., 0., 5.]])
	// tensor(-3.6527)
}

// The example draws a random correlation matrix.
func ExampleLKJCholesky() {
	torch.Scope(func() {
		torch.ManualSeed(0)
		l := distributions.NewLKJCholesky(3, 0.5).Sample()
		fmt.Println(l.MatMul(l.MT()))
	})
	// Output:
	// tensor([[ 1.0000,  0.2073, -0.3881],
	//         [ 0.2073,  1.0000, -0.8462],
	//         [-0.3881, -0.8462,  1.0000]])
}

func ExampleWishart() {
	torch.Scope(func() {
		torch.ManualSeed(0)
		d := distributions.NewWishart(3.0, distributions.CovarianceMatrix(torch.Eye(2)))
		fmt.Println(d)
		fmt.Println(d.Mean())
		fmt.Println(d.LogProb(torch.Eye(2)))
	})
	// Output:
	// Wishart(covariance_matrix: torch.Size([2, 2]), df: 3.0)
	// tensor([[3., 0.],
	//         [0., 3.]])
	// tensor(-3.5310)
}

func ExampleGeneralizedPareto() {
	torch.Scope(func() {
		d := distributions.NewGeneralizedPareto(0.0, 1.0, -0.5)
		fmt.Println(d.Support())
		fmt.Println(d.CDF(torch.FromSlice([]float32{0.5, 1, 1.5})))
	})
	// Output:
	// Interval(lower_bound=0.0, upper_bound=2.0)
	// tensor([0.4375, 0.7500, 0.9375])
}
