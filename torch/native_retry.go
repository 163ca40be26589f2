package torch

import (
	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/cuda"
	"github.com/gotorch/gotorch/cgotorch/mem"
	"github.com/gotorch/gotorch/internal/native/pacer"
	"github.com/gotorch/gotorch/internal/oom"
)

// again reports whether an operator that has failed is to be called once more.
// It is for operators of this package's that the generated ones do not cover:
// hand-written crossings that leave nothing behind, and in-place operators whose
// second call does the same as the first, because they get all their memory
// before they write or write what does not depend on what was there.
func (r *Raw) again(st abi.Status) bool { return st != 0 && retryOutOfMemory(st) }

// retryOutOfMemory is asked by operators that failed and changed nothing but the
// CPU's generators. If it was for want of memory, it frees what unreachable tensors and the cache hold,
// gives the generators their states back and has the operator called again. It runs with a place in native code held,
// which is safe: nothing that it waits for needs one.
func retryOutOfMemory(st abi.Status) bool {
	if cgotorch.StatusKind(st) != cgotorch.KindOutOfMemory || !cgotorch.UndoDraws(st) {
		return false
	}
	// An error that the program does not see is none of its statistics.
	if !mem.CPUForgive(uintptr(st)) {
		if dev, ok := oom.CUDADevice(cgotorch.StatusMessage(st)); ok {
			cuda.ForgiveOOM(dev)
		}
	}
	cgotorch.FreeStatus(st)
	pacer.RetryOutOfMemory()
	return true
}
