package nn_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// tied is a module with everything that a deep copy can easily get wrong, such as a
// shared weight.
type tied struct {
	nn.Base
	in, out *nn.Linear
	blocks  []nn.Layer
	scale   *torch.Tensor
	teacher *nn.Linear `torch:"-"`
	f       func(*torch.Tensor) *torch.Tensor
	sizes   map[string][]int64
}

func newTied() *tied {
	m := new(tied)
	m.Init(m, nn.TypeName("Tied"))
	m.in = nn.NewLinear(3, 3, m.As("in"))
	m.out = nn.NewLinear(3, 3, m.As("out"))
	old := m.out.Weight
	m.out.Weight = m.out.RegisterParameter("weight", m.in.Weight)
	old.Close()
	m.blocks = []nn.Layer{newLora(m.As("block")), m.in}
	m.scale = m.RegisterBuffer("scale", torch.Full(torch.Shape{3}, 2), nn.Persistent(false))
	m.teacher = nn.NewLinear(3, 3)
	m.f = (*torch.Tensor).Tanh
	m.sizes = map[string][]int64{"a": {1, 2}}
	return m
}

func (m *tied) Forward(x *torch.Tensor) *torch.Tensor {
	return m.Call(x, func(x *torch.Tensor) *torch.Tensor {
		return m.blocks[0].Forward(m.f(m.out.Forward(m.blocks[1].Forward(x)).Mul(m.scale)))
	})
}

func TestDeepCopy(t *testing.T) {
	scoped(t, func() {
		m := newTied()
		defer m.Close()
		defer m.teacher.Close()
		runs := 0
		m.blocks[0].ModuleBase().RegisterForwardHook(func(h nn.Module, _, _ []*torch.Tensor) []*torch.Tensor {
			runs++
			return nil
		})
		x := torch.Randn(torch.Shape{2, 3})
		m.Forward(x).Sum().Backward()
		m.Eval()
		live := torch.NumLiveTensors()
		c := nn.DeepCopy(m).(*tied)
		defer c.Close()
		assert.Equal(t, live+int64(len(m.Parameters())+1), torch.NumLiveTensors(), "a tensor for each and no more")
		assert.Equal(t, m.String(), c.String())
		assert.Equal(t, m.in.Bias.String(), c.in.Bias.String(), "a parameter prints as one")
		assert.Equal(t, m.Forward(x).Float32s(), c.Forward(x).Float32s())
		assert.Equal(t, 3, runs)
		assert.False(t, c.in.Training())

		// Tensors are shared within the copy and separate from the original's.
		assert.Same(t, c.in.Weight, c.out.Weight)
		assert.Same(t, c.in, c.blocks[1])
		assert.Same(t, c.Get("block"), c.blocks[0])
		assert.Same(t, m.teacher, c.teacher)
		assert.NotSame(t, m.in.Weight, c.in.Weight)
		assert.False(t, m.in.Weight.SharesStorage(c.in.Weight))
		assert.Equal(t, m.in.Weight.Grad().Float32s(), c.in.Weight.Grad().Float32s())
		c.sizes["a"][0] = 7
		assert.EqualValues(t, 1, m.sizes["a"][0])
		before := m.Forward(x).Float32s()
		torch.NoGrad(func() {
			for _, p := range c.Parameters() {
				assert.True(t, p.RequiresGrad())
				p.Zero_()
				p.Grad().Zero_()
			}
		})
		assert.Equal(t, before, m.Forward(x).Float32s())
		assert.NotZero(t, m.in.Weight.Grad().Abs().Sum().Item())

		// The copy can be registered, and its children keep their names.
		nn.NewSequential(c)
		err := torch.Try(func() { c.Forward(torch.Ones(torch.Shape{1, 2})) })
		assert.ErrorContains(t, err, "in layer 0.in (Linear, ")
	})
}

// A copy is in no scope, and has the original's dtype and mode.
func TestDeepCopyOutlivesScopes(t *testing.T) {
	before := torch.NumLiveTensors()
	m := nn.NewSequential(nn.NewLinear(2, 2, nn.DType(torch.Float64)), nn.NewBatchNorm1d(2))
	var c nn.Module
	torch.Scope(func() { c = nn.DeepCopy(m) })
	assert.Equal(t, torch.Float64, c.Parameters()[0].DType())
	assert.Equal(t, m.StateDict().String(), c.StateDict().String())
	require.NoError(t, m.Close())
	require.NoError(t, c.Close())
	assert.Equal(t, before, torch.NumLiveTensors())
}

// odd has a field that cannot be copied.
type odd struct {
	nn.Base
	fc     *nn.Linear
	cached *torch.Tensor
	done   chan int
	mu     *sync.Mutex
}

func TestDeepCopyOfWhatCannotBeCopied(t *testing.T) {
	scoped(t, func() {
		closed := torch.Ones(torch.Shape{1})
		closed.Close()
		for name, c := range map[string]struct {
			kind error
			make func(m *odd)
			says string
		}{
			"computed": {
				torch.ErrAutograd, func(m *odd) { m.cached = m.fc.Weight.MulScalar(2) },
				"argument m.cached: ",
			},
			"closed":  {torch.ErrClosed, func(m *odd) { m.cached = closed }, "m.cached"},
			"channel": {torch.ErrType, func(m *odd) { m.done = make(chan int) }, "m.done"},
			"lock":    {torch.ErrType, func(m *odd) { m.mu = new(sync.Mutex) }, "m.mu: a sync.Mutex cannot be copied"},
		} {
			m := new(odd)
			m.Init(m)
			m.fc = nn.NewLinear(2, 2, m.As("fc"))
			c.make(m)
			live := torch.NumLiveTensors()
			err := torch.Try(func() { nn.DeepCopy(m) })
			require.ErrorIs(t, err, c.kind, name)
			assert.ErrorContains(t, err, c.says, name)
			assert.Equal(t, live, torch.NumLiveTensors(), name)
			require.NoError(t, m.Close())
		}
		assert.ErrorIs(t, torch.Try(func() { nn.DeepCopy(nil) }), torch.ErrNil)
	})
}
