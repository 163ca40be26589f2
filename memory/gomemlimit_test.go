package memory_test

import (
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
)

// A model of 200 MiB with garbage of 256 KiB a step would come to twice its size. Go's
// memory limit is one for both.
func TestMemoryLimitBoundsTheWholeProcess(t *testing.T) {
	const mib = 1 << 20
	model := torch.Zeros(torch.Shape{200 * mib / 4})
	defer model.Close()
	steps := func() (peak int64) {
		memory.Collect()
		memory.ResetPeak(torch.CPU)
		for range 1200 {
			torch.Zeros(torch.Shape{256 << 10 / 4})
		}
		return memory.Stats(torch.CPU).RequestedBytes.All.Peak - 200*mib
	}
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(1)) // less than the model: the least growth
	limited := steps()
	debug.SetMemoryLimit(1 << 62)
	free := steps()
	assert.Less(t, limited, int64(20*mib))
	assert.Greater(t, free, int64(150*mib))
}
