package memory_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
)

func snapshotEvents(dev torch.Device) (n int) {
	for _, e := range memory.Snapshot(dev).DeviceTraces[0] {
		if e.Action == memory.ActionSnapshot {
			n++
		}
	}
	return n
}

// Reading and changing settings adds no event to the history.
func TestCUDASettingsLeaveNoEvents(t *testing.T) {
	dev := needCUDA(t)
	require.NoError(t, memory.RecordHistory(memory.HistoryOptions{Clear: true}))
	defer memory.StopHistory()
	before := snapshotEvents(dev)
	require.NoError(t, memory.SetSettings("max_split_size_mb:64"))
	memory.Settings(dev)
	require.NoError(t, memory.SetSettings(""))
	assert.Equal(t, before+1, snapshotEvents(dev), "that of reading it")
}

// EmptyCache empties only the caches of the devices in its arguments, even if pools are in
// use.
func TestCUDAEmptyCacheOfOneDevice(t *testing.T) {
	near := needCUDA(t)
	far := torch.CUDA.At(1)
	if err := far.Check(); err != nil {
		t.Skip(err)
	}
	memory.Clear()
	held := func() (int64, int64) { return memory.Reserved(near), memory.Reserved(far) }
	near0, far0 := held()
	fill := func() {
		for _, dev := range []torch.Device{near, far} {
			require.NoError(t, allocateOnDevice(dev, 32*mib).Close())
		}
	}
	empty := func() {
		fill()
		_, full := held()
		memory.EmptyCache(near)
		n, f := held()
		assert.Equal(t, near0, n)
		assert.Equal(t, full, f, "the other device keeps its cache")
		memory.EmptyCache(far)
		n, f = held()
		assert.Equal(t, near0, n)
		assert.Equal(t, far0, f)
		fill()
		memory.EmptyCache()
		n, f = held()
		assert.Equal(t, near0, n)
		assert.Equal(t, far0, f)
	}
	empty()
	memory.EmptyCache(near, far)

	p, err := memory.NewMemPool(far)
	require.NoError(t, err)
	fill()
	memory.UsePool(p, func() { memory.EmptyCache(near, far) })
	n, f := held()
	assert.Equal(t, near0, n)
	assert.Equal(t, far0, f)
	require.NoError(t, p.Close())
	empty()
}

// If an operator inside UsePool runs out of memory, the cache outside the pool is emptied.
// The pool stays in use.
func TestCUDAOutOfMemoryInAPool(t *testing.T) {
	dev := needCUDA(t)
	memory.Clear()
	outer, err := memory.NewMemPool(dev)
	require.NoError(t, err)
	inner, err := memory.NewMemPool(dev)
	require.NoError(t, err)
	require.NoError(t, memory.SetLimit(dev, memory.Reserved(dev)+100*mib))
	defer func() { require.NoError(t, memory.SetLimit(dev, 0)) }()
	ooms := memory.Stats(dev).NumOOMs
	// A multiple of 20 MiB, by which expandable segments grow.
	require.NoError(t, allocateOnDevice(dev, 60*mib).Close())

	var made []*torch.Tensor
	take := func(bytes int64) { made = append(made, allocateOnDevice(dev, bytes)) }
	memory.UsePool(outer, func() {
		memory.UsePool(inner, func() { take(60 * mib) })
		take(20 * mib)
	})
	held := map[[2]int64]int64{}
	for _, g := range memory.Snapshot(dev).Segments {
		held[g.SegmentPoolID] += g.AllocatedSize
	}
	assert.EqualValues(t, 60*mib, held[inner.ID()])
	assert.EqualValues(t, 20*mib, held[outer.ID()])
	assert.Equal(t, ooms, memory.Stats(dev).NumOOMs, "the second call succeeded")

	memory.UsePool(outer, func() {
		require.ErrorIs(t, torch.Try(func() { take(60 * mib) }), torch.ErrOutOfMemory)
	})
	assert.Equal(t, ooms+1, memory.Stats(dev).NumOOMs, "called twice, but one error")
	memory.ResetAccumulated(dev)
	assert.Zero(t, memory.Stats(dev).NumOOMs)
	closeAll(made...)()
	require.NoError(t, inner.Close())
	require.NoError(t, outer.Close())
	memory.EmptyCache(dev)
}

// While another goroutine uses a pool on the device, libtorch does not empty the cache.
// So if an operator runs out of memory, there is no more memory when it is called again.
func TestCUDAOutOfMemoryBesideAPool(t *testing.T) {
	dev := needCUDA(t)
	memory.Clear()
	mine, err := memory.NewMemPool(dev)
	require.NoError(t, err)
	other, err := memory.NewMemPool(dev)
	require.NoError(t, err)
	require.NoError(t, memory.SetLimit(dev, memory.Reserved(dev)+100*mib))
	defer func() { require.NoError(t, memory.SetLimit(dev, 0)) }()
	require.NoError(t, allocateOnDevice(dev, 60*mib).Close())

	entered, leave, left := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(left)
		memory.UsePool(other, func() {
			close(entered)
			<-leave
		})
	}()
	<-entered
	take := func() error {
		return torch.Try(func() {
			memory.UsePool(mine, func() { require.NoError(t, allocateOnDevice(dev, 60*mib).Close()) })
		})
	}
	reserved := memory.Reserved(dev)
	assert.ErrorIs(t, take(), torch.ErrOutOfMemory)
	assert.Equal(t, reserved, memory.Reserved(dev))
	close(leave)
	<-left
	assert.NoError(t, take())
	require.NoError(t, mine.Close())
	require.NoError(t, other.Close())
	memory.EmptyCache(dev)
}
