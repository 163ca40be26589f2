package torch

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/internal/native/callback"
	"github.com/gotorch/gotorch/internal/native/entry"
)

// LiveCallbacks returns the number of hooks, custom function calls and shared
// buffers that libtorch still refers to.
func LiveCallbacks() int { return callback.Live() }

// inCallback runs Go code that libtorch called, on the caller's goroutine or on
// a libtorch thread. It sets libtorch's modes and opens a scope. It also gives
// up the caller's slot in native code, so that operators called by fn cannot
// deadlock.
func inCallback(cx abi.Ctx, fn func()) (tag int64) {
	entry.Leave()
	st, crossing := states.Get(), ""
	if st != nil {
		st.crossing, crossing = "", st.crossing
		st.callbacks++
	}
	tag = callback.Guard(func() {
		const modes = abi.CtxNoGrad | abi.CtxInference | abi.CtxModes
		withMode("", cx&modes, modes, func() {
			Scope(fn)
		})
	})
	// Reenter is not deferred, because a goroutine that ends in fn must not keep the
	// slot.
	entry.Reenter()
	if st != nil {
		st.crossing = crossing
		st.callbacks--
	}
	return tag
}
