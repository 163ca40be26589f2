package torch

import (
	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/cgotorch/cuda"
	"github.com/gotorch/gotorch/internal/native/callback"
	"github.com/gotorch/gotorch/internal/native/modes"
	"github.com/gotorch/gotorch/internal/native/own"
	"github.com/gotorch/gotorch/internal/native/pacer"
)

// init gives lower-level packages access to package torch. No tensor exists
// before it runs. Only one order matters: the pacer's counts must be set before
// it gets the CUDA devices, because adding a device sets a threshold.
func init() {
	pacer.SetCounts(func() (handles, callbacks int64) { return open.Load(), callback.Count() }, open.Told)
	pacer.OnCollect(func() (dropped int64) {
		callback.Sweep()
		return callback.Dropped()
	})
	cuda.OnLoad(pacer.AddDevices)
	cuda.OnLoad(seedDevices)
	aten.RetryOOM = retryOutOfMemory
	callback.Run = inCallback
	cgotorch.Callbacks.Hook = runHook
	cgotorch.Callbacks.Backward = runBackward
	own.Provide(owners{})
	modes.Provide(rarerModes{})
}
