package nn_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// lora adds a low-rank correction to a layer of the library, and uses the layer's Base.
type lora struct {
	*nn.Linear
	a, b *torch.Tensor
}

func newLora(opts ...nn.InitOption) *lora {
	l := &lora{Linear: nn.NewLinear(3, 2)}
	l.Init(l, opts...)
	l.a = l.RegisterParameter("a", torch.Ones(torch.Shape{3, 1}))
	l.b = l.RegisterParameter("b", torch.Ones(torch.Shape{1, 2}))
	return l
}

func (l *lora) Forward(x *torch.Tensor) *torch.Tensor {
	return l.Call(x, func(x *torch.Tensor) *torch.Tensor {
		return l.Linear.Forward(x).Add(x.MatMul(l.a).MatMul(l.b))
	})
}

// named gives its embedded layer a type name and inherits the layer's Forward.
type named struct{ *nn.Linear }

func newNamed() *named {
	n := &named{nn.NewLinear(3, 2)}
	n.Init(n, nn.TypeName("Named"))
	return n
}

func TestForwardFreesWhatAnEmbeddingLayerLeaves(t *testing.T) {
	scoped(t, func() {
		l := newLora()
		defer l.Close()
		x := torch.Ones(torch.Shape{1, 3})
		live := torch.NumLiveTensors()
		for _, m := range []nn.Layer{l, nn.NewSequential(l), l.Linear} {
			y := m.Forward(x)
			assert.Equal(t, live+1, torch.NumLiveTensors(), m.String())
			require.NoError(t, y.Close())
		}
	})
}

// If a struct embeds a layer, the hooks of the layer run once per call and receive the
// struct.
func TestHooksOfAnEmbeddingLayer(t *testing.T) {
	scoped(t, func() {
		x := torch.Ones(torch.Shape{1, 3})
		for _, m := range []nn.Layer{newLora(), newNamed()} {
			var seen []nn.Module
			h := m.ModuleBase().RegisterForwardHook(func(m nn.Module, _, _ []*torch.Tensor) []*torch.Tensor {
				seen = append(seen, m)
				return nil
			})
			m.Forward(x)
			assert.Equal(t, []nn.Module{m}, seen)
			nn.NewSequential(m).Forward(x)
			assert.Len(t, seen, 2)
			h.Remove()
			m.Forward(x)
			assert.Len(t, seen, 2)
			assert.NoError(t, m.Close())
		}
		n, l := newNamed(), newLora()
		defer n.Close()
		defer l.Close()
		assert.Equal(t, "Named(in_features=3, out_features=2, bias=True)", n.String())
		err := torch.Try(func() { nn.NewSequential(l).Forward(torch.Ones(torch.Shape{2})) })
		assert.ErrorContains(t, err, "in layer 0 (lora, weight (2, 3), bias (2,), a (3, 1), b (1, 2), input (2,))")
	})
}

func TestForwardOfANilLayer(t *testing.T) {
	scoped(t, func() {
		x := torch.Ones(torch.Shape{1})
		err := torch.Try(func() { (*nn.LayerNorm)(nil).Forward(x) })
		require.ErrorIs(t, err, torch.ErrNil)
		assert.ErrorContains(t, err, "a nil *nn.LayerNorm")
		require.ErrorIs(t, torch.Try(func() { (*nn.MSELoss)(nil).Forward(x, x) }), torch.ErrNil)
		require.ErrorIs(t, torch.Try(func() { (*nn.MultiheadAttention)(nil).Forward(x, x, x) }), torch.ErrNil)

		// If a Forward calls a nil layer, the error names the layer that called it.
		err = torch.Try(func() { nn.NewSequential(newForgetful()).Forward(x) })
		require.ErrorIs(t, err, torch.ErrNil)
		assert.ErrorContains(t, err, "in layer 0 (forgetful, input (1,))")
	})
}

// forgetful calls a layer that it never creates.
type forgetful struct {
	nn.Base
	ln    *nn.LayerNorm
	table map[string]int
}

func newForgetful() *forgetful {
	f := new(forgetful)
	f.Init(f)
	return f
}

func (f *forgetful) Forward(x *torch.Tensor) *torch.Tensor {
	return f.Call(x, func(x *torch.Tensor) *torch.Tensor {
		if x.Dim() == 0 {
			f.table["x"] = 1
		}
		return f.ln.Forward(x)
	})
}

// A runtime error in the program's own code is passed on unchanged.
func TestForwardPassesRuntimeErrorsOn(t *testing.T) {
	scoped(t, func() {
		x := torch.Ones(torch.Shape{})
		defer func() {
			_, ok := recover().(runtime.Error)
			assert.True(t, ok)
		}()
		newForgetful().Forward(x)
	})
}

// gate has two inputs and two results.
type gate struct {
	nn.Base
	fc *nn.Linear
}

func newGate(opts ...nn.InitOption) *gate {
	g := new(gate)
	g.Init(g, opts...)
	g.fc = nn.NewLinear(2, 2, g.As("fc"))
	return g
}

func (g *gate) Forward(x, y *torch.Tensor) (a, b *torch.Tensor) {
	out := g.CallN([]*torch.Tensor{x, y}, func(in []*torch.Tensor) []*torch.Tensor {
		h := g.fc.Forward(in[0]).Sigmoid()
		return []*torch.Tensor{h.Mul(in[1]), h.AddScalar(1).Log()}
	})
	return out[0], out[1]
}

type product struct{ nn.Base }

func newProduct() *product {
	p := new(product)
	p.Init(p)
	return p
}

func (p *product) Forward(a, b *torch.Tensor) *torch.Tensor {
	return p.Call2(a, b, func(a, b *torch.Tensor) *torch.Tensor { return a.AddScalar(1).Mul(b) })
}

func TestCall2(t *testing.T) {
	scoped(t, func() {
		p := newProduct()
		defer p.Close()
		x, y := torch.Full(torch.Shape{2}, 3), torch.Full(torch.Shape{2}, 5)
		live := torch.NumLiveTensors()
		assert.Equal(t, []float32{20, 20}, p.Forward(x, y).Float32s())
		assert.Equal(t, live+1, torch.NumLiveTensors(), "temporaries left open")
		p.RegisterForwardPreHook(func(_ nn.Module, in []*torch.Tensor) []*torch.Tensor {
			return []*torch.Tensor{in[1], in[0]}
		})
		assert.Equal(t, []float32{18, 18}, p.Forward(x, y).Float32s(), "hooks see both inputs")
		err := torch.Try(func() { p.Call2(x, y, nil) })
		require.ErrorIs(t, err, torch.ErrNil)
		assert.ErrorContains(t, err, "Call2")
	})
}

// Tensors that a hook makes are freed after the module's call, and the error of a later
// use says so.
func TestTensorsThatAHookKeeps(t *testing.T) {
	scoped(t, func() {
		x := torch.Ones(torch.Shape{2, 3})
		linear, loss, product := nn.NewLinear(3, 3), nn.NewMSELoss(), newProduct()
		defer linear.Close()
		for name, m := range map[string]struct {
			nn.Module
			call func()
		}{
			"one input":    {linear, func() { linear.Forward(x) }},
			"a loss":       {loss, func() { loss.Forward(x, x) }},
			"of a program": {product, func() { product.Forward(x, x) }},
		} {
			var kept *torch.Tensor
			m.ModuleBase().RegisterForwardHook(func(_ nn.Module, _, out []*torch.Tensor) []*torch.Tensor {
				kept = out[0].MulScalar(2)
				return nil
			})
			m.call()
			assert.ErrorContains(t, torch.Try(func() { kept.Item() }), "after the call of the module", name)
		}
	})
}

func TestCallN(t *testing.T) {
	scoped(t, func() {
		g := newGate()
		defer g.Close()
		x := torch.Ones(torch.Shape{1, 2})
		live := torch.NumLiveTensors()
		a, b := g.Forward(x, x)
		assert.Equal(t, live+2, torch.NumLiveTensors(), "temporaries left open")
		ten := x.MulScalar(10)
		pre := g.RegisterForwardPreHook(func(m nn.Module, in []*torch.Tensor) []*torch.Tensor {
			assert.Same(t, g, m)
			return []*torch.Tensor{in[0], ten}
		})
		g.RegisterForwardHook(func(_ nn.Module, in, out []*torch.Tensor) []*torch.Tensor {
			assert.Same(t, ten, in[1])
			return []*torch.Tensor{out[1], out[0]}
		})
		c, d := g.Forward(x, x)
		assert.Equal(t, b.Float32s(), c.Float32s())
		assert.InDeltaSlice(t, a.MulScalar(10).Float32s(), d.Float32s(), 1e-5)
		assert.False(t, ten.IsClosed())
		pre.Remove()
		g.RegisterForwardPreHook(func(_ nn.Module, in []*torch.Tensor) []*torch.Tensor { return in[:1] })
		err := torch.Try(func() { g.Forward(x, x) })
		require.ErrorIs(t, err, torch.ErrValue)
		assert.ErrorContains(t, err, "the hook returned 1 tensors, expected 2 in layer gate")
	})
}
