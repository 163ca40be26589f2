package memory_test

import (
	"runtime"
	"runtime/pprof"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
)

// Pools follow goroutines, not threads. With many goroutines, each pool contains the
// allocations of its own goroutine and nothing else.
func TestCUDAPoolsFollowGoroutines(t *testing.T) {
	dev := needCUDA(t)
	memory.Clear()
	const goroutines, steps = 16, 20
	procs := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(procs)
	pools := make([]*memory.MemPool, goroutines)
	for i := range pools {
		p, err := memory.NewMemPool(dev)
		require.NoError(t, err)
		pools[i] = p
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	var made []*torch.Tensor
	take := func(bytes int64) {
		x := allocateOnDevice(dev, bytes)
		mu.Lock()
		made = append(made, x)
		mu.Unlock()
		runtime.Gosched()
	}
	for _, p := range pools {
		wg.Go(func() {
			for i := range steps {
				memory.UsePool(p, func() { take(1 * mib) })
				take(2 * mib)
				if i%4 == 0 {
					runtime.GOMAXPROCS(1 + i%3)
				}
			}
		})
	}
	wg.Wait()
	held := map[[2]int64]int64{}
	for _, g := range memory.Snapshot(dev).Segments {
		held[g.SegmentPoolID] += g.AllocatedSize
	}
	for _, p := range pools {
		assert.EqualValues(t, steps*mib, held[p.ID()])
	}
	assert.GreaterOrEqual(t, held[[2]int64{}], int64(goroutines*steps*2*mib))
	closeAll(made...)()
	for _, p := range pools {
		require.NoError(t, p.Close())
	}
	memory.EmptyCache(dev)
}

// A goroutine inside UsePool does not occupy a thread. Each goroutine has its own pool.
func TestCUDAPoolsLockNoThread(t *testing.T) {
	dev := needCUDA(t)
	const goroutines = 300
	pools := make([]*memory.MemPool, goroutines)
	for i := range pools {
		p, err := memory.NewMemPool(dev)
		require.NoError(t, err)
		pools[i] = p
	}
	before := pprof.Lookup("threadcreate").Count()
	var inside, done sync.WaitGroup
	leave := make(chan struct{})
	for _, p := range pools {
		inside.Add(1)
		done.Go(func() {
			memory.UsePool(p, func() {
				torch.Empty(torch.Shape{4}, dev).Close()
				inside.Done()
				<-leave
			})
		})
	}
	inside.Wait()
	after := pprof.Lookup("threadcreate").Count()
	close(leave)
	done.Wait()
	assert.Less(t, after-before, goroutines/2)
	for _, p := range pools {
		require.NoError(t, p.Close())
	}
	memory.EmptyCache(dev)
}

// Pools of two devices can be in use at the same time. A pool is no longer in use after
// UsePool's function has returned or panicked.
func TestCUDAPoolsOfTwoDevices(t *testing.T) {
	near := needCUDA(t)
	far := torch.CUDA.At(1)
	if err := far.Check(); err != nil {
		t.Skip(err)
	}
	memory.Clear()
	p, err := memory.NewMemPool(near)
	require.NoError(t, err)
	q, err := memory.NewMemPool(far)
	require.NoError(t, err)
	var made []*torch.Tensor
	take := func(dev torch.Device, bytes int64) { made = append(made, allocateOnDevice(dev, bytes)) }
	memory.UsePool(p, func() {
		assert.PanicsWithValue(t, "mine", func() {
			memory.UsePool(q, func() {
				take(near, 3*mib)
				take(far, 5*mib)
				panic("mine")
			})
		})
		take(near, 7*mib)
		take(far, 11*mib)
	})
	take(near, 13*mib)
	held := map[[2]int64]int64{}
	for _, dev := range []torch.Device{near, far} {
		for _, g := range memory.Snapshot(dev).Segments {
			held[g.SegmentPoolID] += g.AllocatedSize
		}
	}
	assert.EqualValues(t, 10*mib, held[p.ID()])
	assert.EqualValues(t, 5*mib, held[q.ID()])
	closeAll(made...)()
	require.NoError(t, p.Close())
	require.NoError(t, q.Close())
	memory.EmptyCache(near, far)
}
