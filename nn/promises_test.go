package nn_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// If a call of a batch normalization fails, it changes nothing, not even the number of
// batches.
func TestFailedBatchesDoNotCount(t *testing.T) {
	scoped(t, func() {
		for name, momentum := range map[string]nn.BatchNormOption{"number": nn.Momentum(0.1), "none": nn.MomentumNone} {
			l, twin := nn.NewBatchNorm1d(3, momentum), nn.NewBatchNorm1d(3, momentum)
			defer l.Close()
			defer twin.Close()
			x := torch.Randn(torch.Shape{4, 3})
			for range 3 {
				for _, bad := range []torch.Shape{{4, 5}, {1, 3}} {
					require.Error(t, torch.Try(func() { l.Forward(torch.Ones(bad)) }), name)
				}
				l.Forward(x)
				twin.Forward(x)
			}
			assert.Equal(t, int64(3), l.NumBatchesTracked.ItemInt(), name)
			assert.True(t, twin.RunningMean.Equal(l.RunningMean), name)
		}
	})
}

// adapted is a Linear with an additional layer, as adapters are.
type adapted struct {
	*nn.Linear
	More *nn.Linear
}

func adapt(l *nn.Linear) *adapted {
	w := &adapted{Linear: l, More: nn.NewLinear(1, 1)}
	w.Init(w)
	return w
}

// ResetParameters also resets layers that replaced the constructor's layers, or reports
// that it cannot.
func TestReplacedLayersAreReset(t *testing.T) {
	scoped(t, func() {
		a := nn.NewAdaptiveLogSoftmaxWithLoss(8, 20, []int64{5})
		defer a.Close()
		replace := func(m nn.Module, path string, by nn.Module) {
			old := m.ModuleBase().Get(path)
			m.ModuleBase().SetSubmodule(path, by)
			require.NoError(t, old.Close())
		}
		values := func() map[string][]float32 {
			all := map[string][]float32{}
			for _, e := range a.StateDict() {
				all[e.Name] = e.Tensor.Detach().Reshape(-1).Float32s()
			}
			return all
		}
		replace(a, "head", adapt(nn.NewLinear(8, 6)))
		replace(a, "tail.0", nn.NewLinear(8, 15))
		before := values()
		a.ResetParameters()
		after := values()
		for _, name := range []string{"head.weight", "tail.0.weight", "tail.0.bias"} {
			assert.NotEqual(t, before[name], after[name], name)
		}
		replace(a, "tail.0", new(untold).made())
		before = values()
		require.ErrorIs(t, torch.Try(a.ResetParameters), torch.ErrType)
		assert.Equal(t, before, values(), "nothing changed")
		m := nn.NewMultiheadAttention(4, 2)
		defer m.Close()
		out := nn.NewLinear(4, 4)
		replace(m, "out_proj", adapt(out))
		m.ResetParameters()
		assert.Equal(t, make([]float32, 4), out.Bias.Detach().Float32s())
	})
}

// untold is a layer with a parameter that ResetParameters cannot draw.
type untold struct {
	nn.Base
	W *torch.Tensor
}

func (u *untold) made() *untold {
	u.W = nn.NewParameter(torch.Ones(torch.Shape{8, 15}))
	u.Init(u)
	return u
}

func (u *untold) Forward(x *torch.Tensor) *torch.Tensor {
	return u.Call(x, func(x *torch.Tensor) *torch.Tensor { return x.MatMul(u.W) })
}

// A causal mask does not hide the keys that AddBiasKV and AddZeroAttn append, whether weights are
// wanted or not.
func TestCausalMasksShowAppendedKeys(t *testing.T) {
	scoped(t, func() {
		for name, opts := range map[string][]nn.AttentionOption{
			"none": nil, "zero": {nn.AddZeroAttn(true)}, "bias": {nn.AddBiasKV(true)},
			"both": {nn.AddZeroAttn(true), nn.AddBiasKV(true)},
		} {
			m := nn.NewMultiheadAttention(8, 2, append(opts, nn.DType(torch.Float64))...)
			defer m.Close()
			x := torch.Randn(torch.Shape{5, 3, 8}, torch.Float64)
			mask := torch.Ones(torch.Shape{5, 5}, torch.Bool).Triu(1)
			want, _ := m.Forward(x, x, x, nn.AttnMask(mask))
			for _, weights := range []bool{true, false} {
				got, _ := m.Forward(x, x, x, nn.IsCausal(true), nn.NeedWeights(weights))
				assert.True(t, want.AllClose(got), "%s, weights %t", name, weights)
			}
		}
	})
}
