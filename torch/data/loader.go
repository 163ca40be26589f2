package data

import (
	"context"
	"fmt"
	"iter"

	"github.com/gotorch/gotorch/internal/native/own"
	"github.com/gotorch/gotorch/internal/tensorfmt"
	"github.com/gotorch/gotorch/torch"
)

// Loader yields a dataset in batches: torch.utils.data.DataLoader in Python,
// with num_workers=0. It holds no native memory and needs no Close. Several
// goroutines may range over one loader, each in its own order, if the dataset
// and the functions given as options allow that.
type Loader struct {
	set  Dataset
	opts loading
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
// options are those of Python's DataLoader but for workers and pinned memory: the
// goroutine of the loop makes the batches. Without options, each batch holds
// one example, in order. It panics with ErrNil for a nil dataset or option, and
// with ErrValue for a batch size below 1 or for shuffling an empty dataset, and
// with ErrDevice for a device that is not there.
func NewLoader(d Dataset, opts ...LoaderOption) *Loader {
	const op = "data.NewLoader"
	checkDataset(op, d)
	l := readLoading(opts)
	if l.shuffle && d.Len() == 0 {
		panic(torch.NewError(op, torch.ErrValue, "d", "an empty dataset cannot be shuffled"))
	}
	return &Loader{set: d, opts: l}
}

// Len returns the number of batches.
func (l *Loader) Len() int {
	l.made("Len")
	if l.opts.batches != nil {
		return l.opts.batches.Len()
	}
	n, size := l.set.Len(), l.opts.batchSize
	full := n / size
	if n%size != 0 && !l.opts.dropLast {
		return full + 1
	}
	return full
}

// String shows the settings of the loader, such as
// "DataLoader(TensorDataset(60000), batch_size=64, shuffle=True,
// drop_last=False): 938 batches".
func (l *Loader) String() string {
	if l == nil || l.set == nil {
		return "DataLoader(nil)"
	}
	return fmt.Sprintf("DataLoader(%s, batch_size=%d, shuffle=%s, drop_last=%s): %d batches",
		describe(l.set), l.opts.batchSize, tensorfmt.PyBool(l.opts.shuffle), tensorfmt.PyBool(l.opts.dropLast), l.Len())
}

// Dataset returns the dataset that the loader reads.
func (l *Loader) Dataset() Dataset { return l.set }

// All returns the batches of one epoch, for "for batch := range loader.All()".
// Each step runs in its own scope, which ends with the loop's body, however the
// body is left. Ranging again gives the next epoch.
//
// [iter.Pull] runs the loader on another goroutine, whose scopes are not the
// caller's. A batch is still freed when the next one is requested. But what the
// caller makes from it belongs to the caller's own scope or to the collector,
// and [torch.Keep] and [torch.Disown] of the batch's tensors panic with
// ErrValue. Open a [torch.Scope] for each step, and Detach or Clone what has to
// outlive it.
func (l *Loader) All() iter.Seq[Batch] { return l.AllContext(context.Background()) }

// AllContext is All, but ends early, between two steps, once ctx is done.
// ctx.Err says whether it did. Ranging panics with ErrNil for a nil ctx.
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
	if l == nil || l.set == nil {
		panic(torch.NewError("data.Loader."+method, torch.ErrNil, "receiver", "a Loader without a dataset; NewLoader makes one"))
	}
}

func (l *Loader) run(ctx context.Context, op string, yield func(Batch) bool) {
	if yield == nil {
		panic(torch.NilFunc("data.Loader."+op, "fn"))
	}
	l.made(op)
	checkDataset("data.Loader."+op, l.set) // whose Len may have changed
	if ctx == nil {
		panic(torch.NewError("data.Loader."+op, torch.ErrNil, "ctx", "a nil Context"))
	}
	e := l.begin()
	for more := true; more && ctx.Err() == nil; {
		torch.Scope(func() {
			own.Mark(own.Step)
			indices, ok := e.next()
			more = ok && yield(Batch{Example: l.load(indices), Index: e.batches - 1})
		})
	}
}

// load returns a batch, without anything that was made on the way to it. Each
// stage frees what the one before it made: the examples are gone when the batch
// is transformed, the batch as it was when it is moved.
func (l *Loader) load(indices []int64) Example {
	return tidied(func() Example {
		batch := tidied(func() Example {
			raw := tidied(func() Example {
				e, err := fetch(l.set, indices, l.opts.collate)
				return tried("data.Loader", e, err)
			})
			if l.opts.transform == nil {
				return raw
			}
			return l.opts.transform(raw)
		})
		if l.opts.device == 0 {
			return batch
		}
		return moved(batch, l.opts.device)
	})
}

// tidied frees what fn makes beside its result.
func tidied(fn func() Example) (e Example) {
	torch.TidyAll(func() []*torch.Tensor {
		own.Mark(own.Load)
		e = fn()
		return e.tensors()
	})
	return e
}

func moved(e Example, dev torch.Device) Example {
	ts := e.tensors()
	for i, t := range ts {
		if t != nil {
			ts[i] = t.To(dev, torch.NonBlocking)
		}
	}
	return exampleOf(ts)
}
