package torch_test

import (
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/again"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/amp"
	"github.com/gotorch/gotorch/torchtest"
)

// Call feeds and replays in one operation: goroutines that share a graph get the results of their
// own inputs.
func TestGraphCall(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		x := torch.Zeros(torch.Shape{64})
		g := torch.Capture(func() []*torch.Tensor { return []*torch.Tensor{x.MulScalar(2).AddScalar(1)} },
			torch.Inputs{x}, torch.CloneResults(true))
		defer g.Close()
		var all sync.WaitGroup
		for k := range 8 {
			all.Go(func() {
				for i := range 100 {
					torch.Scope(func() {
						v := float64(100*k + i)
						got := g.Call(torch.Full(torch.Shape{64}, v))[0]
						assert.True(t, got.Equal(torch.Full(torch.Shape{64}, 2*v+1)), "%v", v)
					})
				}
			})
		}
		all.Wait()
		require.ErrorIs(t, torch.Try(func() { g.Call() }), torch.ErrValue)
		require.ErrorIs(t, torch.Try(func() { g.Call(nil) }), torch.ErrNil)
		err := torch.Try(func() { g.Call(torch.Ones(torch.Shape{65})) })
		require.ErrorIs(t, err, torch.ErrShape)
		require.ErrorContains(t, err, "CaptureByShape")
	})
}

// If a step writes to an input, another input that shares its memory has the new values,
// from the first call on.
func TestCaptureByShapeSharedInputs(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for _, warmups := range []int{0, 1} {
		torch.Scope(func() {
			fn := func(in []*torch.Tensor) []*torch.Tensor {
				in[0].Add_(torch.Ones(torch.Shape{4}))
				return []*torch.Tensor{in[1].MulScalar(2)}
			}
			step := torch.CaptureByShape(fn, torch.NumWarmupIters(warmups))
			defer step.Close()
			a, b := torch.Zeros(torch.Shape{5}), torch.Zeros(torch.Shape{5})
			views := func(t *torch.Tensor) []*torch.Tensor {
				return []*torch.Tensor{t.Narrow(0, 0, 4), t.Narrow(0, 1, 4)}
			}
			for i := range 6 {
				want, got := fn(views(a)), step.Call(views(b)...)
				require.True(t, want[0].Equal(got[0]) && a.Equal(b), "call %d with %d warm-ups: %v, not %v", i, warmups,
					got[0], want[0])
			}
		})
	}
	// A step that only reads inputs with shared memory is captured.
	torch.Scope(func() {
		step := torch.CaptureByShape(func(in []*torch.Tensor) []*torch.Tensor {
			return []*torch.Tensor{in[0].Sub(in[1])}
		})
		defer step.Close()
		for range 5 {
			x := torch.Randn(torch.Shape{5})
			require.True(t,
				step.Call(x.Narrow(0, 0, 4), x.Narrow(0, 1, 4))[0].Equal(x.Narrow(0, 0, 4).Sub(x.Narrow(0, 1, 4))))
		}
		require.Equal(t, 1, step.Len())
		require.Empty(t, step.Refused())
	})
}

// A step need not read all of its inputs.
func TestCaptureByShapeUnreadInputs(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		step := torch.CaptureByShape(func(in []*torch.Tensor) []*torch.Tensor { return []*torch.Tensor{in[0].Exp()} })
		defer step.Close()
		for i := range 6 {
			x := torch.Randn(torch.Shape{3})
			require.True(t, step.Call(x, torch.Full(torch.Shape{2}, float64(i)))[0].Equal(x.Exp()))
		}
		require.Equal(t, 1, step.Len())
		require.Empty(t, step.Refused())
	})
}

// If the program alternates between more kinds of inputs than graphs are kept,
// recording stops.
func TestCaptureByShapeTakingTurns(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		recorded := 0
		step := torch.CaptureByShape(func(in []*torch.Tensor) []*torch.Tensor {
			recorded++ // counts runs of the step while it is recorded or has no graph
			return []*torch.Tensor{in[0].Exp().Sum()}
		}, torch.MaxGraphs(2))
		defer step.Close()
		for range 40 {
			for n := range int64(4) {
				for range 4 {
					torch.Scope(func() {
						x := torch.Randn(torch.Shape{n + 1})
						require.True(t, step.Call(x)[0].Equal(x.Exp().Sum()))
					})
				}
			}
		}
		require.Len(t, step.Refused(), 1)
		assert.Contains(t, step.Refused()[0], "the inputs alternate between more kinds than MaxGraphs, which is 2")
	})
}

func TestGraphsThatNobodyMade(t *testing.T) {
	var zero torch.Graphs
	x := torch.Ones(torch.Shape{1})
	defer x.Close()
	require.ErrorIs(t, torch.Try(func() { zero.Call(x) }), torch.ErrNil)
	require.ErrorIs(t, torch.Try(func() { zero.Len() }), torch.ErrNil)
	require.NoError(t, zero.Close())
	require.ErrorIs(t, torch.Try(func() { new(torch.Graph).Replay() }), torch.ErrClosed)
}

// Inputs that are fed from each other or from results, even through views, are all read
// before any input is written.
func TestGraphFedByViews(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		a, b := torch.Zeros(torch.Shape{4}), torch.Ones(torch.Shape{4})
		g := torch.Capture(func() []*torch.Tensor { return []*torch.Tensor{a.MulScalar(2), b.AddScalar(1)} },
			torch.Inputs{a, b})
		defer g.Close()
		view := func(t *torch.Tensor) *torch.Tensor { return t.View(2, 2).View(4) }
		got := g.Call(view(b), view(a))
		assert.Equal(t, []float32{2, 2, 2, 2}, got[0].Float32s())
		assert.Equal(t, []float32{1, 1, 1, 1}, got[1].Float32s())
		got = g.Call(view(got[1]), view(got[0]))
		assert.Equal(t, []float32{2, 2, 2, 2}, got[0].Float32s())
		assert.Equal(t, []float32{3, 3, 3, 3}, got[1].Float32s())
		got = g.Call(b.Flip(0), b)
		assert.Equal(t, []float32{4, 4, 4, 4}, got[0].Float32s())
	})
}

// The result is right even if the step writes to an input through another tensor, or makes
// an input require a gradient.
func TestCaptureByShapeInputsThatAreMore(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		v, w, x := torch.Ones(torch.Shape{2}), torch.Ones(torch.Shape{2}), torch.Full(torch.Shape{2}, 3.0)
		step := torch.CaptureByShape(func(in []*torch.Tensor) []*torch.Tensor {
			w.MulScalar_(2)
			return []*torch.Tensor{in[0].Clone()}
		})
		defer step.Close()
		for i := range 8 {
			v.MulScalar_(2)
			if i < 4 {
				require.True(t, step.Call(x)[0].Equal(x))
			} else {
				require.True(t, step.Call(w)[0].Equal(v), "call %d", i)
			}
			require.True(t, v.Equal(w))
		}
	})
	torch.Scope(func() {
		step := torch.CaptureByShape(func(in []*torch.Tensor) []*torch.Tensor {
			in[0].SetRequiresGrad(true)
			in[0].SetGrad(nil)
			in[0].Square().Sum().Backward()
			return nil
		})
		defer step.Close()
		for range 5 {
			x := torch.Ones(torch.Shape{3})
			step.Call(x)
			require.Equal(t, []float32{2, 2, 2}, x.Grad().Float32s())
		}
		require.Len(t, step.Refused(), 1)
		assert.Contains(t, step.Refused()[0], "require a gradient")
	})
}

// A training step in an enclosing autocast would keep casts of weights, and sparse
// gradients have no memory of their own. Such steps run without graphs. Inference tensors
// are rejected, as they are without a graph.
func TestCaptureByShapeOfWhatNoGraphCanDo(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	train := func(w *torch.Tensor) func(in []*torch.Tensor) []*torch.Tensor {
		opt := optim.NewSGD([]*torch.Tensor{w}, optim.LR(0.5))
		return func(in []*torch.Tensor) []*torch.Tensor {
			opt.ZeroGrad()
			l := in[0].MatMul(w).Square().Mean()
			l.Backward()
			opt.Step()
			return []*torch.Tensor{l}
		}
	}
	torch.Scope(func() {
		a, b := torch.Ones(torch.Shape{4, 4}).RequiresGrad_(), torch.Ones(torch.Shape{4, 4}).RequiresGrad_()
		eager, step := train(a), torch.CaptureByShape(train(b))
		defer step.Close()
		amp.Autocast(torch.CPU, torch.BFloat16, func() {
			for range 6 {
				x := torch.Rand(torch.Shape{2, 4})
				require.True(t, eager([]*torch.Tensor{x})[0].Equal(step.Call(x)[0]))
			}
		})
		require.Len(t, step.Refused(), 1)
		assert.Contains(t, step.Refused()[0], "call autocast inside the step")
		var x *torch.Tensor
		torch.InferenceMode(func() { x = torch.Ones(torch.Shape{3, 4}) })
		for range 5 {
			require.ErrorIs(t, torch.Try(func() { step.Call(x) }), torch.ErrAutograd)
		}
	})
	torch.Scope(func() {
		e := nn.NewEmbedding(5, 3, nn.Sparse(true))
		defer e.Close()
		opt := optim.NewSGD(e.Parameters(), optim.LR(0.5))
		step := torch.CaptureByShape(func(in []*torch.Tensor) []*torch.Tensor {
			opt.ZeroGrad()
			l := e.Forward(in[0]).Square().Mean()
			l.Backward()
			opt.Step()
			return []*torch.Tensor{l}
		})
		defer step.Close()
		for range 8 {
			step.Call(torch.FromSlice([]int64{1, 2}))
		}
		require.Len(t, step.Refused(), 1)
	})
}

// A step that runs without a graph warns once per reason.
func TestCaptureByShapeWarnsOnce(t *testing.T) {
	if os.Getenv(warningsProcess) != "" {
		step := torch.CaptureByShape(func(in []*torch.Tensor) []*torch.Tensor {
			return []*torch.Tensor{in[0].Nonzero()}
		})
		defer step.Close()
		for n := range int64(24) {
			torch.Scope(func() { step.Call(torch.Ones(torch.Shape{1 + n%2})) })
		}
		return
	}
	cmd := again.Command("-test.run=^TestCaptureByShapeWarnsOnce$")
	cmd.Env = append(os.Environ(), warningsProcess+"=1")
	var text strings.Builder
	cmd.Stderr = &text
	require.NoError(t, cmd.Run())
	assert.Equal(t, 1, strings.Count(text.String(), "torch.CaptureByShape: the step runs without a graph"),
		text.String())
	assert.Contains(t, text.String(), "whose shape depends on values")
}
