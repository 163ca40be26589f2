package nnutil_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/nn/nnutil"
	"github.com/gotorch/gotorch/torch"
)

// Tests each option of each function: alone, after the same option with a different
// value, and together with a nil option.
func TestOptionRows(t *testing.T) {
	values := optiontest.Values
	// The first gradient is finite, and the norm of the second is not.
	gradients := [][]float32{{3, -4}, {float32(math.Inf(1)), 0}}
	shown := func(run func(ps []*torch.Tensor) *torch.Tensor) optiontest.Outcome {
		var text string
		for _, g := range gradients {
			torch.Scope(func() {
				p := torch.Zeros(torch.Shape{2}, torch.RequiresGrad(true))
				p.SetGrad(torch.FromSlice(g))
				err := torch.Try(func() {
					if norm := run([]*torch.Tensor{p}); norm != nil {
						text += fmt.Sprintln(norm.Item())
					}
				})
				if err != nil {
					if !strings.Contains(err.Error(), "is not finite") {
						panic(err)
					}
					text += "refused "
				}
				text += fmt.Sprintln(p.Grad().Float32s())
			})
		}
		return optiontest.Outcome{"does": text}
	}
	foreach := values(nnutil.Foreach(false), nnutil.Foreach(true)).Hides("does", "on the CPU both give the same bits")
	norms := []optiontest.Pair{
		foreach,
		values(nnutil.NormType(0), nnutil.NormType(1)),
		values(nnutil.ErrorIfNonfinite(true), nnutil.ErrorIfNonfinite(false)),
	}
	transposed := values(nnutil.Transpose(true), nnutil.Transpose(false))
	name := values(nnutil.Name("other"), nnutil.Name("weight"))
	dim := values(nnutil.Dim(1), nnutil.Dim(0))
	scoped(t, func() {
		optiontest.Read(t, ".", "../internal/reparam").Run(t, map[string]optiontest.Row{
			"ClipGradNorm_": optiontest.For(func(opts ...nnutil.GradNormOption) optiontest.Outcome {
				return shown(func(ps []*torch.Tensor) *torch.Tensor { return nnutil.ClipGradNorm_(ps, 1, opts...) })
			}, norms...),
			"GradNorm": optiontest.For(func(opts ...nnutil.GradNormOption) optiontest.Outcome {
				return shown(func(ps []*torch.Tensor) *torch.Tensor { return nnutil.GradNorm(ps, opts...) })
			}, norms...),
			"ClipGradValue_": optiontest.For(func(opts ...nnutil.ClipValueOption) optiontest.Outcome {
				return shown(func(ps []*torch.Tensor) *torch.Tensor {
					nnutil.ClipGradValue_(ps, 1, opts...)
					return nil
				})
			}, foreach),
			"ClipGradsWithNorm_": optiontest.For(func(opts ...nnutil.ClipValueOption) optiontest.Outcome {
				return shown(func(ps []*torch.Tensor) *torch.Tensor {
					nnutil.ClipGradsWithNorm_(ps, 1, torch.Full(torch.Shape{}, 5.0), opts...)
					return nil
				})
			}, foreach),
			"TotalNorm": optiontest.For(func(opts ...nnutil.GradNormOption) optiontest.Outcome {
				return shown(func(ps []*torch.Tensor) *torch.Tensor {
					return nnutil.TotalNorm([]*torch.Tensor{ps[0].Grad()}, opts...)
				})
			}, norms...),
			"WeightNorm": optiontest.For(func(opts ...nnutil.WeightNormOption) optiontest.Outcome {
				return normed(func(m nn.Module) { nnutil.WeightNorm(m, opts...) })
			}, name, dim),
			"SpectralNorm": optiontest.For(func(opts ...nnutil.SpectralNormOption) optiontest.Outcome {
				return normed(func(m nn.Module) { nnutil.SpectralNorm(m, opts...) })
			}, name, dim, values(nnutil.NPowerIterations(5), nnutil.NPowerIterations(1)),
				values(nnutil.Eps(3), nnutil.Eps(0))),
			"FuseConvBNEval": optiontest.For(func(opts ...nnutil.FuseConvOption) (o optiontest.Outcome) {
				torch.Scope(func() {
					conv, bn := nn.NewConvTranspose1d(2, 2, 1), nn.NewBatchNorm1d(2)
					defer func() { _, _ = conv.Close(), bn.Close() }()
					torch.NoGrad(func() {
						bn.RunningVar.Copy_(torch.FromSlice([]float32{1, 4}))
						conv.Weight.Fill_(1)
					})
					conv.Eval()
					bn.Eval()
					twin := nnutil.FuseConvBNEval(conv, bn, opts...)
					defer func() { _ = twin.Close() }()
					o = optiontest.Outcome{"does": twin.StateDict()[:1].String()}
				})
				return o
			}, transposed),
			"FuseConvBNWeights": optiontest.For(func(opts ...nnutil.FuseConvOption) (o optiontest.Outcome) {
				torch.Scope(func() {
					w, v := torch.Ones(torch.Shape{2, 2, 1}), torch.FromSlice([]float32{1, 4})
					weight, bias := nnutil.FuseConvBNWeights(w, nil, v, v, 0, nil, nil, opts...)
					defer func() { _, _ = weight.Close(), bias.Close() }()
					o = optiontest.Outcome{"does": weight.String()}
				})
				return o
			}, transposed),
		})
	})
}

// normed applies a function to a module with two matrices and describes the result.
func normed(apply func(m nn.Module)) optiontest.Outcome {
	torch.ManualSeed(1)
	m := nn.NewParameterDict().Add("weight", torch.Disown(torch.Rand(torch.Shape{2, 3}))).Add("other",
		torch.Disown(torch.Rand(torch.Shape{2, 3})))
	defer m.Close()
	apply(m)
	text := m.StateDict().String()
	torch.Scope(func() {
		for _, name := range []string{"weight", "other"} {
			if m.IsDerived(name) {
				text += m.Derived(name).Detach().String()
			}
		}
	})
	return optiontest.Outcome{"does": text}
}
