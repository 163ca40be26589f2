package utils_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/gotorch/gotorch/internal/optiontest"
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
	scoped(t, func() {
		optiontest.Read(t, ".").Run(t, map[string]optiontest.Row{
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
		})
	})
}
