package data

import (
	"fmt"
	"time"

	"github.com/gotorch/gotorch/torch"
)

// NumWorkers is how many goroutines make batches beside the loop; num_workers in
// Python. The default, 0, has the loop's own goroutine make them. Less than 0 is
// ErrValue. At most 31 workers of a process make batches at a time, see
// [torch.WithGenerator]; more wait for their turn. One that waits for a loader of its own
// does not count. A dataset that has workers wait for one another otherwise, by a lock for
// example, must not do so around a loader with workers. A worker's operators run on one thread
// each, as in Python; [torch.WithNumThreads] gives them more.
type NumWorkers int

// PrefetchFactor is how many batches each worker makes ahead; prefetch_factor in Python.
// With one worker 1 is double buffering, the loop has a batch while the next one is
// made, and 2 triple buffering. The default is 2. Less than 1 is ErrValue, and so are
// the option without [NumWorkers] and more than 65536 batches of all workers together.
type PrefetchFactor int

// InOrder says whether batches come in the order of the sampler, or in the order in
// which workers finish them; in_order in Python. The default is true. Without
// [NumWorkers] they are in order anyway.
type InOrder bool

// PinMemory says whether batches are put into page-locked memory, from where copies to a
// CUDA device need not be waited for; pin_memory in Python. The default is false. True is
// ErrDevice where there is no CUDA device, of which Python only warns.
type PinMemory bool

// Timeout is how long the loop waits for a batch of its workers; timeout in Python, in
// seconds there. After it the loop panics with a *torch.Error around a [TimeoutError].
// The default, 0, waits for ever. Less than 0 is ErrValue, and so is a timeout without
// [NumWorkers].
type Timeout time.Duration

// WorkerInitFn is called by each worker before its first batch, on its goroutine and
// with its random numbers; worker_init_fn in Python. An error or a panic of it is one of
// the worker's first batch. The default, and nil, does nothing. Without [NumWorkers] it
// is ErrValue.
type WorkerInitFn func(w WorkerInfo) error

// PersistentWorkers says whether the workers of one epoch are those of the next;
// persistent_workers in Python. A goroutine costs nothing to start, so what persists are
// their random generators, which go on where they were and are not seeded again, and
// that [WorkerInitFn] was called. A loop that is left early first makes what it had
// ordered. The default is false; true without [NumWorkers] is ErrValue.
type PersistentWorkers bool

// workerOptions are those of a list of LoaderOptions that are about workers.
type workerOptions struct {
	workers    int
	prefetch   int // -1: not given
	inOrder    bool
	pin        bool
	timeout    time.Duration
	workerInit func(WorkerInfo) error
	persistent bool
}

// take reads one option, and reports whether it is about workers.
func (w *workerOptions) take(op string, o LoaderOption) bool {
	switch o := o.(type) {
	case NumWorkers:
		if w.workers = int(o); o < 0 {
			panic(torch.NewError(op, torch.ErrValue, "NumWorkers", fmt.Sprintf("expected 0 or more workers, got %d", o)))
		}
	case PrefetchFactor:
		if w.prefetch = int(o); o < 1 {
			panic(torch.NewError(op, torch.ErrValue, "PrefetchFactor", fmt.Sprintf("expected a positive number, got %d", o)))
		}
	case InOrder:
		w.inOrder = bool(o)
	case PinMemory:
		w.pin = bool(o)
	case Timeout:
		if w.timeout = time.Duration(o); o < 0 {
			panic(torch.NewError(op, torch.ErrValue, "Timeout", fmt.Sprintf("expected 0 or more, got %v", time.Duration(o))))
		}
	case WorkerInitFn:
		w.workerInit = o
	case PersistentWorkers:
		w.persistent = bool(o)
	default:
		return false
	}
	return true
}

// maxAhead is how many batches may be ahead, for each of which there is room from the
// beginning.
const maxAhead = 1 << 16

// checkWorkers panics for options that need workers, or a CUDA device, where there is none.
func (w *workerOptions) checkWorkers(op string) {
	for _, o := range []struct {
		name  string
		given bool
	}{
		{"PrefetchFactor", w.prefetch >= 0},
		{"Timeout", w.timeout > 0},
		{"WorkerInitFn", w.workerInit != nil},
		{"PersistentWorkers", w.persistent},
	} {
		if o.given && w.workers == 0 {
			panic(torch.NewError(op, torch.ErrValue, o.name, "it is about workers and needs NumWorkers above 0"))
		}
	}
	if w.pin {
		if err := torch.CUDA.Check(); err != nil {
			panic(torch.NewError(op, torch.ErrDevice, "PinMemory", err.Error()))
		}
	}
	arg := "PrefetchFactor"
	if w.prefetch < 0 {
		w.prefetch, arg = 2, "NumWorkers"
	}
	if w.workers > maxAhead || w.workers > 0 && w.prefetch > maxAhead/w.workers {
		panic(torch.NewError(op, torch.ErrValue, arg, fmt.Sprintf("%d workers that each make %d batches ahead, more than %d in all", w.workers, w.prefetch, maxAhead)))
	}
}
