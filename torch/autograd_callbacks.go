package torch

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/internal/native/callback"
	"github.com/gotorch/gotorch/internal/native/entry"
)

// LiveCallbacks returns how many hooks, custom function applications and
// shared buffers libtorch still refers to.
func LiveCallbacks() int { return callback.Live() }

// inCallback runs Go code that libtorch called, on the caller's goroutine or on
// a thread of libtorch's own: with the modes that libtorch has set, in a scope
// that frees what the code makes, and with the caller's place in native code
// given up meanwhile, so that the operators it calls wait for no one who waits
// for them.
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
	// Not deferred: a goroutine that ends in fn must not take its place with it.
	entry.Reenter()
	if st != nil {
		st.crossing = crossing
		st.callbacks--
	}
	return tag
}
