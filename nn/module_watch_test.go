package nn_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
)

// dropout is a program's own module with the package's dropout.
type dropout struct {
	*nn.Dropout
	calls int
}

func (d *dropout) Forward(x *torch.Tensor) *torch.Tensor {
	return d.Call(x, func(x *torch.Tensor) *torch.Tensor {
		d.calls++ // this field does not affect the result, so replays do not watch it
		return d.Dropout.Forward(x)
	})
}

// watchedNet has layers with each kind of setting.
type watchedNet struct {
	*nn.Sequential
	fc      *nn.Linear
	conv    *nn.Conv1d
	leaky   *nn.LeakyReLU
	drop    *nn.Dropout
	own     *dropout
	padding *nn.ConstantPad1d
	norm    *nn.BatchNorm1d
}

func newWatchedNet() *watchedNet {
	torch.ManualSeed(3)
	n := &watchedNet{
		fc: nn.NewLinear(8, 8), conv: nn.NewConv1d(2, 2, 3, nn.Padding(1)), leaky: nn.NewLeakyReLU(0.01),
		drop: nn.NewDropout(0.25),
		own:  &dropout{Dropout: nn.NewDropout(0.25)}, padding: nn.NewConstantPad1d(1, 0.5), norm: nn.NewBatchNorm1d(2),
	}
	n.own.Init(n.own)
	n.Sequential = nn.NewSequential(n.fc, n.conv, n.leaky, n.drop, n.own, n.norm, n.padding)
	return n
}

// If a layer's settings, tensors, layers or hooks have changed since the capture, a
// replay panics with an error that names the change. A step made by CaptureByShape is
// captured again instead, and gives the same results as the layers.
func TestCaptureWatchesLayers(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for says, change := range map[string]func(n *watchedNet){
		`the Linear "0" has a different weight`: func(n *watchedNet) {
			n.fc.Weight = nn.NewParameter(torch.Ones(torch.Shape{8, 8}))
		},
		`the LeakyReLU "2" has a different NegativeSlope`: func(n *watchedNet) { n.leaky.NegativeSlope = 0.5 },
		`the Dropout "3" has a different P`:               func(n *watchedNet) { n.drop.P = 0.75 },
		`the dropout "4" has a different P`:               func(n *watchedNet) { n.own.P = 0.75 },
		`the BatchNorm1d "5" has a different Eps`:         func(n *watchedNet) { n.norm.Eps = 0.5 },
		`the BatchNorm1d "5" has a different Momentum`:    func(n *watchedNet) { *n.norm.Momentum = 0.9 },
		`the ConstantPad1d "6" has a different Value`:     func(n *watchedNet) { n.padding.Value = 2 },
		`the Sequential has different layers`:             func(n *watchedNet) { n.Append(nn.NewTanh()) },
		`the Linear "0" has different hooks`: func(n *watchedNet) {
			n.fc.RegisterForwardHook(func(_ nn.Module, _, out []*torch.Tensor) []*torch.Tensor {
				return []*torch.Tensor{out[0].MulScalar(2)}
			})
		},
		`the Linear "0" has different parameters or buffers`: func(n *watchedNet) {
			n.fc.RegisterBuffer("scale", torch.Ones(torch.Shape{1}))
		},
	} {
		t.Run(says, func(t *testing.T) {
			torch.Scope(func() {
				x := torch.Randn(torch.Shape{4, 2, 8})
				n, eager := newWatchedNet(), newWatchedNet()
				g := torch.Capture(func() []*torch.Tensor { return []*torch.Tensor{n.Forward(x).Detach()} })
				defer g.Close()
				g.Replay()
				change(n)
				err := torch.Try(func() { g.Replay() })
				require.ErrorIs(t, err, torch.ErrValue)
				assert.ErrorContains(t, err, says)

				n = newWatchedNet()
				step := torch.CaptureByShape(func(in []*torch.Tensor) []*torch.Tensor {
					return []*torch.Tensor{n.Forward(in[0])}
				})
				defer step.Close()
				for i := range 12 {
					if i == 6 {
						change(n)
						change(eager)
					}
					torch.ManualSeed(uint64(i))
					want := eager.Forward(x)
					torch.ManualSeed(uint64(i))
					require.True(t, want.Equal(step.Call(x)[0]), "call %d", i)
				}
				assert.Empty(t, step.Refused())
			})
		})
	}
}

// A replay panics if the program has changed the contents of a layer's list of numbers.
func TestCaptureWatchesLists(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		x := torch.Randn(torch.Shape{1, 2, 8, 8})
		pool := nn.NewFractionalMaxPool2d(2, nn.OutputRatios{0.5, 0.5})
		g := torch.Capture(func() []*torch.Tensor { return []*torch.Tensor{pool.Forward(x)} })
		defer g.Close()
		pool.OutputRatio[0] = 0.25
		assert.ErrorContains(t, torch.Try(func() { g.Replay() }), "the FractionalMaxPool2d has a different OutputRatio")
	})
}

// swapped is a program's own module. The test assigns a different layer to its field
// inner.
type swapped struct {
	nn.Base
	inner *nn.Linear
	calls int
}

func (s *swapped) Forward(x *torch.Tensor) *torch.Tensor {
	return s.Call(x, func(x *torch.Tensor) *torch.Tensor {
		s.calls++
		h := s.inner.RegisterForwardHook(func(_ nn.Module, _, out []*torch.Tensor) []*torch.Tensor {
			return []*torch.Tensor{out[0].MulScalar(2)}
		})
		defer h.Remove() // a Forward must undo its own changes
		return s.inner.Forward(x)
	})
}

func TestCaptureWatchesOwnModules(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		x := torch.Randn(torch.Shape{2, 3})
		n := new(swapped)
		n.Init(n)
		n.inner = nn.NewLinear(3, 3, n.As("inner"))
		other := n.StateDict()
		step := func() []*torch.Tensor {
			var y *torch.Tensor
			nn.FunctionalCall(n, other, func() { y = n.Forward(x) })
			return []*torch.Tensor{y.Detach()}
		}
		g := torch.Capture(step)
		defer g.Close()
		for range 3 {
			torch.NoGrad(func() { x.Normal_(0, 1) })
			require.True(t, g.Replay()[0].Equal(step()[0]))
		}
		n.inner = nn.NewLinear(3, 3)
		err := torch.Try(func() { g.Replay() })
		require.ErrorIs(t, err, torch.ErrValue)
		assert.ErrorContains(t, err, "the swapped has a different inner")
	})
}

// looped iterates over its own lists of layers and parameters. The test changes the
// lists after the capture.
type looped struct {
	nn.Base
	blocks *nn.ModuleList
	scales *nn.ParameterList
	array  [2]*nn.Linear
	named  map[string]nn.Layer
}

func newLooped() *looped {
	torch.ManualSeed(5)
	n := new(looped)
	n.Init(n)
	n.blocks = nn.NewModuleList(nn.NewLinear(3, 3), nn.NewLinear(3, 3))
	n.Register("blocks", n.blocks)
	n.scales = nn.NewParameterList(nn.NewParameter(torch.Ones(torch.Shape{3})))
	n.Register("scales", n.scales)
	n.array = [2]*nn.Linear{nn.NewLinear(3, 3, n.As("a")), nn.NewLinear(3, 3, n.As("b"))}
	n.named = map[string]nn.Layer{"tanh": nn.NewTanh(n.As("tanh"))}
	return n
}

func (n *looped) Forward(x *torch.Tensor) *torch.Tensor {
	return n.Call(x, func(x *torch.Tensor) *torch.Tensor {
		for i := range n.blocks.Len() {
			x = n.blocks.At(i).(*nn.Linear).Forward(x)
		}
		for _, p := range n.scales.Values() {
			x = x.Mul(p)
		}
		return n.named["tanh"].Forward(n.array[1].Forward(n.array[0].Forward(x)))
	})
}

// plainList is a module that Go cannot compare by value, because it has a slice.
type plainList struct {
	*nn.Sequential
	names []string
}

func TestCaptureWatchesMembers(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for says, change := range map[string]func(n *looped){
		"has different layers": func(n *looped) { n.blocks.Append(nn.NewLinear(3, 3)) },
		"has different parameters or buffers": func(n *looped) {
			n.scales.Append(nn.NewParameter(torch.Ones(torch.Shape{3})))
		},
		"has a different array": func(n *looped) { n.array[1] = n.array[0] },
		"has a different named": func(n *looped) { n.named["tanh"] = nn.NewReLU() },
	} {
		torch.Scope(func() {
			x, n := torch.Randn(torch.Shape{2, 3}), newLooped()
			g := torch.Capture(func() []*torch.Tensor { return []*torch.Tensor{n.Forward(x).Detach()} })
			defer g.Close()
			g.Replay()
			change(n)
			err := torch.Try(func() { g.Replay() })
			require.ErrorIs(t, err, torch.ErrValue)
			assert.ErrorContains(t, err, says)
		})
	}
	torch.Scope(func() {
		x := torch.Randn(torch.Shape{2, 3})
		n := nn.NewSequential(plainList{nn.NewSequential(nn.NewLinear(3, 3)), []string{"a"}})
		g := torch.Capture(func() []*torch.Tensor { return []*torch.Tensor{n.Forward(x).Detach()} })
		defer g.Close()
		require.True(t, g.Replay()[0].Equal(n.Forward(x)))
	})
}

// If one kernel replaces several layers, the graph watches these layers too. If the
// capture passes the same tensor for two arguments, so does a replay.
func TestCaptureWatchesFastPaths(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.NoGrad(func() {
		for i, change := range []func(l *nn.TransformerEncoderLayer){
			func(l *nn.TransformerEncoderLayer) {
				l.Norm1.(*nn.LayerNorm).Eps, l.Norm2.(*nn.LayerNorm).Eps = 0.5, 0.5
			},
			func(l *nn.TransformerEncoderLayer) {
				fc := l.Linear1.(*nn.Linear)
				fc.Weight = nn.NewParameter(fc.Weight.MulScalar(2))
			},
			func(l *nn.TransformerEncoderLayer) { l.SelfAttn.(*nn.MultiheadAttention).NumHeads = 2 },
		} {
			torch.Scope(func() {
				torch.ManualSeed(1)
				l, x := nn.NewTransformerEncoderLayer(8, 4, nn.DimFeedforward(16), nn.BatchFirst(true)),
					torch.Randn(torch.Shape{2, 5, 8})
				l.Eval()
				g := torch.Capture(func() []*torch.Tensor { return []*torch.Tensor{l.Forward(x)} })
				defer g.Close()
				x.Normal_(0, 1)
				require.True(t, g.Replay()[0].Equal(l.Forward(x)))
				change(l)
				require.ErrorIs(t, torch.Try(func() { g.Replay() }), torch.ErrValue, "change %d", i)
			})
		}
		torch.Scope(func() {
			m, x := nn.NewMultiheadAttention(8, 2, nn.BatchFirst(true)), torch.Randn(torch.Shape{2, 5, 8})
			m.Eval()
			step := func() []*torch.Tensor {
				y, _ := m.Forward(x, x, x, nn.NeedWeights(false))
				return []*torch.Tensor{y}
			}
			g := torch.Capture(step)
			defer g.Close()
			for range 3 {
				x.Normal_(0, 1)
				require.True(t, g.Replay()[0].Equal(step()[0]))
			}
		})
	})
}

// If a step switches modes, each of its calls has the same mode in a replay. oneDNN's
// recurrent layers depend on the mode.
func TestCaptureSwitchesModes(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		torch.ManualSeed(1)
		l, x := nn.NewLSTM(8, 6), torch.Randn(torch.Shape{4, 2, 8})
		step := func(in []*torch.Tensor) (out []*torch.Tensor) {
			torch.NoGrad(func() {
				y, _, _ := l.Forward(in[0], nil, nil)
				out = []*torch.Tensor{y}
			})
			return out
		}
		by := torch.CaptureByShape(step)
		defer by.Close()
		for range 6 {
			x.Normal_(0, 1)
			require.True(t, by.Call(x)[0].Equal(step([]*torch.Tensor{x})[0]))
		}
		require.Empty(t, by.Refused())
	})
}
