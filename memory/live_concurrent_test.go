package memory_test

import (
	"bytes"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
)

// TestLiveTensorsWhileOthersWork reads the list while goroutines create tensors that are
// freed by Close, by a scope or by the collector.
func TestLiveTensorsWhileOthersWork(t *testing.T) {
	track(t, 1)
	check := memory.StartLeakCheck()
	held := torch.Ones(torch.Shape{2}) // so that the list is never empty
	var work sync.WaitGroup
	for range 8 {
		work.Add(1)
		go func() {
			defer work.Done()
			for range 200 {
				x := torch.Ones(torch.Shape{16})
				torch.Scope(func() { x.Add(x).Exp() })
				torch.Zeros(torch.Shape{4})
				_ = x.Close()
			}
		}()
	}
	over, read := make(chan struct{}), make(chan int)
	go func() {
		n := 0
		for {
			for _, l := range memory.LiveTensors() {
				n += len(l.Line())
			}
			var b bytes.Buffer
			if memory.WriteTensorProfile(&b) != nil {
				n = -1 << 40
			}
			select {
			case <-over:
				read <- n
				return
			default:
			}
		}
	}()
	work.Wait()
	close(over)
	assert.Positive(t, <-read)
	assert.NoError(t, held.Close())
	left := check.Stop()
	assert.True(t, left.None(), left.String())
}

// TestChecksNest runs a check inside another. The outer check also finds the inner check's
// leaks.
func TestChecksNest(t *testing.T) {
	outer := memory.StartLeakCheck()
	before := torch.Ones(torch.Shape{2})
	inner := memory.StartLeakCheck()
	x := torch.Ones(torch.Shape{4})
	in := inner.Stop()
	assert.EqualValues(t, 1, in.Count)
	assert.EqualValues(t, 16, in.Bytes)
	out := outer.Stop()
	assert.EqualValues(t, 2, out.Count)
	assert.Equal(t, out, outer.Stop(), "the same again")
	require.NoError(t, x.Close())
	require.NoError(t, before.Close())
	assert.Zero(t, memory.TrackTensors(0), "checks leave the setting alone")
}
