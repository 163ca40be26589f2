package nninit_test

import (
	"fmt"
	"testing"

	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/nn/nninit"
	"github.com/gotorch/gotorch/torch"
)

// Tests each option of each function: alone, after the same option with a different
// value, and together with a nil option.
func TestOptionRows(t *testing.T) {
	torch.Scope(func() {
		values := optiontest.Values
		seeded := func() any { return nninit.Generator(torch.NewGenerator(torch.CPU).ManualSeed(1)) }
		drawn := values(seeded, nninit.Generator(nil))
		weight := torch.Zeros(torch.Shape{6, 2, 2})
		scaled := []optiontest.Pair{drawn, values(nninit.Gain(0), nninit.Gain(2))}
		kaiming := []optiontest.Pair{
			drawn,
			values(nninit.A(0), nninit.A(2)),
			values(nninit.ModeFanOut, nninit.ModeFanIn),
			values(nninit.NonlinearityTanh, nninit.Nonlinearity("relu")),
		}
		optiontest.Read(t, ".").Run(t, map[string]optiontest.Row{
			"Uniform_": filling(func(t *torch.Tensor, opts ...nninit.Option) *torch.Tensor {
				return nninit.Uniform_(t, 0, 1, opts...)
			}, drawn),
			"Normal_": filling(func(t *torch.Tensor, opts ...nninit.Option) *torch.Tensor {
				return nninit.Normal_(t, 0, 1, opts...)
			}, drawn),
			"TruncNormal_": filling(nninit.TruncNormal_, drawn,
				values(nninit.Mean(0), nninit.Mean(1)),
				values(nninit.Std(0.5), nninit.Std(1)),
				values(nninit.A(0), nninit.A(-1)),
				values(nninit.B(0), nninit.B(1)),
			),
			"KaimingUniform_": filling(nninit.KaimingUniform_, kaiming...),
			"KaimingNormal_":  filling(nninit.KaimingNormal_, kaiming...),
			"XavierUniform_":  filling(nninit.XavierUniform_, scaled...),
			"XavierNormal_":   filling(nninit.XavierNormal_, scaled...),
			"Orthogonal_":     filling(nninit.Orthogonal_, scaled...),
			"Sparse_": filling(func(t *torch.Tensor, opts ...nninit.SparseOption) *torch.Tensor {
				return nninit.Sparse_(t, 0.3, opts...)
			},
				drawn, values(nninit.Std(0), nninit.Std(1))),
			"Dirac_": optiontest.For(func(opts ...nninit.DiracOption) optiontest.Outcome {
				return optiontest.Outcome{"elements": fmt.Sprint(nninit.Dirac_(weight, opts...).Float32s())}
			}, values(nninit.Groups(3), nninit.Groups(2))),
		})
	})
}

// filling returns the row of a function that draws the elements of a tensor.
func filling[O any](draw func(t *torch.Tensor, opts ...O) *torch.Tensor, pairs ...optiontest.Pair) optiontest.Row {
	x := torch.Zeros(torch.Shape{6, 4})
	return optiontest.For(func(opts ...O) optiontest.Outcome {
		torch.ManualSeed(3)
		return optiontest.Outcome{"elements": fmt.Sprint(draw(x, opts...).Float32s())}
	}, pairs...)
}
