package memory_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
)

// If several pools are nested, allocations come from the innermost.
func TestCUDAPoolsNest(t *testing.T) {
	dev := needCUDA(t)
	memory.Clear()
	outer, err := memory.NewMemPool(dev)
	require.NoError(t, err)
	defer outer.Close()
	inner, err := memory.NewMemPool(dev)
	require.NoError(t, err)
	defer inner.Close()

	var made []*torch.Tensor
	take := func(bytes int64) { made = append(made, allocateOnDevice(dev, bytes)) }
	memory.UsePool(outer, func() {
		take(3 * mib)
		memory.UsePool(inner, func() { take(5 * mib) })
		take(7 * mib)
	})
	take(2 * mib)
	held := map[[2]int64]int64{}
	for _, g := range memory.Snapshot(dev).Segments {
		held[g.SegmentPoolID] += g.AllocatedSize
	}
	assert.EqualValues(t, 10*mib, held[outer.ID()])
	assert.EqualValues(t, 5*mib, held[inner.ID()])
	for _, x := range made {
		require.NoError(t, x.Close())
	}
}

// A pool cannot be used twice at the same time. A second UsePool fails and does not change
// the pool.
func TestCUDAPoolInUse(t *testing.T) {
	dev := needCUDA(t)
	memory.Clear()
	before := memory.Reserved(dev)
	p, err := memory.NewMemPool(dev)
	require.NoError(t, err)
	defer p.Close()
	refused := func() {
		t.Helper()
		require.ErrorIs(t, torch.Try(func() { memory.UsePool(p, func() {}) }), torch.ErrValue)
		require.ErrorIs(t, p.Close(), torch.ErrValue)
	}

	var x *torch.Tensor
	memory.UsePool(p, func() {
		refused()
		x = allocateOnDevice(dev, 3*mib)
	})

	entered, leave, left := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(left)
		memory.UsePool(p, func() {
			close(entered)
			<-leave
		})
	}()
	<-entered
	refused()
	close(leave)
	<-left

	assert.PanicsWithValue(t, "mine", func() { memory.UsePool(p, func() { panic("mine") }) })
	memory.UsePool(p, func() {})
	require.NoError(t, x.Close())
	memory.EmptyCache(dev)
	assert.Greater(t, memory.Reserved(dev), before, "the pool keeps what it has")
	require.NoError(t, p.Close())
	assert.Equal(t, before, memory.Reserved(dev))
}
