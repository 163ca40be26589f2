package distributed_test

import (
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	native "github.com/gotorch/gotorch/cgotorch/c10d"
	"github.com/gotorch/gotorch/internal/ranks"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed"
)

// stacks returns the stacks of all goroutines.
func stacks() string {
	b := make([]byte, 1<<20)
	return string(b[:runtime.Stack(b, true)])
}

// The garbage collector closes a dropped group: its goroutines end, its native group is freed, and
// the other ranks see it leave as after Close.
func TestDroppedGroupsAreCollected(t *testing.T) {
	store, err := distributed.NewHashStore()
	require.NoError(t, err)
	defer store.Close()
	var all sync.WaitGroup
	for r := range 2 {
		all.Go(func() {
			g, err := distributed.InitProcessGroup(ranks.Soon(t), distributed.Gloo, distributed.WithStore(store),
				distributed.Rank(r), distributed.WorldSize(2))
			if !assert.NoError(t, err) {
				return
			}
			x := torch.Ones(torch.Shape{2})
			assert.NoError(t, g.AllReduce(ranks.Soon(t), x))
			assert.NoError(t, x.Close())
		})
	}
	all.Wait()
	if t.Failed() {
		return
	}
	for left := false; !left; {
		runtime.GC()
		left, err = store.Check("0//gotorch/left/0", "0//gotorch/left/1")
		require.NoError(t, err)
	}
	for native.Ending.Load() > 0 || strings.Contains(stacks(), "distributed.hear") || strings.Contains(stacks(),
		"distributed.pulse") {
		runtime.Gosched()
	}
}
