package distributions_test

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributions"
	"github.com/gotorch/gotorch/torch/distributions/constraints"
)

// Example draws a sample with gradients, as a variational autoencoder does.
func Example() {
	torch.Scope(func() {
		torch.ManualSeed(0)
		mean := torch.FromSlice([]float32{0, 1}).RequiresGrad_()
		logStd := torch.FromSlice([]float32{0, -1}).RequiresGrad_()
		code := distributions.NewNormal(mean, logStd.Exp())
		z := code.RSample()
		z.Square().Sum().Backward() // stands for a decoder and its loss
		fmt.Println(z)
		fmt.Println(mean.Grad())
		fmt.Println(logStd.Grad())
	})
	// Output:
	// tensor([1.5410, 0.8921], grad_fn=<AddBackward0>)
	// tensor([3.0820, 1.7841])
	// tensor([ 4.7493, -0.1926])
}

func ExampleNormal() {
	loc := torch.FromSlice([]float32{0, 1})
	defer loc.Close()
	d := distributions.NewNormal(loc, 2)
	defer d.Close() // frees the scale, which NewNormal made; loc belongs to the caller
	torch.Scope(func() {
		fmt.Println(d, d.BatchShape(), d.EventShape())
		fmt.Println(d.LogProb(torch.FromSlice([]float32{0, 0})))
		fmt.Println(d.CDF(torch.FromSlice([]float32{0, 0})))
		fmt.Println(d.Entropy())
		torch.ManualSeed(0)
		fmt.Println(d.Sample(distributions.SampleShape{3}))
	})
	// Output:
	// Normal(loc: torch.Size([2]), scale: torch.Size([2])) (2,) ()
	// tensor([-1.6121, -1.7371])
	// tensor([0.5000, 0.3085])
	// tensor([2.1121, 2.1121])
	// tensor([[ 3.0820,  0.4131],
	//         [-4.3576,  2.1369],
	//         [-2.1690, -1.7972]])
}

// A policy learns which of three arms of a bandit pays best (REINFORCE). Its loss is the
// negative log probability of the action times the reward.
func ExampleCategorical() {
	torch.ManualSeed(0)
	scores := torch.Zeros(torch.Shape{3}, torch.RequiresGrad(true))
	defer scores.Close()
	pays := []float64{0.2, 1, 0.5}
	for range 200 {
		torch.Scope(func() {
			policy := distributions.NewCategorical(distributions.Logits(scores))
			action := policy.Sample()
			reward := pays[action.ItemInt()]
			loss := policy.LogProb(action).MulScalar(-reward)
			step := torch.Grad([]*torch.Tensor{loss}, []*torch.Tensor{scores})[0]
			torch.NoGrad(func() { scores.Sub_(step.MulScalar(0.5)) })
		})
	}
	torch.Scope(func() {
		policy := distributions.NewCategorical(distributions.Logits(scores))
		fmt.Println(policy)
		fmt.Println("best:", policy.Mode().ItemInt(), policy.Probs().Index(1).Item() > 0.9)
	})
	// Output:
	// Categorical(logits: torch.Size([3]))
	// best: 1 true
}

func ExampleBernoulli() {
	torch.Scope(func() {
		torch.ManualSeed(0)
		d := distributions.NewBernoulli(distributions.Probs(0.3))
		fmt.Println(d)
		fmt.Println(d.Sample(distributions.SampleShape{5}))
		fmt.Println(d.EnumerateSupport())
		fmt.Println(d.Logits())
		fmt.Println(d.Entropy())
	})
	// Output:
	// Bernoulli(probs: 0.30000001192092896)
	// tensor([0., 0., 1., 1., 0.])
	// tensor([0., 1.])
	// tensor(-0.8473)
	// tensor(0.6109)
}

// The gradient of a sample passes to the probabilities unchanged.
func ExampleOneHotCategoricalStraightThrough() {
	torch.Scope(func() {
		torch.ManualSeed(0)
		scores := torch.FromSlice([]float32{1, 2, 3}).RequiresGrad_()
		d := distributions.NewOneHotCategoricalStraightThrough(distributions.Logits(scores))
		x := d.RSample(distributions.SampleShape{2})
		x.Mul(torch.FromSlice([]float32{1, 0, 0})).Sum().Backward()
		fmt.Println(x.Detach())
		fmt.Println(scores.Grad())
	})
	// Output:
	// tensor([[0., 0., 1.],
	//         [0., 0., 1.]])
	// tensor([ 0.1639, -0.0441, -0.1198])
}

// An invalid parameter panics. [torch.Try] returns the error.
func ExampleValidateArgs() {
	scale := torch.FromSlice([]float32{1, -2})
	defer scale.Close()
	err := torch.Try(func() { distributions.NewNormal(0, scale) })
	fmt.Println(err)
	d := distributions.NewNormal(0, scale, distributions.ValidateArgs(false))
	defer d.Close()
	fmt.Println(d.Support() == constraints.Real)
	// Output:
	// torch: distributions.NewNormal: argument scale: expected the tensor of shape (2,), of distribution Normal(loc: torch.Size([2]), scale: torch.Size([2])), to satisfy the constraint GreaterThan(lower_bound=0.0), but found invalid values:
	// tensor([ 1., -2.])
	// true
}
