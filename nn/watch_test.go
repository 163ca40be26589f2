package nn_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
)

// dropout is a program's own, around that of the package.
type dropout struct {
	*nn.Dropout
	calls int
}

func (d *dropout) Forward(x *torch.Tensor) *torch.Tensor {
	return d.Call(x, func(x *torch.Tensor) *torch.Tensor {
		d.calls++ // of no effect on the result
		return d.Dropout.Forward(x)
	})
}

// watchedNet has a layer of each kind of setting.
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
		fc: nn.NewLinear(8, 8), conv: nn.NewConv1d(2, 2, 3, nn.Padding(1)), leaky: nn.NewLeakyReLU(), drop: nn.NewDropout(nn.P(0.25)),
		own: &dropout{Dropout: nn.NewDropout(nn.P(0.25))}, padding: nn.NewConstantPad1d(1, 0.5), norm: nn.NewBatchNorm1d(2),
	}
	n.own.Init(n.own)
	n.Sequential = nn.NewSequential(n.fc, n.conv, n.leaky, n.drop, n.own, n.norm, n.padding)
	return n
}

// A layer's settings, tensors, layers and hooks that change after a step was captured are an error that
// names them, and by shape a new recording that comes to what the layers come to.
func TestCaptureWatchesLayers(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for says, change := range map[string]func(n *watchedNet){
		`the Linear "0" has another weight`:           func(n *watchedNet) { n.fc.Weight = nn.NewParameter(torch.Ones(torch.Shape{8, 8})) },
		`the LeakyReLU "2" has another NegativeSlope`: func(n *watchedNet) { n.leaky.NegativeSlope = 0.5 },
		`the Dropout "3" has another P`:               func(n *watchedNet) { n.drop.P = 0.75 },
		`the dropout "4" has another P`:               func(n *watchedNet) { n.own.P = 0.75 },
		`the BatchNorm1d "5" has another Eps`:         func(n *watchedNet) { n.norm.Eps = 0.5 },
		`the BatchNorm1d "5" has another Momentum`:    func(n *watchedNet) { *n.norm.Momentum = 0.9 },
		`the ConstantPad1d "6" has another Value`:     func(n *watchedNet) { n.padding.Value = 2 },
		`the Sequential has other layers`:             func(n *watchedNet) { n.Append(nn.NewTanh()) },
		`the Linear "0" has other hooks`: func(n *watchedNet) {
			n.fc.RegisterForwardHook(func(_ nn.Module, _, out []*torch.Tensor) []*torch.Tensor {
				return []*torch.Tensor{out[0].MulScalar(2)}
			})
		},
		`the Linear "0" has other parameters or buffers`: func(n *watchedNet) {
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
				step := torch.CaptureByShape(func(in []*torch.Tensor) []*torch.Tensor { return []*torch.Tensor{n.Forward(in[0])} })
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

// A list of numbers of a layer, whose contents the program changes.
func TestCaptureWatchesLists(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		x := torch.Randn(torch.Shape{1, 2, 8, 8})
		pool := nn.NewFractionalMaxPool2d(2, nn.OutputRatios{0.5, 0.5})
		g := torch.Capture(func() []*torch.Tensor { return []*torch.Tensor{pool.Forward(x)} })
		defer g.Close()
		pool.OutputRatio[0] = 0.25
		assert.ErrorContains(t, torch.Try(func() { g.Replay() }), "the FractionalMaxPool2d has another OutputRatio")
	})
}

// swapped is a module of a program whose field another layer takes the place in.
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
		defer h.Remove() // what a Forward changes for itself it changes back
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
		assert.ErrorContains(t, err, "the swapped has another inner")
	})
}
