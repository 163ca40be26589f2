package dlpack_test

import (
	"context"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/cgotorch/dlpack/foreign"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/dlpack"
	"github.com/gotorch/gotorch/torchtest"
)

// A deleter may wait for a lock, as Python's deleters do. Meanwhile the goroutine that
// holds the lock may use tensors, and wait for goroutines that close foreign tensors.
func TestDeletersThatWaitHoldNobodyUp(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	const workers = 8
	arrays := make([]*foreign.Array, 0, 4*workers)
	for i := range cap(arrays) {
		kind := dlpack.KindLegacy
		if i%2 == 0 {
			kind = dlpack.KindVersioned
		}
		a, c := array(t, kind, true, 1000)
		arrays = append(arrays, a)
		if i%4 == 3 {
			require.NoError(t, c.Close())
			continue
		}
		x, err := dlpack.FromDLPack(c)
		require.NoError(t, err)
		defer func() { assert.NoError(t, x.Close()) }()
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	foreign.Locked(func() {
		var wg sync.WaitGroup
		for w := range workers {
			wg.Go(func() {
				for range 20 {
					a := foreign.New(w%2 == 0, true, 1000)
					kind := dlpack.KindLegacy
					if w%2 == 0 {
						kind = dlpack.KindVersioned
					}
					torch.Scope(func() {
						x, err := dlpack.FromDLPack(dlpack.NewCapsule(a.Struct.At, kind))
						assert.NoError(t, err)
						assert.InDelta(t, 1000, x.AddScalar(1).Sum().Item(), 0)
					})
					assert.Zero(t, a.Deleted(), "it waits")
				}
				runtime.GC()
			})
		}
		wg.Wait() // while this thread holds the lock that the deleters need
		torch.Scope(func() { torch.Ones(torch.Shape{100, 100}).MatMul(torch.Ones(torch.Shape{100, 100})) })
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		require.ErrorIs(t, dlpack.Flush(ctx), context.Canceled)
	})
	flush(t)
	for i, a := range arrays {
		assert.Equal(t, i%4 == 3, a.Deleted() == 1)
	}
}

// Only one of many goroutines gets the struct of a capsule.
func TestConcurrent(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for i := range 50 {
		a, c := array(t, dlpack.KindVersioned, i%2 == 0, 16)
		var wg sync.WaitGroup
		for w := range 6 {
			wg.Go(func() {
				if w == 5 {
					assert.NoError(t, c.Close())
					return
				}
				x, err := dlpack.FromDLPack(c)
				if err != nil {
					assert.ErrorIs(t, err, torch.ErrClosed)
					return
				}
				assert.Equal(t, uintptr(a.Tensor.Data), x.DataPtr())
				y, err := dlpack.FromDLPack(dlpack.ToDLPack(x))
				assert.NoError(t, err)
				assert.NoError(t, x.Close())
				assert.NoError(t, y.Close())
			})
		}
		wg.Wait()
	}
}
