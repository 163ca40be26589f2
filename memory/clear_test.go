package memory_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/internal/sanitized"
	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
)

// Clear waits for the destruction of a long graph, however long it takes, and returns the
// graph's pages to the system. Freeing one tensor destroys the whole graph. This takes half
// a second, during which no other cleanup ends.
func TestClearWaitsForALongGraph(t *testing.T) {
	if sanitized.On {
		t.Skip("a sanitizer's own memory is resident too")
	}
	needsCHeap(t)
	quiet()
	before, timeouts := memory.Process(), memory.GC().Timeouts
	func() {
		x := torch.Ones(torch.Shape{}, torch.RequiresGrad(true))
		y := x
		for range 400_000 {
			y = y.Add(x)
		}
		runtime.KeepAlive(y)
	}()
	held := memory.Process()
	assert.Greater(t, held.CHeap-before.CHeap, int64(100<<20))
	memory.Clear()
	after := memory.Process()
	assert.Equal(t, timeouts, memory.GC().Timeouts)
	assert.Less(t, after.CHeap-before.CHeap, int64(1<<20), "the whole graph is gone")
	if after.Resident > 0 {
		assert.Less(t, after.Resident-before.Resident, int64(40<<20), "and its pages with it: they were %d MiB",
			(held.Resident-before.Resident)>>20)
	}
}
