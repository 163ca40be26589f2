package goroutine_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/internal/native/goroutine"
)

func TestLocalIsTheGoroutinesOwn(t *testing.T) {
	var l goroutine.Local[int]
	var wg sync.WaitGroup
	assert.Nil(t, l.Get())
	mine := -1
	l.Set(&mine)
	for g := range 1000 { // enough for several in each bucket
		wg.Go(func() {
			assert.Nil(t, l.Get())
			l.Set(&g)
			for range 10 {
				assert.Same(t, &g, l.Get())
			}
			l.Delete()
			assert.Nil(t, l.Get())
		})
	}
	wg.Wait()
	assert.Same(t, &mine, l.Get())
	l.Delete()
	assert.Nil(t, l.Get())
}
