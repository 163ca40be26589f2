package use_test

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/internal/native/use"
)

func TestCloseOfOneThatNobodyUses(t *testing.T) {
	var w use.Word
	assert.True(t, w.Open())
	assert.True(t, w.Close(3), "the caller frees it")
	assert.False(t, w.Open())
	assert.EqualValues(t, 3, w.Why())
	assert.False(t, w.Close(4), "once")
	assert.EqualValues(t, 3, w.Why())
	assert.False(t, w.Acquire())
	assert.True(t, w.Release())
	assert.False(t, w.Take(), "it is freed already")
}

func TestTheLastUserFrees(t *testing.T) {
	var w use.Word
	w.SetMark()
	assert.True(t, w.Acquire())
	assert.True(t, w.Acquire())
	assert.False(t, w.Close(1))
	assert.True(t, w.Release())
	assert.False(t, w.Take(), "one is left")
	assert.False(t, w.Acquire(), "too late, and counts for a moment")
	assert.True(t, w.Release())
	assert.True(t, w.Release())
	assert.True(t, w.Take())
	assert.False(t, w.Take(), "once")
	assert.True(t, w.Mark())
}

// Goroutines use and close a tensor in any order. Exactly one of them frees it, after the
// last use.
func TestExactlyOneFrees(t *testing.T) {
	for range 2000 {
		var w use.Word
		var inside, frees atomic.Int32
		free := func() {
			frees.Add(1)
			assert.Zero(t, inside.Load())
		}
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				for range 5 {
					open := w.Acquire()
					if open {
						inside.Add(1)
						inside.Add(-1)
					}
					if w.Release() && w.Take() {
						free()
					}
				}
			})
		}
		for range 2 {
			wg.Go(func() {
				if w.Close(1) {
					free()
				}
			})
		}
		wg.Wait()
		assert.EqualValues(t, 1, frees.Load())
	}
}
