package memory_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
)

// The largest possible settings turn these collections off, however much memory is in use.
func TestLargestGCSettings(t *testing.T) {
	keep := torch.Zeros(torch.Shape{mib})
	defer keep.Close()
	for name, set := range map[string]func() (restore func()){
		"MinHeap": func() func() {
			old := memory.SetMinHeap(math.MaxInt64)
			return func() { memory.SetMinHeap(old) }
		},
		"GCPercent": func() func() {
			old := memory.SetGCPercent(math.MaxInt)
			return func() { memory.SetGCPercent(old) }
		},
	} {
		t.Run(name, func(t *testing.T) {
			defer set()()
			memory.Collect()
			before := memory.GC().Collections
			for range 40 { // 160 MiB
				torch.Empty(torch.Shape{mib})
			}
			assert.Equal(t, before, memory.GC().Collections)
			assert.EqualValues(t, math.MaxInt64, memory.GC().Threshold)
		})
	}
	memory.Collect()
}

func TestNegativeMinHeapIsZero(t *testing.T) {
	defer memory.SetMinHeap(memory.SetMinHeap(-5))
	assert.Zero(t, memory.SetMinHeap(0))
}
