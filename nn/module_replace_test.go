package nn_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// lowRank wraps a layer by embedding it. The two share one Base, so they are one
// module.
type lowRank struct {
	*nn.Linear
	down, up *nn.Linear
}

func newLowRank(inner *nn.Linear) *lowRank {
	l := &lowRank{Linear: inner}
	l.Init(l)
	l.down = nn.NewLinear(inner.InFeatures, 2, nn.Bias(false), l.As("down"))
	l.up = nn.NewLinear(2, inner.OutFeatures, nn.Bias(false), l.As("up"))
	return l
}

func (l *lowRank) Forward(x *torch.Tensor) *torch.Tensor {
	return l.Call(x, func(x *torch.Tensor) *torch.Tensor {
		return l.Linear.Forward(x).Add(l.up.Forward(l.down.Forward(x)))
	})
}

// around wraps a layer by holding it as a child.
type around struct {
	nn.Base
	inner nn.Layer
	scale *torch.Tensor
}

func newAround(inner nn.Layer) *around {
	a := &around{inner: inner}
	a.Init(a)
	a.Register("inner", inner)
	a.scale = a.RegisterParameter("scale", nn.NewParameter(torch.Full(torch.Shape{1}, 2.0)))
	return a
}

func (a *around) Forward(x *torch.Tensor) *torch.Tensor {
	return a.Call(x, func(x *torch.Tensor) *torch.Tensor { return a.inner.Forward(x).Mul(a.scale) })
}

type layered struct {
	nn.Base
	fc     nn.Layer
	blocks []nn.Layer
	named  map[string]nn.Layer
	inside struct{ fc nn.Layer }
	list   *nn.ModuleList
}

func newLayered() *layered {
	n := new(layered)
	n.Init(n)
	n.fc = nn.NewLinear(3, 3, n.As("fc"))
	n.list = nn.NewModuleList(nn.NewLinear(3, 3)).In(n, "list")
	n.blocks = []nn.Layer{n.list.At(0).(*nn.Linear)}
	n.named = map[string]nn.Layer{"one": nn.NewLinear(3, 3, n.As("one"))}
	n.inside.fc = nn.NewLinear(3, 3, n.As("inner_fc"))
	return n
}

func (n *layered) Forward(x *torch.Tensor) *torch.Tensor {
	return n.Call(x, func(x *torch.Tensor) *torch.Tensor {
		return n.inside.fc.Forward(n.named["one"].Forward(n.blocks[0].Forward(n.fc.Forward(x))))
	})
}

// Forward calls the replacement of a submodule, wherever the parent stores its layers.
// The parameters of the replacement get gradients, and its hooks run.
func TestSetSubmoduleTakesEffect(t *testing.T) {
	scoped(t, func() {
		for _, path := range []string{"fc", "list.0", "one", "inner_fc"} {
			for name, wrap := range map[string]func(l *nn.Linear) nn.Layer{
				"embeds": func(l *nn.Linear) nn.Layer { return newLowRank(l) },
				"holds":  func(l *nn.Linear) nn.Layer { return newAround(l) },
				"other":  func(*nn.Linear) nn.Layer { return nn.NewLinear(3, 3) },
			} {
				n := newLayered()
				old := n.Get(path).(*nn.Linear)
				n.Forward(torch.Rand(torch.Shape{2, 3}))
				m := wrap(old)
				n.SetSubmodule(path, m)
				assert.Same(t, m, n.Get(path))
				ran := 0
				m.ModuleBase().RegisterForwardHook(func(nn.Module, []*torch.Tensor, []*torch.Tensor) []*torch.Tensor {
					ran++
					return nil
				})
				n.Forward(torch.Rand(torch.Shape{2, 3})).Sum().Backward()
				assert.Equal(t, 1, ran, "%s %s", path, name)
				for _, p := range n.NamedParameters() {
					assert.NotNil(t, p.Tensor.Grad(), "%s %s %s", path, name, p.Name)
				}
				require.NoError(t, n.Close())
				if name == "other" {
					require.NoError(t, old.Close())
				}
			}
		}
	})
}

type typedSlice struct {
	nn.Base
	fc     *nn.Linear
	blocks []*nn.Linear
	list   *nn.ModuleList
}

func newTypedSlice() *typedSlice {
	n := new(typedSlice)
	n.Init(n)
	n.fc = nn.NewLinear(3, 3, n.As("fc"))
	n.list = nn.NewModuleList(nn.NewLinear(3, 3), nn.NewLinear(3, 3)).In(n, "list")
	for _, m := range n.list.Values() {
		n.blocks = append(n.blocks, m.(*nn.Linear))
	}
	return n
}

func (n *typedSlice) Forward(x *torch.Tensor) *torch.Tensor {
	return n.Call(x, func(x *torch.Tensor) *torch.Tensor {
		return n.blocks[1].Forward(n.blocks[0].Forward(n.fc.Forward(x)))
	})
}

// If a field cannot hold the replacement, SetSubmodule panics and changes nothing. A
// field of the right type is assigned.
func TestSetSubmoduleOfTypedFields(t *testing.T) {
	scoped(t, func() {
		n := newTypedSlice()
		defer n.Close()
		x := torch.Rand(torch.Shape{2, 3})
		want := n.Forward(x).Float32s()
		drop := nn.NewDropout(0.5)
		for _, path := range []string{"fc", "list.1"} {
			err := torch.Try(func() { n.SetSubmodule(path, drop) })
			require.ErrorIs(t, err, torch.ErrType)
			assert.ErrorContains(t, err, "has type *nn.Linear and cannot hold a Dropout")
			assert.ErrorContains(t, err, "give the field the type nn.Layer")
		}
		assert.Equal(t, want, n.Forward(x).Float32s())

		zero := nn.NewLinear(3, 3)
		torch.NoGrad(func() {
			for _, p := range zero.Parameters() {
				p.Zero_()
			}
		})
		olds := []*nn.Linear{n.fc, n.blocks[1]}
		n.SetSubmodule("list.1", zero)
		assert.Same(t, zero, n.blocks[1])
		assert.Zero(t, n.Forward(x).Abs().Sum().Item())
		again := nn.NewLinear(3, 3)
		n.SetSubmodule("fc", again)
		assert.Same(t, again, n.fc)
		n.Parameters()
		for _, old := range olds {
			require.NoError(t, old.Close())
		}
	})
}

// Replacing a module in a list does not change the fields that hold the old module.
// Forward finds such fields, and its error says what to do.
func TestReplacedInAListBesideAField(t *testing.T) {
	scoped(t, func() {
		x := torch.Rand(torch.Shape{2, 3})
		for name, wrap := range map[string]func(l *nn.Linear) nn.Module{
			"lowRank": func(l *nn.Linear) nn.Module { return newLowRank(l) },
			"around":  func(l *nn.Linear) nn.Module { return newAround(l) },
		} {
			n := newTypedSlice()
			n.Forward(x)
			n.list.Set(1, wrap(n.blocks[1]))
			for _, use := range []func(){func() { n.Forward(x) }, func() { n.Parameters() }} {
				err := torch.Try(use)
				require.ErrorIs(t, err, torch.ErrValue)
				assert.ErrorContains(t, err,
					"argument n.blocks[1]: holds a Linear, but the registered module is the "+name+" around it")
			}
			require.NoError(t, n.Close())

			n = newTypedSlice()
			n.Forward(x)
			m := wrap(n.fc)
			n.Register("fc", m)
			assert.ErrorContains(t, torch.Try(func() { n.Forward(x) }),
				"argument n.fc: holds a Linear, but the registered module is the "+name)
			require.NoError(t, n.Close())
		}
		n := newTypedSlice()
		n.Forward(x)
		old := n.list.At(0)
		n.list.Set(0, nn.NewLinear(3, 3))
		assert.ErrorContains(t, torch.Try(func() { n.Forward(x) }),
			"argument n.blocks[0]: holds a Linear that was never registered")
		require.NoError(t, old.Close())
		require.NoError(t, n.Close())
	})
}

// twoNames has a layer under two names.
type twoNames struct {
	nn.Base
	in, Out nn.Layer
}

func (n *twoNames) Forward(x *torch.Tensor) *torch.Tensor {
	return n.Call(x, func(x *torch.Tensor) *torch.Tensor { return n.Out.Forward(n.in.Forward(x)) })
}

func TestSetSubmoduleOfATiedLayer(t *testing.T) {
	scoped(t, func() {
		n := new(twoNames)
		n.Init(n)
		defer n.Close()
		fc := nn.NewLinear(3, 3)
		n.in, n.Out = fc, fc
		n.Register("in", fc)
		n.Register("out", fc)
		m := nn.NewLinear(3, 3)
		n.SetSubmodule("out", m)
		assert.Same(t, fc, n.in)
		assert.Same(t, m, n.Out)
		n.Forward(torch.Rand(torch.Shape{2, 3})).Sum().Backward()
		assert.Len(t, n.Parameters(), 4)
	})
}

// The types countedLayer, countedAttention and so on each wrap a module of one
// interface and count its calls.
type countedLayer struct {
	nn.Base
	inner nn.Layer
	calls *int
}

func (c *countedLayer) Forward(x *torch.Tensor) *torch.Tensor {
	return c.Call(x, func(x *torch.Tensor) *torch.Tensor {
		*c.calls++
		return c.inner.Forward(x)
	})
}

type countedAttention struct {
	nn.Attention
	calls *int
}

func (c countedAttention) Forward(q, k, v *torch.Tensor, opts ...nn.AttentionCallOption) (out, weights *torch.Tensor) {
	res := c.ModuleBase().CallN([]*torch.Tensor{q, k, v}, func(in []*torch.Tensor) []*torch.Tensor {
		*c.calls++
		out, weights := c.Attention.Forward(in[0], in[1], in[2], opts...)
		return []*torch.Tensor{out, weights}
	})
	return res[0], res[1]
}

type countedEncoderLayer struct {
	nn.EncoderLayer
	calls *int
}

func (c countedEncoderLayer) Forward(src *torch.Tensor, opts ...nn.EncoderLayerCallOption) *torch.Tensor {
	return c.ModuleBase().Call(src, func(src *torch.Tensor) *torch.Tensor {
		*c.calls++
		return c.EncoderLayer.Forward(src, opts...)
	})
}

type countedEncoder struct {
	nn.Encoder
	calls *int
}

func (c countedEncoder) Forward(src *torch.Tensor, opts ...nn.EncoderCallOption) *torch.Tensor {
	return c.ModuleBase().Call(src, func(src *torch.Tensor) *torch.Tensor {
		*c.calls++
		return c.Encoder.Forward(src, opts...)
	})
}

type countedDecoder struct {
	nn.Decoder
	calls *int
}

func (c countedDecoder) Forward(tgt, memory *torch.Tensor, opts ...nn.DecoderCallOption) *torch.Tensor {
	return c.ModuleBase().CallN([]*torch.Tensor{tgt, memory}, func(in []*torch.Tensor) []*torch.Tensor {
		*c.calls++
		return []*torch.Tensor{c.Decoder.Forward(in[0], in[1], opts...)}
	})[0]
}

// counted wraps a module and counts its calls, or returns nil for other types.
func counted(m nn.Module, calls *int) nn.Module {
	switch m := m.(type) {
	case nn.Layer:
		c := &countedLayer{inner: m, calls: calls}
		c.Init(c)
		c.Register("inner", m)
		return c
	case nn.Attention:
		c := &countedAttention{m, calls}
		m.ModuleBase().Init(c)
		return c
	case nn.EncoderLayer:
		c := &countedEncoderLayer{m, calls}
		m.ModuleBase().Init(c)
		return c
	case nn.Encoder:
		c := &countedEncoder{m, calls}
		m.ModuleBase().Init(c)
		return c
	case nn.Decoder:
		c := &countedDecoder{m, calls}
		m.ModuleBase().Init(c)
		return c
	}
	return nil
}

// Every layer in every module of the package can be replaced, and the replacement runs as often as
// the layer would.
func TestEveryLayerCanBeReplaced(t *testing.T) {
	replaced := 0
	for _, member := range members {
		if member.in == nil {
			continue
		}
		scoped(t, func() {
			p := new(holder)
			p.Init(p)
			defer p.Close()
			root := member.make(p)
			below := nn.NamedModules(root)[1:]
			// Replace the deepest modules first, so that the paths of the others stay
			// valid.
			slices.Reverse(below)
			for _, c := range below {
				calls, want := 0, 0
				hook := c.Module.ModuleBase().RegisterForwardHook(func(nn.Module, []*torch.Tensor,
					[]*torch.Tensor,
				) []*torch.Tensor {
					want++
					return nil
				})
				in := member.in()
				torch.ManualSeed(1)
				before := runModule(root, copies(in))
				hook.Remove()
				w := counted(c.Module, &calls)
				if w == nil {
					continue // a list
				}
				p.SetSubmodule("m."+c.Name, w, nn.Strict(true))
				torch.ManualSeed(1)
				after := runModule(root, copies(in))
				require.Equal(t, want, calls, "%s: %s", member.name, c.Name)
				for i := range before {
					if before[i] != nil {
						assert.True(t, before[i].Equal(after[i]), "%s: %s", member.name, c.Name)
					}
				}
				replaced += calls
			}
		})
	}
	assert.Greater(t, replaced, 30)
}

// A transformer can be fine-tuned with adapters in a few lines.
func TestAdaptersInATransformer(t *testing.T) {
	scoped(t, func() {
		torch.ManualSeed(0)
		layer := nn.NewTransformerEncoderLayer(8, 2, nn.DimFeedforward(16), nn.DropoutP(0), nn.BatchFirst(true))
		net := nn.NewTransformerEncoder(layer, 2)
		defer net.Close()
		require.NoError(t, layer.Close())
		net.SetRequiresGrad(false)
		var adapters []*lowRank
		for _, m := range nn.NamedModules(net) {
			if l, ok := m.Module.(*nn.Linear); ok {
				a := newLowRank(l)
				adapters = append(adapters, a)
				net.SetSubmodule(m.Name, a)
			}
		}
		require.Len(t, adapters, 6)
		var train []*torch.Tensor
		for _, p := range net.Parameters() {
			if p.RequiresGrad() {
				train = append(train, p)
			}
		}
		require.Len(t, train, 12)
		opt := optim.NewAdam(train, optim.LR(0.01))
		defer opt.Close()
		x, y := torch.Rand(torch.Shape{5, 3, 8}), torch.Rand(torch.Shape{5, 3, 8})
		var losses []float64
		for range 20 {
			opt.ZeroGrad()
			loss := net.Forward(x).Sub(y).Square().Mean()
			loss.Backward()
			for _, p := range train {
				require.NotNil(t, p.Grad())
			}
			opt.Step()
			losses = append(losses, loss.Item())
		}
		assert.Less(t, losses[19], losses[0])
		net.Eval()
		torch.NoGrad(func() { // here a fused kernel could run, which would skip the adapters
			with := net.Forward(x)
			for _, a := range adapters {
				a.up.Weight.Zero_()
			}
			assert.False(t, with.Equal(net.Forward(x)))
		})
	})
}
