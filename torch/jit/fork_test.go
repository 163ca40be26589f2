package jit_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
)

// A script's forks run on libtorch's own threads, several at a time. Their operators are divided
// among threads like all others, with the same results to the last bit.
func TestForksDivideOperators(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	defer torch.SetNumThreads(torch.NumThreads())
	m := load(t, "objects")
	defer func() { assert.NoError(t, m.Close()) }()
	const forks, goroutines, calls = 6, 8, 10
	for _, threads := range []int{1, 2, 3, 8} {
		torch.SetNumThreads(threads)
		torch.Scope(func() {
			x := torch.Randn([]int64{160, 160}, torch.NewGenerator(torch.CPU).ManualSeed(5))
			var want []*torch.Tensor
			for i := range forks {
				want = append(want, x.MatMul(x.MulScalar(i)))
			}
			var wg sync.WaitGroup
			for range goroutines {
				wg.Go(func() {
					for range calls {
						torch.Scope(func() {
							got, ok := m.RunMethod("products", x, forks).([]*torch.Tensor)
							if !assert.True(t, ok) || !assert.Len(t, got, forks) {
								return
							}
							for i, y := range got {
								assert.True(t, want[i].Equal(y), "%d threads, fork %d", threads, i)
							}
						})
					}
				})
			}
			wg.Wait()
		})
	}
	require.Equal(t, 8, torch.NumThreads())
}
