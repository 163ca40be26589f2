package torch_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/nested"
	"github.com/gotorch/gotorch/torchtest"
)

// learn returns a training step that takes inputs and updates w.
func learn(w *torch.Tensor) func([]*torch.Tensor) []*torch.Tensor {
	return func(in []*torch.Tensor) []*torch.Tensor {
		w.SetGrad(nil)
		y := in[0].MatMul(w).Tanh()
		loss := y.Square().Mean()
		loss.Backward()
		torch.NoGrad(func() { w.Sub_(w.Grad().MulScalar(0.1)) })
		return []*torch.Tensor{loss, y}
	}
}

func weight() *torch.Tensor {
	torch.ManualSeed(4)
	return torch.Randn(torch.Shape{8, 3}).RequiresGrad_()
}

// Each call is one step, whether it warms up, is recorded or is replayed, for several batch sizes.
func TestCaptureByShape(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		a, b := weight(), weight()
		step := torch.CaptureByShape(learn(b))
		defer step.Close()
		eager := learn(a)
		for i := range 24 {
			torch.Scope(func() {
				x := torch.Randn(torch.Shape{int64(2 + i%3), 8})
				want, got := eager([]*torch.Tensor{x}), step.Call(x)
				require.True(t, want[0].Equal(got[0]) && want[1].Equal(got[1]) && a.Equal(b), "call %d", i)
				require.False(t, got[1].RequiresGrad())
			})
		}
		assert.Equal(t, 3, step.Len())
	})
}

// Results belong to the caller: the next call does not write to them.
func TestCaptureByShapeResults(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		step := torch.CaptureByShape(func(in []*torch.Tensor) []*torch.Tensor {
			return []*torch.Tensor{in[0].Exp(), in[0]}
		})
		defer step.Close()
		var kept [][]*torch.Tensor
		for i := range 6 {
			kept = append(kept, step.Call(torch.Full(torch.Shape{2}, float64(i))))
		}
		for i, k := range kept {
			assert.True(t, k[1].Equal(torch.Full(torch.Shape{2}, float64(i))), "call %d", i)
			assert.True(t, k[0].Equal(k[1].Exp()), "call %d", i)
		}
	})
}

// A step that cannot be captured runs without a graph, once per call, and the reason is reported
// once.
func TestCaptureByShapeFallsBack(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		x := torch.Ones(torch.Shape{3})
		for name, c := range map[string]struct {
			step func(calls int, in *torch.Tensor) *torch.Tensor
			says string
		}{
			"a value is read": {func(_ int, in *torch.Tensor) *torch.Tensor {
				return in.MulScalar(in.Sum().Item())
			}, "_local_scalar_dense"},
			"data of Go's": {func(_ int, in *torch.Tensor) *torch.Tensor {
				return in.Add(torch.FromSlice([]float32{1, 2, 3}))
			}, "a tensor is created from Go data"},
			"a number of Go's": {func(calls int, in *torch.Tensor) *torch.Tensor {
				return in.MulScalar(float64(calls))
			}, "mul"},
			"a shape of values": {func(_ int, in *torch.Tensor) *torch.Tensor {
				return in.MaskedSelect(in.Gt(in.Mean())).Sum()
			}, "depends on values"},
			"another operator": {func(calls int, in *torch.Tensor) *torch.Tensor {
				return pick(calls%2 == 0, in.Exp, in.Neg)
			}, "aten::"},
			"one operator less": {func(calls int, in *torch.Tensor) *torch.Tensor {
				return pick(calls%2 == 0, in.Exp, func() *torch.Tensor { return in.Exp().Neg() })
			}, "the end of the step and then aten::neg"},
			"not dense": {
				func(_ int, in *torch.Tensor) *torch.Tensor { return in.ToSparse().ToDense().Exp() },
				"not dense",
			},
		} {
			t.Run(name, func(t *testing.T) {
				calls := 0
				step := torch.CaptureByShape(func(in []*torch.Tensor) []*torch.Tensor {
					calls++
					return []*torch.Tensor{c.step(calls, in[0])}
				})
				defer step.Close()
				for i := range 12 {
					torch.Scope(func() {
						got := step.Call(x)[0]
						require.Equal(t, i+1, calls, "the step is run once in each call")
						require.True(t, got.Equal(c.step(calls, x)), "call %d", i)
					})
				}
				why := step.Refused()
				require.Len(t, why, 1)
				assert.Contains(t, why[0], c.says)
				assert.Regexp(t, `captured at .*_test\.go:\d+`, why[0])
				assert.Zero(t, step.Len())
			})
		}
	})
}

// Unsupported inputs are passed on to the step.
func TestCaptureByShapeOtherInputs(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		x := torch.Ones(torch.Shape{3, 2})
		for name, in := range map[string]*torch.Tensor{
			"sparse":   x.ToSparse(),
			"CSR":      x.ToSparseCSR(),
			"expanded": torch.Ones(torch.Shape{1, 2}).Expand(3, 2),
			"meta":     torch.Ones(torch.Shape{3, 2}, torch.Meta),
			"nested":   nested.NestedTensor([]*torch.Tensor{torch.Ones(torch.Shape{2}), torch.Ones(torch.Shape{1})}),
		} {
			t.Run(name, func(t *testing.T) {
				step := torch.CaptureByShape(func(in []*torch.Tensor) []*torch.Tensor {
					return []*torch.Tensor{in[0].MulScalar(2)}
				})
				defer step.Close()
				for range 5 {
					torch.Scope(func() { assert.Equal(t, in.MulScalar(2).String(), step.Call(in)[0].String()) })
				}
				assert.Len(t, step.Refused(), 1)
			})
		}
	})
}

func TestCaptureByShapeModes(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		w := weight()
		step := torch.CaptureByShape(func(in []*torch.Tensor) []*torch.Tensor {
			y := in[0].MatMul(w)
			return []*torch.Tensor{y, torch.Full(nil, map[bool]float64{true: 1}[y.RequiresGrad()])}
		})
		defer step.Close()
		x := torch.Randn(torch.Shape{2, 8})
		for range 6 {
			assert.EqualValues(t, 1, step.Call(x)[1].Item())
			torch.NoGrad(func() { assert.EqualValues(t, 0, step.Call(x)[1].Item()) })
		}
		assert.Equal(t, 2, step.Len())
	})
}

// A graph that no longer matches the program is recorded again, several times if
// necessary.
func TestCaptureByShapeAgain(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		a, b := weight(), weight()
		eager := learn(a)
		step := torch.CaptureByShape(learn(b))
		defer step.Close()
		x := torch.Randn(torch.Shape{2, 8})
		for i := range 120 {
			torch.Scope(func() {
				if i%20 == 19 {
					b.SetData(torch.Disown(b.Detach().Clone()))
				}
				want, got := eager([]*torch.Tensor{x})[0], step.Call(x)[0]
				require.True(t, want.Equal(got) && a.Equal(b), "call %d", i)
			})
		}
		assert.Equal(t, 1, step.Len())
	})
}

// The number of graphs is limited.
func TestCaptureByShapeMaxGraphs(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		step := torch.CaptureByShape(func(in []*torch.Tensor) []*torch.Tensor { return []*torch.Tensor{in[0].Exp()} },
			torch.MaxGraphs(2), torch.NumWarmupIters(0))
		defer step.Close()
		for range 3 {
			for n := int64(1); n < 6; n++ {
				torch.Scope(func() {
					for range 3 {
						x := torch.Full(torch.Shape{n}, float64(n))
						require.True(t, step.Call(x)[0].Equal(x.Exp()))
					}
				})
				require.LessOrEqual(t, step.Len(), 2)
			}
		}
	})
}

func TestCaptureByShapeBadArguments(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		one := func(in []*torch.Tensor) []*torch.Tensor { return []*torch.Tensor{in[0].Exp()} }
		x := torch.Ones(torch.Shape{2})
		closed := torch.Ones(torch.Shape{2})
		require.NoError(t, closed.Close())
		step := torch.CaptureByShape(one)
		var nested *torch.Graphs
		nested = torch.CaptureByShape(func(in []*torch.Tensor) []*torch.Tensor { return nested.Call(in...) })
		ended := torch.CaptureByShape(one)
		require.NoError(t, ended.Close())
		require.NoError(t, ended.Close())
		require.NoError(t, (*torch.Graphs)(nil).Close())
		defer step.Close()
		defer nested.Close()
		for name, c := range map[string]struct {
			call func()
			kind error
		}{
			"nil fn":       {func() { torch.CaptureByShape(nil) }, torch.ErrNil},
			"nil option":   {func() { torch.CaptureByShape(one, nil) }, torch.ErrNil},
			"warm-ups":     {func() { torch.CaptureByShape(one, torch.NumWarmupIters(-1)) }, torch.ErrValue},
			"no graphs":    {func() { torch.CaptureByShape(one, torch.MaxGraphs(0)) }, torch.ErrValue},
			"nil input":    {func() { step.Call(nil) }, torch.ErrNil},
			"closed input": {func() { step.Call(closed) }, torch.ErrClosed},
			"nil graphs":   {func() { (*torch.Graphs)(nil).Call(x) }, torch.ErrNil},
			"closed":       {func() { ended.Call(x) }, torch.ErrClosed},
			"itself":       {func() { nested.Call(x) }, torch.ErrRuntime},
			"nil result": {func() {
				torch.CaptureByShape(func([]*torch.Tensor) []*torch.Tensor { return []*torch.Tensor{nil} }).Call(x)
			}, torch.ErrNil},
		} {
			t.Run(name, func(t *testing.T) { require.ErrorIs(t, torch.Try(c.call), c.kind) })
		}
		// A step that fails while it is recorded is recorded again later.
		for i := range 8 {
			torch.Scope(func() {
				fail := i == 1 || i == 3
				err := torch.Try(func() {
					step.Call(pick(fail, func() *torch.Tensor { return closed }, func() *torch.Tensor { return x }))
				})
				assert.Equal(t, fail, err != nil, "call %d", i)
			})
		}
		assert.Equal(t, 1, step.Len())
	})
}

// Copies of the results do not change.
func TestCloneResults(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		x := torch.Ones(torch.Shape{2})
		g := torch.Capture(func() []*torch.Tensor { return []*torch.Tensor{x.Exp()} }, torch.Inputs{x},
			torch.CloneResults(true))
		defer g.Close()
		first := g.Replay()[0]
		g.Feed(torch.Zeros(torch.Shape{2}))
		second := g.Replay()[0]
		assert.True(t, second.Equal(torch.Ones(torch.Shape{2})))
		assert.True(t, first.Equal(torch.Ones(torch.Shape{2}).Exp()))
	})
}

// During the capture and afterwards, a step needs no more peak memory than without a graph, both
// for results in the graph's block and for larger ones.
func TestCapturePeak(t *testing.T) {
	for _, n := range []int64{1 << 16, 1 << 20} {
		t.Run(fmt.Sprint(n), func(t *testing.T) { capturePeak(t, n) })
	}
}

func capturePeak(t *testing.T, n int64) {
	torch.Scope(func() {
		x := torch.Randn(torch.Shape{n})
		w := torch.Randn(torch.Shape{n}).RequiresGrad_()
		step := func() []*torch.Tensor {
			w.SetGrad(nil)
			y := x.Mul(w)
			for range 6 {
				y = y.Tanh().Exp()
			}
			loss := y.Mean()
			loss.Backward()
			return []*torch.Tensor{loss}
		}
		peak := func(fn func()) int64 {
			before := memory.Allocated(torch.CPU)
			memory.ResetPeak(torch.CPU)
			fn()
			return memory.MaxAllocated(torch.CPU) - before
		}
		torch.Scope(func() { step() })
		w.SetGrad(nil)
		before := memory.Allocated(torch.CPU)
		eager := peak(func() { torch.Scope(func() { torch.TidyAll(step) }) })
		w.SetGrad(nil)
		var g *torch.Graph
		capturing := peak(func() { g = torch.Capture(step) })
		defer g.Close()
		g.Replay() // this call is audited: it runs the step without the graph
		held := memory.Allocated(torch.CPU) - before
		replaying := peak(func() { g.Replay() }) + held
		assert.LessOrEqual(t, float64(capturing), 1.01*float64(eager))
		assert.LessOrEqual(t, float64(replaying), 1.01*float64(eager))
		t.Log(eager, capturing, replaying, g.Stats())
	})
}

// Gradients and results outlive the graph, and are freed once nothing holds them.
func TestCaptureGradientsOutliveTheGraph(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for _, n := range []int64{4, 1 << 19} {
		torch.Scope(func() {
			w := torch.Ones(torch.Shape{n}).RequiresGrad_()
			g := torch.Capture(func() []*torch.Tensor {
				w.SetGrad(nil)
				loss := w.Square().Sum()
				loss.Backward()
				return []*torch.Tensor{loss}
			})
			g.Replay()
			before := w.Grad()
			g.Replay()
			require.NoError(t, g.Close())
			assert.True(t, w.Grad().Equal(torch.Full(torch.Shape{n}, 2)))
			assert.True(t, before.Equal(w.Grad()))
		})
	}
}

// If a replay fails, gradients are dropped as in the step without a graph. Gradients that
// the program holds can still be read, even large ones.
func TestCaptureFailedReplayLeavesMemory(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		w := torch.Ones(torch.Shape{1 << 19}).RequiresGrad_()
		at := torch.FromSlice([]int64{1, 2})
		g := torch.Capture(func() []*torch.Tensor {
			w.SetGrad(nil)
			loss := w.Square().IndexSelect(0, at).Sum()
			loss.Backward()
			return []*torch.Tensor{loss}
		}, torch.Inputs{at})
		defer g.Close()
		held := w.Grad()
		g.Feed(torch.FromSlice([]int64{1, 1 << 20}))
		require.ErrorIs(t, torch.Try(func() { g.Replay() }), torch.ErrIndex)
		assert.Nil(t, w.Grad())
		_ = held.Float32s()
		g.Feed(torch.FromSlice([]int64{1, 2}))
		g.Replay()
		assert.EqualValues(t, 4, w.Grad().Sum().Item())
	})
}

// If the step writes to an input while it is recorded, the program's tensor has the new
// values.
func TestByShapeWritesAtTheSecondRecording(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for at := 1; at <= 5; at++ {
		torch.Scope(func() {
			n := 0
			step := torch.CaptureByShape(func(in []*torch.Tensor) []*torch.Tensor {
				if n++; n == at {
					in[0].AddScalar_(10)
				}
				return []*torch.Tensor{in[0].MulScalar(2)}
			})
			defer step.Close()
			for range 3 {
				x := torch.Ones(torch.Shape{2})
				written := n+1 == at
				y := step.Call(x)[0]
				want := 1.0
				if written {
					want = 11
				}
				assert.True(t, x.Equal(torch.Full(torch.Shape{2}, want)), "written at call %d, call %d: %v", at, n, x)
				assert.True(t, y.Equal(torch.Full(torch.Shape{2}, 2*want)), "written at call %d, call %d: %v", at, n, y)
			}
		})
	}
}

// If the step computes an input's gradient, the input has it after each call, including
// calls that are recorded.
func TestByShapeInputsGetGradients(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for warm := range 3 {
		for at := range 5 {
			torch.Scope(func() {
				n := 0
				step := torch.CaptureByShape(func(in []*torch.Tensor) []*torch.Tensor {
					if n++; n > at {
						in[0].SetRequiresGrad(true)
						in[0].Square().Sum().Backward()
					}
					return nil
				}, torch.NumWarmupIters(warm))
				defer step.Close()
				for range min(5, warm+2) { // no replays, because a graph does not notice that n changes
					x := torch.Ones(torch.Shape{3})
					step.Call(x)
					if n > at {
						require.NotNil(t, x.Grad(), "warm %d, from %d, call %d", warm, at, n)
						assert.True(t, x.Grad().Equal(torch.Full(torch.Shape{3}, 2.0)))
					} else {
						assert.Nil(t, x.Grad())
					}
				}
			})
		}
	}
}
