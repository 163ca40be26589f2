package memory_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
)

// On a device, a backward pass runs on a thread of the autograd engine. The blocks that
// it allocates still name two lines: the line of the forward operator and the line of the
// call to Backward.
func TestCUDABackwardNamesBothLines(t *testing.T) {
	dev := needCUDA(t)
	record(t, memory.HistoryOptions{Clear: true, Devices: []torch.Device{dev}}) // record only the device's history
	torch.Scope(func() {
		x := torch.Empty(torch.Shape{3333}, dev).RequiresGrad_()
		y := forwardPass(x).Exp()
		before := len(memory.Snapshot(dev).DeviceTraces[0])
		backwardPass(y)
		var allocs int
		var mul bool
		for _, e := range memory.Snapshot(dev).DeviceTraces[0][before:] {
			if e.Action == memory.ActionAlloc {
				allocs++
				assert.True(t, calls(e.Frames, "backwardPass"), "%v", e.Frames)
				mul = mul || calls(e.ForwardFrames, "forwardPass")
			}
		}
		assert.Positive(t, allocs)
		assert.True(t, mul, "the gradient of x*x")
	})
}
