package data_test

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
	"github.com/gotorch/gotorch/torchtest"
)

// After a timeout the loop waits for the workers that are about to finish, but not for the
// worker that is late. The test uses the fake clock of package synctest.
func TestTimeoutWaitsForTheOthers(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		var done atomic.Bool
		g := got{2, func(i int) (data.Example, error) {
			if i == 0 {
				<-release
			} else {
				time.Sleep(1500 * time.Millisecond)
				done.Store(true)
			}
			return data.Example{Input: torch.Full(torch.Shape{2}, i)}, nil
		}}
		began := time.Now()
		err := forms["All"](data.NewLoader(g, data.NumWorkers(2), data.Timeout(time.Second)), all)
		var e *data.TimeoutError
		require.ErrorAs(t, err, &e)
		assert.Equal(t, 0, e.Worker)
		assert.True(t, done.Load(), "the other worker has ended")
		assert.Equal(t, 1500*time.Millisecond, time.Since(began), "the loop does not wait for the late worker")
		close(release)
		synctest.Wait()
	})
}
