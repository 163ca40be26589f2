package recompute_test

import (
	"errors"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/compilefail"
	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/amp"
	"github.com/gotorch/gotorch/torch/functorch"
	"github.com/gotorch/gotorch/torch/recompute"
	"github.com/gotorch/gotorch/torchtest"
)

// scoped runs fn in a scope, and checks that it leaks no tensors or functions.
func scoped(t *testing.T, fn func()) {
	t.Helper()
	before := torch.LiveCallbacks()
	check := torchtest.CheckLeaks(t)
	torch.Scope(fn)
	assert.Equal(t, before, torch.LiveCallbacks(), "functions that libtorch still refers to")
	check()
}

// leaf returns a tensor that requires gradients.
func leaf(v ...float32) *torch.Tensor { return torch.FromSlice(v).RequiresGrad_() }

// counted returns a function that computes x.Sin().Exp() times w and counts its runs.
func counted(w *torch.Tensor, runs *int) func(x ...*torch.Tensor) []*torch.Tensor {
	return one(func(x *torch.Tensor) *torch.Tensor {
		*runs++
		return x.Sin().Exp().Mul(w)
	})
}

// The function runs again once for each backward pass that needs it: with RetainGraph, by
// torch.Grad, for parts of the graph, and with CreateGraph.
func TestPasses(t *testing.T) {
	scoped(t, func() {
		x, w := leaf(0.5, 1), leaf(2, 3)
		runs := 0
		y := recompute.CheckpointN(counted(w, &runs), list(x))[0].Square().Sum()
		z := x.Sin().Exp().Mul(w).Square().Sum()
		want := torch.Grad(list(z), list(x, w), torch.RetainGraph(true))
		assert.Equal(t, 1, runs)
		for range 2 {
			got := torch.Grad(list(y), list(x, w), torch.RetainGraph(true))
			assert.Equal(t, want[0].Float32s(), got[0].Float32s())
			assert.Equal(t, want[1].Float32s(), got[1].Float32s())
		}
		assert.Equal(t, 3, runs)
		first := torch.Grad(list(y), list(x), torch.CreateGraph(true))[0].Sum()
		second := torch.Grad(list(first), list(x, w))
		plain := torch.Grad(list(torch.Grad(list(z), list(x), torch.CreateGraph(true))[0].Sum()), list(x, w))
		assert.Equal(t, plain[0].Float32s(), second[0].Float32s())
		assert.Equal(t, plain[1].Float32s(), second[1].Float32s())
		assert.Equal(t, 5, runs)
		assert.ErrorIs(t, torch.Try(func() { y.Backward() }), torch.ErrAutograd, "the graph was freed")
	})
}

// Without gradients the function runs once.
func TestNoGradients(t *testing.T) {
	scoped(t, func() {
		runs := 0
		w := torch.Ones(torch.Shape{2})
		y := recompute.CheckpointN(counted(w, &runs), list(torch.Zeros(torch.Shape{2})))
		assert.False(t, y[0].RequiresGrad())
		torch.NoGrad(func() { recompute.CheckpointN(counted(w, &runs), list(leaf(1, 2))) })
		torch.InferenceMode(func() { recompute.CheckpointN(counted(w, &runs), list(torch.Ones(torch.Shape{2}))) })
		assert.Equal(t, 3, runs)
		// Parameters get their gradients even if only some, or none, of the inputs
		// require gradients.
		p := leaf(2, 3)
		n := torch.FromSlice([]int64{1, 0})
		recompute.CheckpointN(func(x ...*torch.Tensor) []*torch.Tensor {
			return list(p.IndexSelect(0, x[0]).Square().Sum(), x[0])
		}, list(n))[0].Backward()
		assert.Equal(t, []float32{4, 6}, p.Grad().Float32s())
		recompute.CheckpointN(func(...*torch.Tensor) []*torch.Tensor { return list(p.Square().Sum()) },
			nil)[0].Backward()
		assert.Equal(t, []float32{8, 12}, p.Grad().Float32s())
	})
}

// The second run ends before the function does, if all tensors have been saved.
func TestStopsEarly(t *testing.T) {
	scoped(t, func() {
		reached, deferred := 0, 0
		x := leaf(1, 2)
		recompute.CheckpointN(one(func(x *torch.Tensor) *torch.Tensor {
			defer func() { deferred++ }()
			y := x.Sin().Exp()
			reached++
			return y.AddScalar(1)
		}), list(x))[0].Sum().Backward()
		assert.Equal(t, 1, reached)
		assert.Equal(t, 2, deferred)
		assert.NotNil(t, x.Grad())
	})
}

// The second run has the same autocast, generator and default dtype as the first.
func TestConditions(t *testing.T) {
	scoped(t, func() {
		type state struct {
			cast     bool
			dtype    torch.DType
			drawn    []float32
			fallback torch.DType
		}
		var seen []state
		x := torch.Rand(torch.Shape{4, 4}, torch.RequiresGrad(true))
		w := torch.Rand(torch.Shape{4, 4}, torch.RequiresGrad(true))
		fn := one(func(x *torch.Tensor) *torch.Tensor {
			s := state{cast: amp.IsAutocastEnabled(torch.CPU), fallback: torch.Zeros(torch.Shape{1}).DType()}
			s.drawn = torch.Rand(torch.Shape{3}, torch.Float32).Float32s()
			y := x.MatMul(w)
			s.dtype = y.DType()
			seen = append(seen, s)
			return F.Dropout(y).Exp()
		})
		var loss *torch.Tensor
		torch.WithGenerator(torch.NewGenerator(torch.CPU).ManualSeed(4), func() {
			torch.WithDType(torch.Float64, func() {
				amp.Autocast(torch.CPU, torch.BFloat16, func() { loss = recompute.CheckpointN(fn, list(x))[0].Sum() })
			})
		})
		torch.ManualSeed(9)
		before := torch.RNGState()
		loss.Backward()
		require.Len(t, seen, 2)
		assert.Equal(t, seen[0], seen[1])
		assert.True(t, seen[1].cast)
		assert.Equal(t, torch.BFloat16, seen[1].dtype)
		assert.Equal(t, torch.Float64, seen[1].fallback)
		assert.True(t, torch.RNGState().Equal(before), "the process's generator")
	})
}

// Each layer runs again in the mode of its first run.
func TestMode(t *testing.T) {
	scoped(t, func() {
		model := nn.NewSequential(nn.NewLinear(3, 3), nn.NewDropout(0.5), nn.NewLinear(3, 3), nn.NewTanh())
		defer model.Close()
		model.At(1).Eval()
		x := torch.Rand(torch.Shape{2, 3})
		model.Forward(x).Sum().Backward()
		want := model.Parameters()[0].Grad().Float32s()
		model.ZeroGrad()
		loss := recompute.CheckpointSequential(model.Values(), 2, x).Sum()
		model.Train()
		loss.Backward()
		assert.Equal(t, want, model.Parameters()[0].Grad().Float32s())
		assert.True(t, model.At(1).ModuleBase().Training(), "and it is again as it was")
	})
}

// A second run that differs from the first, or panics, makes the backward pass fail.
func TestSecondRunDiffers(t *testing.T) {
	scoped(t, func() {
		x := leaf(1, 2, 3)
		stop := errors.New("stop")
		for _, c := range []struct {
			says  string
			first func(x *torch.Tensor) *torch.Tensor
			again func(x *torch.Tensor) *torch.Tensor
		}{
			{
				"saved 2 tensors for the backward pass at first and 1 when it ran again",
				func(x *torch.Tensor) *torch.Tensor { return x.Sin().Exp() },
				func(x *torch.Tensor) *torch.Tensor { return x.Sin() },
			},
			{
				"tensor 1 that it saves was Float [3] on cpu and is Float [2] on cpu",
				func(x *torch.Tensor) *torch.Tensor { return x.Sin().Exp() },
				func(x *torch.Tensor) *torch.Tensor { return x.Sin().Narrow(0, 0, 2).Exp() },
			},
			{
				"stop",
				func(x *torch.Tensor) *torch.Tensor { return x.Sin().Exp() },
				func(*torch.Tensor) *torch.Tensor { panic(stop) },
			},
		} {
			run := c.first
			y := recompute.CheckpointN(one(func(x *torch.Tensor) *torch.Tensor { return run(x) }), list(x))[0].Sum()
			run = c.again
			err := torch.Try(func() { y.Backward() })
			var e *torch.Error
			require.ErrorAs(t, err, &e, c.says)
			assert.ErrorIs(t, err, torch.ErrRuntime)
			assert.ErrorContains(t, err, c.says)
			if c.says == "stop" {
				assert.Equal(t, stop, e.PanicValue())
			}
		}
		y := x.MulScalar(1)
		z := recompute.CheckpointN(one((*torch.Tensor).Sin), list(y))[0].Sum()
		torch.NoGrad(func() { y.Add_(y) })
		assert.ErrorContains(t, torch.Try(func() { z.Backward() }), "modified by an inplace operation")
	})
}

// A backward pass may run within the function, which may use tensors kept from the first
// run.
func TestBackwardWithin(t *testing.T) {
	scoped(t, func() {
		x, w := leaf(0.5, 1), leaf(2, 3)
		recompute.CheckpointN(one(func(x *torch.Tensor) *torch.Tensor {
			g := torch.Grad(list(x.Sin().Mul(w).Sum()), list(x), torch.CreateGraph(true))[0]
			return g.Exp().Mul(x)
		}), list(x))[0].Sum().Backward()
		got := []*torch.Tensor{x.Grad(), w.Grad()}
		torch.ZeroGrad(x, w)
		torch.Grad(list(x.Sin().Mul(w).Sum()), list(x), torch.CreateGraph(true))[0].Exp().Mul(x).Sum().Backward()
		assert.Equal(t, x.Grad().Float32s(), got[0].Float32s())
		assert.Equal(t, w.Grad().Float32s(), got[1].Float32s())
	})
}

// Tensors saved by custom functions are recomputed too, and their graphs can be read.
func TestCustomFunction(t *testing.T) {
	scoped(t, func() {
		cube := torch.Function{
			Forward: func(ctx *torch.Context, in ...*torch.Tensor) []*torch.Tensor {
				ctx.Save(in...)
				return list(in[0].PowScalar(3))
			},
			Backward: func(ctx *torch.Context, g ...*torch.Tensor) []*torch.Tensor {
				return list(g[0].Mul(ctx.Saved()[0].Square()).MulScalar(3))
			},
		}
		x := leaf(1, 2)
		y := recompute.CheckpointN(one(func(x *torch.Tensor) *torch.Tensor {
			return cube.Apply(x.MulScalar(2))[0]
		}), list(x))[0].Sum()
		assert.NotEmpty(t, memory.Graph(y).Nodes)
		y.Backward()
		assert.Equal(t, []float32{24, 96}, x.Grad().Float32s())
	})
}

// Checkpoints and transforms cannot be combined.
func TestTransforms(t *testing.T) {
	scoped(t, func() {
		x := leaf(1, 2)
		sum := functorch.Of(func(x *torch.Tensor) *torch.Tensor { return x.Square().Sum() })
		err := torch.Try(func() {
			functorch.Grad(functorch.Of(func(x *torch.Tensor) *torch.Tensor {
				return recompute.CheckpointN(sum, list(x))[0]
			}))(x)
		})
		assert.ErrorIs(t, err, torch.ErrNotImplemented)
		assert.ErrorContains(t, err, "recompute.CheckpointN: a checkpoint cannot run within a functional transform")
		err = torch.Try(func() { recompute.CheckpointN(functorch.Grad(sum), list(x)) })
		assert.ErrorIs(t, err, torch.ErrNotImplemented)
		assert.ErrorContains(t, err, "functorch.Grad: a functional transform cannot run within a checkpoint")
	})
}

func TestErrors(t *testing.T) {
	scoped(t, func() {
		x, closed := leaf(1), torch.Ones(torch.Shape{1})
		require.NoError(t, closed.Close())
		tanh := []nn.Layer{nn.NewTanh(), nn.NewTanh()}
		for _, c := range []struct {
			kind error
			says string
			fn   func()
		}{
			{torch.ErrNil, "recompute.CheckpointN: argument fn: a nil function", func() {
				recompute.CheckpointN(nil, list(x))
			}},
			{torch.ErrNil, "recompute.Checkpoint: argument fn: a nil function", func() {
				recompute.Checkpoint(nil, x)
			}},
			{torch.ErrNil, "recompute.Checkpoint: ", func() { recompute.Checkpoint((*torch.Tensor).Sin, nil) }},
			{torch.ErrNil, "recompute.CheckpointN: ", func() {
				recompute.CheckpointN(one((*torch.Tensor).Sin), list(nil))
			}},
			{torch.ErrClosed, "recompute.CheckpointN: ", func() {
				recompute.CheckpointN(one((*torch.Tensor).Sin), list(closed))
			}},
			{torch.ErrClosed, "recompute.CheckpointSequential: ", func() {
				recompute.CheckpointSequential(tanh, 1, closed)
			}},
			{torch.ErrValue, "recompute.CheckpointSequential: argument modules: expected at least one layer", func() {
				recompute.CheckpointSequential(nil, 1, x)
			}},
			{torch.ErrValue, "recompute.CheckpointSequential: argument segments: expected 1 to 2, the number of " +
				"layers, got 3", func() {
				recompute.CheckpointSequential(tanh, 3, x)
			}},
			{torch.ErrValue, "recompute.CheckpointSequential: argument segments: expected 1 to 2, the number of " +
				"layers, got 0", func() {
				recompute.CheckpointSequential(tanh, 0, x)
			}},
			{torch.ErrNil, "recompute.CheckpointSequential: argument modules: element 1 is nil", func() {
				recompute.CheckpointSequential([]nn.Layer{tanh[0], nil}, 1, x)
			}},
		} {
			err := torch.Try(c.fn)
			assert.ErrorIs(t, err, c.kind, c.says)
			assert.ErrorContains(t, err, c.says)
		}
		stop := errors.New("stop")
		assert.PanicsWithError(t, "stop", func() {
			recompute.CheckpointN(one(func(x *torch.Tensor) *torch.Tensor { x.Sin(); panic(stop) }), list(x))
		})
		x.Sin().Sum().Backward() // nothing of the checkpoint is left on the thread
		assert.NotNil(t, x.Grad())
	})
}

func TestOptionRows(t *testing.T) {
	x := func() *torch.Tensor { return torch.Ones(torch.Shape{1000}, torch.RequiresGrad(true)) }
	same := func(run func(x *torch.Tensor) *torch.Tensor) (o optiontest.Outcome) {
		torch.Scope(func() {
			torch.ManualSeed(1)
			x := x()
			y := run(x)
			y.Sum().Backward()
			// The input is all ones. So the gradient equals dropout's result if both runs
			// drop the same elements.
			o = optiontest.Outcome{"the same numbers": map[bool]string{
				true:  "yes",
				false: "no",
			}[x.Grad().Equal(y.Detach())]}
		})
		return o
	}
	preserve := optiontest.Values(recompute.PreserveRNGState(false), recompute.PreserveRNGState(true))
	scoped(t, func() {
		optiontest.Read(t, ".").Run(t, map[string]optiontest.Row{
			"Checkpoint": optiontest.For(func(opts ...recompute.Option) optiontest.Outcome {
				return same(func(x *torch.Tensor) *torch.Tensor {
					return recompute.Checkpoint(func(x *torch.Tensor) *torch.Tensor { return F.Dropout(x) }, x, opts...)
				})
			}, preserve),
			"CheckpointN": optiontest.For(func(opts ...recompute.Option) optiontest.Outcome {
				return same(func(x *torch.Tensor) *torch.Tensor {
					return recompute.CheckpointN(one(func(x *torch.Tensor) *torch.Tensor {
						return F.Dropout(x)
					}), list(x), opts...)[0]
				})
			}, preserve),
			"CheckpointSequential": optiontest.For(func(opts ...recompute.Option) optiontest.Outcome {
				return same(func(x *torch.Tensor) *torch.Tensor {
					return recompute.CheckpointSequential([]nn.Layer{nn.NewDropout(0.5), nn.NewIdentity()}, 2, x,
						opts...)
				})
			}, preserve),
		})
	})
}

func TestOptionsThatDoNotApply(t *testing.T) {
	s := compilefail.Scope{
		Imports: []string{"github.com/gotorch/gotorch/torch", "github.com/gotorch/gotorch/torch/recompute"},
		Decls:   "var x []*torch.Tensor; func fn(x ...*torch.Tensor) []*torch.Tensor { return x }",
	}
	s.Accepts(t, "recompute.CheckpointN(fn, x, recompute.PreserveRNGState(false))")
	s.Rejects(t, "recompute.CheckpointN(fn, x, false)", "recompute.CheckpointN(fn, x, torch.CreateGraph(true))")
}

// Goroutines run checkpoints concurrently with one model, and backward passes through graphs of
// other goroutines.
func TestGoroutines(t *testing.T) {
	scoped(t, func() {
		w := torch.Disown(leaf(2, 3))
		defer w.Close()
		var wg sync.WaitGroup
		for range 30 {
			wg.Go(func() {
				torch.Scope(func() {
					x := leaf(0.5, 1)
					runs := 0
					y := recompute.CheckpointN(one(func(x *torch.Tensor) *torch.Tensor {
						runtime.Gosched()
						return recompute.CheckpointN(counted(w, &runs), list(x.Tanh()))[0].Exp()
					}), list(x))[0].Sum()
					var g []*torch.Tensor
					done := make(chan struct{})
					go func() {
						defer close(done)
						g = torch.Grad(list(y), list(x))
					}()
					<-done
					want := torch.Grad(list(x.Tanh().Sin().Exp().Mul(w).Exp().Sum()), list(x))
					assert.Equal(t, want[0].Float32s(), g[0].Float32s())
					_ = g[0].Close()
				})
			})
		}
		wg.Wait()
	})
}
