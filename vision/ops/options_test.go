package ops_test

import (
	"testing"

	"github.com/gotorch/gotorch/internal/compilefail"
	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torchtest"
	"github.com/gotorch/gotorch/vision/ops"
)

// printed returns a layer's text as the outcome of a test case.
func printed(l nn.Layer) optiontest.Outcome {
	defer l.Close()
	return optiontest.Outcome{"printed": l.String()}
}

// TestOptions tests each option alone, after another value, and next to a nil option.
func TestOptions(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	values, refused := optiontest.Values, optiontest.Refused
	group := ops.NormLayer(func(n int64) nn.Layer { return nn.NewGroupNorm(2, n) })
	parent := new(nn.Base)
	parent.Init(root{parent})
	registered := func(l nn.Layer) optiontest.Outcome {
		name := ""
		for _, c := range parent.Children() {
			name = c.Name
			parent.Unregister(name)
		}
		return optiontest.Outcome{"printed": l.String(), "name": name}
	}
	init := []optiontest.Pair{
		values(nn.TypeName("A"), nn.TypeName("B")).Hides("name", "it is for printing"),
		values(parent.As("a"), parent.As("b")).Hides("printed", "a layer does not print its own name"),
	}
	optiontest.Read(t, ".", "../../nn").Run(t, map[string]optiontest.Row{
		"NewConv2dNormActivation": optiontest.For(func(opts ...ops.Conv2dNormActivationOption) optiontest.Outcome {
			return printed(ops.NewConv2dNormActivation(4, 6, opts...))
		}, values(ops.KernelSize(5), ops.KernelSize(3)), values(ops.KernelSizes{3, 1}, ops.KernelSize(1)),
			refused(ops.KernelSizes{3}),
			values(ops.Stride(2), ops.Stride(1)), values(ops.Strides{2, 1}, ops.Strides{1, 2}),
			refused(ops.Strides(nil)),
			values(ops.Padding(0), ops.Padding(2)), values(ops.Paddings{1, 0}, ops.Padding(0)),
			refused(ops.Paddings{1, 2, 3}),
			values(ops.Dilation(2), ops.Dilation(1)), values(ops.Dilations{2, 1}, ops.Dilations{1, 1}),
			refused(ops.Dilations{1}),
			values(ops.Groups(2), ops.Groups(1)), refused(ops.Groups(3)), values(ops.Bias(true), ops.Bias(false)),
			values(group, ops.NormLayer(nil)), values(ops.ActivationLayer(silu), ops.ActivationLayer(nil)),
			values(ops.Inplace(false), ops.Inplace(true))),
		"NewSqueezeExcitation": optiontest.For(func(opts ...ops.SqueezeExcitationOption) optiontest.Outcome {
			return printed(ops.NewSqueezeExcitation(4, 2, opts...))
		}, values(ops.Activation(func() nn.Layer { return nn.NewTanh() }), ops.Activation(nil)),
			values(ops.ScaleActivation(func() nn.Layer { return nn.NewTanh() }), ops.ScaleActivation(nil))),
		"NewMLP": optiontest.For(func(opts ...ops.MLPOption) optiontest.Outcome {
			return printed(ops.NewMLP(4, []int64{6, 2}, opts...))
		}, values(group, ops.NormLayer(nil)), values(ops.ActivationLayer(silu), ops.ActivationLayer(nil)),
			values(ops.Inplace(true), ops.Inplace(false)),
			values(ops.Bias(false), ops.Bias(true)), values(ops.Dropout(0.5), ops.Dropout(0)), refused(ops.Dropout(2))),
		"NewStochasticDepth": optiontest.For(func(opts ...nn.InitOption) optiontest.Outcome {
			return registered(ops.NewStochasticDepth(0.5, ops.ModeRow, opts...))
		}, init...),
		"NewPermute": optiontest.For(func(opts ...nn.InitOption) optiontest.Outcome {
			return registered(ops.NewPermute([]int64{1, 0}, opts...))
		}, init...),
	})
}

// root is a module in which tests register layers.
type root struct{ *nn.Base }

// Passing an option that a constructor does not have is a compile error.
func TestForeignOptions(t *testing.T) {
	s := compilefail.Scope{Imports: []string{"github.com/gotorch/gotorch/vision/ops", "github.com/gotorch/gotorch/nn"}}
	s.Accepts(t, "ops.NewConv2dNormActivation(3, 8, ops.KernelSize(1), ops.NormLayer(nil))",
		"ops.NewMLP(3, []int64{4}, ops.Dropout(0.1))")
	s.Rejects(t, "ops.NewConv2dNormActivation(3, 8, nn.Stride(2))", "ops.NewSqueezeExcitation(4, 2, ops.Bias(true))",
		"ops.NewMLP(3, []int64{4}, ops.Groups(1))", "ops.NewStochasticDepth(0.5)")
}
