package torch_test

import (
	"errors"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
)

// handMade is a step that consists of single operators: two layers, a loss, gradients, and
// an in-place update.
type handMade struct{ x, w, v *torch.Tensor }

func newHandMade(seed uint64) *handMade {
	torch.ManualSeed(seed)
	h := &handMade{
		torch.Randn(torch.Shape{4, 8}), torch.Randn(torch.Shape{8, 8}).MulScalar(0.1),
		torch.Randn(torch.Shape{8, 1}).MulScalar(0.1),
	}
	h.w.RequiresGrad_()
	h.v.RequiresGrad_()
	return h
}

func (h *handMade) step() []*torch.Tensor {
	h.w.SetGrad(nil)
	h.v.SetGrad(nil)
	y := h.x.MatMul(h.w).ReLU().MatMul(h.v)
	loss := y.Sub(torch.OnesLike(y)).Square().Mean()
	loss.Backward()
	torch.NoGrad(func() {
		h.w.Sub_(h.w.Grad().MulScalar(0.05))
		h.v.Sub_(h.v.Grad().MulScalar(0.05))
	})
	return []*torch.Tensor{loss, y.Detach()}
}

func TestCapture(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		eager, graphed := newHandMade(3), newHandMade(3)
		g := torch.Capture(graphed.step, torch.Inputs{graphed.x})
		defer g.Close()
		for range 3 {
			torch.Scope(func() { eager.step() })
		}
		s := g.Stats()
		assert.Less(t, s.Replayed, s.Operators)
		assert.Positive(t, s.ArenaBytes)
		for i := range 20 {
			torch.Scope(func() {
				b := torch.Randn(torch.Shape{4, 8})
				eager.x.Copy_(b)
				g.Feed(b)
				want, got := eager.step(), g.Replay()
				for k := range want {
					require.True(t, want[k].Equal(got[k]), "result %d of step %d", k, i)
				}
				require.True(t, eager.w.Equal(graphed.w) && eager.v.Equal(graphed.v))
				require.True(t, eager.w.Grad().Equal(graphed.w.Grad()) && eager.v.Grad().Equal(graphed.v.Grad()))
			})
		}
		assert.Same(t, g.Results()[0], g.Replay()[0], "the same tensors each time")
	})
}

// A step adds to the program's gradients.
func TestCaptureAccumulates(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		x := torch.Ones(torch.Shape{3}).RequiresGrad_()
		g := torch.Capture(func() []*torch.Tensor {
			y := x.Square().Sum()
			y.Backward()
			return []*torch.Tensor{y}
		})
		defer g.Close()
		assert.Equal(t, []float32{6, 6, 6}, x.Grad().Float32s(), "one to warm up and two to record")
		g.Replay()
		g.Replay()
		assert.Equal(t, []float32{10, 10, 10}, x.Grad().Float32s())
		torch.NoGrad(func() { x.Grad().Zero_() })
		g.Replay()
		assert.Equal(t, []float32{2, 2, 2}, x.Grad().Float32s(), "to what the program has made of it")
		x.SetGrad(nil)
		err := torch.Try(func() { g.Replay() })
		require.ErrorIs(t, err, torch.ErrValue)
		assert.ErrorContains(t, err,
			"the gradient of a parameter of shape [3] is not the tensor that it was when the step was captured")
	})
}

// Each replay draws new random numbers, in the program's order.
func TestCaptureDraws(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		x := torch.Ones(torch.Shape{64})
		step := func() []*torch.Tensor {
			return []*torch.Tensor{x.Add(torch.RandLike(x)).Mul(torch.Randn(torch.Shape{64}))}
		}
		g := torch.Capture(step)
		defer g.Close()
		torch.ManualSeed(5)
		var want [][]float32
		for range 5 {
			torch.Scope(func() { want = append(want, step()[0].Float32s()) })
		}
		torch.ManualSeed(5)
		for i := range want {
			assert.Equal(t, want[i], g.Replay()[0].Float32s())
		}
	})
}

// An operation that a replay cannot repeat is rejected, with the line that calls it.
func TestCaptureRefuses(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		x := torch.Ones(torch.Shape{2, 3})
		n := 0.0
		odd := false
		buffer := []float32{1, 2, 3}
		for name, c := range map[string]struct {
			step func() *torch.Tensor
			says string
		}{
			"item": {
				func() *torch.Tensor { return x.MulScalar(x.Sum().Item()) },
				"reads a number from a tensor",
			},
			"data out": {
				func() *torch.Tensor { return x.MulScalar(float64(x.Float32s()[0])) },
				"a tensor's values are read",
			},
			"data in": {
				func() *torch.Tensor { return x.Add(torch.FromSlice(buffer)) },
				"a tensor is created from Go data",
			},
			"copied in": {func() *torch.Tensor {
				y := x.Clone()
				y.CopyFrom([]float32{1, 2, 3, 4, 5, 6})
				return y
			}, "Go values are written"},
			"address": {
				func() *torch.Tensor { _ = x.DataPtr(); return x.Neg() },
				"a replay would not repeat it",
			},
			"a number changes": {func() *torch.Tensor { n++; return x.MulScalar(n) }, "argument 1 of aten::mul"},
			"a branch": {
				func() *torch.Tensor { odd = !odd; return pick(odd, x.Neg, x.Abs) },
				"was aten::abs and then aten::neg",
			},
			"mask": {
				func() *torch.Tensor { return x.MaskedSelect(x.GtScalar(0)) },
				"whose shape depends on values",
			},
			"nonzero": {func() *torch.Tensor { return x.Nonzero() }, "whose shape depends on values"},
			"equal": {
				func() *torch.Tensor { _ = x.Equal(x); return x.Neg() },
				"reads a number from a tensor",
			},
			"resize": {
				func() *torch.Tensor { y := x.Clone(); return y.Resize_(1) },
				"moves a tensor to other memory",
			},
			"sparse": {func() *torch.Tensor { return x.ToSparse() }, "be captured"},
			"graphs": {func() *torch.Tensor {
				_ = torch.Capture(func() []*torch.Tensor { return []*torch.Tensor{x.Neg()} }).Close()
				return x.Neg()
			}, "graphs do not nest"},
			"nothing": {func() *torch.Tensor { return x }, "calls no operator"},
		} {
			t.Run(name, func(t *testing.T) {
				err := torch.Try(func() {
					_ = torch.Capture(func() []*torch.Tensor { return []*torch.Tensor{c.step()} }).Close()
				})
				var e *torch.Error
				require.ErrorAs(t, err, &e)
				assert.ErrorContains(t, err, c.says)
				if name != "nothing" {
					assert.ErrorIs(t, err, torch.ErrRuntime)
				}
				if name != "nothing" {
					assert.Contains(t, err.Error(), "capture_test.go:", "the line")
				}
			})
		}
		assert.Equal(t, float64(6), x.Sum().Item(), "the mode has ended")
		var text string
		_ = torch.Capture(func() []*torch.Tensor { text = x.String(); return []*torch.Tensor{x.Neg()} }).Close()
		assert.Contains(t, text, "while a step is being captured", "a text cannot fail, and says why it has no values")
	})
}

func pick(first bool, a, b func() *torch.Tensor) *torch.Tensor {
	if first {
		return a()
	}
	return b()
}

func TestCaptureBadArguments(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		x, unread, closed := torch.Ones(torch.Shape{2}), torch.Ones(torch.Shape{2}), torch.Ones(torch.Shape{2})
		require.NoError(t, closed.Close())
		step := func() []*torch.Tensor { return []*torch.Tensor{x.Neg()} }
		for name, c := range map[string]struct {
			run  func()
			kind error
		}{
			"nil fn":            {func() { torch.Capture(nil) }, torch.ErrNil},
			"nil option":        {func() { torch.Capture(step, nil) }, torch.ErrNil},
			"nil input":         {func() { torch.Capture(step, torch.Inputs{nil}) }, torch.ErrNil},
			"closed input":      {func() { torch.Capture(step, torch.Inputs{closed}) }, torch.ErrClosed},
			"input not read":    {func() { torch.Capture(step, torch.Inputs{x, unread}) }, torch.ErrValue},
			"negative warm-ups": {func() { torch.Capture(step, torch.NumWarmupIters(-1)) }, torch.ErrValue},
			"nil result": {func() {
				torch.Capture(func() []*torch.Tensor { return []*torch.Tensor{x.Neg(), nil} })
			}, torch.ErrNil},
			"nil graph":  {func() { (*torch.Graph)(nil).Replay() }, torch.ErrNil},
			"zero graph": {func() { new(torch.Graph).Replay() }, torch.ErrClosed},
		} {
			require.ErrorIs(t, torch.Try(c.run), c.kind, name)
		}
		g := torch.Capture(step, torch.Inputs{x}, torch.NumWarmupIters(0))
		require.ErrorIs(t, torch.Try(func() { g.Feed() }), torch.ErrValue)
		require.ErrorIs(t, torch.Try(func() { g.Feed(nil) }), torch.ErrNil)
		require.ErrorIs(t, torch.Try(func() { g.Feed(torch.Ones(torch.Shape{1})) }), torch.ErrShape)
		require.ErrorIs(t, torch.Try(func() { g.Feed(closed) }), torch.ErrClosed)
		require.NoError(t, g.Close())
		require.NoError(t, g.Close())
		require.NoError(t, (*torch.Graph)(nil).Close())
		for _, run := range []func(){func() { g.Replay() }, func() { g.Feed(x) }, func() { g.Results() }, func() {
			g.Stats()
		}} {
			require.ErrorIs(t, torch.Try(run), torch.ErrClosed)
		}
	})
}

// If the program changes something between replays, it is an error, not a wrong result.
func TestCaptureGuards(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for name, c := range map[string]struct {
		run  func(h *handMade, g *torch.Graph)
		says string
	}{
		"no gradients": {
			func(_ *handMade, g *torch.Graph) { torch.NoGrad(func() { g.Replay() }) },
			"the gradient mode has changed",
		},
		"inference": {
			func(_ *handMade, g *torch.Graph) { torch.InferenceMode(func() { g.Replay() }) },
			"the gradient mode has changed",
		},
		"frozen": {
			func(h *handMade, g *torch.Graph) { h.w.SetRequiresGrad(false); g.Replay() },
			"no longer requires a gradient",
		},
		"within a capture": {func(h *handMade, g *torch.Graph) {
			torch.Capture(func() []*torch.Tensor { h.x.Neg(); return g.Replay() }, torch.NumWarmupIters(0))
		}, "a graph is replayed while a step is being captured"},
		"other data": {func(h *handMade, g *torch.Graph) {
			h.x.SetData(torch.Ones(torch.Shape{4, 8}))
			g.Replay()
		}, "has been given other memory since the step was captured"},
		"other weights": {func(h *handMade, g *torch.Graph) {
			h.v.SetData(torch.Ones(torch.Shape{8, 1}))
			h.v.SetData(h.v.Clone())
			g.Replay()
		}, "has been given other memory since the step was captured"},
		"memory has moved": {func(h *handMade, g *torch.Graph) {
			torch.NoGrad(func() { h.x.Resize_(1000); h.x.Resize_(4, 8) })
			g.Replay()
		}, "has been given other memory since the step was captured"},
	} {
		t.Run(name, func(t *testing.T) {
			torch.Scope(func() {
				h := newHandMade(1)
				g := torch.Capture(h.step, torch.Inputs{h.x})
				defer g.Close()
				before := h.w.Clone()
				err := torch.Try(func() { c.run(h, g) })
				require.Error(t, err)
				assert.ErrorContains(t, err, c.says)
				assert.True(t, before.Equal(h.w), "nothing was done")
			})
		})
	}
}

// Autograd notices that a replay has overwritten a saved tensor.
func TestCaptureVersions(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		x, w := torch.Ones(torch.Shape{2}), torch.Ones(torch.Shape{2}).RequiresGrad_()
		g := torch.Capture(func() []*torch.Tensor { return []*torch.Tensor{x.Exp()} }, torch.Inputs{x})
		defer g.Close()
		y := g.Replay()[0].Mul(w).Sum()
		g.Replay()
		err := torch.Try(func() { y.Backward() })
		require.ErrorIs(t, err, torch.ErrAutograd)
		assert.ErrorContains(t, err, "modified by an inplace operation")
	})
}

// An error of an operator in a replay names the operator and the line that called it.
func TestCaptureErrorsNameLines(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		table, at := torch.Ones(torch.Shape{4, 2}), torch.Zeros(torch.Shape{3}, torch.Int64)
		g := torch.Capture(func() []*torch.Tensor { return []*torch.Tensor{table.IndexSelect(0, at)} },
			torch.Inputs{at})
		defer g.Close()
		g.Feed(torch.FromSlice([]int64{0, 9, 0}))
		err := torch.Try(func() { g.Replay() })
		var e *torch.Error
		require.ErrorAs(t, err, &e)
		assert.ErrorContains(t, err, "out of range")
		assert.ErrorContains(t, err, "captured at ")
		assert.ErrorContains(t, err, "capture_test.go:")
		g.Feed(torch.FromSlice([]int64{0, 3, 0}))
		assert.Equal(t, torch.Shape{3, 2}, g.Replay()[0].Shape(), "the next one goes on")
	})
}

// Goroutines take turns, and each sees a complete step.
func TestCaptureGoroutines(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		n := torch.Zeros(torch.Shape{})
		g := torch.Capture(func() []*torch.Tensor { return []*torch.Tensor{n.AddScalar_(1).Clone()} })
		defer g.Close()
		var wg sync.WaitGroup
		for range 8 {
			wg.Add(1)
			go func() {
				defer wg.Done()
				for range 50 {
					g.Replay()
				}
			}()
		}
		for range 4 { // recordings at the same time
			wg.Add(1)
			go func() {
				defer wg.Done()
				torch.Scope(func() {
					x := torch.Ones(torch.Shape{2})
					own := torch.Capture(func() []*torch.Tensor { return []*torch.Tensor{x.Exp().Log()} })
					defer own.Close()
					assert.InDelta(t, 2, own.Replay()[0].Sum().Item(), 1e-6)
				})
			}()
		}
		wg.Wait()
		assert.Equal(t, float64(3+8*50), n.Item())
	})
}

// The graph holds as much memory as planned, less than the step needs without a graph.
// Close frees all of it.
func TestCaptureMemory(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		memory.Collect()
		before := memory.Allocated(torch.CPU)
		x := torch.Ones(torch.Shape{1 << 16})
		step := func() []*torch.Tensor { return []*torch.Tensor{x.Exp().Log().Exp().Log().Exp().Sum()} }
		g := torch.Capture(step)
		held := memory.Allocated(torch.CPU) - before
		const one = 4 << 16
		assert.LessOrEqual(t, held, int64(3*one+4096), "x, and two places for results in turn")
		s := g.Stats()
		assert.EqualValues(t, 2*one, s.ArenaBytes)
		assert.EqualValues(t, 5*one+64, s.EagerBytes)
		g.Replay()
		assert.Equal(t, held, memory.Allocated(torch.CPU)-before, "a replay leaves nothing")
		require.NoError(t, g.Close())
		require.NoError(t, x.Close())
		assert.Equal(t, before, memory.Allocated(torch.CPU))
	})
	for range 50 { // an unclosed graph is freed by the garbage collector
		torch.Scope(func() {
			x := torch.Ones(torch.Shape{8})
			_ = torch.Capture(func() []*torch.Tensor { return []*torch.Tensor{x.Exp()} })
		})
	}
	runtime.GC()
	memory.Collect()
}

func TestCapturePanics(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		x := torch.Ones(torch.Shape{2})
		own := errors.New("of the program")
		n := 0
		func() {
			defer func() { assert.Equal(t, own, recover()) }()
			torch.Capture(func() []*torch.Tensor {
				if n++; n == 3 {
					panic(own)
				}
				return []*torch.Tensor{x.Neg()}
			})
		}()
		g := torch.Capture(func() []*torch.Tensor { return []*torch.Tensor{x.Neg()} })
		require.NoError(t, g.Close())
	})
}
