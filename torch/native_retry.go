package torch

import (
	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/cuda"
	"github.com/gotorch/gotorch/cgotorch/mem"
	"github.com/gotorch/gotorch/internal/native/pacer"
	"github.com/gotorch/gotorch/internal/native/recording"
	"github.com/gotorch/gotorch/internal/oom"
)

// again reports whether to call a failed operator once more. It is for hand-written calls
// that change nothing when they fail, and for in-place operators that can safely run twice.
// Such operators allocate all memory before they write, or their result does not depend on
// the previous contents.
func (r *Raw) again(st abi.Status) bool { return st != 0 && retryOutOfMemory(st) }

// retryOutOfMemory handles operators that failed without changing anything except the
// CPU's generators. If memory ran out, it frees unreachable tensors and the cache,
// restores the generators, and returns true to call the operator again. It runs in a slot
// for native code, which is safe because it never waits for code that needs a slot.
func retryOutOfMemory(st abi.Status) bool {
	if cgotorch.StatusKind(st) != cgotorch.KindOutOfMemory || !cgotorch.UndoDraws(st) {
		return false
	}
	// The program does not see this error, so the statistics must not count it.
	if !mem.CPUForgive(uintptr(st)) {
		if dev, ok := oom.CUDADevice(cgotorch.StatusMessage(st)); ok {
			cuda.ForgiveOOM(dev)
		}
	}
	cgotorch.FreeStatus(st)
	recording.Current().Retried()
	pacer.RetryOutOfMemory()
	return true
}
