package memory_test

import (
	"math"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
)

// branches adds up several branches that are computed from x. For its backward pass, each
// branch saves a tensor as large as x. The backward pass runs the last branch first,
// while the nodes of the other branches wait.
func branches(x *torch.Tensor, last func(*torch.Tensor) *torch.Tensor) *torch.Tensor {
	sum := x.Exp().Sum()
	for range 3 {
		sum = sum.Add(x.Exp().Sum())
	}
	return sum.Add(last(x.Exp()).Sum())
}

// failingFunction doubles its input, and panics in the backward pass.
var failingFunction = torch.Function{
	Forward: func(_ *torch.Context, in ...*torch.Tensor) []*torch.Tensor {
		return []*torch.Tensor{in[0].MulScalar(2)}
	},
	Backward: func(*torch.Context, ...*torch.Tensor) []*torch.Tensor { panic("on purpose") },
}

func failingDouble(y *torch.Tensor) *torch.Tensor { return failingFunction.Apply(y)[0] }

// A backward pass that fails frees its graph immediately, on the same thread. libtorch
// alone would keep the nodes that have not run until the next backward pass on that
// thread.
func TestFailedBackwardHoldsNothing(t *testing.T) {
	const elements = 1 << 18
	memory.Collect() // free the garbage of other tests
	fails := map[string]func(*torch.Tensor) *torch.Tensor{
		"hook": func(y *torch.Tensor) *torch.Tensor {
			y.RegisterHook(func(*torch.Tensor) *torch.Tensor { panic("on purpose") })
			return y
		},
		"function": failingDouble,
		"in place": func(y *torch.Tensor) *torch.Tensor {
			z := y.Exp()
			torch.NoGrad(func() { z.AddScalar_(1) })
			return z
		},
		// The inner backward pass fails, and therefore the outer one does too.
		"nested": func(y *torch.Tensor) *torch.Tensor {
			y.RegisterHook(func(g *torch.Tensor) *torch.Tensor {
				x := torch.Ones(torch.Shape{elements}, torch.RequiresGrad(true))
				torch.EnableGrad(func() {
					branches(x, failingDouble).Backward()
				})
				return nil
			})
			return y
		},
	}
	for name, last := range fails {
		for pass, run := range map[string]func(y, x *torch.Tensor){
			"Backward": func(y, _ *torch.Tensor) { y.Backward() },
			"Grad":     func(y, x *torch.Tensor) { torch.Grad([]*torch.Tensor{y}, []*torch.Tensor{x}) },
		} {
			t.Run(name+"/"+pass, func(t *testing.T) {
				before := memory.Requested(torch.CPU)
				const threads = 4
				// Every goroutine keeps its thread until the memory of all goroutines has
				// been compared.
				var failed, done sync.WaitGroup
				failed.Add(threads)
				done.Add(threads)
				compared := make(chan struct{})
				errs := make([]error, threads)
				for i := range threads {
					go func() {
						defer done.Done()
						runtime.LockOSThread()
						defer runtime.UnlockOSThread()
						torch.Scope(func() {
							x := torch.Ones(torch.Shape{elements}, torch.RequiresGrad(true))
							errs[i] = torch.Try(func() { run(branches(x, last), x) })
						})
						failed.Done()
						<-compared
					}()
				}
				failed.Wait()
				after := memory.Requested(torch.CPU)
				close(compared)
				done.Wait()
				for _, err := range errs {
					require.Error(t, err)
				}
				require.Equal(t, before, after, "bytes of failed passes")
			})
		}
	}
}

// An inner pass that fails frees its graph immediately too, and the outer pass continues.
func TestFailedBackwardWithinAnother(t *testing.T) {
	memory.Collect() // free the garbage of other tests
	calls := 0
	var nest func(depth int)
	nest = func(depth int) {
		y := torch.Ones(torch.Shape{1 << 10}, torch.RequiresGrad(true))
		before := memory.Requested(torch.CPU)
		torch.Scope(func() {
			torch.EnableGrad(func() {
				assert.Error(t, torch.Try(func() { branches(y, failingDouble).Backward() }))
			})
		})
		assert.Equal(t, before, memory.Requested(torch.CPU))
		calls++
		if depth == 0 {
			return
		}
		y.RegisterHook(func(*torch.Tensor) *torch.Tensor { nest(depth - 1); return nil })
		torch.EnableGrad(func() { y.Sum().Backward() })
	}
	torch.Scope(func() {
		x := torch.Ones(torch.Shape{1 << 10}, torch.RequiresGrad(true))
		branches(x, func(y *torch.Tensor) *torch.Tensor {
			y.RegisterHook(func(*torch.Tensor) *torch.Tensor { nest(20); return nil })
			return y
		}).Backward()
		require.Equal(t, 21, calls)
		require.InDelta(t, 5*math.E, x.Grad().Float32s()[7], 1e-5)
	})
}
