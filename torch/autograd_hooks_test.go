package torch_test

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
)

// hookFree runs fn as leakFree does, and also checks that no hook or custom function outlives it.
func hookFree(t *testing.T, fn func()) {
	t.Helper()
	before := torch.LiveCallbacks()
	leakFree(t, fn)
	require.Equal(t, before, torch.LiveCallbacks(), "callbacks leaked")
}

func TestHookSeesAndReplacesGradients(t *testing.T) {
	hookFree(t, func() {
		x := leaf(3)
		var seen []float32
		h := x.RegisterHook(func(g *torch.Tensor) *torch.Tensor {
			seen = g.Float32s()
			require.True(t, torch.InScope())
			require.False(t, torch.IsGradEnabled())
			return nil
		})
		half := x.RegisterHook(func(g *torch.Tensor) *torch.Tensor { return g.MulScalar(0.5) })
		x.MulScalar(4).Sum().Backward()
		require.Equal(t, []float32{4, 4, 4}, seen)
		require.Equal(t, []float32{2, 2, 2}, x.Grad().Float32s())

		half.Remove()
		half.Remove()
		torch.ZeroGrad(x)
		x.MulScalar(4).Sum().Backward()
		require.Equal(t, []float32{4, 4, 4}, x.Grad().Float32s())
		h.Remove()
		seen = nil
		x.MulScalar(4).Sum().Backward()
		require.Nil(t, seen)
	})
}

func TestHookOnIntermediate(t *testing.T) {
	hookFree(t, func() {
		x := leaf(2)
		y := x.Mul(x)
		calls := 0
		y.RegisterHook(func(g *torch.Tensor) *torch.Tensor {
			calls++
			return torch.Keep(g.AddScalar(1))
		})
		y.Sum().Backward()
		require.Equal(t, 1, calls)
		require.Equal(t, []float32{0, 4}, x.Grad().Float32s())
	})
}

func TestHookKeepsGradient(t *testing.T) {
	start := torch.NumLiveTensors()
	var kept, freed *torch.Tensor
	hookFree(t, func() {
		x := leaf(2)
		x.RegisterHook(func(g *torch.Tensor) *torch.Tensor {
			kept, freed = g.AddScalar(1), g
			kept = torch.Disown(kept.AddScalar(1))
			return nil
		})
		x.Sum().Backward()
		require.Equal(t, []float32{3, 3}, kept.Float32s())
		require.ErrorIs(t, torch.Try(func() { freed.Item() }), torch.ErrClosed)
		require.NoError(t, kept.Close())
	})
	require.Equal(t, start, torch.NumLiveTensors())
}

func TestPanicInHook(t *testing.T) {
	boom := errors.New("boom")
	for name, c := range map[string]struct {
		fn    func(*torch.Tensor) *torch.Tensor
		check func(e *torch.Error)
	}{
		"error": {func(*torch.Tensor) *torch.Tensor { panic(boom) }, func(e *torch.Error) {
			require.Equal(t, boom, e.PanicValue())
			require.ErrorIs(t, e, boom)
			require.ErrorIs(t, e, torch.ErrRuntime)
		}},
		"value": {func(*torch.Tensor) *torch.Tensor { panic(42) }, func(e *torch.Error) {
			require.Equal(t, 42, e.PanicValue())
			require.Equal(t, "torch: Backward: panic in a Go callback: 42 [self: float32 () cpu]", e.Error())
		}},
		"runtime": {func(g *torch.Tensor) *torch.Tensor {
			var v any = g
			_ = v.(fmt.State)
			return nil
		}, func(e *torch.Error) {
			var re runtime.Error
			require.ErrorAs(t, e, &re)
		}},
		"torch error": {func(g *torch.Tensor) *torch.Tensor { return g.Index(7) }, func(e *torch.Error) {
			require.ErrorIs(t, e, torch.ErrIndex)
			var inner *torch.Error
			require.ErrorAs(t, e.Unwrap(), &inner)
			require.Equal(t, "Index", inner.Op)
		}},
		"closed result": {func(*torch.Tensor) *torch.Tensor {
			x := one()
			_ = x.Close()
			return x
		}, func(e *torch.Error) { require.ErrorIs(t, e, torch.ErrClosed) }},
		"shape": {func(*torch.Tensor) *torch.Tensor { return torch.Ones(torch.Shape{5}) }, func(e *torch.Error) {
			require.Nil(t, e.PanicValue(), "a C++ exception inside Backward")
			require.ErrorIs(t, e, torch.ErrShape)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			hookFree(t, func() {
				x := leaf(3)
				x.RegisterHook(func(g *torch.Tensor) *torch.Tensor {
					g.AddScalar(1) // a tensor in the hook's scope, which must be freed if fn panics
					return c.fn(g)
				})
				y := x.MulScalar(2).Sum()
				live := torch.NumLiveTensors()
				err := torch.Try(func() { y.Backward() })
				var e *torch.Error
				require.ErrorAs(t, err, &e)
				require.Equal(t, "Backward", e.Op)
				c.check(e)
				require.Equal(t, live, torch.NumLiveTensors())
				require.True(t, torch.IsGradEnabled())

				// The engine continues to work.
				z := leaf(2)
				z.Sum().Backward()
				require.Equal(t, []float32{1, 1}, z.Grad().Float32s())
			})
		})
	}
}

// A goroutine that ends inside a hook, for example through t.FailNow, abandons its
// Backward. Other goroutines can still run Backward, even after many abandoned passes:
// libtorch limits a thread to about 60 nested passes.
func TestGoexitInHook(t *testing.T) {
	limit := torch.MaxConcurrency()
	defer torch.SetMaxConcurrency(limit)
	torch.SetMaxConcurrency(1)
	leakFree(t, func() {
		for range 150 {
			done := make(chan struct{})
			go func() {
				defer close(done)
				torch.Scope(func() {
					x := leaf(2)
					x.RegisterHook(func(*torch.Tensor) *torch.Tensor {
						runtime.Goexit()
						return nil
					})
					x.Sum().Backward()
					t.Error("Backward returned")
				})
			}()
			<-done
		}
		x := leaf(2)
		y := x.Mul(x).Sum()
		y.Backward()
		require.Equal(t, []float32{0, 2}, x.Grad().Float32s())
		require.True(t, torch.IsGradEnabled())
	})
}

// Hooks call operators while their Backward runs in native code. If only one operator may run at a
// time, these operators must not wait for the Backward to end.
func TestHooksDoNotWaitForThemselves(t *testing.T) {
	limit := torch.MaxConcurrency()
	defer torch.SetMaxConcurrency(limit)
	torch.SetMaxConcurrency(1)
	hookFree(t, func() {
		var wg sync.WaitGroup
		for range 16 {
			wg.Go(func() {
				for range 20 {
					torch.Scope(func() {
						x := leaf(4)
						x.RegisterHook(func(g *torch.Tensor) *torch.Tensor {
							y := torch.Ones(torch.Shape{4}, torch.RequiresGrad(true))
							// a nested backward pass
							torch.EnableGrad(func() { y.Mul(y).Sum().Backward() })
							return g.Mul(y.Grad())
						})
						x.Sum().Backward()
						if x.Grad().Index(0).Item() != 2 {
							t.Error("wrong gradient")
						}
					})
				}
			})
		}
		wg.Wait()
	})
}

func TestRegisterHookErrors(t *testing.T) {
	hookFree(t, func() {
		x := leaf(1)
		require.ErrorIs(t, torch.Try(func() { x.RegisterHook(nil) }), torch.ErrNil)
		fn := func(*torch.Tensor) *torch.Tensor { return nil }
		require.ErrorIs(t, torch.Try(func() { one().RegisterHook(fn) }), torch.ErrAutograd)
		var none *torch.Tensor
		require.ErrorIs(t, torch.Try(func() { none.RegisterHook(fn) }), torch.ErrNil)
		h := x.RegisterHook(fn)
		require.NoError(t, x.Close())
		h.Remove()
	})
}

func TestSharedMemoryIsReleased(t *testing.T) {
	hookFree(t, func() {
		before := torch.LiveCallbacks()
		data := []float32{1, 2, 3}
		x := torch.FromSliceShared(data)
		view := x.Index(torch.SliceFrom(1))
		data[2] = 9
		require.Equal(t, []float32{2, 9}, view.Float32s())
		view.SetIndex(5, 0)
		require.Equal(t, float32(5), data[1])
		require.NoError(t, x.Close())
		require.Equal(t, before+1, torch.LiveCallbacks(), "the view still uses it")
		require.NoError(t, view.Close())
		require.Equal(t, before, torch.LiveCallbacks())
	})
}

// A step in a hook during Backward gives the same result as a step after Backward.
func TestPostAccumulateGradHook(t *testing.T) {
	hookFree(t, func() {
		x, y := torch.FromSlice([]float32{1, 2}), torch.FromSlice([]float32{1, 2})
		x.RequiresGrad_()
		var order []string
		a := x.RegisterPostAccumulateGradHook(func(p *torch.Tensor) {
			order = append(order, "a")
			require.False(t, torch.IsGradEnabled())
			require.True(t, p.IsLeaf())
			p.Add_(p.Grad(), torch.Alpha(-0.1))
			p.SetGrad(nil)
		})
		x.RegisterPostAccumulateGradHook(func(*torch.Tensor) { order = append(order, "b") })
		sum := func() *torch.Tensor { return x.MulScalar(2).Add(x.MulScalar(3)).Sum() }
		sum().Backward()
		require.Equal(t, []string{"a", "b"}, order, "once, after both parts of the sum")
		require.Nil(t, x.Grad())
		require.Equal(t, y.Add(torch.Full(torch.Shape{2}, 5.0), torch.Alpha(-0.1)).Float32s(), x.Float32s())

		_ = torch.Grad([]*torch.Tensor{sum()}, []*torch.Tensor{x})
		require.Len(t, order, 2, "nothing is accumulated")

		a.Remove()
		a.Remove()
		sum().Backward()
		require.Equal(t, []string{"a", "b", "b"}, order)
		require.Equal(t, []float32{5, 5}, x.Grad().Float32s())
	})
}

func TestPostAccumulateGradHookPanicsAndRemovesItself(t *testing.T) {
	hookFree(t, func() {
		x := leaf(2)
		oops := errors.New("oops")
		h := x.RegisterPostAccumulateGradHook(func(*torch.Tensor) { panic(oops) })
		require.ErrorIs(t, torch.Try(func() { x.Sum().Backward() }), oops)
		h.Remove()
		var once *torch.Hook
		calls := 0
		once = x.RegisterPostAccumulateGradHook(func(*torch.Tensor) {
			calls++
			once.Remove()
		})
		x.Sum().Backward()
		x.Sum().Backward()
		require.Equal(t, 1, calls)
	})
}

func TestPostAccumulateGradHookErrors(t *testing.T) {
	hookFree(t, func() {
		x := leaf(1)
		fn := func(*torch.Tensor) {}
		require.ErrorIs(t, torch.Try(func() { x.RegisterPostAccumulateGradHook(nil) }), torch.ErrNil)
		require.ErrorIs(t, torch.Try(func() { one().RegisterPostAccumulateGradHook(fn) }), torch.ErrAutograd)
		require.ErrorIs(t, torch.Try(func() { x.Exp().RegisterPostAccumulateGradHook(fn) }), torch.ErrAutograd)
		var none *torch.Tensor
		require.ErrorIs(t, torch.Try(func() { none.RegisterPostAccumulateGradHook(fn) }), torch.ErrNil)
		h := x.RegisterPostAccumulateGradHook(fn)
		require.NoError(t, x.Close())
		h.Remove()
	})
}
