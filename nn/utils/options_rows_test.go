package utils_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/nn/utils"
	"github.com/gotorch/gotorch/torch"
)

// Each option of each function alone, after another value, and beside a nil one.
func TestOptionRows(t *testing.T) {
	values := optiontest.Values
	// A gradient of numbers, and one that has no finite norm.
	gradients := [][]float32{{3, -4}, {float32(math.Inf(1)), 0}}
	shown := func(run func(ps []*torch.Tensor) *torch.Tensor) optiontest.Outcome {
		var text string
		for _, g := range gradients {
			torch.Scope(func() {
				p := torch.Zeros(torch.Shape{2}, torch.RequiresGrad)
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
	foreach := values(utils.Foreach(false), utils.Foreach(true)).Hides("does", "on the CPU both give the same bits")
	norms := []optiontest.Pair{
		foreach,
		values(utils.NormType(0), utils.NormType(1)),
		values(utils.ErrorIfNonfinite(true), utils.ErrorIfNonfinite(false)),
	}
	transposed := values(utils.Transpose(true), utils.Transpose(false))
	name := values(utils.Name("other"), utils.Name("weight"))
	dim := values(utils.Dim(1), utils.Dim(0))
	scoped(t, func() {
		optiontest.Read(t, ".", "internal/reparam").Run(t, map[string]optiontest.Row{
			"ClipGradNorm": optiontest.For(func(opts ...utils.GradNormOption) optiontest.Outcome {
				return shown(func(ps []*torch.Tensor) *torch.Tensor { return utils.ClipGradNorm(ps, 1, opts...) })
			}, norms...),
			"GradNorm": optiontest.For(func(opts ...utils.GradNormOption) optiontest.Outcome {
				return shown(func(ps []*torch.Tensor) *torch.Tensor { return utils.GradNorm(ps, opts...) })
			}, norms...),
			"ClipGradValue": optiontest.For(func(opts ...utils.ClipValueOption) optiontest.Outcome {
				return shown(func(ps []*torch.Tensor) *torch.Tensor {
					utils.ClipGradValue(ps, 1, opts...)
					return nil
				})
			}, foreach),
			"ClipGradsWithNorm": optiontest.For(func(opts ...utils.ClipValueOption) optiontest.Outcome {
				return shown(func(ps []*torch.Tensor) *torch.Tensor {
					utils.ClipGradsWithNorm(ps, 1, torch.Full(torch.Shape{}, 5.0), opts...)
					return nil
				})
			}, foreach),
			"TotalNorm": optiontest.For(func(opts ...utils.GradNormOption) optiontest.Outcome {
				return shown(func(ps []*torch.Tensor) *torch.Tensor {
					return utils.TotalNorm([]*torch.Tensor{ps[0].Grad()}, opts...)
				})
			}, norms...),
			"WeightNorm": optiontest.For(func(opts ...utils.WeightNormOption) optiontest.Outcome {
				return normed(func(m nn.Module) { utils.WeightNorm(m, opts...) })
			}, name, dim),
			"SpectralNorm": optiontest.For(func(opts ...utils.SpectralNormOption) optiontest.Outcome {
				return normed(func(m nn.Module) { utils.SpectralNorm(m, opts...) })
			}, name, dim, values(utils.NPowerIterations(5), utils.NPowerIterations(1)),
				values(utils.Eps(3), utils.Eps(0))),
			"FuseConvBNEval": optiontest.For(func(opts ...utils.FuseConvOption) (o optiontest.Outcome) {
				torch.Scope(func() {
					conv, bn := nn.NewConvTranspose1d(2, 2, 1), nn.NewBatchNorm1d(2)
					defer func() { _, _ = conv.Close(), bn.Close() }()
					torch.NoGrad(func() {
						bn.RunningVar.Copy_(torch.FromSlice([]float32{1, 4}))
						conv.Weight.Fill_(1)
					})
					conv.Eval()
					bn.Eval()
					twin := utils.FuseConvBNEval(conv, bn, opts...)
					defer func() { _ = twin.Close() }()
					o = optiontest.Outcome{"does": twin.StateDict()[:1].String()}
				})
				return o
			}, transposed),
			"FuseConvBNWeights": optiontest.For(func(opts ...utils.FuseConvOption) (o optiontest.Outcome) {
				torch.Scope(func() {
					w, v := torch.Ones(torch.Shape{2, 2, 1}), torch.FromSlice([]float32{1, 4})
					weight, bias := utils.FuseConvBNWeights(w, nil, v, v, 0, nil, nil, opts...)
					defer func() { _, _ = weight.Close(), bias.Close() }()
					o = optiontest.Outcome{"does": weight.String()}
				})
				return o
			}, transposed),
		})
	})
}

// normed says what a function makes of a module with two matrices.
func normed(apply func(m nn.Module)) optiontest.Outcome {
	torch.ManualSeed(1)
	m := nn.NewParameterDict().Add("weight", torch.Disown(torch.Rand(torch.Shape{2, 3}))).Add("other", torch.Disown(torch.Rand(torch.Shape{2, 3})))
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
