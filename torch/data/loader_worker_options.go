package data

import (
	"fmt"
	"time"

	"github.com/gotorch/gotorch/torch"
)

// NumWorkers is the number of goroutines that make batches; num_workers in Python. The
// default is 0: the loop's own goroutine makes them. A negative number is ErrValue.
//
// At most 31 workers of a process make batches at a time, see [torch.WithGenerator]; other
// workers wait for their turn. A worker that itself loops over a loader does not count
// while it waits for a batch. A worker that loops over a loader with workers must not wait
// for another worker during this loop, for example for a lock. A worker's operators run on
// one thread each, as in Python; [torch.WithNumThreads] gives them more.
type NumWorkers int

// PrefetchFactor is the number of batches that each worker makes ahead; prefetch_factor
// in Python. With one worker, 1 is double buffering: the next batch is made while the
// loop uses the current one. The default is 2. It is ErrValue if it is less than 1, if
// [NumWorkers] is missing, or if all workers together would make more than 65536 batches
// ahead.
type PrefetchFactor int

// InOrder controls whether batches come in the order of the sampler, or in the order in
// which workers finish them; in_order in Python. The default is true. Without
// [NumWorkers] it has no effect.
type InOrder bool

// PinMemory controls whether batches are put into page-locked memory, from which copies
// to a CUDA device are asynchronous; pin_memory in Python. The default is false. True is
// ErrDevice without a CUDA device; Python only warns.
type PinMemory bool

// Timeout is how long the loop waits for a batch from its workers; timeout in Python, in
// seconds there. When it expires the loop panics with a *torch.Error that wraps a
// [TimeoutError]. The default, 0, waits forever. A negative timeout is ErrValue, and so
// is a timeout without [NumWorkers].
type Timeout time.Duration

// WorkerInitFn is called by each worker before its first batch, on its goroutine and with
// its random numbers; worker_init_fn in Python. Its error or panic becomes the error of
// the worker's first batch. The default, and nil, does nothing. Without [NumWorkers] it
// is ErrValue.
type WorkerInitFn func(w WorkerInfo) error

// PersistentWorkers controls whether workers persist across epochs; persistent_workers in
// Python. Their goroutines do not persist, but their random generators do: they are not
// seeded again. [WorkerInitFn] is called only once. A loop that ends early first finishes
// the batches in flight. The default is false; true without
// [NumWorkers] is ErrValue.
type PersistentWorkers bool

// workerOptions holds the values of the LoaderOptions about workers.
type workerOptions struct {
	workers    int
	prefetch   int // -1 if not given
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
			panic(torch.NewError(op, torch.ErrValue, "NumWorkers",
				fmt.Sprintf("expected 0 or more workers, got %d", o)))
		}
	case PrefetchFactor:
		if w.prefetch = int(o); o < 1 {
			panic(torch.NewError(op, torch.ErrValue, "PrefetchFactor",
				fmt.Sprintf("expected a positive number, got %d", o)))
		}
	case InOrder:
		w.inOrder = bool(o)
	case PinMemory:
		w.pin = bool(o)
	case Timeout:
		if w.timeout = time.Duration(o); o < 0 {
			panic(torch.NewError(op, torch.ErrValue, "Timeout",
				fmt.Sprintf("expected 0 or more, got %v", time.Duration(o))))
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

// maxAhead limits the number of batches that all workers together make ahead, because a loop
// allocates memory for a result of each of these batches when it begins.
const maxAhead = 1 << 16

// mustHaveWorkers panics for options that need workers or a CUDA device if there are none.
func (w *workerOptions) mustHaveWorkers(op string) {
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
			panic(torch.NewError(op, torch.ErrValue, o.name, "needs workers; set NumWorkers above 0"))
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
		panic(torch.NewError(op, torch.ErrValue, arg, fmt.Sprintf("%d workers with %d batches ahead each exceed the "+
			"limit of %d in total", w.workers, w.prefetch, maxAhead)))
	}
}
