package count_test

import (
	"sync"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/internal/native/count"
)

func TestSumOfManyGoroutines(t *testing.T) {
	var c count.Counter
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for range 1000 {
				c.Add(uintptr(unsafe.Pointer(new([9000]byte))), int64(g))
			}
		})
	}
	wg.Wait()
	assert.EqualValues(t, 1000*(7*8/2), c.Load())
}

func TestTellsOfGrowth(t *testing.T) {
	var c count.Counter
	c.Told()
	const near = 0x10000
	grown := 0
	for range 128 {
		if c.Add(near, 1) {
			grown++
		}
	}
	assert.Zero(t, grown, "not by more than a step")
	assert.True(t, c.Add(near, 1))
	c.Told()
	assert.False(t, c.Add(near, 1))
	assert.EqualValues(t, 130, c.Load())
}
