package distributions_test

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributions"
	"github.com/gotorch/gotorch/torch/distributions/constraints"
)

// The transform computes a positive scale from an unconstrained parameter, which an
// optimizer can update.
func ExampleTransformTo() {
	torch.Scope(func() {
		positive := distributions.TransformTo(constraints.Positive)
		raw := torch.FromSlice([]float32{-1, 0, 1}).RequiresGrad_()
		d := distributions.NewNormal(0.0, positive.Forward(raw))
		d.LogProb(torch.Ones(torch.Shape{3})).Sum().Backward()
		fmt.Println(positive)
		fmt.Println(raw.Grad())
	})
	// Output:
	// ComposeTransform(
	//     ExpTransform(),
	//     AffineTransform()
	// )
	// tensor([ 6.3891,  0.0000, -0.8647])
}

// Stick breaking is a bijection onto the simplex; softmax is not.
func ExampleBijectTo() {
	torch.Scope(func() {
		t := distributions.BijectTo(constraints.Simplex)
		y := t.Forward(torch.FromSlice([]float32{-1, 0, 1}))
		fmt.Println(t, y)
		fmt.Println(t.InverseShape(y.Shape()), t.Bijective())
		fmt.Println(distributions.TransformTo(constraints.Simplex))
	})
	// Output:
	// StickBreakingTransform() tensor([0.1092, 0.2969, 0.4341, 0.1597])
	// (3,) true
	// SoftmaxTransform()
}

// A transform without parameters is a constant.
func ExampleSimpleTransform() {
	torch.Scope(func() {
		t := distributions.SigmoidTransform
		x := torch.FromSlice([]float32{-1, 0, 1})
		y := t.Forward(x)
		fmt.Println(y)
		fmt.Println(t.Inv().Forward(y).Round(torch.Decimals(4))) // or t.Inverse(y)
		fmt.Println(t.LogAbsDetJacobian(x, y))
		fmt.Println(t.Domain(), t.Codomain(), t.Bijective(), t.Sign())
	})
	// Output:
	// tensor([0.2689, 0.5000, 0.7311])
	// tensor([-1.,  0.,  1.])
	// tensor([-1.6265, -1.3863, -1.6265])
	// Real() Interval(lower_bound=0.0, upper_bound=1.0) true 1
}

func ExampleNewAffineTransform() {
	torch.Scope(func() {
		t := distributions.NewAffineTransform(1, torch.FromSlice([]float32{2, -3}))
		x := torch.FromSlice([]float32{1, 1})
		fmt.Println(t.Forward(x))
		fmt.Println(t.LogAbsDetJacobian(x, t.Forward(x)))
		rows := distributions.NewAffineTransform(1, 2, distributions.EventDim(1))
		fmt.Println(rows.LogAbsDetJacobian(x, rows.Forward(x)))
	})
	// Output:
	// tensor([ 3., -2.])
	// tensor([0.6931, 1.0986])
	// tensor(1.3863)
}

func ExampleNewPowerTransform() {
	torch.Scope(func() {
		t := distributions.NewPowerTransform(2)
		fmt.Println(t.Forward(torch.FromSlice([]float32{1, 2, 3})))
		fmt.Println(t.Inverse(torch.FromSlice([]float32{1, 4, 9})))
	})
	// Output:
	// tensor([1., 4., 9.])
	// tensor([1., 2., 3.])
}

func ExampleNewComposeTransform() {
	torch.Scope(func() {
		t := distributions.NewComposeTransform(distributions.ExpTransform, distributions.NewAffineTransform(1, 2))
		fmt.Println(t)
		fmt.Println(t.Forward(torch.Zeros(torch.Shape{2})))
	})
	// Output:
	// ComposeTransform(
	//     ExpTransform(),
	//     AffineTransform()
	// )
	// tensor([3., 3.])
}

func ExampleNewIndependentTransform() {
	torch.Scope(func() {
		t := distributions.NewIndependentTransform(distributions.ExpTransform, 1)
		x := torch.FromSlice([]float32{1, 2, 3, 4}, 2, 2)
		fmt.Println(t.LogAbsDetJacobian(x, t.Forward(x)))
	})
	// Output:
	// tensor([3., 7.])
}

func ExampleNewReshapeTransform() {
	t := distributions.NewReshapeTransform(torch.Shape{6}, torch.Shape{2, 3})
	fmt.Println(t.ForwardShape(torch.Shape{10, 6}))
	// Output:
	// (10, 2, 3)
}

func ExampleNewCatTransform() {
	torch.Scope(func() {
		parts := []distributions.Transform{distributions.ExpTransform, distributions.IdentityTransform}
		t := distributions.NewCatTransform(parts, 0, 1, 2)
		fmt.Println(t.Forward(torch.FromSlice([]float32{0, 0, 1})))
	})
	// Output:
	// tensor([1., 0., 1.])
}

func ExampleNewStackTransform() {
	torch.Scope(func() {
		parts := []distributions.Transform{distributions.ExpTransform, distributions.IdentityTransform}
		t := distributions.NewStackTransform(parts, 1)
		fmt.Println(t.Forward(torch.Zeros(torch.Shape{2, 2})))
	})
	// Output:
	// tensor([[1., 0.],
	//         [1., 0.]])
}

// The example draws from a Gaussian copula: correlated variables, each with a uniform
// distribution.
func ExampleNewCumulativeDistributionTransform() {
	torch.Scope(func() {
		torch.ManualSeed(0)
		cov := torch.FromSlice([]float32{1, 0.9, 0.9, 1}, 2, 2)
		base := distributions.NewMultivariateNormal(torch.Zeros(torch.Shape{2}), distributions.CovarianceMatrix(cov))
		to := distributions.NewCumulativeDistributionTransform(distributions.NewNormal(0, 1))
		copula := distributions.NewTransformedDistribution(base, []distributions.Transform{to})
		fmt.Println(copula.Sample(distributions.SampleShape{3}))
	})
	// Output:
	// tensor([[0.9383, 0.8960],
	//         [0.0147, 0.0433],
	//         [0.1391, 0.0564]])
}

// ArgConstraints gives the region of a parameter. TransformTo maps an unconstrained
// tensor, which an optimizer can update, to this region.
func ExampleNormal_ArgConstraints() {
	torch.Scope(func() {
		d := distributions.NewNormal(0, 1)
		scale := d.ArgConstraints()["scale"]
		free := torch.FromSlice([]float32{-2, 0, 2})
		fmt.Println(scale)
		fmt.Println(distributions.TransformTo(scale).Forward(free))
	})
	// Output:
	// GreaterThan(lower_bound=0.0)
	// tensor([0.1353, 1.0000, 7.3891])
}
