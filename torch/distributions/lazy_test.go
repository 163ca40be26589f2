package distributions_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributions"
	"github.com/gotorch/gotorch/torchtest"
)

// The form of a parameter that was not passed is computed on first use.
func TestLazy(t *testing.T) {
	torch.Scope(func() {
		scores := torch.FromSlice([]float32{1, 2, 3})
		live := torch.NumLiveTensors()
		d := distributions.NewCategorical(distributions.Logits(scores))
		d.LogProb(torch.FromSlice([]int64{1}))
		assert.EqualValues(t, 3, torch.NumLiveTensors()-live, "the normalized scores, the value and the result")
		first := d.Probs()
		assert.Same(t, first, d.Probs())
		assert.EqualValues(t, 4, torch.NumLiveTensors()-live)
	})
}

// Gradients are added in the order of the first uses. The result equals the result of the
// same operators called directly.
func TestLazyOrder(t *testing.T) {
	torch.Scope(func() {
		torch.ManualSeed(0)
		values := torch.Randn(torch.Shape{64, 6}).MulScalar(3)
		actions := torch.RandInt(0, 6, torch.Shape{64})
		gradient := func(loss func(scores *torch.Tensor) *torch.Tensor) []float32 {
			scores := values.Clone().RequiresGrad_()
			return torch.Grad([]*torch.Tensor{loss(scores)}, []*torch.Tensor{scores})[0].Float32s()
		}
		want := gradient(func(scores *torch.Tensor) *torch.Tensor {
			logits := scores.Sub(scores.LogSumExp(torch.Dim(-1), torch.KeepDim(true)))
			log := logits.Gather(-1, actions.Unsqueeze(-1)).Squeeze(-1)
			clamped := logits.Clamp(torch.Finfo(torch.Float32).Min, nil)
			entropy := clamped.Mul(logits.Softmax(-1)).Sum(torch.Dim(-1)).Neg()
			return log.Mean().Add(entropy.Mean().MulScalar(0.01))
		})
		assert.Equal(t, want, gradient(func(scores *torch.Tensor) *torch.Tensor {
			d := distributions.NewCategorical(distributions.Logits(scores))
			log, entropy := d.LogProb(actions), d.Entropy()
			return log.Mean().Add(entropy.Mean().MulScalar(0.01))
		}))
	})
}

// A first use without gradients does not affect the gradients of later ones.
func TestLazyHasGradients(t *testing.T) {
	torch.Scope(func() {
		scores := torch.FromSlice([]float32{1, 2, 3}).RequiresGrad_()
		d := distributions.NewCategorical(distributions.Logits(scores))
		torch.NoGrad(func() { d.Sample() })
		assert.True(t, d.Probs().RequiresGrad())
		assert.True(t, d.Expand(torch.Shape{2}).(*distributions.Categorical).Probs().RequiresGrad())
	})
}

// A tensor computed late is freed with the distribution, not with the scope of its first use.
func TestLazyScope(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	p := torch.FromSlice([]float32{0.25, 0.75})
	live := torch.NumLiveTensors()
	torch.Scope(func() {
		d := distributions.NewBernoulli(distributions.Probs(p))
		torch.Scope(func() { d.Logits() })
		assert.InDelta(t, 1.0986, d.Logits().Index(1).Item(), 1e-4)
		torch.Tidy(d.Entropy)
	})
	assert.Equal(t, live, torch.NumLiveTensors(), "freed with the scope of the distribution")

	outside := distributions.NewBernoulli(distributions.Probs(p))
	torch.Scope(func() { outside.Logits() })
	assert.False(t, outside.Logits().IsClosed())
	require.NoError(t, outside.Close())
	assert.Equal(t, live, torch.NumLiveTensors(), "freed by Close")

	var ended *distributions.Bernoulli
	torch.Scope(func() { ended = distributions.NewBernoulli(distributions.Probs(p)) })
	assert.ErrorIs(t, torch.Try(func() { ended.Logits() }), torch.ErrClosed)
	require.NoError(t, p.Close())
}

// Concurrent goroutines get the same tensor.
func TestLazyGoroutines(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		d := distributions.NewBinomial(4, distributions.Logits(torch.FromSlice([]float32{0.25, 0.75})))
		got := make([]*torch.Tensor, 8)
		var wg sync.WaitGroup
		for i := range got {
			wg.Go(func() {
				torch.Scope(func() { got[i] = d.Probs() })
			})
		}
		wg.Wait()
		for _, p := range got {
			assert.Same(t, d.Probs(), p)
		}
		assert.False(t, d.Probs().IsClosed())
		require.NoError(t, d.Close())
	})
}
