package data

import (
	"fmt"
	"time"

	"github.com/gotorch/gotorch/torch"
)

// NumWorkers is the number of goroutines that make batches; num_workers in Python. The
// default is 0: the loop's own goroutine makes the batches. A negative number panics with
// ErrValue.
//
// At most 31 workers of a process make batches at a time (see [torch.WithGenerator]);
// other workers wait for their turn. If a worker itself loops over another loader, it is
// not one of the 31 while it waits for a batch. A worker that loops over a loader with
// workers must not wait for another worker during this loop, for example for a lock. A
// worker's operators run on one thread each, as in Python; [torch.WithNumThreads] gives
// them more.
type NumWorkers int

// PrefetchFactor is the number of batches that each worker makes ahead; prefetch_factor
// in Python. With one worker, 1 is double buffering: the next batch is made while the
// loop uses the current one. The default is 2. It panics with ErrValue if it is less than
// 1, if [NumWorkers] is missing, or if all workers together would make more than 65536
// batches ahead.
type PrefetchFactor int

// InOrder controls whether batches come in the order of the sampler, or in the order in
// which workers finish them; in_order in Python. The default is true; InOrder(false)
// without [NumWorkers] panics with ErrValue.
type InOrder bool

// PinMemory controls whether batches are put into page-locked memory, from which copies
// to a CUDA device are asynchronous. The default is false. Without a CUDA device,
// PinMemory(true) panics with ErrDevice; Python only warns. It is pin_memory in Python.
type PinMemory bool

// Timeout is how long the loop waits for a batch from its workers. After this time the
// loop panics with a *torch.Error that wraps a [TimeoutError]. The default, 0, waits
// forever. A negative timeout panics with ErrValue, and so does a timeout without
// [NumWorkers]. It is timeout in Python, where it is a number of seconds.
type Timeout time.Duration

// WorkerInitFn is a function that each worker calls before its first batch, on the
// worker's goroutine and with the worker's random generator; worker_init_fn in Python.
// The function's error or panic becomes the error of the worker's first batch. The
// default, and nil, does nothing. Without [NumWorkers] it panics with ErrValue.
type WorkerInitFn func(w WorkerInfo) error

// PersistentWorkers controls whether the random generators of workers persist across
// epochs instead of being seeded again. The workers' goroutines do not persist.
// [WorkerInitFn] is called only once. If the loop ends early, the workers first finish
// the batches in flight. The default is false; PersistentWorkers(true) without
// [NumWorkers] panics with ErrValue. It is persistent_workers in Python.
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

// take reads o if it is an option about workers. It reports whether o is such an option.
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

// maxAhead limits the number of batches that all workers together make ahead, because a
// loop allocates memory for the results of all these batches when it begins.
const maxAhead = 1 << 16

// mustHaveWorkers panics if an option needs workers or a CUDA device and there are none.
func (w *workerOptions) mustHaveWorkers(op string) {
	for _, o := range []struct {
		name  string
		given bool
	}{
		{"PrefetchFactor", w.prefetch >= 0},
		{"Timeout", w.timeout > 0},
		{"WorkerInitFn", w.workerInit != nil},
		{"PersistentWorkers", w.persistent},
		{"InOrder", !w.inOrder},
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
