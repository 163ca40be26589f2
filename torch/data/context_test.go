package data_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
	"github.com/gotorch/gotorch/torchtest"
)

// When its context is done, a loop ends even if it is waiting for a worker.
func TestContextEndsWaiting(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	defer noGoroutines(t)()
	var cancel context.CancelFunc
	had, release := make(chan struct{}), make(chan struct{})
	g := got{4, func(i int) (data.Example, error) {
		if i == 1 {
			<-had
			cancel()
			<-release
		}
		return data.Example{Input: torch.Full(torch.Shape{2}, i)}, nil
	}}
	var ctx context.Context
	for _, l := range g.loaders(data.NumWorkers(1), data.Timeout(time.Minute)) {
		ctx, cancel = context.WithCancel(t.Context())
		defer cancel()
		it := l.IterContext(ctx)
		assert.True(t, it.Next())
		var wg sync.WaitGroup
		wg.Go(func() {
			had <- struct{}{}
			<-ctx.Done()
			release <- struct{}{}
		})
		assert.False(t, it.Next())
		require.ErrorIs(t, it.Err(), context.Canceled)
		assert.False(t, it.Next())
		wg.Wait()
	}
	n := 0
	for range data.NewLoader(drawing(4), data.NumWorkers(1)).AllContext(ctx) {
		n++
	}
	assert.Zero(t, n)
}

// A context that is done later does not change why a loop ended.
func TestContextThatEndsAfterTheLoop(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for _, l := range ones(2).loaders() {
		for name, end := range map[string]func(it *data.Iter){
			"at the end": func(it *data.Iter) {
				n := 0
				for it.Next() {
					n++
				}
				assert.Equal(t, 2, n)
			},
			"by Close": func(it *data.Iter) {
				assert.True(t, it.Next())
				_ = it.Close()
			},
		} {
			ctx, cancel := context.WithCancel(t.Context())
			it := l.IterContext(ctx)
			end(it)
			require.NoError(t, it.Err(), name)
			cancel()
			assert.False(t, it.Next(), name)
			require.NoError(t, it.Err(), name)
			require.NoError(t, it.Close())
		}
	}
}
