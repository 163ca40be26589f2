package goroutine_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/native/goroutine"
)

func TestMutexKnowsItsHolder(t *testing.T) {
	var m goroutine.Mutex
	require.True(t, m.Lock())
	assert.False(t, m.Lock(), "the holder")
	m.Unlock()
	require.True(t, m.Lock(), "after Unlock")
	m.Unlock()
}

func TestMutexExcludes(t *testing.T) {
	var m goroutine.Mutex
	var wg sync.WaitGroup
	n := 0
	for range 8 {
		wg.Go(func() {
			for range 1000 {
				if !m.Lock() {
					t.Error("another goroutine holds it, not this one")
					return
				}
				n++
				m.Unlock()
			}
		})
	}
	wg.Wait()
	assert.Equal(t, 8000, n)
}
