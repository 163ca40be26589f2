package memory_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/cuda"
)

// A Device that was converted from an invalid integer causes an error. It must not be taken
// for the CPU.
func TestDeviceThatIsNone(t *testing.T) {
	dev := torch.Device(3)
	fails := func(err error) func() {
		return func() {
			if err != nil {
				panic(err)
			}
		}
	}
	_, _, info := memory.MemGetInfo(dev)
	_, pool := memory.NewMemPool(dev)
	for op, call := range map[string]func(){
		"memory.MemGetInfo":       fails(info),
		"memory.NewMemPool":       fails(pool),
		"memory.SetLimit":         fails(memory.SetLimit(dev, 1)),
		"memory.SetFraction":      fails(memory.SetFraction(dev, 0.5)),
		"memory.Synchronize":      fails(memory.Synchronize(dev)),
		"memory.Limit":            func() { memory.Limit(dev) },
		"memory.Backend":          func() { memory.Backend(dev) },
		"memory.Stats":            func() { memory.Stats(dev) },
		"memory.ResetPeak":        func() { memory.ResetPeak(dev) },
		"memory.ResetAccumulated": func() { memory.ResetAccumulated(dev) },
		"memory.EmptyCache":       func() { memory.EmptyCache(dev) },
		"memory.Settings":         func() { memory.Settings(dev) },
		"memory.Snapshot":         func() { memory.Snapshot(dev) },
		"memory.Track":            func() { memory.Track("", func() { t.Error("ran") }, memory.Device(dev)) },
		"cuda.WithDevice":         func() { cuda.WithDevice(dev, func() { t.Error("ran") }) },
		"cuda.Synchronize":        func() { cuda.Synchronize(dev) },
		"cuda.NewStream":          func() { cuda.NewStream(cuda.Device(dev)) },
	} {
		var e *torch.Error
		require.ErrorAs(t, torch.Try(call), &e, op)
		assert.ErrorIs(t, e, torch.ErrDevice, op)
		assert.Equal(t, op, e.Op)
		assert.Contains(t, e.Message, "Device(3)", op)
	}
	for name, call := range map[string]func(){
		"Allocated": func() { memory.Allocated(dev) },
		"Requested": func() { memory.Requested(dev) },
		"Reserved":  func() { memory.Reserved(dev) },
		"Summary":   func() { memory.Summary(dev) },
	} {
		assert.ErrorIs(t, torch.Try(call), torch.ErrDevice, name)
	}
}
