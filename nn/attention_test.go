package nn_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// Over long sequences, attention uses memory mainly for scores, masks and weights. At
// most two tensors as large as the scores are alive at a time.
func TestAttentionPeak(t *testing.T) {
	const n, heads, l, embed = 2, 4, 256, 8
	const scores = n * heads * l * l * 4
	scoped(t, func() {
		m := nn.NewMultiheadAttention(embed, heads, nn.BatchFirst(true))
		defer m.Close()
		m.Eval()
		x := torch.Randn(torch.Shape{n, l, embed})
		later := torch.Ones(torch.Shape{n * heads, l, l}, torch.Bool).Triu(1)
		padding := torch.Zeros(torch.Shape{n, l}, torch.Bool)
		for name, call := range map[string][]nn.AttentionCallOption{
			"plain":             {},
			"causal":            {nn.IsCausal(true)},
			"masks":             {nn.AttnMask(later), nn.KeyPaddingMask(padding)},
			"masks, heads":      {nn.AttnMask(later), nn.KeyPaddingMask(padding), nn.AverageAttnWeights(false)},
			"masks, no weights": {nn.AttnMask(later), nn.KeyPaddingMask(padding), nn.NeedWeights(false)},
		} {
			var u memory.Usage
			torch.NoGrad(func() {
				torch.Scope(func() {
					u = memory.Track(name, func() { m.Forward(x, x, x, call...) })
				})
			})
			// The terms after 2*scores are for bool masks, one byte per element, and for
			// a few tensors as large as x, which a kernel may copy to a different layout.
			assert.Less(t, u.PeakGrowth(), int64(2*scores+scores/4+16*n*l*embed*4), "%s: %.2f", name,
				float64(u.PeakGrowth())/scores)
		}
	})
}

// Neither the fused kernel nor the separate operators return weights unless requested.
func TestAttentionWithoutWeights(t *testing.T) {
	scoped(t, func() {
		m := nn.NewMultiheadAttention(8, 2, nn.BatchFirst(true))
		defer m.Close()
		x := torch.Randn(torch.Shape{1, 3, 8})
		for _, training := range []bool{true, false} {
			m.SetTraining(training)
			torch.NoGrad(func() {
				live := torch.NumLiveTensors()
				_, none := m.Forward(x, x, x, nn.NeedWeights(false))
				assert.Nil(t, none)
				assert.Equal(t, live+1, torch.NumLiveTensors())
				_, weights := m.Forward(x, x, x)
				assert.Equal(t, torch.Shape{1, 3, 3}, weights.Shape())
				assert.ErrorIs(t, torch.Try(func() {
					m.Forward(x, x, x, nn.NeedWeights(false), nn.AverageAttnWeights(false))
				}), torch.ErrValue)
			})
		}
	})
}

// The layer closes temporary tensors that the backward pass needs, but the autograd
// graph keeps them. Neither pass modifies the mask.
func TestAttentionGradients(t *testing.T) {
	scoped(t, func() {
		torch.ManualSeed(0)
		m := nn.NewMultiheadAttention(8, 2, nn.BatchFirst(true), nn.DType(torch.Float64))
		defer m.Close()
		x := torch.Randn(torch.Shape{2, 5, 8}, torch.Float64, torch.RequiresGrad(true))
		bias := torch.Randn(torch.Shape{4, 5, 5}, torch.Float64, torch.RequiresGrad(true))
		values := bias.Float64s()
		var grads [2][]float64
		for i, call := range [][]nn.AttentionCallOption{
			{nn.AttnMask(bias)},
			{nn.AttnMask(bias), nn.NeedWeights(false)},
		} {
			y, _ := m.Forward(x, x, x, call...)
			y.Mul(y).Sum().Backward()
			for _, p := range append(m.Parameters(), x, bias) {
				grads[i] = append(grads[i], p.Grad().Float64s()...)
				p.SetGrad(nil)
			}
		}
		assert.InDeltaSlice(t, grads[1], grads[0], 1e-10)
		assert.Equal(t, values, bias.Float64s())
	})
}

// Hooks on the attention and on its inner layer run with all kernels.
func TestAttentionHooks(t *testing.T) {
	scoped(t, func() {
		for _, need := range []nn.NeedWeights{true, false} {
			m := nn.NewMultiheadAttention(8, 2)
			x := torch.Randn(torch.Shape{3, 1, 8})
			var seen []string
			m.OutProj.ModuleBase().RegisterForwardHook(func(h nn.Module, _, out []*torch.Tensor) []*torch.Tensor {
				seen = append(seen, h.ModuleBase().TypeName())
				return []*torch.Tensor{out[0].MulScalar(0)}
			})
			m.RegisterForwardHook(func(h nn.Module, in, out []*torch.Tensor) []*torch.Tensor {
				assert.Len(t, in, 3)
				seen = append(seen, h.ModuleBase().TypeName())
				return []*torch.Tensor{out[0].AddScalar(1), out[1]}
			})
			live := torch.NumLiveTensors()
			y, w := m.Forward(x, x, x, need)
			assert.Equal(t, []string{"NonDynamicallyQuantizableLinear", "MultiheadAttention"}, seen)
			assert.InDelta(t, 1, y.Float32s()[0], 0)
			assert.Equal(t, bool(need), w != nil)
			made := int64(1)
			if w != nil {
				made++
			}
			assert.Equal(t, live+made, torch.NumLiveTensors())
			assert.NoError(t, m.Close())
		}
	})
}

// With a mask, IsCausal is only a hint, as in PyTorch programs.
func TestCausalHint(t *testing.T) {
	scoped(t, func() {
		m := nn.NewMultiheadAttention(8, 2)
		defer m.Close()
		x := torch.Randn(torch.Shape{4, 1, 8})
		later := torch.Ones(torch.Shape{4, 4}, torch.Bool).Triu(1)
		want, _ := m.Forward(x, x, x, nn.AttnMask(later))
		for _, need := range []nn.NeedWeights{true, false} {
			y, _ := m.Forward(x, x, x, nn.AttnMask(later), nn.IsCausal(true), need)
			assert.InDeltaSlice(t, want.Float32s(), y.Float32s(), 1e-5)
		}
	})
}

func TestAttention(t *testing.T) {
	scoped(t, func() {
		torch.ManualSeed(0)
		m := nn.NewMultiheadAttention(8, 2)
		defer m.Close()
		m.Eval()
		q, kv := torch.Randn(torch.Shape{5, 2, 8}), torch.Randn(torch.Shape{3, 2, 8})
		live := torch.NumLiveTensors()
		fast, none := m.Forward(q, kv, kv, nn.NeedWeights(false))
		out, w := m.Forward(q, kv, kv)
		assert.Equal(t, live+3, torch.NumLiveTensors())
		assert.Nil(t, none)
		assert.Equal(t, torch.Shape{5, 2, 8}, out.Shape())
		assert.Equal(t, torch.Shape{2, 5, 3}, w.Shape())
		assert.InDeltaSlice(t, out.Float32s(), fast.Float32s(), 1e-5)
		sums := w.Sum(torch.Dim(2)).Float32s()
		for _, s := range sums {
			assert.InDelta(t, 1, s, 1e-5)
		}

		// All ways to hide later keys give the same result.
		causal, _ := m.Forward(q, q, q, nn.IsCausal(true))
		quick, _ := m.Forward(q, q, q, nn.IsCausal(true), nn.NeedWeights(false))
		later := torch.Ones(torch.Shape{5, 5}, torch.Bool).Triu(1)
		masked, hidden := m.Forward(q, q, q, nn.AttnMask(later), nn.AverageAttnWeights(false))
		assert.InDeltaSlice(t, causal.Float32s(), quick.Float32s(), 1e-5)
		assert.InDeltaSlice(t, causal.Float32s(), masked.Float32s(), 1e-5)
		assert.Equal(t, torch.Shape{2, 2, 5, 5}, hidden.Shape())

		padding := torch.FromSlice([]bool{false, false, true, false, false, true}, 2, 3)
		_, w = m.Forward(q, kv, kv, nn.KeyPaddingMask(padding))
		assert.Zero(t, w.Index(1, torch.All, 2).Sum().Item())

		single, w := m.Forward(q.Index(torch.All, 0), kv.Index(torch.All, 0), kv.Index(torch.All, 0))
		assert.InDeltaSlice(t, out.Index(torch.All, 0).Float32s(), single.Float32s(), 1e-5)
		assert.Equal(t, torch.Shape{5, 3}, w.Shape())
	})
}
