package amp_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/amp"
	"github.com/gotorch/gotorch/torchtest"
)

// seen is the autocast state within the passes of a custom function.
type seen struct {
	input, gradient     torch.DType
	forward, backward   bool
	forwardD, backwardD torch.DType
}

// times is a matrix product with a custom backward pass.
func times(s *seen, opts ...amp.FwdOption) *torch.Function {
	return &torch.Function{
		Name: "Times",
		Forward: amp.CustomFwd(torch.CPU, func(ctx *torch.Context, in ...*torch.Tensor) []*torch.Tensor {
			s.input, s.forward, s.forwardD = in[0].DType(), amp.IsAutocastEnabled(torch.CPU),
				amp.AutocastDType(torch.CPU)
			ctx.Save(in...)
			ctx.Value = "mine"
			return []*torch.Tensor{in[0].MatMul(in[1])}
		}, opts...),
		Backward: amp.CustomBwd(torch.CPU, func(ctx *torch.Context, grad ...*torch.Tensor) []*torch.Tensor {
			s.gradient, s.backward, s.backwardD = grad[0].DType(), amp.IsAutocastEnabled(torch.CPU),
				amp.AutocastDType(torch.CPU)
			if ctx.Value != "mine" {
				panic(ctx.Value)
			}
			in := ctx.Saved()
			return []*torch.Tensor{grad[0].MatMul(in[1].T()), in[0].T().MatMul(grad[0])}
		}),
	}
}

func TestCustomFunctions(t *testing.T) {
	const bf, half, single = torch.BFloat16, torch.Float16, torch.Float32
	for name, c := range map[string]struct {
		opts   []amp.FwdOption
		dtype  torch.DType // the dtype of the enclosing autocast; 0 if it is off
		result torch.DType
		want   seen
	}{
		"as it comes": {nil, half, half, seen{single, half, true, true, half, half}},
		"outside":     {nil, 0, single, seen{single, single, false, false, bf, bf}},
		"cast": {
			[]amp.FwdOption{amp.CastInputs(single)},
			bf, single,
			seen{single, single, false, false, bf, bf},
		},
		"cast down": {[]amp.FwdOption{amp.CastInputs(half)}, bf, half, seen{half, half, false, false, bf, bf}},
		"cast outside": {
			[]amp.FwdOption{amp.CastInputs(half)},
			0, single,
			seen{single, single, false, false, bf, bf},
		},
		"None is no dtype": {
			[]amp.FwdOption{amp.CastInputs(half), amp.CastInputs(0)},
			bf, bf,
			seen{single, bf, true, true, bf, bf},
		},
		"the last one cast": {
			[]amp.FwdOption{amp.CastInputs(half), amp.CastInputs(single)},
			bf, single,
			seen{single, single, false, false, bf, bf},
		},
	} {
		t.Run(name, func(t *testing.T) {
			defer torchtest.CheckLeaks(t)()
			torch.Scope(func() {
				var s seen
				f := times(&s, c.opts...)
				a, b := torch.Ones(torch.Shape{2, 3}, torch.RequiresGrad(true)),
					torch.Ones(torch.Shape{3, 2}, torch.RequiresGrad(true))
				var y *torch.Tensor
				run := func() { y = f.Apply(a, b)[0] }
				if c.dtype != 0 {
					amp.Autocast(torch.CPU, c.dtype, run)
				} else {
					run()
				}
				assert.Equal(t, c.result, y.DType())
				y.Sum().Backward()
				assert.Equal(t, c.want, s)
				assert.Equal(t, single, a.Grad().DType(), "a gradient has its tensor's dtype")
				assert.Equal(t, []float32{2, 2, 2, 2, 2, 2}, a.Grad().Float32s())
			})
		})
	}
}

// float64 and integer inputs are not cast.
func TestCastInputsLeavesOthers(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		var got []torch.DType
		f := torch.Function{
			Forward: amp.CustomFwd(torch.CPU, func(_ *torch.Context, in ...*torch.Tensor) []*torch.Tensor {
				for _, x := range in {
					got = append(got, x.DType())
				}
				return []*torch.Tensor{in[0].Clone()}
			}, amp.CastInputs(torch.Float16)),
			Backward: func(_ *torch.Context, _ ...*torch.Tensor) []*torch.Tensor { return nil },
		}
		amp.Autocast(torch.CPU, 0, func() {
			f.Apply(torch.Ones(torch.Shape{1}), torch.Ones(torch.Shape{1}, torch.Float64),
				torch.Ones(torch.Shape{1}, torch.Int64))
		})
		assert.Equal(t, []torch.DType{torch.Float16, torch.Float64, torch.Int64}, got)
	})
}

func TestCustomBwdNeedsCustomFwd(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		f := torch.Function{
			Forward: func(_ *torch.Context, in ...*torch.Tensor) []*torch.Tensor {
				return []*torch.Tensor{in[0].Clone()}
			},
			Backward: amp.CustomBwd(torch.CPU, func(_ *torch.Context, grad ...*torch.Tensor) []*torch.Tensor {
				return grad
			}),
		}
		y := f.Apply(weight())[0]
		err := torch.Try(func() { y.Sum().Backward() })
		require.ErrorIs(t, err, torch.ErrValue)
		assert.Contains(t, err.Error(), "amp.CustomBwd")
	})
}
