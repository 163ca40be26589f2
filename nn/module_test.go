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
	before := torch.LiveTensors()
	m := NewBlock(4, 2)
	assert.Equal(t, before+10, torch.LiveTensors())
	require.NoError(t, m.Close())
	require.NoError(t, m.Close())
	assert.Equal(t, before, torch.LiveTensors())
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

func TestStateDict(t *testing.T) {
	scoped(t, func() {
		torch.ManualSeed(1)
		a, b := layers["CNN"](), layers["CNN"]()
		defer a.Close()
		defer b.Close()
		x := torch.Randn(torch.Shape{2, 3, 6, 5})
		a.Eval()
		b.Eval()
		assert.NotEqual(t, a.Forward(x).Float32s(), b.Forward(x).Float32s())
		require.NoError(t, b.LoadStateDict(a.StateDict()))
		assert.Equal(t, a.Forward(x).Float32s(), b.Forward(x).Float32s())
		require.NoError(t, b.LoadStateDict(nn.NewStateDict(a.StateDict().Map())))

		sd := a.StateDict()
		err := b.LoadStateDict(sd[1:])
		require.ErrorIs(t, err, torch.ErrValue)
		assert.ErrorContains(t, err, "missing names: [0.weight]")
		require.NoError(t, b.LoadStateDict(sd[1:], nn.Strict(false)))

		extra := append(nn.StateDict{{Name: "9.weight", Tensor: x}}, sd...)
		assert.ErrorContains(t, b.LoadStateDict(extra), "unknown names: [9.weight]")

		wrong := sd.Map()
		wrong["0.weight"] = x
		err = b.LoadStateDict(nn.NewStateDict(wrong))
		require.ErrorIs(t, err, torch.ErrShape)
		assert.ErrorContains(t, err, "0.weight is (4, 3, 3, 3) here and (2, 3, 6, 5)")

		wrong["0.weight"] = nil
		require.ErrorIs(t, b.LoadStateDict(nn.NewStateDict(wrong)), torch.ErrClosed)
	})
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
	assert.False(t, m.mlp.At(0).ModuleBase().IsTraining())
	m.Train()
	assert.True(t, m.mlp.At(0).ModuleBase().IsTraining())
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

func TestTo(t *testing.T) {
	scoped(t, func() {
		m := layers["CNN"]()
		defer m.Close()
		w := m.Parameters()[0]
		m.Forward(torch.Randn(torch.Shape{2, 3, 6, 5})).Sum().Backward()
		m.To(torch.Float64)
		assert.Equal(t, torch.Float64, w.DType(), "parameters keep their identity")
		assert.Equal(t, torch.Float64, w.Grad().DType())
		assert.Equal(t, torch.Int64, m.StateDict().Get("1.num_batches_tracked").DType())
		assert.Equal(t, torch.Float64, m.StateDict().Get("1.running_mean").DType())
		y := m.Forward(torch.Randn(torch.Shape{2, 3, 6, 5}, torch.Float64))
		y.Sum().Backward()
		require.ErrorIs(t, torch.Try(func() { m.To(torch.Int32) }), torch.ErrDType)
		m.ZeroGrad()
		assert.Nil(t, w.Grad())
		m.ModuleBase().SetRequiresGrad(false)
		assert.False(t, m.Forward(torch.Randn(torch.Shape{2, 3, 6, 5}, torch.Float64)).RequiresGrad())
	})
}

// holder is a module that has what a test gives it.
type holder struct{ nn.Base }

func TestHooks(t *testing.T) {
	scoped(t, func() {
		l := nn.NewReLU()
		s := nn.NewSequential(nn.NewIdentity(), l)
		x := torch.FromSlice([]float32{-1, 2})
		var seen []string
		pre := l.RegisterForwardPreHook(func(m nn.Module, in []*torch.Tensor) []*torch.Tensor {
			seen = append(seen, "pre "+m.ModuleBase().TypeName())
			return []*torch.Tensor{in[0].AddScalar(3)}
		})
		post := l.RegisterForwardHook(func(_ nn.Module, in, out []*torch.Tensor) []*torch.Tensor {
			seen = append(seen, "post")
			assert.Equal(t, []float32{2, 5}, in[0].Float32s())
			return []*torch.Tensor{out[0].MulScalar(10)}
		})
		live := torch.LiveTensors()
		assert.Equal(t, []float32{20, 50}, s.Forward(x).Float32s())
		assert.Equal(t, live+1, torch.LiveTensors())
		pre.Remove()
		post.Remove()
		post.Remove()
		assert.Equal(t, []float32{0, 2}, s.Forward(x).Float32s())
		assert.Equal(t, []string{"pre ReLU", "post"}, seen)
	})
}

// stopper is a layer that panics.
type stopper struct {
	nn.Base
	with any
}

func newStopper(with any) *stopper {
	s := &stopper{with: with}
	s.Init(s)
	return s
}

func (s *stopper) Forward(x *torch.Tensor) *torch.Tensor {
	return s.Call(x, func(*torch.Tensor) *torch.Tensor {
		torch.Zeros(torch.Shape{2})
		panic(s.with)
	})
}

func TestErrorsNameTheLayer(t *testing.T) {
	scoped(t, func() {
		inner := nn.NewSequential(nn.NewReLU(), nn.NewLinear(3, 2))
		s := nn.NewSequential(nn.NewLinear(2, 2)).Add("head", inner)
		defer s.Close()
		err := torch.Try(func() { s.Forward(torch.Zeros(torch.Shape{1, 2})) })
		require.ErrorIs(t, err, torch.ErrShape)
		var te *torch.Error
		require.ErrorAs(t, err, &te)
		assert.Equal(t, "head.1 (Linear, weight (2, 3), bias (2,))", te.Layer)
		assert.Equal(t, "Linear", te.Op)
		assert.ErrorContains(t, err, "in layer head.1 (Linear, weight (2, 3), bias (2,))")

		err = torch.Try(func() { nn.NewReLU().Forward(nil) })
		assert.ErrorContains(t, err, "ReLU: argument input is a nil *Tensor in layer ReLU")

		live := torch.LiveTensors()
		assert.PanicsWithValue(t, "stop", func() {
			nn.NewSequential(newStopper("stop")).Forward(torch.Zeros(torch.Shape{1}))
		})
		assert.Equal(t, live+1, torch.LiveTensors(), "only the test's own tensor stays")
	})
}

// keeper returns a tensor that it holds on to.
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

func TestEmbeddingPaddingStartsAtZero(t *testing.T) {
	scoped(t, func() {
		e := nn.NewEmbedding(4, 3, nn.PaddingIdx(1))
		defer e.Close()
		assert.Equal(t, []float32{0, 0, 0}, e.Weight.Index(1).Float32s())
		assert.True(t, e.Weight.IsLeaf())
	})
}

func TestAttention(t *testing.T) {
	scoped(t, func() {
		torch.ManualSeed(0)
		m := nn.NewMultiheadAttention(8, 2)
		defer m.Close()
		m.Eval()
		q, kv := torch.Randn(torch.Shape{5, 2, 8}), torch.Randn(torch.Shape{3, 2, 8})
		live := torch.LiveTensors()
		fast, none := m.Forward(q, kv, kv, nn.NeedWeights(false))
		out, w := m.Forward(q, kv, kv)
		assert.Equal(t, live+3, torch.LiveTensors())
		assert.Nil(t, none)
		assert.Equal(t, torch.Shape{5, 2, 8}, out.Shape())
		assert.Equal(t, torch.Shape{2, 5, 3}, w.Shape())
		assert.InDeltaSlice(t, out.Float32s(), fast.Float32s(), 1e-5)
		sums := w.Sum(torch.Dim(2)).Float32s()
		for _, s := range sums {
			assert.InDelta(t, 1, s, 1e-5)
		}

		// Every way of hiding later keys gives the same.
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

func TestBadLayers(t *testing.T) {
	scoped(t, func() {
		leaf := torch.Zeros(torch.Shape{2}, torch.RequiresGrad)
		closed := torch.Zeros(torch.Shape{2})
		closed.Close()
		b := new(holder)
		b.Init(b)
		nn.NewReLU(b.As("child"))
		b.RegisterParameter("p", torch.Zeros(torch.Shape{1}))
		b.RegisterBuffer("b", torch.Zeros(torch.Shape{1}))
		defer b.Close()
		bn, mha := nn.NewBatchNorm2d(2), nn.NewMultiheadAttention(8, 2)
		defer bn.Close()
		defer mha.Close()
		cases := []struct {
			name string
			kind error
			fn   func()
		}{
			{"nil module", torch.ErrNil, func() { b.Register("x", nil) }},
			{"nil pointer", torch.ErrNil, func() { b.Register("x", (*nn.Linear)(nil)) }},
			{"empty name", torch.ErrValue, func() { b.Register("", nn.NewReLU()) }},
			{"dotted name", torch.ErrValue, func() { b.Register("a.b", nn.NewReLU()) }},
			{"name of a parameter", torch.ErrValue, func() { b.Register("p", nn.NewReLU()) }},
			{"name of a child", torch.ErrValue, func() { b.RegisterParameter("child", leaf) }},
			{"name of a buffer", torch.ErrValue, func() { b.RegisterParameter("b", leaf) }},
			{"computed parameter", torch.ErrAutograd, func() { b.RegisterParameter("y", leaf.MulScalar(2)) }},
			{"closed parameter", torch.ErrClosed, func() { b.RegisterParameter("y", closed) }},
			{"closed buffer", torch.ErrClosed, func() { b.RegisterBuffer("y", closed) }},
			{"nil in Sequential", torch.ErrNil, func() { nn.NewSequential(nil) }},
			{"taken name", torch.ErrValue, func() { nn.NewSequential(nn.NewReLU()).Add("0", nn.NewReLU()) }},
			{"no such layer", torch.ErrIndex, func() { nn.NewSequential(nn.NewReLU()).At(1) }},
			{"negative size", torch.ErrValue, func() { nn.NewLinear(-1, 2) }},
			{"no kernel", torch.ErrType, func() { nn.NewConv2d(1, 2, nil) }},
			{"groups", torch.ErrValue, func() { nn.NewConv2d(3, 4, 3, nn.Groups(2)) }},
			{"padding", torch.ErrValue, func() { nn.NewConv2d(3, 4, 3, nn.PaddingWord("some")) }},
			{"same and stride", torch.ErrValue, func() { nn.NewConv2d(3, 4, 3, nn.PaddingSame, nn.Stride(2)) }},
			{"padding mode", torch.ErrValue, func() { nn.NewConv2d(3, 4, 3, nn.PaddingMode("some")) }},
			{"probability", torch.ErrValue, func() { nn.NewDropout(nn.P(1.5)) }},
			{"heads", torch.ErrValue, func() { nn.NewMultiheadAttention(8, 3) }},
			{"group norm", torch.ErrValue, func() { nn.NewGroupNorm(2, 3) }},
			{"padding index", torch.ErrIndex, func() { nn.NewEmbedding(2, 2, nn.PaddingIdx(2)) }},
			{"dimensions", torch.ErrShape, func() { bn.Forward(leaf) }},
			{"attention", torch.ErrShape, func() { mha.Forward(leaf, leaf, leaf) }},
		}
		for _, c := range cases {
			err := torch.Try(c.fn)
			if assert.Error(t, err, c.name) {
				assert.ErrorIs(t, err, c.kind, "%s: %v", c.name, err)
			}
		}
	})
}

func TestCriteria(t *testing.T) {
	scoped(t, func() {
		x, y := torch.Rand(torch.Shape{3, 4}), torch.Rand(torch.Shape{3, 4})
		classes := torch.FromSlice([]int64{0, 3, 1})
		for _, c := range []struct {
			loss interface {
				nn.Module
				Forward(input, target *torch.Tensor) *torch.Tensor
			}
			target *torch.Tensor
			want   *torch.Tensor
		}{
			{nn.NewCrossEntropyLoss(), classes, F.CrossEntropy(x, classes)},
			{nn.NewNLLLoss(), classes, F.NLLLoss(x, classes)},
			{nn.NewMSELoss(nn.ReductionSum), y, F.MSELoss(x, y, F.ReductionSum)},
			{nn.NewL1Loss(), y, F.L1Loss(x, y)},
			{nn.NewSmoothL1Loss(), y, F.SmoothL1Loss(x, y)},
			{nn.NewHuberLoss(), y, F.HuberLoss(x, y)},
			{nn.NewBCELoss(), y, F.BinaryCrossEntropy(x, y)},
			{nn.NewBCEWithLogitsLoss(), y, F.BinaryCrossEntropyWithLogits(x, y)},
			{nn.NewKLDivLoss(), y, F.KLDiv(x, y)},
		} {
			assert.InDelta(t, c.want.Item(), c.loss.Forward(x, c.target).Item(), 0)
		}
	})
}

// Goroutines share a model without a lock and see the same numbers.
func TestGoroutinesShareAModel(t *testing.T) {
	before := torch.LiveTensors()
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
	assert.Equal(t, before, torch.LiveTensors())
}

// Training in a loop makes nothing that stays.
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
		torch.Scope(step) // makes the optimizer's state
		live := torch.LiveTensors()
		for range 5 {
			torch.Scope(step)
			assert.Equal(t, live, torch.LiveTensors())
		}
	})
}
