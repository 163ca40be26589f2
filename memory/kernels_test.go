package memory_test

import (
	"fmt"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/again"
	"github.com/gotorch/gotorch/memory"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

// The memory that threads keep for convolutions of many shapes is bounded. With libtorch's
// default for this bound, four threads would keep several times as much.
func TestKernelsOfManyShapesAreBounded(t *testing.T) {
	const capacity, grew = "LRU_CACHE_CAPACITY", "the C heap grew by "
	if os.Getenv("GOTORCH_TEST_SHAPES") != "" {
		fmt.Println(grew, grownByShapes())
		return
	}
	growth := func(env ...string) int {
		cmd := again.Command("-test.run=^TestKernelsOfManyShapesAreBounded$", "-test.v")
		cmd.Env = append(append(cmd.Environ(), "GOTORCH_TEST_SHAPES=1", "ONEDNN_PRIMITIVE_CACHE_CAPACITY=64"), env...)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		found := regexp.MustCompile(grew + ` (-?\d+)`).FindSubmatch(out)
		require.NotNil(t, found, "%s", out)
		n, err := strconv.Atoi(string(found[1]))
		require.NoError(t, err)
		return n
	}
	theirs := growth(capacity + "=1024")
	if theirs < 4*mib {
		t.Skip("this libtorch keeps little of convolutions")
	}
	assert.Less(t, growth(), theirs/2)
}

// grownByShapes returns the growth of the C heap when four threads convolve 500 shapes
// each.
func grownByShapes() int64 {
	w := torch.Randn(torch.Shape{4, 4, 3, 3})
	defer w.Close()
	convolve := func(width int64) {
		torch.Scope(func() { F.Conv2d(torch.Zeros(torch.Shape{1, 4, 4, width}), w, nil) })
	}
	memory.Clear()
	start := memory.Process().CHeap
	var done, all sync.WaitGroup
	done.Add(4)
	for thread := range int64(4) {
		all.Go(func() {
			runtime.LockOSThread() // oneDNN has a cache for each thread
			for i := range int64(500) {
				convolve(4 + 4*i + thread)
			}
			done.Done()
			done.Wait() // the threads end, and their caches with them
			runtime.UnlockOSThread()
		})
	}
	all.Wait()
	memory.Clear()
	return memory.Process().CHeap - start
}

// Clear also returns free pages of Go's heap to the system.
func TestClearGivesBackGosHeap(t *testing.T) {
	held := make([]*torch.Tensor, 50_000)
	for i := range held {
		held[i] = torch.Ones(nil)
	}
	big := make([]byte, 64*mib)
	for i := range big {
		big[i] = 1
	}
	runtime.KeepAlive(held)
	runtime.KeepAlive(big)
	memory.Clear()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	assert.Less(t, m.HeapIdle-m.HeapReleased, uint64(8*mib))
}
