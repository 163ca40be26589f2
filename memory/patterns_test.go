package memory_test

import (
	"context"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/nn/utils"
	"github.com/gotorch/gotorch/torch"
)

// pattern is a way to leak that is common in Python programs, and its remedy.
// docs/leaks.md tells about each. Both return a function to call at each step
// and one that ends it all.
type pattern struct {
	name        string
	leaky, flat func() (step func(int), end func())
}

// failure takes the place of a test that ought to fail.
type failure struct{ text string }

func (*failure) Helper() {}

func (f *failure) Errorf(format string, args ...any) { f.text += fmt.Sprintf(format, args...) }

// markedLine finds the line of this file that a comment marks as leaking.
func markedLine(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("patterns_test.go")
	require.NoError(t, err)
	for i, l := range strings.Split(string(text), "\n") {
		if strings.HasSuffix(l, "// leaks: "+name) {
			return fmt.Sprintf("patterns_test.go:%d ", i+1)
		}
	}
	t.Fatalf("no line is marked %q", name)
	return ""
}

func TestPatterns(t *testing.T) {
	for _, p := range patterns {
		t.Run(p.name, func(t *testing.T) {
			var f failure
			step, end := p.leaky()
			assert.False(t, memory.AssertNoGrowth(&f, 50, step), "the leak goes unnoticed")
			end()
			assert.Contains(t, f.text, "memory grew over 50 steps")
			reported := strings.Split(f.text, "\n")
			require.Greater(t, len(reported), 2, f.text)
			assert.Contains(t, reported[2], markedLine(t, p.name), "the first line that is named; all of it:\n%s", f.text)

			step, end = p.flat()
			assert.True(t, memory.AssertNoGrowth(t, 1000, step))
			end()
		})
	}
}

// perStep runs each step in a scope, as a loader does.
func perStep(fn func(int)) func(int) {
	return func(i int) { torch.Scope(func() { fn(i) }) }
}

func weights() *torch.Tensor { return torch.Ones(torch.Shape{16, 16}).RequiresGrad_(true) }

func closeAll(ts ...*torch.Tensor) func() {
	return func() {
		for _, t := range ts {
			_ = t.Close()
		}
	}
}

// bag keeps tensors until it is emptied.
type bag struct{ ts []*torch.Tensor }

func (b *bag) put(t *torch.Tensor) { b.ts = append(b.ts, torch.Keep(t)) }
func (b *bag) empty()              { closeAll(b.ts...)(); b.ts = nil }

// globalBag is for what programs collect in package variables.
var globalBag bag

var patterns = []pattern{
	{
		"gradients never zeroed", // each pass adds its graph to the last one's
		func() (func(int), func()) {
			w := weights()
			return perStep(func(int) {
				loss := w.Mul(w).Mul(w).Sum() // leaks: gradients never zeroed
				loss.Backward(torch.CreateGraph(true))
			}), func() { torch.ZeroGrad(w); _ = w.Close() }
		},
		func() (func(int), func()) {
			w := weights()
			return perStep(func(int) {
				torch.ZeroGrad(w)
				loss := w.Mul(w).Mul(w).Sum()
				loss.Backward(torch.CreateGraph(true))
			}), func() { torch.ZeroGrad(w); _ = w.Close() }
		},
	},
	{
		"outputs kept with their graph",
		func() (func(int), func()) {
			w, state := weights(), torch.Ones(torch.Shape{16, 16})
			return func(int) {
				next := torch.Tidy(func() *torch.Tensor {
					return state.MatMul(w).Tanh() // leaks: outputs kept with their graph
				})
				_ = state.Close()
				state = next
			}, func() { _ = state.Close(); _ = w.Close() }
		},
		func() (func(int), func()) {
			w, state := weights(), torch.Ones(torch.Shape{16, 16})
			return func(int) {
				next := torch.Tidy(func() *torch.Tensor { return state.MatMul(w).Tanh().Detach() })
				_ = state.Close()
				state = next
			}, func() { _ = state.Close(); _ = w.Close() }
		},
	},
	{
		"losses kept without Item",
		func() (func(int), func()) {
			w := weights()
			var losses bag
			return perStep(func(int) {
				loss := w.Mul(w).Exp().Sum() // leaks: losses kept without Item
				losses.put(loss)
			}), func() { losses.empty(); _ = w.Close() }
		},
		func() (func(int), func()) {
			w, total := weights(), 0.0
			return perStep(func(int) { total += w.Mul(w).Exp().Sum().Item() }), closeAll(w)
		},
	},
	{
		"device results never released",
		func() (func(int), func()) {
			x := torch.Ones(torch.Shape{256})
			var answers bag
			return perStep(func(int) {
				answers.put(x.MulScalar(2)) // leaks: device results never released
			}), func() { answers.empty(); _ = x.Close() }
		},
		func() (func(int), func()) {
			x := torch.Ones(torch.Shape{256})
			answer := make([]float32, 256)
			return perStep(func(int) { copy(answer, x.MulScalar(2).Float32s()) }), closeAll(x)
		},
	},
	{
		"global accumulation",
		func() (func(int), func()) {
			return perStep(func(i int) {
				globalBag.put(torch.Full(torch.Shape{64}, float64(i), torch.Float32)) // leaks: global accumulation
			}), globalBag.empty
		},
		func() (func(int), func()) {
			return perStep(func(i int) {
				globalBag.put(torch.Full(torch.Shape{64}, float64(i), torch.Float32))
				if len(globalBag.ts) > 8 { // a bound, and Close for what falls out
					_ = globalBag.ts[0].Close()
					globalBag.ts = append(globalBag.ts[:0], globalBag.ts[1:]...)
				}
			}), globalBag.empty
		},
	},
	{
		"figures in loops",
		func() (func(int), func()) {
			open := map[int]*figure{}
			return perStep(func(i int) {
				series := torch.Arange(0, 100, 1) // leaks: figures in loops
				open[i] = &figure{torch.Keep(series)}
				open[i].draw()
			}), func() { closeFigures(open) }
		},
		func() (func(int), func()) {
			open := map[int]*figure{}
			return perStep(func(i int) {
				open[i] = &figure{torch.Keep(torch.Arange(0, 100, 1))}
				open[i].draw()
				closeFigures(open) // as plt.close does
			}), func() {}
		},
	},
	{
		"measurements without a bound",
		func() (func(int), func()) {
			x := torch.Ones(torch.Shape{32})
			var latencies bag
			return perStep(func(int) {
				latencies.put(x.Sum()) // leaks: measurements without a bound
			}), func() { latencies.empty(); _ = x.Close() }
		},
		func() (func(int), func()) {
			x := torch.Ones(torch.Shape{32})
			var n, mean float64 // an aggregate of fixed size
			return perStep(func(int) {
				n++
				mean += (x.Sum().Item() - mean) / n
			}), closeAll(x)
		},
	},
	{
		"unbounded gradient-norm history",
		func() (func(int), func()) {
			w := weights()
			var norms bag
			return perStep(func(int) {
				torch.ZeroGrad(w)
				w.Mul(w).Sum().Backward()
				norms.put(utils.ClipGradNorm([]*torch.Tensor{w}, 1)) // leaks: unbounded gradient-norm history
			}), func() { norms.empty(); torch.ZeroGrad(w); _ = w.Close() }
		},
		func() (func(int), func()) {
			w := weights()
			var last [64]float64
			return perStep(func(i int) {
				torch.ZeroGrad(w)
				w.Mul(w).Sum().Backward()
				last[i%len(last)] = utils.ClipGradNorm([]*torch.Tensor{w}, 1).Item()
			}), func() { torch.ZeroGrad(w); _ = w.Close() }
		},
	},
	{
		"caches holding tensors",
		func() (func(int), func()) {
			cache := map[int]*torch.Tensor{}
			return perStep(func(i int) {
				if cache[i] == nil {
					cache[i] = torch.Keep(torch.Ones(torch.Shape{128})) // leaks: caches holding tensors
				}
			}), func() { clearCache(cache, 0) }
		},
		func() (func(int), func()) {
			cache := map[int]*torch.Tensor{}
			return perStep(func(i int) {
				if cache[i] == nil {
					clearCache(cache, 7)
					cache[i] = torch.Keep(torch.Ones(torch.Shape{128}))
				}
			}), func() { clearCache(cache, 0) }
		},
	},
	{
		"hooks that refer to their tensor",
		func() (func(int), func()) {
			var hooks []*torch.Hook
			return func(int) {
					x := torch.Ones(torch.Shape{64}).RequiresGrad_(true) // leaks: hooks that refer to their tensor
					hooks = append(hooks, x.RegisterHook(func(g *torch.Tensor) *torch.Tensor { return g.Mul(x) }))
				}, func() {
					for _, h := range hooks {
						h.Remove()
					}
				}
		},
		func() (func(int), func()) {
			return func(int) {
				x := torch.Ones(torch.Shape{64}).RequiresGrad_(true)
				data := x.Detach()
				x.RegisterHook(func(g *torch.Tensor) *torch.Tensor { return g.Mul(data) })
			}, func() {}
		},
	},
	{
		"goroutines that never end",
		func() (func(int), func()) {
			var wg sync.WaitGroup
			never := make(chan struct{})
			return func(int) {
				x := torch.Ones(torch.Shape{64}) // leaks: goroutines that never end
				wg.Add(1)
				go func() { defer wg.Done(); <-never; _ = x.Close() }()
			}, func() { close(never); wg.Wait() }
		},
		func() (func(int), func()) {
			return func(int) {
				ctx, cancel := context.WithCancel(context.Background())
				var wg sync.WaitGroup
				x := torch.Ones(torch.Shape{64})
				wg.Add(1)
				go func() { defer wg.Done(); <-ctx.Done(); _ = x.Close() }()
				cancel()
				wg.Wait()
			}, func() {}
		},
	},
}

// figure is what a plotting library keeps open until told otherwise.
type figure struct{ data *torch.Tensor }

func (f *figure) draw() { _ = f.data.Shape() }

func closeFigures(open map[int]*figure) {
	for i, f := range open {
		_ = f.data.Close()
		delete(open, i)
	}
}

// clearCache drops entries until at most n are left.
func clearCache(cache map[int]*torch.Tensor, n int) {
	for k, v := range cache {
		if len(cache) <= n {
			return
		}
		_ = v.Close()
		delete(cache, k)
	}
}

// TestLeaksTellOfTheGraph keeps a result: its graph keeps what it saved.
func TestLeaksTellOfTheGraph(t *testing.T) {
	w := weights()
	defer w.Close()
	check := memory.StartLeakCheck()
	var kept *torch.Tensor
	torch.Scope(func() { kept = torch.Keep(w.Exp().Sum()) })
	left := check.Stop()
	require.NotNil(t, left.Graph)
	assert.EqualValues(t, 1024, left.Graph.Bytes(memory.HeldSaved))
	assert.EqualValues(t, 1028, left.Bytes)
	assert.Contains(t, left.String(), "1 more tensors are open and 1028 more bytes of native memory (1.0 KiB) are held; their graphs have 3 nodes that hold 1.0 KiB saved")
	require.NoError(t, kept.Close())
}

// TestPatternReferenceCycles shows what is no leak: Go's collector finds cycles.
func TestPatternReferenceCycles(t *testing.T) {
	type node struct {
		data  *torch.Tensor
		other *node
	}
	memory.AssertNoGrowth(t, 1000, func(int) {
		a, b := &node{data: torch.Ones(torch.Shape{64})}, &node{data: torch.Ones(torch.Shape{64})}
		a.other, b.other = b, a
	})
}

// TestPatternEarlyReturn shows a Close that an early return leaves out. The
// collector sees to the tensor in the end, so it is found by looking at the
// list of live tensors without collecting.
func TestPatternEarlyReturn(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	track(t, 1)
	memory.Collect()
	leaky := func(bad bool) {
		x := torch.Ones(torch.Shape{64}) // leaks: early return
		if bad {
			return //torchvet:ignore lostclose the leak that is looked for
		}
		_ = x.Close()
	}
	before := memory.LiveTensors()
	for i := range 100 {
		leaky(i%2 == 0)
	}
	grown := memory.Diff(before, memory.LiveTensors())
	require.Len(t, grown, 1)
	assert.EqualValues(t, 50, grown[0].CountDelta)
	assert.EqualValues(t, 50*256, grown[0].BytesDelta)
	assert.Contains(t, grown[0].Key, markedLine(t, "early return"))

	memory.Collect()
	before = memory.LiveTensors()
	for i := range 1000 {
		func() {
			x := torch.Ones(torch.Shape{64})
			defer x.Close()
			if i%2 == 0 {
				return
			}
		}()
	}
	assert.Empty(t, memory.Diff(before, memory.LiveTensors()))
}

func TestAssertNoGrowthBadInput(t *testing.T) {
	var f failure
	assert.False(t, memory.AssertNoGrowth(&f, 0, func(int) { t.Error("called") }))
	assert.Contains(t, f.text, "0 steps")
	assert.Panics(t, func() { memory.AssertNoGrowth(&f, 5, func(int) { panic("stop") }) })
	before := memory.LiveTensors()
	x := torch.Ones(torch.Shape{1})
	defer x.Close()
	assert.Empty(t, since(before), "the check ended with the panic")
}
