package nn_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

func TestCloseFreesEverything(t *testing.T) {
	before := torch.NumLiveTensors()
	m := NewBlock(4, 2)
	assert.Equal(t, before+10, torch.NumLiveTensors())
	require.NoError(t, m.Close())
	require.NoError(t, m.Close())
	assert.Equal(t, before, torch.NumLiveTensors())
}

func TestParametersOutliveScopes(t *testing.T) {
	var m *nn.Linear
	own := new(holder)
	own.Init(own)
	torch.Scope(func() {
		torch.Scope(func() {
			m = nn.NewLinear(2, 2)
			own.RegisterParameter("w", torch.Zeros(torch.Shape{3}))
			own.RegisterBuffer("b", torch.Ones(torch.Shape{2}))
		})
	})
	defer m.Close()
	defer own.Close()
	assert.False(t, m.Weight.IsClosed())
	assert.Equal(t, torch.Shape{3}, own.Parameters()[0].Shape())
	assert.True(t, own.Parameters()[0].RequiresGrad())
	assert.Equal(t, torch.Shape{2}, own.Buffers()[0].Shape())
}

func TestTree(t *testing.T) {
	m := NewBlock(4, 2)
	defer m.Close()
	var names []string
	for _, n := range nn.NamedModules(m) {
		names = append(names, n.Name)
	}
	assert.Equal(t, []string{"", "ln", "attn", "attn.out_proj", "mlp", "mlp.0", "mlp.1", "mlp.2"}, names)
	assert.Len(t, nn.Modules(m), len(names))
	assert.Same(t, m.Get("mlp.2"), m.mlp.At(-1))
	assert.Nil(t, m.Get("mlp.7"))
	assert.Len(t, m.Children(), 3)

	var order []string
	nn.Apply(m, func(m nn.Module) { order = append(order, m.ModuleBase().TypeName()) })
	assert.Equal(t, "Block", order[len(order)-1])
	assert.Equal(t, []string{"LayerNorm", "NonDynamicallyQuantizableLinear", "MultiheadAttention"}, order[:3])

	m.Eval()
	assert.False(t, m.mlp.At(0).ModuleBase().Training())
	m.Train()
	assert.True(t, m.mlp.At(0).ModuleBase().Training())
}

func TestSharedParameterIsListedOnce(t *testing.T) {
	a, b := nn.NewLinear(3, 3), nn.NewLinear(3, 3)
	defer a.Close()
	old := b.Weight
	b.Weight = a.Weight
	b.RegisterParameter("weight", a.Weight)
	old.Close()
	s := nn.NewSequential(a, b, a)
	defer s.Close()
	assert.Len(t, s.Parameters(), 3)
	assert.Len(t, s.StateDict(), 6)
}

// holder is an empty module, to which tests add children and tensors.
type holder struct{ nn.Base }

// keeper is a module whose Forward returns a tensor that it keeps.
type keeper struct {
	nn.Base
	kept *torch.Tensor
}

func newKeeper(t *torch.Tensor) *keeper {
	k := &keeper{kept: t}
	k.Init(k)
	return k
}

func (k *keeper) Forward(x *torch.Tensor) *torch.Tensor {
	return k.Call(x, func(*torch.Tensor) *torch.Tensor { return k.kept })
}

func TestSequentialClosesOnlyItsOwn(t *testing.T) {
	scoped(t, func() {
		kept := torch.Ones(torch.Shape{2})
		s := nn.NewSequential(newKeeper(kept), nn.NewReLU(), nn.NewSigmoid(), newKeeper(kept), nn.NewIdentity())
		x := torch.Zeros(torch.Shape{2})
		y := s.Forward(x)
		assert.Same(t, kept, y)
		assert.False(t, kept.IsClosed())
		assert.False(t, x.IsClosed())
		assert.Same(t, x, nn.NewSequential().Forward(x))
		assert.Same(t, x, nn.NewSequential(nn.NewIdentity(), nn.NewIdentity()).Forward(x))
	})
}

// Goroutines can share a model without a lock and get the same numbers.
func TestGoroutinesShareAModel(t *testing.T) {
	before := torch.NumLiveTensors()
	torch.ManualSeed(0)
	m := nn.NewSequential(nn.NewLinear(8, 16), nn.NewReLU(), NewBlock(16, 4), nn.NewLinear(16, 2))
	m.Eval()
	x := torch.Randn(torch.Shape{3, 5, 8})
	y := m.Forward(x)
	want := y.Float32s()
	results := make([][]float32, 16)
	var wg sync.WaitGroup
	for i := range results {
		wg.Go(func() {
			for range 20 {
				torch.NoGrad(func() { torch.Scope(func() { results[i] = m.Forward(x).Float32s() }) })
			}
		})
	}
	wg.Wait()
	for _, got := range results {
		assert.InDeltaSlice(t, want, got, 1e-6)
	}
	for _, c := range []interface{ Close() error }{m, x, y} {
		require.NoError(t, c.Close())
	}
	assert.Equal(t, before, torch.NumLiveTensors())
}

// Training in a loop leaks nothing.
func TestTrainingLeavesNothing(t *testing.T) {
	scoped(t, func() {
		m := layers["CNN"]()
		defer m.Close()
		opt := optim.NewAdamW(m.Parameters())
		defer opt.Close()
		x, y := torch.Randn(torch.Shape{2, 3, 6, 5}), torch.FromSlice([]int64{1, 4})
		step := func() {
			opt.ZeroGrad()
			F.CrossEntropy(m.Forward(x), y).Backward()
			opt.Step()
		}
		torch.Scope(step) // the first step makes the state of the optimizer
		live := torch.NumLiveTensors()
		for range 5 {
			torch.Scope(step)
			assert.Equal(t, live, torch.NumLiveTensors())
		}
	})
}
