package goroutine_test

import (
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/internal/native/goroutine"
)

func TestIDIsStableAcrossReschedulingAndStackGrowth(t *testing.T) {
	id := goroutine.ID()
	assert.NotZero(t, id)
	var grow func(n int) uintptr
	grow = func(n int) uintptr {
		var pad [256]byte
		if n == 0 {
			return goroutine.ID()
		}
		pad[n%256] = 1
		got := grow(n - 1)
		runtime.KeepAlive(&pad)
		return got
	}
	assert.Equal(t, id, grow(4096))
	for range 100 {
		runtime.Gosched()
		assert.Equal(t, id, goroutine.ID())
	}
}

func TestIDDiffersBetweenLiveGoroutines(t *testing.T) {
	const n = 200
	var (
		mu   sync.Mutex
		seen = map[uintptr]bool{goroutine.ID(): true}
		wg   sync.WaitGroup
		all  = make(chan struct{})
	)
	for range n {
		wg.Add(1)
		go func() {
			mu.Lock()
			seen[goroutine.ID()] = true
			done := len(seen) == n+1
			mu.Unlock()
			wg.Done()
			if done {
				close(all)
			}
			<-all // keep the goroutine alive, so that its ID is not used again
		}()
	}
	wg.Wait()
	assert.Len(t, seen, n+1)
}

func BenchmarkID(b *testing.B) {
	for b.Loop() {
		goroutine.ID()
	}
}
