package torch_test

import (
	"errors"
	"runtime"
	"runtime/metrics"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
)

func one() *torch.Tensor { return torch.Ones(torch.Shape{1}) }

func TestScopeFreesAndNests(t *testing.T) {
	start := torch.NumLiveTensors()
	require.False(t, torch.InScope())
	torch.Scope(func() {
		require.True(t, torch.InScope())
		outer := one()
		var inner *torch.Tensor
		torch.Scope(func() {
			inner = one()
			require.Equal(t, start+2, torch.NumLiveTensors())
		})
		require.True(t, inner.IsClosed())
		require.False(t, outer.IsClosed())
		require.Equal(t, start+1, torch.NumLiveTensors())
		one()
	})
	require.False(t, torch.InScope())
	require.Equal(t, start, torch.NumLiveTensors())
}

func TestUseAfterScope(t *testing.T) {
	var x *torch.Tensor
	torch.Scope(func() { x = one() })
	err := torch.Try(func() { x.Add(x) })
	require.ErrorIs(t, err, torch.ErrClosed)
	require.EqualError(t, err, "torch: Add: argument self: tensor used after the end of its torch.Scope: torch.Keep "+
		"moves it to the enclosing scope, torch.Disown out of all scopes")
	require.NoError(t, x.Close())
	require.ErrorContains(t, torch.Try(func() { x.Shape() }), "end of its torch.Scope", "Close changes nothing")

	torch.Tidy(func() *torch.Tensor {
		x = one()
		return x.Add(x)
	})
	require.ErrorContains(t, torch.Try(func() { x.Shape() }),
		"end of its torch.Tidy, which frees all but the result: return it, or torch.Disown it")

	torch.Scope(func() {
		torch.Tidy(func() *torch.Tensor {
			x = torch.Keep(one())
			return nil
		})
	})
	require.ErrorContains(t, torch.Try(func() { x.Shape() }), "end of its torch.Scope",
		"the scope that freed it, not the one that made it")
}

func TestScopeEndsOnPanic(t *testing.T) {
	start := torch.NumLiveTensors()
	boom := errors.New("boom")
	require.PanicsWithValue(t, boom, func() {
		torch.Scope(func() {
			one()
			torch.NoGrad(func() {
				torch.Scope(func() {
					one()
					panic(boom)
				})
			})
		})
	})
	require.Equal(t, start, torch.NumLiveTensors())
	require.False(t, torch.InScope())
	require.True(t, torch.IsGradEnabled())

	require.PanicsWithValue(t, boom, func() {
		torch.Tidy(func() *torch.Tensor {
			one()
			panic(boom)
		})
	})
	require.Equal(t, start, torch.NumLiveTensors())
}

func TestScopeEndsOnGoexit(t *testing.T) {
	start := torch.NumLiveTensors()
	done := make(chan struct{})
	go func() {
		defer close(done)
		torch.Scope(func() {
			one()
			runtime.Goexit()
		})
	}()
	<-done
	require.Equal(t, start, torch.NumLiveTensors())
}

func TestScopesBelongToGoroutines(t *testing.T) {
	start := torch.NumLiveTensors()
	torch.Scope(func() {
		x := one()
		var escaped *torch.Tensor
		var wg sync.WaitGroup
		wg.Go(func() {
			if torch.InScope() {
				t.Error("a new goroutine is in its parent's scope")
			}
			escaped = x.Add(x) // the collector owns it: this goroutine has no scope
			torch.Scope(func() { x.Add(x) })
		})
		for range 8 {
			wg.Go(func() {
				for range 200 {
					torch.Scope(func() {
						y := x.Add(x)
						torch.Scope(func() { y.Add(x) })
					})
				}
			})
		}
		wg.Wait()
		require.Equal(t, start+2, torch.NumLiveTensors())
		require.Equal(t, 2.0, escaped.Item())
		require.NoError(t, escaped.Close())
	})
	require.Equal(t, start, torch.NumLiveTensors())
}

func TestTensorsSentBetweenGoroutines(t *testing.T) {
	leakFree(t, func() {
		made, back := make(chan *torch.Tensor), make(chan *torch.Tensor)
		go func() {
			defer close(made)
			for range 50 {
				made <- one() // no scope owns it, so the receiver may close it
			}
		}()
		go func() {
			defer close(back)
			for x := range made {
				y := x.MulScalar(3)
				_ = x.Close()
				back <- y
			}
		}()
		sum := 0.0
		for y := range back {
			sum += y.Item()
			_ = y.Close()
		}
		require.Equal(t, 150.0, sum)
	})
}

// A tensor of one goroutine's scope may be closed on another goroutine. The scope's end then has
// nothing to free.
func TestCloseOnAnotherGoroutine(t *testing.T) {
	leakFree(t, func() {
		x, y := one(), one()
		done := make(chan struct{})
		go func() {
			defer close(done)
			_ = x.Close()
		}()
		<-done
		require.True(t, x.IsClosed())
		require.Same(t, x, torch.Keep(x))
		require.Equal(t, 1.0, y.Item())
	})
}

func TestTensorsKeptByClosures(t *testing.T) {
	start := torch.NumLiveTensors()
	var use, used func() float64
	torch.Scope(func() {
		a, b := torch.Keep(one()), one()
		use = func() float64 { return a.Item() }
		used = func() float64 { return b.Item() }
		require.Equal(t, 1.0, used())
	})
	require.Equal(t, 1.0, use())
	require.ErrorIs(t, torch.Try(func() { used() }), torch.ErrClosed)
	require.Equal(t, start+1, torch.NumLiveTensors())
	use = nil
	collectUntil(t, start)
}

func TestCloseOfViews(t *testing.T) {
	for name, baseFirst := range map[string]bool{"base first": true, "view first": false} {
		t.Run(name, func(t *testing.T) {
			leakFree(t, func() {
				base := torch.FromSlice([]float32{1, 2, 3, 4}, 2, 2)
				view := base.Index(1)
				first, second, want := view, base, []float32{1, 2, 3, 4}
				if baseFirst {
					first, second, want = base, view, []float32{3, 4}
				}
				require.NoError(t, first.Close())
				require.ErrorIs(t, torch.Try(func() { first.Float32s() }), torch.ErrClosed)
				require.Equal(t, want, second.Float32s())
				require.NoError(t, second.Close())
			})
		})
	}
}

func TestCloseTwice(t *testing.T) {
	start := torch.NumLiveTensors()
	for _, scoped := range []bool{true, false} {
		work := func() {
			x := one()
			require.NoError(t, x.Close())
			require.NoError(t, x.Close())
			err := torch.Try(func() { x.Add(one()) })
			require.ErrorIs(t, err, torch.ErrClosed)
			require.EqualError(t, err, "torch: Add: argument self: tensor used after Close")
		}
		if scoped {
			torch.Scope(work)
		} else {
			work()
		}
	}
	var none *torch.Tensor
	require.NoError(t, none.Close())
	require.True(t, none.IsClosed())
	collectUntil(t, start)
}

func TestKeepMovesOneScopeUp(t *testing.T) {
	start := torch.NumLiveTensors()
	var x, y *torch.Tensor
	torch.Scope(func() {
		torch.Scope(func() {
			x, y = torch.Keep(one()), one()
			torch.Scope(func() { torch.Keep(y) }) // y belongs to the outer scope
		})
		require.False(t, x.IsClosed())
		require.True(t, y.IsClosed())
	})
	require.True(t, x.IsClosed())

	torch.Scope(func() { x = torch.Keep(one()) })
	require.Equal(t, 1.0, x.Item())
	require.Same(t, x, torch.Keep(x), "outside a scope")
	require.Nil(t, torch.Keep(nil))
	require.NoError(t, x.Close())
	require.Equal(t, start, torch.NumLiveTensors())
}

func TestTidy(t *testing.T) {
	leakFree(t, func() {
		live := torch.NumLiveTensors()
		x := torch.Tidy(func() *torch.Tensor {
			one()
			return one().Add(one())
		})
		require.Equal(t, 2.0, x.Item())
		require.Equal(t, live+1, torch.NumLiveTensors())

		require.Same(t, x, torch.Tidy(func() *torch.Tensor { return x }), "a tensor from outside stays where it is")
		require.Nil(t, torch.Tidy(func() *torch.Tensor { return nil }))

		ts := torch.TidyAll(func() []*torch.Tensor {
			a, b := one(), one()
			a.Add(b)
			return []*torch.Tensor{a, nil, b, a}
		})
		require.Len(t, ts, 4)
		require.Equal(t, live+3, torch.NumLiveTensors())
		require.Equal(t, 2.0, ts[0].Add(ts[2]).Item())
	})
}

func TestDisown(t *testing.T) {
	start := torch.NumLiveTensors()
	var x *torch.Tensor
	torch.Scope(func() {
		torch.Scope(func() {
			x = torch.Disown(one())
			torch.Disown(torch.Disown(x))
			require.Same(t, x, torch.Keep(x), "no scope owns it")
		})
	})
	require.Equal(t, 1.0, x.Item())
	require.Equal(t, start+1, torch.NumLiveTensors())
	require.NoError(t, x.Close())
	require.Same(t, x, torch.Disown(x), "closed")
	require.Nil(t, torch.Disown(nil))
	require.Equal(t, start, torch.NumLiveTensors())
}

// Only the goroutine that opened a scope may take tensors out of it. On another goroutine, Keep
// would have no effect, and the tensor would be freed while in use.
func TestKeepOnAnotherGoroutine(t *testing.T) {
	leakFree(t, func() {
		x := one()
		var keep, disown error
		var wg sync.WaitGroup
		wg.Go(func() {
			keep = torch.Try(func() { torch.Keep(x) })
			torch.Scope(func() { disown = torch.Try(func() { torch.Disown(x) }) })
		})
		wg.Wait()
		for _, err := range []error{keep, disown} {
			require.ErrorIs(t, err, torch.ErrValue)
			require.ErrorContains(t, err, "argument t: the tensor belongs to a scope of another goroutine")
		}
		require.Equal(t, 1.0, x.Item())
	})
}

// If a scope's tensors are closed one by one, the scope stays small: Close removes a tensor from
// any position.
func TestCloseInAnyOrderInScope(t *testing.T) {
	leakFree(t, func() {
		live := torch.NumLiveTensors()
		var ts []*torch.Tensor
		for range 20 {
			ts = append(ts, one())
		}
		for _, i := range []int{19, 0, 7, 18, 1, 8, 10} {
			require.NoError(t, ts[i].Close())
		}
		torch.Keep(ts[5])
		require.NoError(t, ts[5].Close())
		require.Equal(t, live+12, torch.NumLiveTensors())
		require.Equal(t, 2.0, ts[17].Add(ts[2]).Item())
	})
}

func TestMillionOperatorsInScopes(t *testing.T) {
	steps := 1000
	if testing.Short() {
		steps = 50
	}
	start := torch.NumLiveTensors()
	torch.Scope(func() {
		x := one()
		for range steps {
			torch.Scope(func() {
				for range 1000 {
					x.Add(x)
				}
			})
		}
		require.Equal(t, start+1, torch.NumLiveTensors())
		for range 100 * steps { // many operators in one scope
			x.Add(x)
		}
		require.Equal(t, start+1+int64(100*steps), torch.NumLiveTensors())
	})
	require.Equal(t, start, torch.NumLiveTensors())
}

func TestMillionOperatorsWithoutScope(t *testing.T) {
	n := 1_000_000
	if testing.Short() {
		n = 50_000
	}
	start := torch.NumLiveTensors()
	x := one()
	for range n {
		x.Add(x)
	}
	require.NoError(t, x.Close())
	collectUntil(t, start)
}

// collect runs the collector and waits for its cleanups.
func collect(t *testing.T) {
	t.Helper()
	counts := []metrics.Sample{{Name: "/gc/cleanups/queued:cleanups"}, {Name: "/gc/cleanups/executed:cleanups"}}
	deadline := time.Now().Add(time.Minute)
	for range 2 { // a sync.Pool is emptied in two rounds
		runtime.GC()
		for metrics.Read(counts); counts[1].Value.Uint64() < counts[0].Value.Uint64(); metrics.Read(counts) {
			require.True(t, time.Now().Before(deadline), "cleanups do not run")
			runtime.Gosched()
		}
	}
}

// collectUntil runs the collector until only want tensors are left, and fails if others remain.
func collectUntil(t *testing.T, want int64) {
	t.Helper()
	for round := 0; round < 5 && torch.NumLiveTensors() > want; round++ {
		collect(t)
	}
	require.Equal(t, want, torch.NumLiveTensors())
}
