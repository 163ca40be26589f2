package parallel_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/ranks"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/nn/parallel"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed"
	"github.com/gotorch/gotorch/torchtest"
)

// If a rank has missed the first pass of a static graph, it fails once it has inputs
// again.
func TestJoinOfAStaticGraphTwice(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	errs := ranks.Run(t, 2, func(g *distributed.ProcessGroup) error {
		model := nn.NewLinear(4, 2)
		defer model.Close()
		net, err := parallel.NewDistributedDataParallel(ranks.Soon(t), model, g, parallel.StaticGraph(true))
		if err != nil {
			return err
		}
		defer net.Release()
		net.SetContext(ranks.Soon(t))
		join := func(inputs ...int) error {
			return net.Join(ranks.Soon(t), func() error {
				for range inputs[g.Rank()] {
					torch.Scope(func() { net.Forward(torch.Ones(torch.Shape{2, 4})).Sum().Backward() })
				}
				return nil
			})
		}
		if err := join(0, 3); err != nil {
			return err
		}
		return join(3, 3)
	})
	require.ErrorIs(t, errs[0], torch.ErrValue)
	assert.ErrorContains(t, errs[0], "a static graph whose first pass was in a Join in which this rank had no input")
	require.ErrorIs(t, errs[1], distributed.ErrMismatch)
}

func TestJoinOfSparseGradients(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	ranks.AllWell(t, 2, func(g *distributed.ProcessGroup) error {
		model := nn.NewEmbedding(4, 2, nn.Sparse(true))
		defer model.Close()
		net, err := parallel.NewDistributedDataParallel(ranks.Soon(t), model, g)
		if err != nil {
			return err
		}
		defer net.Release()
		err = net.Join(ranks.Soon(t), func() error { return nil })
		assert.ErrorIs(t, err, torch.ErrValue)
		assert.ErrorContains(t, err, "sparse gradients")
		return nil
	})
}

// words declares the Forward of its embedding again.
type words struct{ *nn.Embedding }

func newWords() *words {
	w := &words{nn.NewEmbedding(6, 3, nn.Sparse(true))}
	w.Init(w)
	return w
}

func (w *words) Forward(x *torch.Tensor) *torch.Tensor {
	return w.Call(x, func(x *torch.Tensor) *torch.Tensor { return w.Embedding.Forward(x).MulScalar(2) })
}

// The gradients of a layer that embeds an Embedding are sparse, too.
func TestSparseGradientsOfAnEmbeddedLayer(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	ranks.AllWell(t, 2, func(g *distributed.ProcessGroup) error {
		net, err := parallel.NewDistributedDataParallel(ranks.Soon(t), newWords(), g)
		if err != nil {
			return err
		}
		defer net.Close()
		net.Forward(torch.FromSlice([]int64{int64(g.Rank()), 2})).Sum().Backward()
		grad := net.Parameters()[0].Grad()
		assert.Equal(t, torch.SparseCOO, grad.Layout())
		assert.Equal(t, []float32{1, 1, 2, 0, 0, 0}, grad.ToDense().Select(1, 0).Float32s())
		assert.ErrorContains(t, net.Join(ranks.Soon(t), func() error { return nil }), "sparse gradients")
		return nil
	})
}
