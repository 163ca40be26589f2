package distributions_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributions"
	"github.com/gotorch/gotorch/torchtest"
)

// New tensors of a distribution belong to the innermost scope. Tensors that the caller passes
// keep their owner.
func TestScopes(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	scale := torch.Ones(torch.Shape{2})
	var inner *distributions.Normal
	outer := distributions.NewNormal(0, scale)
	torch.Scope(func() {
		inner = distributions.NewNormal(1, scale)
		assert.Same(t, scale, inner.Scale(), "a tensor of the right shape is not copied")
		assert.NotSame(t, scale, inner.Loc())
		assert.Equal(t, torch.Shape{2}, inner.Loc().Shape())
	})
	assert.ErrorIs(t, torch.Try(func() { inner.Sample() }), torch.ErrClosed, "its loc was the scope's")
	assert.Equal(t, "Normal(loc: closed, scale: torch.Size([2]))", inner.String())
	torch.Scope(func() { outer.Sample() })
	require.NoError(t, outer.Close())
	assert.False(t, scale.IsClosed())
	require.NoError(t, scale.Close())
}

// The garbage collector frees a distribution that was made outside of scopes and never closed.
func TestCollected(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for range 10 {
		d := distributions.NewStudentT(3, 0, 1)
		d.Sample()
	}
}

// Numbers take the dtype of the first tensor, or the default dtype if there is no tensor.
func TestDTypes(t *testing.T) {
	torch.Scope(func() {
		d := distributions.NewNormal(1, torch.Ones(torch.Shape{2}, torch.Float64))
		assert.Equal(t, torch.Float64, d.Loc().DType())
		assert.Equal(t, torch.Float64, d.Sample().DType())
		whole := distributions.NewUniform(torch.FromSlice([]int64{0}), 2.5)
		assert.Equal(t, torch.Int64, whole.High().DType(), "as in Python")
		torch.WithDType(torch.Float64, func() {
			assert.Equal(t, torch.Float64, distributions.NewBernoulli(distributions.Probs(0.1)).Probs().DType())
			assert.Equal(t, "Bernoulli(probs: 0.1)", distributions.NewBernoulli(distributions.Probs(0.1)).String())
		})
		half := distributions.NewBinomial(torch.FromSlice([]int64{3}),
			distributions.Probs(torch.FromSlice([]float32{0.5})))
		assert.Equal(t, torch.Float32, half.TotalCount().DType())
	})
}

// Methods that return parameters return the distribution's own tensors.
func TestParameters(t *testing.T) {
	torch.Scope(func() {
		p := torch.FromSlice([]float32{0.25, 0.75})
		for name, fresh := range ofProbs {
			if name == "Geometric" {
				continue // ParamShape does not exist, since PyTorch has no param_shape here
			}
			d := fresh(distributions.Probs(p)).(interface{ ParamShape() torch.Shape })
			assert.Equal(t, torch.Shape{2}, d.ParamShape(), name)
		}
		coin := distributions.NewBernoulli(distributions.Probs(p))
		assert.Same(t, p, coin.Probs())
		assert.InDelta(t, 1.0986, coin.Logits().Index(1).Item(), 1e-4)
		assert.InDelta(t, 0.5, distributions.NewGeometric(distributions.Logits(0)).Probs().Item(), 0)
		assert.InDelta(t, 0, distributions.NewGeometric(distributions.Probs(0.5)).Logits().Item(), 1e-6)
		for _, of := range []interface {
			TotalCount() *torch.Tensor
			Logits() *torch.Tensor
			Probs() *torch.Tensor
		}{
			distributions.NewBinomial(4, distributions.Logits(0)),
			distributions.NewNegativeBinomial(4, distributions.Logits(0)),
		} {
			assert.Equal(t, []float64{4, 0, 0.5},
				[]float64{of.TotalCount().Item(), of.Logits().Item(), of.Probs().Item()})
		}
		many := distributions.NewMultinomial(4, distributions.Probs(torch.FromSlice([]float32{1, 3})))
		assert.EqualValues(t, 4, many.TotalCount())
		assert.Equal(t, []float32{0.25, 0.75}, many.Probs().Float32s(), "normalized")
		assert.InDelta(t, -1.3863, many.Logits().Index(0).Item(), 1e-4)
		vector := distributions.NewOneHotCategorical(distributions.Probs(torch.FromSlice([]float32{1, 3})))
		assert.Equal(t, many.Probs().Float32s(), vector.Probs().Float32s())
		assert.Equal(t, many.Logits().Float32s(), vector.Logits().Float32s())
		gamma, t3 := distributions.NewGamma(2, 3), distributions.NewStudentT(3, 1, 2)
		f, beta := distributions.NewFisherSnedecor(4, 5), distributions.NewBeta(6, 7)
		for i, x := range []*torch.Tensor{
			t3.Loc(), t3.Scale(), t3.DF(), f.DF1(), f.DF2(), beta.Concentration1(), beta.Concentration0(),
			distributions.NewChi2(8).DF(),
			distributions.NewDirichlet(torch.Full(torch.Shape{1}, 9)).Concentration(),
			distributions.NewExponential(10).Rate(), distributions.NewPoisson(11).Rate(),
			distributions.NewCauchy(12, 1).Loc(), distributions.NewCauchy(1, 13).Scale(),
			distributions.NewLaplace(14, 1).Loc(), distributions.NewLaplace(1, 15).Scale(),
			distributions.NewUniform(16, 17).Low(), distributions.NewUniform(16, 17).High(),
		} {
			assert.EqualValues(t, i+1, x.Item())
		}
		assert.Equal(t, "2 3", fmt.Sprint(gamma.Concentration().ItemInt(), gamma.Rate().ItemInt()))
		continuous := distributions.NewContinuousBernoulli(distributions.Probs(0))
		assert.Positive(t, continuous.Probs().Item(), "moved away from 0")
		assert.Less(t, continuous.Logits().Item(), -10.0)
		assert.Equal(t, torch.Int64, distributions.NewCategorical(distributions.Logits(p)).Mode().DType())
	})
}

// Entropy of an expanded multinomial distribution works; in Python it fails.
func TestMultinomialEntropyAfterExpand(t *testing.T) {
	torch.Scope(func() {
		d := distributions.NewMultinomial(3, distributions.Probs(torch.FromSlice([]float32{1, 2})))
		torchtest.AllClose(t, d.Entropy().Expand(2), d.Expand(torch.Shape{2}).Entropy())
	})
}

// The gradient of a Dirichlet sample cannot be differentiated again.
func TestDirichletOnce(t *testing.T) {
	torch.Scope(func() {
		c := torch.FromSlice([]float32{1, 2}).RequiresGrad_()
		x := distributions.NewDirichlet(c).RSample()
		g := torch.Grad([]*torch.Tensor{x.Square().Sum()}, []*torch.Tensor{c}, torch.CreateGraph(true))[0]
		assert.ErrorIs(t, torch.Try(func() { g.Sum().Backward() }), torch.ErrAutograd)
	})
}

// Samples use the goroutine's own generator, and goroutines may share a distribution.
func TestGenerators(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	d := distributions.NewGamma(2, 3)
	defer func() { require.NoError(t, d.Close()) }()
	var wg sync.WaitGroup
	drawn := make([]float64, 4)
	for i := range drawn {
		wg.Go(func() {
			g := torch.NewGenerator(torch.CPU)
			g.ManualSeed(5)
			torch.WithGenerator(g, func() {
				torch.Scope(func() { drawn[i] = d.Sample(distributions.SampleShape{20}).Sum().Item() })
			})
		})
	}
	wg.Wait()
	for _, x := range drawn {
		assert.Equal(t, drawn[0], x)
	}
}
