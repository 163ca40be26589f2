package gate_test

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/internal/gate"
)

func TestAtMostLimitInsideAndEveryoneGetsIn(t *testing.T) {
	for _, limit := range []int{1, 2, 3, 7} {
		g := gate.New(limit)
		var inside, worst, total atomic.Int64
		var wg sync.WaitGroup
		const goroutines, rounds = 64, 500
		for range goroutines {
			wg.Add(1)
			go func() {
				defer wg.Done()
				for i := range rounds {
					n := g.Enter()
					assert.Positive(t, n)
					now := inside.Add(1)
					for {
						w := worst.Load()
						if now <= w || worst.CompareAndSwap(w, now) {
							break
						}
					}
					if i%3 == 0 {
						runtime.Gosched()
					}
					inside.Add(-1)
					total.Add(1)
					g.Leave()
				}
			}()
		}
		wg.Wait()
		assert.LessOrEqual(t, worst.Load(), int64(limit))
		assert.EqualValues(t, goroutines*rounds, total.Load())
		running, waiting := g.Inside()
		assert.Zero(t, running)
		assert.Zero(t, waiting)
	}
}

func TestCallbacksDoNotWaitOnTheirCaller(t *testing.T) {
	g := gate.New(1)
	done := make(chan struct{})
	go func() {
		defer close(done)
		g.Enter()
		g.Leave() // what a callback does on its way into Go ...
		g.Enter() // ... so that its own operators can pass
		g.Leave()
		g.Reenter()
		g.Leave()
	}()
	<-done
	running, _ := g.Inside()
	assert.Zero(t, running)
}

func TestRaisingTheLimitAdmitsWaiters(t *testing.T) {
	g := gate.New(1)
	g.Enter()
	const waiters = 7
	in, out := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	for range waiters {
		wg.Go(func() {
			g.Enter()
			in <- struct{}{}
			<-out // all of them stay inside
			g.Leave()
		})
	}
	for {
		if _, waiting := g.Inside(); waiting == waiters {
			break
		}
		runtime.Gosched()
	}
	g.SetLimit(1 + waiters)
	for range waiters {
		<-in
	}
	close(out)
	wg.Wait()
	g.Leave()
	assert.Equal(t, 1+waiters, g.Limit())
	running, waiting := g.Inside()
	assert.Zero(t, running)
	assert.Zero(t, waiting)
}

func BenchmarkEnterLeave(b *testing.B) {
	g := gate.New(0)
	for b.Loop() {
		g.Enter()
		g.Leave()
	}
}

func BenchmarkEnterLeaveParallel(b *testing.B) {
	g := gate.New(0)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			g.Enter()
			g.Leave()
		}
	})
}
