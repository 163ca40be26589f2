package distributions_test

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributions"
)

// The example describes the number of rolls of a die before the first six.
func ExampleGeometric() {
	torch.Scope(func() {
		torch.ManualSeed(0)
		d := distributions.NewGeometric(distributions.Probs(1.0 / 6))
		fmt.Println(d)
		fmt.Println(d.Mean())
		fmt.Println(d.Sample(distributions.SampleShape{3}))
	})
	// Output:
	// Geometric(probs: 0.1666666716337204)
	// tensor(5.)
	// tensor([ 3.,  1., 13.])
}

// The example describes the number of heads in ten tosses of a coin.
func ExampleBinomial() {
	torch.Scope(func() {
		torch.ManualSeed(0)
		d := distributions.NewBinomial(10, distributions.Probs(0.5))
		fmt.Println(d)
		fmt.Println(d.Sample(distributions.SampleShape{3}))
		fmt.Println(d.LogProb(torch.FromSlice([]float32{4, 5, 6})))
	})
	// Output:
	// Binomial(total_count: 10.0, probs: 0.5)
	// tensor([7., 5., 5.])
	// tensor([-1.5844, -1.4020, -1.5844])
}

// A negative binomial distribution describes counts with a larger variance than a Poisson
// distribution.
func ExampleNegativeBinomial() {
	torch.Scope(func() {
		torch.ManualSeed(0)
		d := distributions.NewNegativeBinomial(5.0, distributions.Probs(torch.FromSlice([]float32{0.2, 0.5})))
		fmt.Println(d)
		fmt.Println(d.Mean())
		fmt.Println(d.Variance())
	})
	// Output:
	// NegativeBinomial(total_count: torch.Size([2]), probs: torch.Size([2]))
	// tensor([1.2500, 5.0000])
	// tensor([ 1.5625, 10.0000])
}

// The example describes the number of events in a second, with four on average.
func ExamplePoisson() {
	torch.Scope(func() {
		torch.ManualSeed(0)
		d := distributions.NewPoisson(4.0)
		fmt.Println(d)
		fmt.Println(d.Sample(distributions.SampleShape{3}))
		fmt.Println(d.LogProb(torch.FromSlice([]float32{0, 4})))
	})
	// Output:
	// Poisson(rate: 4.0)
	// tensor([7., 3., 5.])
	// tensor([-4.0000, -1.6329])
}

// The samples are categories as one-hot vectors.
func ExampleOneHotCategorical() {
	torch.Scope(func() {
		torch.ManualSeed(0)
		d := distributions.NewOneHotCategorical(distributions.Probs(torch.FromSlice([]float32{0.2, 0.3, 0.5})))
		fmt.Println(d)
		fmt.Println(d.Sample(distributions.SampleShape{2}))
		fmt.Println(d.EnumerateSupport())
	})
	// Output:
	// OneHotCategorical()
	// tensor([[0., 0., 1.],
	//         [0., 0., 1.]])
	// tensor([[1., 0., 0.],
	//         [0., 1., 0.],
	//         [0., 0., 1.]])
}

// A sample has the count of each of three categories in six draws.
func ExampleMultinomial() {
	torch.Scope(func() {
		torch.ManualSeed(0)
		d := distributions.NewMultinomial(6, distributions.Probs(torch.FromSlice([]float32{1, 1, 2})))
		fmt.Println(d)
		fmt.Println(d.Sample())
		fmt.Println(d.Mean())
	})
	// Output:
	// Multinomial()
	// tensor([0., 1., 5.])
	// tensor([1.5000, 1.5000, 3.0000])
}
