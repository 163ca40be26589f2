package torch

import (
	"fmt"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/internal/native/entry"
)

// withMode runs fn with some bits of the goroutine's state set and others
// cleared. Errors name op, the called function.
func withMode(op string, set, clear abi.Ctx, fn func()) {
	if fn == nil {
		panic(NilFunc(op, "fn"))
	}
	st := enterState()
	saved := st.ctx
	st.ctx = st.ctx&^clear | set
	defer func() {
		st.ctx = saved
		st.leave()
	}()
	fn()
}

// NoGrad runs fn without recording gradients on this goroutine. Goroutines
// started in fn record as usual. It panics with ErrNil for a nil fn.
// Follows "with torch.no_grad()".
func NoGrad(fn func()) { withMode("NoGrad", abi.CtxNoGrad, 0, fn) }

// EnableGrad runs fn with gradients recorded, even inside NoGrad. It panics
// with ErrNil for a nil fn. Follows "with torch.enable_grad()".
func EnableGrad(fn func()) { withMode("EnableGrad", 0, abi.CtxNoGrad, fn) }

// SetGradEnabled runs fn with or without recording gradients. It panics with
// ErrNil for a nil fn. Follows "with torch.set_grad_enabled(mode)".
func SetGradEnabled(mode bool, fn func()) {
	const op = "SetGradEnabled"
	if mode {
		withMode(op, 0, abi.CtxNoGrad, fn)
	} else {
		withMode(op, abi.CtxNoGrad, 0, fn)
	}
}

// InferenceMode runs fn without recording gradients. Tensors made in fn can
// never take part in autograd, which saves bookkeeping. It panics with ErrNil
// for a nil fn. Follows "with torch.inference_mode()".
func InferenceMode(fn func()) { withMode("InferenceMode", abi.CtxInference|abi.CtxNoGrad, 0, fn) }

// IsGradEnabled reports whether this goroutine records gradients.
func IsGradEnabled() bool {
	st := states.Get()
	return st == nil || st.ctx&(abi.CtxNoGrad|abi.CtxInference) == 0
}

// IsInferenceMode reports whether this goroutine is in inference mode.
func IsInferenceMode() bool {
	st := states.Get()
	return st != nil && st.ctx&abi.CtxInference != 0
}

// SetNumInteropThreads sets the size of the thread pool on which TorchScript
// runs operators in parallel. It returns an error if the pool is already in use
// or was already set, or if n is not between 1 and 65535.
// Follows torch.set_num_interop_threads.
func SetNumInteropThreads(n int) error {
	if n < 1 || n > entry.MostThreads {
		return argError("SetNumInteropThreads", ErrValue, "n",
			fmt.Sprintf("expected 1 to %d threads, got %d", entry.MostThreads, n))
	}
	if st := cgotorch.SetNumInteropThreads(n); st != 0 {
		return statusError("SetNumInteropThreads()", st, nil)
	}
	return nil
}

// NumInteropThreads returns the size of the inter-op thread pool.
// Follows torch.get_num_interop_threads.
func NumInteropThreads() int { return cgotorch.NumInteropThreads() }

// SetMaxConcurrency sets how many operators may run at once. Further goroutines
// wait in Go without using a thread. 0, the default, means GOMAXPROCS, even if
// it changes later. It panics with ErrValue for a negative n. See
// docs/concurrency.md.
func SetMaxConcurrency(n int) {
	if n < 0 {
		panic(argError("SetMaxConcurrency", ErrValue, "n", fmt.Sprintf("expected 0 or more operators, got %d", n)))
	}
	entry.SetLimit(n)
}

// MaxConcurrency returns how many operators may run at once.
func MaxConcurrency() int { return entry.Limit() }

// Version returns the version of libtorch, such as "2.11.0".
func Version() string { return cgotorch.Version() }

// BuildInfo returns how libtorch was built, and its threads and libraries.
// Follows torch.__config__.show() and parallel_info().
func BuildInfo() string { return cgotorch.BuildInfo() }
