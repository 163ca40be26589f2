package torch

import (
	"fmt"

	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/internal/native/entry"
)

// ctxThreads are the bits of a Ctx that say how many threads an operator may use. In a
// goroutineState they hold the number passed to WithNumThreads, or 0 outside of it.
const ctxThreads = abi.Ctx(1<<abi.CtxThreadsBits-1) << abi.CtxThreadsShift

// SetNumThreads sets how many threads one operator may use. It panics with
// ErrValue unless n is between 1 and 65535. If the system cannot start that
// many threads, an operator that needs them may end the process, as in Python,
// or wait. Follows torch.set_num_threads.
func SetNumThreads(n int) {
	notCaptured("SetNumThreads")
	checkThreads("SetNumThreads", n)
	entry.SetThreads(n)
}

// NumThreads returns how many threads one operator of this goroutine may use.
// Follows torch.get_num_threads.
func NumThreads() int {
	n := entry.Threads()
	if st := states.Get(); st != nil && st.ctx&ctxThreads != 0 {
		n = min(n, int(st.ctx&ctxThreads>>abi.CtxThreadsShift))
	}
	return n
}

// WithNumThreads runs fn with at most n threads for each operator of this goroutine, and
// never more than [SetNumThreads] allows. Goroutines started in fn are not limited. Calls
// may nest; the innermost applies. Data loaders limit their workers to one thread.
// WithNumThreads panics with ErrValue unless n is between 1 and 65535, and with ErrNil
// for a nil fn.
func WithNumThreads(n int, fn func()) {
	const op = "WithNumThreads"
	notCaptured(op)
	checkThreads(op, n)
	withMode(op, abi.Ctx(n)<<abi.CtxThreadsShift, ctxThreads, fn)
}

func checkThreads(op string, n int) {
	if n < 1 || n > 0xffff {
		panic(argError(op, ErrValue, "n", fmt.Sprintf("expected 1 to 65535 threads, got %d", n)))
	}
}
