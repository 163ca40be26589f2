package gate_test

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/internal/native/gate"
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
		g.Leave() // a callback leaves before it runs Go code,
		g.Enter() // so that an operator that this code calls can enter
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
			<-out // all of them stay inside until then
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

// crowd starts n callers, which stay inside until leave is called. It returns as soon as
// the number of callers waiting at the gate is wait and the others are inside.
func crowd(g *gate.Gate, n, wait int) (leave func()) {
	out := make(chan struct{})
	var wg sync.WaitGroup
	before, _ := g.Inside()
	for range n {
		wg.Go(func() {
			g.Enter()
			<-out
			g.Leave()
		})
	}
	for {
		if running, waiting := g.Inside(); waiting == wait && running == before+n-wait {
			break
		}
		runtime.Gosched()
	}
	return func() {
		close(out)
		wg.Wait()
	}
}

func TestLimitFollowsGOMAXPROCS(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	g := gate.New(0)
	assert.Equal(t, 2, g.Limit())

	// After GOMAXPROCS is raised, a caller that would have to wait sees the new limit.
	g.Enter()
	g.Enter()
	runtime.GOMAXPROCS(4)
	g.Enter() // would wait forever with a limit of 2
	assert.Equal(t, 4, g.Limit())
	for range 3 {
		g.Leave()
	}

	// After GOMAXPROCS is lowered, several calls may pass before one sees the new limit.
	runtime.GOMAXPROCS(2)
	g.Enter()
	// Each call sees the new limit with probability 1/256, so all miss it with
	// probability (255/256)^20000.
	for range 20_000 {
		g.Enter()
		g.Leave()
	}
	leave := crowd(g, 3, 2) // one caller passes and two wait
	g.Leave()
	leave()

	// A gate with its own limit does not follow GOMAXPROCS.
	g.SetLimit(3)
	runtime.GOMAXPROCS(5)
	assert.Equal(t, 3, g.Limit())
	g.SetLimit(0)
	assert.Equal(t, 5, g.Limit())
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
