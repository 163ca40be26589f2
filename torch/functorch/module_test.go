package functorch_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/functorch"
	"github.com/gotorch/gotorch/torchtest"
)

func network() *nn.Sequential {
	return nn.NewSequential(nn.NewConv2d(1, 3, 3), nn.NewReLU(), nn.NewFlatten(), nn.NewLinear(12, 4))
}

// Per-example gradients from VMap equal the gradients of a loop of backward passes.
func TestPerSampleGradients(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		torch.ManualSeed(1)
		model := network()
		defer model.Close()
		x, y := torch.Randn(torch.Shape{5, 1, 4, 4}), torch.FromSlice([]int64{0, 3, 1, 2, 2})
		fn, params := functorch.MakeFunctional(model)
		n := len(params)
		loss := functorch.OfMany(func(in ...*torch.Tensor) *torch.Tensor {
			out := fn.One(append(slices.Clone(in[:n]), in[n].Unsqueeze(0))...)
			return F.CrossEntropy(out, in[n+1].Unsqueeze(0))
		})
		args := make(functorch.ArgNums, n)
		for i := range args {
			args[i] = i
		}
		dims := append(slices.Repeat(functorch.InDims{functorch.NotMapped}, n), 0, 0)
		grads := functorch.VMap(functorch.Grad(loss, args), dims)(append(slices.Clone(params), x, y)...)
		require.Len(t, grads, n)
		for i := range 5 {
			model.ZeroGrad()
			F.CrossEntropy(model.Forward(x.Narrow(0, int64(i), 1)), y.Narrow(0, int64(i), 1)).Backward()
			for k, p := range model.Parameters() {
				assert.True(t,
					torchtest.AllClose(t, p.Grad(), grads[k].Index(i), torchtest.Rounding(64, torch.Float32)))
			}
		}
		assert.ErrorIs(t, torch.Try(func() { fn(x) }), torch.ErrValue)
	})
}

// VMap over several networks gives the same results as each network alone.
func TestEnsemble(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		var models []nn.Module
		for range 3 {
			models = append(models, nn.NewSequential(nn.NewLinear(4, 3), nn.NewBatchNorm1d(3), nn.NewTanh()))
		}
		for _, m := range models {
			defer m.Close()
			m.Eval()
		}
		x := torch.Randn(torch.Shape{6, 4})
		params, buffers := functorch.StackModuleState(models...)
		assert.Equal(t, []string{"0.weight", "0.bias", "1.weight", "1.bias"}, params.Names())
		assert.Equal(t, []string{"1.running_mean", "1.running_var", "1.num_batches_tracked"}, buffers.Names())
		assert.Equal(t, torch.Shape{3, 3, 4}, params.Get("0.weight").Shape())
		assert.True(t, params.Get("0.weight").RequiresGrad())
		all := append(slices.Clone(params), buffers...)
		base := models[0].(*nn.Sequential)
		run := functorch.OfMany(func(in ...*torch.Tensor) (y *torch.Tensor) {
			with := slices.Clone(all)
			for i := range with {
				with[i].Tensor = in[i]
			}
			nn.FunctionalCall(base, with, func() { y = base.Forward(x) })
			return y
		})
		var in []*torch.Tensor
		for _, n := range all {
			in = append(in, n.Tensor)
		}
		got := functorch.VMap(run).One(in...)
		for i, m := range models {
			assert.True(t,
				torchtest.AllClose(t, m.(*nn.Sequential).Forward(x), got.Index(i),
					torchtest.Rounding(16, torch.Float32)))
		}
		models[1].Train()
		assert.ErrorContains(t, torch.Try(func() { functorch.StackModuleState(models...) }),
			"both in training or both in evaluation mode")
	})
}
