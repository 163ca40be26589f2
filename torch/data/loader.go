package data

import (
	"context"
	"fmt"
	"iter"
	"reflect"
	"sync"

	"github.com/gotorch/gotorch/internal/native/own"
	"github.com/gotorch/gotorch/internal/native/trace"
	"github.com/gotorch/gotorch/internal/tensorfmt"
	"github.com/gotorch/gotorch/torch"
)

// Loader yields a dataset in batches: torch.utils.data.DataLoader in Python. It holds
// no native memory and needs no Close: workers live as long as a loop does. Several
// goroutines may range over one loader, each in its own order, if the dataset and the
// functions given as options allow that; with [PersistentWorkers] one at a time.
//
// [Loader.All], [Loader.Each] and [Loader.Iter] are three ways to write the same loop.
type Loader struct {
	set    Dataset         // or
	stream IterableDataset // the other is nil
	opts   loading

	madeAt trace.ID // the stack that made it: what its workers make is its doing

	generators []*torch.Generator // that the sampler and the dataset hold
	shared     bool               // the dataset holds some of them

	mu     sync.Mutex
	last   *run         // the loop that began last
	resume *LoaderState // where the next one begins
	crew   *crew        // of workers that persist
}

// Batch is one step's data. Its tensors belong to the step's scope: they are
// freed when the loop's body returns.
type Batch struct {
	Example
	Index int // counts the batches of an epoch from 0
}

// String shows the number of the batch and its [Example]: "batch 0: Input
// float32 (64, 28, 28) cpu, Target int64 (64,) cpu".
func (b Batch) String() string { return fmt.Sprintf("batch %d: %v", b.Index, b.Example) }

// NewLoader returns a loader over d, which the caller still has to close. The
// options are those of Python's DataLoader. Without options, each batch holds
// one example, in order, and the goroutine of the loop makes it; [NumWorkers] has others
// make batches ahead. It panics with ErrNil for a nil dataset or option, with ErrValue
// for a batch size below 1, for shuffling an empty dataset and for options that exclude
// one another, and with ErrDevice for a device that is not there.
func NewLoader(d Dataset, opts ...LoaderOption) *Loader {
	const op = "data.NewLoader"
	checkDataset(op, d)
	l := readLoading(op, opts)
	if l.shuffle && d.Len() == 0 {
		panic(torch.NewError(op, torch.ErrValue, "d", "an empty dataset cannot be shuffled"))
	}
	return newLoader(&Loader{set: d, opts: l}, d)
}

// NewIterableLoader is [NewLoader] for a dataset that has an order of its own: [Shuffle],
// [WithSampler] and [WithBatchSampler] are ErrValue. With [NumWorkers] each worker reads
// the dataset by itself, and unless the dataset gives each a part of its own, see
// [WorkerInfo], every example comes once for each worker.
func NewIterableLoader(d IterableDataset, opts ...LoaderOption) *Loader {
	const op = "data.NewIterableLoader"
	if isNil(d) {
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

// newLoader finds the generators of l, which reads d, for a constructor of the package.
func newLoader(l *Loader, d any) *Loader {
	l.madeAt = trace.Here(1)
	l.generators = generatorsOf(l.opts.batches, d)
	l.shared = len(generatorsOf(d)) > 0
	return l
}

// isNil reports whether an interface is nil, or holds a nil pointer or function.
func isNil(x any) bool {
	if x == nil {
		return true
	}
	switch v := reflect.ValueOf(x); v.Kind() {
	case reflect.Pointer, reflect.Func, reflect.Map, reflect.Slice, reflect.Chan:
		return v.IsNil()
	}
	return false
}

// Len returns the number of batches. An iterable dataset has to have a method Len() int
// for that, which counts its examples; otherwise Len panics with ErrType.
func (l *Loader) Len() int {
	l.made("Len")
	if l.opts.batches != nil {
		return l.opts.batches.Len()
	}
	n, ok := l.examples()
	if !ok {
		panic(torch.NewError("data.Loader.Len", torch.ErrType, "receiver", fmt.Sprintf("an iterable dataset has a length if it has a method Len() int; %T has no Len", l.stream)))
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

// examples returns how many there are, if that is known.
func (l *Loader) examples() (n int, ok bool) {
	if l.set != nil {
		return l.set.Len(), true
	}
	if d, ok := l.stream.(interface{ Len() int }); ok {
		return d.Len(), true
	}
	return 0, false
}

// String shows the settings of the loader, such as
// "DataLoader(TensorDataset(60000), batch_size=64, shuffle=True,
// drop_last=False): 938 batches", and num_workers if there are any.
func (l *Loader) String() string {
	if l == nil || l.set == nil && l.stream == nil {
		return "DataLoader(nil)"
	}
	set, size, workers, batches := fmt.Sprintf("%T", l.stream), "None", "", ""
	if l.set != nil {
		set = describe(l.set, true)
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

// Dataset returns the dataset that the loader reads, nil if that is an iterable one.
func (l *Loader) Dataset() Dataset {
	l.made("Dataset")
	return l.set
}

// Iterable returns the iterable dataset that the loader reads, nil if it has another.
func (l *Loader) Iterable() IterableDataset {
	l.made("Iterable")
	return l.stream
}

// All returns the batches of one epoch, for "for batch := range loader.All()".
// Each step runs in its own scope, which ends with the loop's body, however the
// body is left. Ranging again gives the next epoch. When the loop ends, by break too,
// its workers have ended, but for one that does not come back, which All does not wait
// for longer than [Timeout] or five seconds; what it still makes is freed.
//
// It panics with a *torch.Error if a batch cannot be made; the cause in it is an
// [ExampleError] or a [TimeoutError]. [Loader.Iter] returns that as an error.
//
// [iter.Pull] runs the loader on another goroutine, whose scopes are not the
// caller's. A batch is still freed when the next one is requested. But what the
// caller makes from it belongs to the caller's own scope or to the collector,
// and [torch.Keep] and [torch.Disown] of the batch's tensors panic with
// ErrValue. Open a [torch.Scope] for each step, and Detach or Clone what has to
// outlive it. [Loader.Iter] has no such goroutine.
func (l *Loader) All() iter.Seq[Batch] {
	return func(yield func(Batch) bool) { l.run(context.Background(), "All", yield) }
}

// AllContext is All, but ends early, between two steps or while it waits for a worker,
// once ctx is done. ctx.Err says whether it did. Ranging panics with ErrNil for a nil
// ctx.
func (l *Loader) AllContext(ctx context.Context) iter.Seq[Batch] {
	return func(yield func(Batch) bool) { l.run(ctx, "AllContext", yield) }
}

// Each calls fn with each batch of one epoch until fn returns false. It is All
// for code that cannot range over functions. It panics with ErrNil for a nil fn.
func (l *Loader) Each(fn func(Batch) bool) { l.run(context.Background(), "Each", fn) }

// Inputs is All without the targets, for swa.UpdateBN(loader.Inputs(), model).
func (l *Loader) Inputs() iter.Seq[*torch.Tensor] {
	return func(yield func(*torch.Tensor) bool) {
		l.run(context.Background(), "Inputs", func(b Batch) bool { return yield(b.Input) })
	}
}

// made panics with ErrNil for a loader that NewLoader did not make.
func (l *Loader) made(method string) {
	if l == nil || l.set == nil && l.stream == nil {
		panic(torch.NewError("data.Loader."+method, torch.ErrNil, "receiver", "a Loader without a dataset; NewLoader makes one"))
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
