package distributions_test

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributions"
)

// All numbers between low and high are equally likely.
func ExampleUniform() {
	torch.Scope(func() {
		torch.ManualSeed(0)
		d := distributions.NewUniform(-1.0, 1.0)
		fmt.Println(d)
		fmt.Println(d.Sample(distributions.SampleShape{3}))
		fmt.Println(d.CDF(torch.FromSlice([]float32{-0.5, 0, 0.5})))
	})
	// Output:
	// Uniform(low: -1.0, high: 1.0)
	// tensor([-0.0075,  0.5364, -0.8230])
	// tensor([0.2500, 0.5000, 0.7500])
}

// A Laplace distribution describes errors with heavier tails than a normal distribution.
func ExampleLaplace() {
	torch.Scope(func() {
		torch.ManualSeed(0)
		d := distributions.NewLaplace(torch.FromSlice([]float32{0, 1}), 2.0)
		fmt.Println(d)
		fmt.Println(d.Sample(distributions.SampleShape{3}))
		fmt.Println(d.LogProb(torch.FromSlice([]float32{0.5, 0.5})))
	})
	// Output:
	// Laplace(loc: torch.Size([2]), scale: torch.Size([2]))
	// tensor([[-0.0150,  2.5377],
	//         [-3.4637, -1.6631],
	//         [-0.9728,  1.6244]])
	// tensor([-1.6363, -1.6363])
}

// The distribution has no mean, but a median and quantiles.
func ExampleCauchy() {
	torch.Scope(func() {
		torch.ManualSeed(0)
		d := distributions.NewCauchy(0.0, 1.0)
		fmt.Println(d)
		fmt.Println(d.Mean())
		fmt.Println(d.ICDF(torch.FromSlice([]float32{0.25, 0.5, 0.75})))
	})
	// Output:
	// Cauchy(loc: 0.0, scale: 1.0)
	// tensor(nan)
	// tensor([-1.,  0.,  1.])
}

// The variance is infinite for few degrees of freedom.
func ExampleStudentT() {
	torch.Scope(func() {
		torch.ManualSeed(0)
		d := distributions.NewStudentT(torch.FromSlice([]float32{2, 3}), 0.0, 1.0)
		fmt.Println(d)
		fmt.Println(d.Variance())
		fmt.Println(d.Sample(distributions.SampleShape{3}))
	})
	// Output:
	// StudentT(df: torch.Size([2]), loc: torch.Size([2]), scale: torch.Size([2]))
	// tensor([inf, 3.])
	// tensor([[ 1.5016, -0.2356],
	//         [-4.0561,  0.5938],
	//         [-3.1469, -1.4999]])
}

// The example describes the time until the third event, with two events per second on
// average.
func ExampleGamma() {
	torch.Scope(func() {
		torch.ManualSeed(0)
		d := distributions.NewGamma(3.0, 2.0)
		fmt.Println(d)
		fmt.Println(d.Mean())
		fmt.Println(d.CDF(torch.FromSlice([]float32{1, 2, 3})))
	})
	// Output:
	// Gamma(concentration: 3.0, rate: 2.0)
	// tensor(1.5000)
	// tensor([0.3233, 0.7619, 0.9380])
}

// Chi2 describes the sum of the squares of three standard normal variables.
func ExampleChi2() {
	torch.Scope(func() {
		torch.ManualSeed(0)
		d := distributions.NewChi2(3.0)
		fmt.Println(d)
		fmt.Println(d.Mean())
		fmt.Println(d.Sample(distributions.SampleShape{3}))
	})
	// Output:
	// Chi2()
	// tensor(3.)
	// tensor([7.4963, 1.7551, 0.6871])
}

// An exponential distribution describes the time until the next event.
func ExampleExponential() {
	torch.Scope(func() {
		torch.ManualSeed(0)
		d := distributions.NewExponential(torch.FromSlice([]float32{0.5, 2}))
		fmt.Println(d)
		fmt.Println(d.Mean())
		fmt.Println(d.CDF(torch.FromSlice([]float32{1, 1})))
	})
	// Output:
	// Exponential(rate: torch.Size([2]))
	// tensor([2.0000, 0.5000])
	// tensor([0.3935, 0.8647])
}

// The example is the posterior distribution of a probability after 7 successes and 3
// failures.
func ExampleBeta() {
	torch.Scope(func() {
		torch.ManualSeed(0)
		d := distributions.NewBeta(8.0, 4.0)
		fmt.Println(d)
		fmt.Println(d.Mean())
		fmt.Println(d.Variance())
	})
	// Output:
	// Beta()
	// tensor(0.6667)
	// tensor(0.0171)
}

// The example draws random probabilities of three categories.
func ExampleDirichlet() {
	torch.Scope(func() {
		torch.ManualSeed(0)
		d := distributions.NewDirichlet(torch.FromSlice([]float32{1, 2, 3}))
		fmt.Println(d)
		fmt.Println(d.Sample())
		fmt.Println(d.Mean())
	})
	// Output:
	// Dirichlet(concentration: torch.Size([3]))
	// tensor([0.5282, 0.2411, 0.2307])
	// tensor([0.1667, 0.3333, 0.5000])
}

// The example describes the ratio of two variances, estimated from 5 and 11 values.
func ExampleFisherSnedecor() {
	torch.Scope(func() {
		torch.ManualSeed(0)
		d := distributions.NewFisherSnedecor(4.0, 10.0)
		fmt.Println(d)
		fmt.Println(d.Mean())
		fmt.Println(d.Sample(distributions.SampleShape{3}))
	})
	// Output:
	// FisherSnedecor(df1: 4.0, df2: 10.0)
	// tensor(1.2500)
	// tensor([5.0574, 1.0032, 0.4041])
}

// The values are the brightness of pixels, between 0 and 1.
func ExampleContinuousBernoulli() {
	torch.Scope(func() {
		torch.ManualSeed(0)
		d := distributions.NewContinuousBernoulli(distributions.Logits(torch.FromSlice([]float32{-1, 0, 1})))
		fmt.Println(d)
		fmt.Println(d.Mean())
		fmt.Println(d.Sample(distributions.SampleShape{3}))
	})
	// Output:
	// ContinuousBernoulli(logits: torch.Size([3]))
	// tensor([0.4180, 0.5000, 0.5820])
	// tensor([[0.3764, 0.7682, 0.1415],
	//         [0.0871, 0.3074, 0.7369],
	//         [0.3708, 0.8964, 0.5782]])
}
