package torch_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
)

// given returns the number of threads of an operator on this goroutine.
func given() int {
	r := torch.BeginRaw("Nothing()")
	defer r.End()
	return int(r.Ctx >> abi.CtxThreadsShift & (1<<abi.CtxThreadsBits - 1))
}

func TestWithNumThreads(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	defer torch.SetNumThreads(torch.NumThreads())
	torch.SetNumThreads(8)
	both := func() []int { return []int{torch.NumThreads(), given()} }
	assert.Equal(t, []int{8, 8}, both())
	torch.WithNumThreads(1, func() {
		assert.Equal(t, []int{1, 1}, both())
		torch.WithNumThreads(3, func() {
			torch.NoGrad(func() { assert.Equal(t, []int{3, 3}, both()) })
			var wg sync.WaitGroup
			wg.Go(func() { assert.Equal(t, []int{8, 8}, both()) })
			wg.Wait()
		})
		assert.Equal(t, []int{1, 1}, both())
		assert.Equal(t, []int{1, 1}, both())
	})
	torch.WithNumThreads(100, func() { assert.Equal(t, []int{8, 8}, both(), "SetNumThreads is the limit") })
	assert.Panics(t, func() { torch.WithNumThreads(2, func() { panic("out") }) })
	assert.Equal(t, []int{8, 8}, both())
	for _, n := range []int{0, -1, 1 << 16} {
		require.ErrorIs(t, torch.Try(func() { torch.WithNumThreads(n, func() {}) }), torch.ErrValue)
	}
	require.ErrorIs(t, torch.Try(func() { torch.WithNumThreads(1, nil) }), torch.ErrNil)
}

// The bits of a sum do not depend on the number of concurrent goroutines.
func TestOneThreadHasTheSameBits(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		x := torch.Rand(torch.Shape{1 << 20}, torch.NewGenerator(torch.CPU).ManualSeed(1))
		sum := func() (v float32) {
			torch.Scope(func() { torch.WithNumThreads(1, func() { v = x.Sum().Float32s()[0] }) })
			return v
		}
		want := sum()
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				for range 20 {
					assert.Equal(t, want, sum())
				}
			})
		}
		wg.Wait()
	})
}
