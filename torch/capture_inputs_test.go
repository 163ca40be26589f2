package torch_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
)

// Columns, transposed rows and every second element are valid inputs of graphs. The step sees their
// strides.
func TestByShapeStridedInputs(t *testing.T) {
	for name, part := range map[string]func(table *torch.Tensor) *torch.Tensor{
		"columns":    func(x *torch.Tensor) *torch.Tensor { return x.Narrow(1, 2, 3) },
		"transposed": func(x *torch.Tensor) *torch.Tensor { return x.Narrow(0, 1, 3).T() },
		"steps":      func(x *torch.Tensor) *torch.Tensor { return x.Index(torch.All, torch.SliceStep(0, 6, 2)) },
		"a column":   func(x *torch.Tensor) *torch.Tensor { return x.Select(1, 3) },
	} {
		t.Run(name, func(t *testing.T) {
			defer torchtest.CheckLeaks(t)()
			torch.Scope(func() {
				var strides []string
				step := torch.CaptureByShape(func(in []*torch.Tensor) []*torch.Tensor {
					strides = append(strides, fmt.Sprint(in[0].Stride()))
					return []*torch.Tensor{in[0].Square().Sum(torch.Dim(0))}
				})
				defer step.Close()
				for range 6 {
					x := part(torch.Randn(torch.Shape{5, 8}))
					require.True(t, x.Square().Sum(torch.Dim(0)).Equal(step.Call(x)[0]))
					assert.Equal(t, fmt.Sprint(x.Stride()), strides[len(strides)-1])
				}
				assert.Empty(t, step.Refused())
				assert.Less(t, len(strides), 6, "no graph was replayed")
			})
		})
	}
	torch.Scope(func() {
		step := torch.CaptureByShape(func(in []*torch.Tensor) []*torch.Tensor { return []*torch.Tensor{in[0].Neg()} })
		defer step.Close()
		for range 4 {
			step.Call(torch.Randn(torch.Shape{3, 1}).Expand(3, 4))
		}
		require.Len(t, step.Refused(), 1)
		assert.Contains(t, step.Refused()[0], "pass the result of Contiguous()")
	})
}

// An input accepts values that its dtype can represent.
func TestFeedConverts(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		index := torch.Zeros(torch.Shape{2}, torch.Int64)
		g := torch.Capture(func() []*torch.Tensor { return []*torch.Tensor{index.AddScalar(1)} }, torch.Inputs{index})
		defer g.Close()
		for _, bad := range []*torch.Tensor{torch.Ones(torch.Shape{2}), torch.Ones(torch.Shape{2}, torch.Complex64)} {
			for _, call := range []func(){func() { g.Feed(bad) }, func() { g.Call(bad) }} {
				err := torch.Try(call)
				require.ErrorIs(t, err, torch.ErrType)
				assert.ErrorContains(t, err, "input 0 has dtype "+bad.DType().String())
			}
		}
		assert.Equal(t, []int64{4, 5}, g.Call(torch.FromSlice([]int32{3, 4}))[0].Int64s())
	})
}

// Graphs add up the gradients of several batches. The program drops the gradients and
// updates the weights outside of the graphs.
func TestByShapeMicroSteps(t *testing.T) {
	for _, n := range []int{2, 3, 4} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			defer torchtest.CheckLeaks(t)()
			type training struct {
				w    *torch.Tensor
				opt  *optim.AdamW
				runs int
			}
			made := func() *training {
				torch.ManualSeed(1)
				w := torch.Disown(torch.Randn(torch.Shape{4, 2})).RequiresGrad_()
				return &training{w: w, opt: optim.NewAdamW([]*torch.Tensor{w}, optim.LR(0.1))}
			}
			a, b := made(), made()
			micro := func(r *training) func(in []*torch.Tensor) []*torch.Tensor {
				return func(in []*torch.Tensor) []*torch.Tensor {
					r.runs++
					l := in[0].MatMul(r.w).Square().Mean()
					l.Backward()
					return []*torch.Tensor{l}
				}
			}
			for _, r := range []*training{a, b} {
				defer r.w.Close()
				defer r.opt.Close()
			}
			eager, graphs := micro(a), torch.CaptureByShape(micro(b))
			defer graphs.Close()
			const rounds = 12
			for round := range rounds {
				for i := range n {
					torch.Scope(func() {
						x := torch.Randn(torch.Shape{3, 4})
						require.True(t, eager([]*torch.Tensor{x})[0].Equal(graphs.Call(x)[0]))
						require.True(t, a.w.Grad().Equal(b.w.Grad()), "round %d, %d", round, i)
					})
				}
				a.opt.Step()
				b.opt.Step()
				a.opt.ZeroGrad()
				b.opt.ZeroGrad()
				require.True(t, a.w.Equal(b.w))
			}
			assert.Empty(t, graphs.Refused())
			assert.Less(t, b.runs, rounds*n/2, "few calls were replays")
		})
	}
}
