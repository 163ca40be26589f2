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

// init hands the packages below what they need of those above. It is the one place
// where that is done. Before it runs nobody can make a tensor, since only package
// torch can, so the order among these lines is free but for one: the pacer counts
// handles whenever a threshold is set, and CUDA's devices set theirs as they are
// found, so the counts come first.
func init() {
	pacer.SetCounts(func() (handles, callbacks int64) { return open.Load(), callback.Count() }, open.Told)
	pacer.OnCollect(func() (dropped int64) {
		callback.Sweep()
		return callback.Dropped()
	})
	cuda.OnLoad(pacer.AddDevices)
	cuda.OnLoad(seedDevices)
	aten.RetryOOM = retryOutOfMemory
	cgotorch.Callbacks.Hook = runHook
	cgotorch.Callbacks.Backward = runBackward
	own.Provide(owners{})
	modes.Provide(rarerModes{})
}
