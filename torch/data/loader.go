package data

import (
	"context"
	"fmt"
	"iter"
	"sync"

	"github.com/gotorch/gotorch/internal/native/own"
	"github.com/gotorch/gotorch/internal/native/trace"
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/internal/tensorfmt"
	"github.com/gotorch/gotorch/torch"
)

// Loader yields a dataset in batches: torch.utils.data.DataLoader in Python. A Loader holds
// no native memory and needs no Close: its workers end with the loop. Several goroutines
// may range over one loader, each with its own order, if the dataset and the functions
// among the options may be used by several goroutines. With [PersistentWorkers] only one
// loop can run at a time.
//
// [Loader.All], [Loader.Each] and [Loader.Iter] are three ways to write the same loop.
type Loader struct {
	dataset Dataset         // nil if stream is set
	stream  IterableDataset // nil if dataset is set
	opts    loaderSettings

	// the call stack of the constructor, to which the tensors of workers are attributed
	madeAt trace.ID

	generators       []*torch.Generator // the generators in fields of the sampler and of the dataset
	generatorsShared bool               // whether some of the generators belong to the dataset, which all workers share

	mu               sync.Mutex
	lastRun          *loaderRun        // the most recent loop
	resume           *LoaderState      // the position at which the next loop begins
	workerGenerators *workerGenerators // the generators of persistent workers
}

// Batch is one step's data. Its tensors belong to the step's scope: they are
// freed when the loop's body returns.
type Batch struct {
	Example
	Index int // the number of the batch, which counts from 0 in each epoch
}

// String shows the number of the batch and its [Example], for example "batch 0: Input
// float32 (64, 28, 28) cpu, Target int64 (64,) cpu".
func (b Batch) String() string { return fmt.Sprintf("batch %d: %v", b.Index, b.Example) }

// NewLoader returns a loader over d, which the caller still closes. The options are those
// of Python's DataLoader. Without options each batch holds one example, in order, and the
// loop's goroutine makes it; with [NumWorkers] other goroutines make the batches ahead of
// the loop.
//
// It panics with ErrNil for a nil dataset or option, with ErrValue for a batch size below
// 1, for shuffling an empty dataset and for conflicting options, and with ErrDevice for
// an unavailable device.
func NewLoader(d Dataset, opts ...LoaderOption) *Loader {
	const op = "data.NewLoader"
	mustBeDataset(op, d)
	l := readLoading(op, opts)
	if l.shuffle && d.Len() == 0 {
		panic(torch.NewError(op, torch.ErrValue, "d", "an empty dataset cannot be shuffled"))
	}
	return newLoader(&Loader{dataset: d, opts: l}, d)
}

// NewIterableLoader is [NewLoader] for an iterable dataset. The dataset has its own
// order, so [Shuffle], [WithSampler] and [WithBatchSampler] panic with ErrValue. With
// [NumWorkers] each worker reads the dataset separately: unless the dataset gives each
// worker its share, the loop gets every example once from each worker. See [WorkerInfo].
func NewIterableLoader(d IterableDataset, opts ...LoaderOption) *Loader {
	const op = "data.NewIterableLoader"
	if opt.IsNil(d) {
		panic(torch.NewError(op, torch.ErrNil, "d", "a nil IterableDataset"))
	}
	l := readLoading(op, opts)
	switch {
	case l.shuffle:
		panic(torch.NewError(op, torch.ErrValue, "Shuffle", "an iterable dataset has its own order"))
	case l.sampler != nil:
		panic(torch.NewError(op, torch.ErrValue, "WithSampler", "an iterable dataset has its own order"))
	case l.batches != nil:
		panic(torch.NewError(op, torch.ErrValue, "WithBatchSampler", "an iterable dataset has its own order"))
	}
	return newLoader(&Loader{stream: d, opts: l}, d)
}

// newLoader sets the other fields of l, a loader of dataset d. Only constructors call it.
func newLoader(l *Loader, d any) *Loader {
	l.madeAt = trace.Here(1)
	l.generators = generatorsOf(l.opts.batches, d)
	l.generatorsShared = len(generatorsOf(d)) > 0
	return l
}

// lock locks l.mu. A worker of another loader that waits for the lock returns its slot of
// torch.WithGenerator, because the goroutine that holds the lock may wait for a slot.
func (l *Loader) lock() { own.Idle(l.mu.Lock) }

// Len returns the number of batches. An iterable dataset must have a method Len() int that
// returns the number of examples; otherwise the loader's Len panics with ErrType.
func (l *Loader) Len() int {
	l.mustBeMade("data.Loader.Len")
	if l.opts.batches != nil {
		return l.opts.batches.Len()
	}
	n, ok := l.examples()
	if !ok {
		panic(torch.NewError("data.Loader.Len", torch.ErrType, "receiver",
			fmt.Sprintf("an iterable dataset needs a method Len() int to have a length; %T has none", l.stream)))
	}
	size := 1
	if l.opts.batchSize != BatchSizeNone {
		size = int(l.opts.batchSize)
	}
	full := n / size
	if n%size != 0 && !l.opts.dropLast {
		return full + 1
	}
	return full
}

// examples returns the number of the dataset's examples. ok is false if it is unknown.
func (l *Loader) examples() (n int, ok bool) {
	if l.dataset != nil {
		return l.dataset.Len(), true
	}
	if d, ok := l.stream.(interface{ Len() int }); ok {
		return d.Len(), true
	}
	return 0, false
}

// String returns the loader's settings and its number of batches, such as
// "DataLoader(TensorDataset(60000), batch_size=64, shuffle=True, drop_last=False): 938
// batches". With workers it includes num_workers.
func (l *Loader) String() string {
	if l == nil || l.dataset == nil && l.stream == nil {
		return "DataLoader(nil)"
	}
	set, size, workers, batches := fmt.Sprintf("%T", l.stream), "None", "", ""
	if l.dataset != nil {
		set = describe(l.dataset, true)
	}
	if l.opts.batchSize != BatchSizeNone {
		size = fmt.Sprint(int(l.opts.batchSize))
	}
	if l.opts.workers > 0 {
		workers = fmt.Sprintf(", num_workers=%d", l.opts.workers)
	}
	if _, known := l.examples(); known {
		batches = fmt.Sprintf(": %d batches", l.Len())
	}
	return fmt.Sprintf("DataLoader(%s, batch_size=%s, shuffle=%s, drop_last=%s%s)%s",
		set, size, tensorfmt.PyBool(l.opts.shuffle), tensorfmt.PyBool(l.opts.dropLast), workers, batches)
}

// Dataset returns the loader's dataset, or nil if it is iterable.
func (l *Loader) Dataset() Dataset {
	l.mustBeMade("data.Loader.Dataset")
	return l.dataset
}

// Iterable returns the loader's iterable dataset, or nil if the dataset is not iterable.
func (l *Loader) Iterable() IterableDataset {
	l.mustBeMade("data.Loader.Iterable")
	return l.stream
}

// All returns the batches of one epoch, for "for batch := range loader.All()". Each step
// runs in its own scope, which ends when the loop's body ends, even by break, return or a
// panic. Ranging again gives the next epoch. When the loop ends, even by break, its
// workers have ended. All waits at most [Timeout] or five seconds for a worker that
// hangs; the batches that such a worker makes later are freed.
//
// All panics with a *torch.Error if a batch cannot be made. Its cause is an
// [ExampleError] or a [TimeoutError]. [Loader.Iter] returns such errors instead.
//
// [iter.Pull] runs the loader on another goroutine, whose scopes are not the caller's.
// Each batch is still freed when the next one is requested. But tensors that the caller
// computes from a batch belong to the caller's own scope or to the garbage collector, and
// [torch.Keep] and [torch.Disown] panic with ErrValue for the tensors of a batch. Open a
// [torch.Scope] for each step, and Detach or Clone tensors that must outlive it.
// [Loader.Iter] uses no such goroutine.
func (l *Loader) All() iter.Seq[Batch] {
	return func(yield func(Batch) bool) { l.run(context.Background(), "All", yield) }
}

// AllContext is All with a context: once ctx is done, the loop ends between two steps or
// while it waits for a worker. Check ctx.Err to see whether the loop ended early. Ranging
// panics with ErrNil for a nil ctx.
func (l *Loader) AllContext(ctx context.Context) iter.Seq[Batch] {
	return func(yield func(Batch) bool) { l.run(ctx, "AllContext", yield) }
}

// Each calls fn with each batch of one epoch until fn returns false. It is for code that
// cannot range over functions. It panics with ErrNil for a nil fn.
func (l *Loader) Each(fn func(Batch) bool) { l.run(context.Background(), "Each", fn) }

// Inputs yields only the Input of each batch, for swa.UpdateBN(loader.Inputs(), model).
// Otherwise it is [Loader.All].
func (l *Loader) Inputs() iter.Seq[*torch.Tensor] {
	return func(yield func(*torch.Tensor) bool) {
		l.run(context.Background(), "Inputs", func(b Batch) bool { return yield(b.Input) })
	}
}

// mustBeMade panics with ErrNil for a loader that NewLoader did not make.
func (l *Loader) mustBeMade(op string) {
	if l == nil || l.dataset == nil && l.stream == nil {
		panic(torch.NewError(op, torch.ErrNil, "receiver", "the Loader was not made by NewLoader"))
	}
}

func (l *Loader) run(ctx context.Context, method string, yield func(Batch) bool) {
	if yield == nil {
		panic(torch.NilFunc("data.Loader."+method, "fn"))
	}
	r := l.begin(ctx, method)
	defer r.close()
	for more := true; more && ctx.Err() == nil; {
		torch.Scope(func() {
			own.Mark(own.Step)
			b, ok, err := r.next()
			if err != nil {
				panic(err)
			}
			more = ok && yield(b)
		})
	}
}
